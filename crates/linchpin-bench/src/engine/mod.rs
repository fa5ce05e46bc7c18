//! `engine`: exhaustive exploration.
//!
//! Rows of the table are one program on every tool. Sections are about linchpin alone: a crowd of threads, a second
//! worker, memory over millions of executions, and the cost of one access.

mod access_cost;
mod by_turns;
mod comparison;
mod crowd;
mod crowd_count;
mod memory;
mod render;
mod report;
mod rows;
mod targets;
mod workers;

use std::process::ExitCode;

use crate::arguments::Engine;
use crate::output;
use report::Report;

/// Measures what is asked for and prints it. Fails if linchpin counted wrong.
pub(crate) fn run(options: &Engine) -> ExitCode {
    let report = measure(options);
    output::print(&report, options.json, render::report);
    output::conclude(&report.wrong)
}

fn measure(options: &Engine) -> Report {
    let mut report = Report::new(options.budget());
    // Memory first: peers leave garbage in the process that would be taken for ours.
    if options.wants(memory::NAME) && !options.quick {
        report.memory = memory::measure();
    }
    if options.wants(access_cost::NAME) {
        report.access_costs = access_cost::measure();
    }
    if options.wants(crowd::NAME) {
        report.crowds = crowd::measure(options.budget());
    }
    if options.wants(workers::NAME) {
        report.workers = Some(workers::measure(options.quick));
    }
    let rows = || rows::ROWS.iter().filter(|row| options.wants(row.name));
    // Before the comparison, which ends with shuttle: see there.
    let with_targets = rows().filter(|row| targets::has_target(row.name));
    report.by_turns = with_targets.filter_map(|row| by_turns::measure(row, options.quick)).collect();
    report.comparisons = comparison::measure(rows(), options);
    report.conclude();
    report
}

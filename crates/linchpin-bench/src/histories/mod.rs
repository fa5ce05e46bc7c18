//! `histories`: is a history linearizable?
//!
//! Rows of the table are one history on every checker; a second table shows how linchpin's time grows with the history.
//! Every checker decides every history in a [process of its own](trial), so that it can be stopped when its time is up,
//! cannot take more memory than it is given, and leaves no garbage behind that would be taken for another's.

mod checkers;
mod child;
mod growth;
mod render;
mod report;
mod rows;
mod sample;
mod trial;

use std::process::ExitCode;

use crate::arguments::{Histories, Order};
use crate::output;
use report::Report;

pub(crate) use checkers::Checker;
pub(crate) use child::{Answer, MEMORY};
pub(crate) use rows::{Row, Source, rows};
pub(crate) use sample::Sample;
pub(crate) use trial::{Outcome, measure as try_checker};

/// Measures what is asked for and prints it. Fails if linchpin was wrong.
pub(crate) fn run(options: &Histories) -> ExitCode {
    let report = measure(options);
    output::print(&report, options.json, render::report);
    output::conclude(&report.wrong)
}

fn measure(options: &Histories) -> Report {
    let mut report = Report::new(options.budget);
    for row in rows::rows().into_iter().filter(|row| options.wants(&row.name)) {
        report.push(&row, options.budget);
    }
    for (object, rows) in rows::growing() {
        if options.wants(&format!("{} {object}", growth::NAME)) {
            report.growth.extend(growth::measure(&object, &rows, options.budget));
        }
    }
    report.conclude();
    report
}

/// What the process does that decides one row for one checker.
pub(crate) fn decide(order: &Order) -> ExitCode {
    child::run(&order.json)
}

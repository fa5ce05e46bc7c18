//! `pin`: what it takes to say why a client fails. Each section is a module of its own.

mod eliminators;
mod papers;

use std::process::ExitCode;

use serde::Serialize;

use crate::arguments::Pin;
use crate::output;

/// All that was measured.
#[derive(Debug, Serialize)]
struct Report {
    /// The papers' tables.
    papers: Vec<papers::Row>,
    /// Eliminators of single executions.
    eliminators: Vec<eliminators::Row>,
}

/// Measures what is asked for and prints it.
pub(crate) fn run(options: &Pin) -> ExitCode {
    let report = Report { papers: papers::measure(options), eliminators: eliminators::measure(options) };
    output::print(&report, options.json, |report| {
        papers::render(&report.papers) + &eliminators::render(&report.eliminators)
    });
    ExitCode::SUCCESS
}

//! `clients`: what it takes to run clients of objects. Each section is a module of its own.

mod exploring;
mod sampling;
mod stress;

use std::process::ExitCode;

use serde::Serialize;

use crate::arguments::Clients;
use crate::progress;

/// All that was measured.
#[derive(Debug, Serialize)]
struct Report {
    /// Checking objects.
    exploring: Vec<exploring::Row>,
    /// Random schedules per second.
    sampling: Vec<sampling::Row>,
    /// Runs on native threads per second.
    stress: Vec<stress::Row>,
}

/// Measures what is asked for and prints it.
pub(crate) fn run(options: &Clients) -> ExitCode {
    let report = Report {
        exploring: exploring::measure(options),
        sampling: sampling::measure(options),
        stress: stress::measure(options),
    };
    progress::end();
    if options.json {
        println!("{}", serde_json::to_string_pretty(&report).expect("a report is plain data"));
    } else {
        let Report { exploring, sampling, stress } = &report;
        print!("{}{}{}", exploring::render(exploring), sampling::render(sampling), stress::render(stress));
    }
    ExitCode::SUCCESS
}

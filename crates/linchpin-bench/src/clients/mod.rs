//! `clients`: what it takes to run clients of objects. Each section is a module of its own.

mod defaults;
mod exploring;
mod sampling;
mod stress;

use std::process::ExitCode;

use serde::Serialize;

use crate::arguments::Clients;
use crate::output;

/// All that was measured.
#[derive(Debug, Serialize)]
struct Report {
    /// Checking the whole zoo.
    defaults: Vec<defaults::Row>,
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
        defaults: defaults::measure(options),
        exploring: exploring::measure(options),
        sampling: sampling::measure(options),
        stress: stress::measure(options),
    };
    output::print(&report, options.json, |Report { defaults, exploring, sampling, stress }| {
        let clients = defaults::render(defaults) + &exploring::render(exploring);
        clients + &sampling::render(sampling) + &stress::render(stress)
    });
    output::exit_code(defaults::is_right(&report.defaults))
}

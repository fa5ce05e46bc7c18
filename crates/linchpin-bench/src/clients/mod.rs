//! `clients`: how fast clients of objects are run.

mod stress;

use std::process::ExitCode;
use std::time::Duration;

use crate::arguments::Clients;

/// What is measured: a name, and what makes a table of it within so much time for each figure.
const SECTIONS: [(&str, fn(Duration) -> String); 1] = [("stress", stress::measure)];

/// Measures what is asked for and prints it.
pub(crate) fn run(options: &Clients) -> ExitCode {
    for (name, measure) in SECTIONS.iter().filter(|(name, _)| options.wants(name)) {
        println!("{name}\n{}", measure(options.budget));
    }
    ExitCode::SUCCESS
}

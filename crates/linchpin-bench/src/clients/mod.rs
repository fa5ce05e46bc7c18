//! `clients`: how fast clients of objects are run.

mod stress;

use std::process::ExitCode;
use std::time::Duration;

use crate::arguments::Clients;

/// A table, and what measures it with so much time for each figure.
struct Section {
    name: &'static str,
    measure: fn(Duration) -> String,
}

const SECTIONS: &[Section] = &[Section { name: "stress", measure: stress::measure }];

/// Measures what is asked for and prints it.
pub(crate) fn run(options: &Clients) -> ExitCode {
    for Section { name, measure } in SECTIONS.iter().filter(|section| options.wants(section.name)) {
        println!("{name}\n{}", measure(options.budget));
    }
    ExitCode::SUCCESS
}

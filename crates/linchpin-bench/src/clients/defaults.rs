//! What `linchpin::check` makes of every object of the zoo with its default settings: faults have to be found, and what has
//! none has to pass with nothing left out.

use std::time::Instant;

use linchpin::{Check, Failure};
use linchpin_zoo::{Entry, all};
use serde::Serialize;

use crate::arguments::Clients;
use crate::progress;
use crate::text::{Lean, Table, grouped};

/// An object, and what checking it has established.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    object: &'static str,
    is_faulty: bool,
    clients: usize,
    executions: u64,
    coverage: String,
    /// The smallest client that fails, or what else is wrong.
    failure: Option<String>,
    seconds: f64,
    /// Is this what is known of the object?
    is_right: bool,
}

impl Row {
    fn of(entry: &Entry) -> Row {
        progress::begin(format_args!("checking {}", entry.name));
        let start = Instant::now();
        let checked = Check::of(entry.object).explore();
        let failure = checked.failure.as_ref().map(|failure| match failure {
            Failure::Execution { client, .. } => client.to_string(),
            Failure::Disagreement(disagreement) => format!("in one thread: {disagreement}"),
            Failure::NotDeterministic(_) | Failure::NoClients(_) => failure.to_string(),
        });
        Row {
            object: entry.name,
            is_faulty: entry.faulty,
            clients: checked.clients,
            executions: checked.executions,
            is_right: if entry.faulty {
                failure.is_some()
            } else {
                failure.is_none() && checked.coverage.is_complete()
            },
            coverage: checked.coverage.to_string(),
            failure,
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

/// Measures the rows that are asked for.
pub(super) fn measure(options: &Clients) -> Vec<Row> {
    let wanted = all().iter().filter(|entry| options.wants(&format!("defaults {}", entry.name)));
    wanted.map(Row::of).collect()
}

/// Is all of it as it has to be?
pub(super) fn is_right(rows: &[Row]) -> bool {
    rows.iter().all(|row| row.is_right)
}

/// The rows as a table.
pub(super) fn render(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        ("object", Lean::Left),
        ("clients", Lean::Right),
        ("executions", Lean::Right),
        ("coverage", Lean::Left),
        ("time", Lean::Right),
        ("as known", Lean::Left),
        ("what fails", Lean::Left),
    ]);
    for row in rows {
        table.push([
            row.object.to_owned(),
            row.clients.to_string(),
            grouped(row.executions),
            row.coverage.clone(),
            format!("{:.2} s", row.seconds),
            if row.is_right { "yes" } else { "NO" }.to_owned(),
            row.failure.clone().unwrap_or_default(),
        ]);
    }
    let faulty = rows.iter().filter(|row| row.is_faulty);
    let (found, faulty) = (faulty.clone().filter(|row| row.is_right).count(), faulty.count());
    let passed = rows.iter().filter(|row| !row.is_faulty && row.is_right).count();
    format!(
        "Defaults: `linchpin::check` on the zoo\n\n{}\n\n{found} of {faulty} faulty objects found; {passed} of {} correct ones pass \
         with nothing left out\n",
        table.render(),
        rows.len() - faulty,
    )
}

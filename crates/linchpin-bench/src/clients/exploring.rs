//! How long it takes to check an object: a hundred default clients, every execution of each, under sequential consistency.

use std::time::Instant;

use linchpin::{Builder, Check, Coverage, MemoryModel};
use linchpin_zoo::{Entry, find};
use serde::Serialize;

use crate::arguments::Clients;
use crate::progress;
use crate::text::{Lean, Table, grouped};

const OBJECTS: &[&str] =
    &["unknown-queue-checked", "optimistic-queue-fixed", "lock-free-list-fixed", "treiber-stack-fixed"];

/// An object, and what checking it took.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    object: &'static str,
    clients: usize,
    executions: u64,
    is_complete: bool,
    seconds: f64,
}

impl Row {
    fn of(entry: &Entry) -> Row {
        progress::begin(format_args!("exploring clients of {}", entry.name));
        let start = Instant::now();
        let checked = Check::of(entry.object).clients(100).with(Builder::new().memory_model(MemoryModel::Sc)).explore();
        assert!(checked.failure.is_none(), "{} has a fault: {}", entry.name, checked.summary());
        Row {
            object: entry.name,
            clients: checked.clients,
            executions: checked.executions,
            is_complete: checked.coverage == Coverage::Complete,
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

/// Measures the rows that are asked for.
pub(super) fn measure(options: &Clients) -> Vec<Row> {
    let wanted = OBJECTS.iter().filter(|name| options.wants(name) || options.wants("exploring"));
    wanted.filter_map(|name| find(name)).map(Row::of).collect()
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
    ]);
    for row in rows {
        table.push([
            row.object.to_owned(),
            row.clients.to_string(),
            grouped(row.executions),
            if row.is_complete { "complete" } else { "bounded" }.to_owned(),
            format!("{:.2} s", row.seconds),
        ]);
    }
    format!("Exploring: 100 default clients under sequential consistency\n\n{}\n", table.render())
}

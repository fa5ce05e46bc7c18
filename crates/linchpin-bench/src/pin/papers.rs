//! The tables of the root-cause paper and of FGVT: how long each row takes, exploration included. The target is a second.

use linchpin_reproduce::{causes, fgvt};
use serde::Serialize;

use crate::arguments::Pin;
use crate::progress;
use crate::text::{Lean, Table, grouped, time};

/// A row of a paper and how long it takes.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    name: String,
    /// Executions, or interleavings.
    size: u64,
    seconds: f64,
    /// Of the paper's tool; where it says so.
    paper_seconds: Option<u32>,
    agrees: bool,
}

/// Total time in table 1 of the root-cause paper, in seconds.
const PAPER: [u32; 27] =
    [13, 11, 11, 12, 12, 11, 23, 11, 12, 23, 17, 7, 10, 22, 38, 18, 12, 11, 131, 115, 100, 593, 77, 92, 119, 53, 171];

/// Measures the rows that are asked for.
pub(super) fn measure(options: &Pin) -> Vec<Row> {
    let mut rows = Vec::new();
    for (entry, paper) in causes::ENTRIES.iter().zip(PAPER).filter(|(entry, _)| options.wants(entry.id)) {
        progress::begin(format_args!("cause of {}", entry.id));
        let ran = causes::run(entry);
        rows.push(Row {
            name: entry.id.to_owned(),
            size: ran.explanation.cause.violating + ran.explanation.cause.linearizable,
            seconds: ran.elapsed.as_secs_f64(),
            paper_seconds: Some(paper),
            agrees: ran.has_outcomes() && ran.has_first(),
        });
    }
    for entry in fgvt::ENTRIES.iter().filter(|entry| options.wants(entry.id)) {
        progress::begin(format_args!("races of {}", entry.id));
        let ran = fgvt::run(entry);
        rows.push(Row {
            name: entry.id.to_owned(),
            size: ran.races.as_ref().map_or(0, |races| u64::try_from(races.right + races.wrong).unwrap_or(u64::MAX)),
            seconds: ran.elapsed.as_secs_f64(),
            paper_seconds: None,
            agrees: ran.sequence().is_some(),
        });
    }
    rows
}

/// The rows as a table.
pub(super) fn render(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let columns = [
        ("row", Lean::Left),
        ("executions", Lean::Right),
        ("time", Lean::Right),
        ("paper", Lean::Right),
        ("result", Lean::Left),
    ];
    let mut table = Table::new(&columns);
    for row in rows {
        table.push([
            row.name.clone(),
            grouped(row.size),
            time(row.seconds),
            row.paper_seconds.map(|seconds| format!("{seconds} s")).unwrap_or_default(),
            if row.agrees { "as in the paper" } else { "differs" }.to_owned(),
        ]);
    }
    format!("Tables of the papers: causes (executions) and races (interleavings)\n\n{}\n", table.render())
}

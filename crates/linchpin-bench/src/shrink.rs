//! `shrink`: how long it takes to notice that a long run is wrong, and to make a small client of it, next to what the CGVT paper
//! says of its own (Table II, version D; another machine, so only orders of magnitude mean something). Hunts take milliseconds, and whatever
//! else the machine does shows; so each object is hunted several times, and what is printed are medians.

use std::process::ExitCode;
use std::time::Duration;

use linchpin::{Hunt, Hunted, Phases};
use linchpin_zoo::{Entry, find};
use serde::Serialize;

use crate::arguments::Shrink;
use crate::measurement::median;
use crate::text::{Lean, Table};
use crate::{output, progress};

/// The zoo's name, operations per thread, and the paper's milliseconds for a history and for localisation.
const OBJECTS: &[(&str, usize, f64, f64)] = &[
    ("lock-free-list", 500, 611.0, 233.0),
    ("simple-list", 50, 24.0, 256.0),
    ("size-list", 500, 682.0, 756.0),
    ("unknown-list-1", 500, 704.0, 245.0),
    ("unknown-list-2", 50, 35.0, 365.0),
    ("unknown-list-4", 500, 603.0, 326.0),
    ("optimistic-queue", 500, 1_412.0, 796.0),
    ("k-stack", 50, 30.0, 864.0),
    ("treiber-stack", 100, 124.0, 532.0),
];

/// How often each object is hunted.
const HUNTS: usize = 9;

/// An object, and what it took in milliseconds: medians of several hunts.
#[derive(Debug, Serialize)]
struct Row {
    object: &'static str,
    operations: usize,
    histories: usize,
    per_history: f64,
    paper_per_history: f64,
    locating: f64,
    shrinking: f64,
    paper_locating: f64,
    minimum: Option<String>,
    is_proven: bool,
}

impl Row {
    fn of(entry: &Entry, operations: usize, paper: (f64, f64)) -> Row {
        progress::begin(format_args!("hunting {}", entry.name));
        let hunt = || Hunt::of(entry.object).operations(operations).histories(400).explore();
        let hunts: Vec<Hunted> = (0..HUNTS).map(|_| hunt()).collect();
        let milliseconds = |time: fn(&Phases) -> Duration| {
            let mut times: Vec<Duration> = hunts.iter().map(|hunted| time(&hunted.phases)).collect();
            median(&mut times).as_secs_f64() * 1_000.0
        };
        // They differ in time only.
        let hunted = &hunts[0];
        Row {
            object: entry.name,
            operations,
            histories: hunted.histories,
            per_history: milliseconds(|phases| phases.running + phases.deciding) / hunted.histories as f64,
            paper_per_history: paper.0,
            locating: milliseconds(|phases| phases.locating),
            shrinking: milliseconds(|phases| phases.shrinking),
            paper_locating: paper.1,
            minimum: hunted.shrunk.as_ref().map(|shrunk| shrunk.minimum.client.to_string()),
            is_proven: hunted.shrunk.as_ref().is_some_and(|shrunk| shrunk.minimum.is_proven),
        }
    }
}

/// Measures what is asked for and prints it.
pub(crate) fn run(options: &Shrink) -> ExitCode {
    let wanted = OBJECTS.iter().filter(|(name, ..)| options.wants(name));
    let rows: Vec<Row> = wanted
        .filter_map(|&(name, operations, history, locating)| {
            find(name).map(|entry| Row::of(entry, operations, (history, locating)))
        })
        .collect();
    output::print(&rows[..], options.json, |rows| render(rows) + "\n");
    ExitCode::SUCCESS
}

fn render(rows: &[Row]) -> String {
    let mut table = Table::new(&[
        ("object", Lean::Left),
        ("runs", Lean::Right),
        ("ms per run", Lean::Right),
        ("paper", Lean::Right),
        ("×", Lean::Right),
        ("ms locating", Lean::Right),
        ("ms shrinking", Lean::Right),
        ("paper", Lean::Right),
        ("×", Lean::Right),
        ("smallest client", Lean::Left),
    ]);
    for row in rows {
        let proven = if row.is_proven { "" } else { " (not proven)" };
        let minimum = row.minimum.as_ref().map_or("none found".to_owned(), |client| format!("{client}{proven}"));
        table.push([
            format!("{} 2×{}", row.object, row.operations),
            row.histories.to_string(),
            format!("{:.1}", row.per_history),
            format!("{:.0}", row.paper_per_history),
            format!("{:.0}", row.paper_per_history / row.per_history),
            format!("{:.1}", row.locating),
            format!("{:.1}", row.shrinking),
            format!("{:.0}", row.paper_locating),
            format!("{:.0}", row.paper_locating / (row.locating + row.shrinking)),
            minimum,
        ]);
    }
    table.render()
}

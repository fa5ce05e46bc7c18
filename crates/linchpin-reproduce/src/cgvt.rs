//! Tables I and II of CGVT (Zhang, Wu and Zhang): how often long runs show a fault, and how small the client is that comes of
//! one.
//!
//! The paper has three versions: B runs native threads, D runs D-PCT, H is D with a single operation in one of the threads, which the
//! others overtake: see `Strategy::PctInWindows`. Ours takes that for the runs; for shrinking it is an order of candidates in all three. How many runs are wrong
//! depends on operations, keys and machines, so what is expected to agree is whether D finds the fault at all, and that the
//! smallest client is no larger than the paper's smallest. The object in which nothing was found is also explored, as a proof for small
//! clients.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use linchpin::{Check, Hunt, Hunted, Scheduler};
use linchpin_zoo::{Entry, find};

use crate::Row;

/// A row of Table II, and of Table I where the object is there too.
struct Line {
    /// The paper's name, and the zoo's.
    paper: &'static str,
    zoo: &'static str,
    operations: usize,
    histories: usize,
    /// Wrong runs of B, D and H.
    wrong: [usize; 3],
    /// Concurrent operations of the smallest client in Table II; `None`: nothing was found.
    size: Option<usize>,
    /// Type and operations in each thread in Table I.
    kind: Option<(u8, &'static str)>,
}

const fn line(paper: &'static str, zoo: &'static str, operations: usize, histories: usize) -> Line {
    Line { paper, zoo, operations, histories, wrong: [0, 0, 0], size: None, kind: None }
}

const LINES: [Line; 12] = [
    Line { wrong: [5, 2, 8], size: Some(2), kind: Some((1, "1, 1")), ..line("LFList", "lock-free-list", 500, 20) },
    Line { wrong: [20, 20, 20], size: Some(2), kind: Some((2, "1, 1")), ..line("CGList", "simple-list", 50, 20) },
    Line { wrong: [0, 3, 1], size: Some(3), kind: Some((1, "1, 2")), ..line("CGList (size)", "size-list", 500, 80) },
    Line { wrong: [7, 5, 5], size: Some(2), ..line("BUList1", "unknown-list-1", 500, 20) },
    Line { wrong: [18, 20, 20], size: Some(2), ..line("BUList2", "unknown-list-2", 50, 20) },
    // The artifact counts differently: its list 4 is the one that only D-PCT finds out.
    Line { wrong: [0, 2, 3], size: Some(2), ..line("BUList3", "unknown-list-4", 500, 80) },
    Line { wrong: [4, 19, 16], size: Some(2), kind: Some((1, "1, 1")), ..line("OPQueue", "optimistic-queue", 500, 20) },
    line("BUQueue", "unknown-queue", 200, 80),
    Line { wrong: [10, 18, 15], size: Some(2), kind: Some((2, "1, 1")), ..line("KStack", "k-stack", 50, 20) },
    Line { wrong: [19, 20, 20], size: Some(2), kind: Some((2, "1, 3")), ..line("TBStack", "treiber-stack", 100, 20) },
    // Not in Table II.
    Line { kind: Some((1, "1, 2")), ..line("Snark", "snark-deque", 500, 20) },
    Line { kind: Some((1, "1, 4")), ..line("PairSnapShot", "pair-snapshot", 500, 20) },
];

/// So many clients of an object without a fault are explored.
const CLIENTS: usize = 100;

/// Objects that are not run on native threads: a thread that retries for ever cannot be stopped.
const NOT_NATIVELY: [&str; 1] = ["unknown-list-1"];

/// What this is measured by: `share` of the paper's numbers of runs, at least one.
pub fn rows(share: f64, interrupt: &AtomicBool) -> Vec<Row> {
    let mut rows = Vec::new();
    for line in &LINES {
        if !interrupt.load(Relaxed) {
            let entry = find(line.zoo).expect("every line names an object of the zoo");
            rows.extend(rows_of(line, entry, share, interrupt));
        }
    }
    rows
}

fn rows_of(line: &Line, entry: &Entry, share: f64, interrupt: &AtomicBool) -> Vec<Row> {
    let histories = ((line.histories as f64 * share).ceil() as usize).max(1);
    let hunt = || Hunt::of(entry.object).operations(line.operations).histories(histories);
    let mut rows = Vec::new();
    if line.size.is_some() || line.kind.is_none() {
        rows.push(detections(line, entry, histories, hunt));
    }
    if entry.faulty {
        rows.extend(smallest(line, hunt().histories(4 * line.histories).explore_until(interrupt)));
    } else {
        rows.push(explored(line, entry));
    }
    rows
}

/// How many runs are wrong.
fn detections(line: &Line, entry: &Entry, histories: usize, hunt: impl Fn() -> Hunt) -> Row {
    let native = entry.memory_safe && !NOT_NATIVELY.contains(&entry.name);
    let b = native.then(|| hunt().scheduler(Scheduler::Native).count().0);
    let d = hunt().count().0;
    let h = hunt().one_operation(true).count().0;
    let count = |wrong: Option<usize>| wrong.map_or("-".to_owned(), |wrong| format!("{wrong}/{histories}"));
    let [paper_b, paper_d, paper_h] = line.wrong;
    Row {
        id: format!("Table II, {}: wrong runs of B, D, H", line.paper),
        paper: [paper_b, paper_d, paper_h].map(|wrong| format!("{wrong}/{}", line.histories)).join(" "),
        ours: [b, Some(d), Some(h)].map(count).join(" "),
        agrees: Some((d > 0) == (paper_d > 0)),
    }
}

/// Whether small clients of an object without a fault are linearizable, each explored to its end.
fn explored(line: &Line, entry: &Entry) -> Row {
    let checked = Check::of(entry.object).clients(CLIENTS).explore();
    let right = if checked.failure.is_none() { "linearizable" } else { "not all linearizable" };
    let coverage = if checked.coverage.is_complete() { "complete" } else { "bounded" };
    Row {
        id: format!("{}: small clients", line.paper),
        paper: "-".into(),
        ours: format!("{} {right}, coverage {coverage}", checked.clients),
        agrees: Some(checked.failure.is_none() && checked.coverage.is_complete()),
    }
}

/// How small the client is, and when it reveals the fault.
fn smallest(line: &Line, hunted: Hunted) -> Vec<Row> {
    let Some(shrunk) = &hunted.shrunk else {
        let paper = line.size.map_or(line.kind.map_or("-", |(_, shape)| shape).to_owned(), |size| size.to_string());
        let id = format!("{}: smallest client", line.paper);
        return vec![Row { id, paper, ours: "none found".into(), agrees: Some(false) }];
    };
    let minimum = &shrunk.minimum;
    let mut lengths: Vec<usize> = minimum.client.threads.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    let size: usize = lengths.iter().sum();
    let proven = if minimum.is_proven { "proven" } else { "not proven" };
    let mut rows = Vec::new();
    if let Some(paper) = line.size {
        rows.push(Row {
            id: format!("Table II, {}: concurrent operations", line.paper),
            paper: paper.to_string(),
            ours: format!("{size}, {proven}: {}", minimum.client),
            agrees: Some(size <= paper && minimum.is_proven),
        });
    }
    if let Some((kind, shape)) = line.kind {
        let ours = if minimum.is_revealed_at_once() { 1 } else { 2 };
        let lengths = lengths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let most: usize = shape.split(", ").filter_map(|length| length.parse::<usize>().ok()).sum();
        rows.push(Row {
            id: format!("Table I, {}: type, operations", line.paper),
            paper: format!("{kind}: {shape}"),
            ours: format!("{ours}: {lengths}"),
            agrees: Some(size <= most),
        });
    }
    rows
}

//! Eliminators of single executions, and how the cost grows with their conflicts.
//!
//! *Figure 4* is the paper's worst case, in which every cycle is an optimal eliminator: with c conflicts between n threads there
//! are (c/n)ⁿ of them. The paper's bound is (p + c) cⁿ, with p steps of program order: the exponent from a row to the next one of as
//! many threads is to be at most n + 1, until a budget ends it. *Counters* is what code looks like: operations that read and write a few counters in a few lines. The target is a second for 1,000 conflicts.

use std::time::{Duration, Instant};

use linchpin::localize::eliminate::{Limits, eliminators};
use linchpin::localize::{Access, Operation, Place, Trace};
use serde::Serialize;

use crate::arguments::Pin;
use crate::progress;
use crate::text::{Lean, Table, grouped, time};

/// For so long a row is measured again and again.
const MOMENT: Duration = Duration::from_millis(300);

/// A trace, and how long its eliminators take.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    name: &'static str,
    threads: usize,
    accesses: usize,
    conflicts: usize,
    eliminators: usize,
    is_complete: bool,
    seconds: f64,
    /// Time has grown since the row before like the conflicts to this power. Only between rows that are alike and that no budget
    /// has cut short.
    exponent: Option<f64>,
}

/// Measures the rows that are asked for.
pub(super) fn measure(options: &Pin) -> Vec<Row> {
    if !options.wants("eliminators") {
        return Vec::new();
    }
    let counters = [40, 80, 160].map(|accesses| ("counters", counters(2, accesses)));
    let sizes = [(2, 10), (2, 20), (2, 40), (2, 125), (2, 250), (2, 500), (3, 4), (3, 8), (3, 12), (4, 3), (4, 6)];
    let worst = sizes.map(|(threads, conflicts)| ("figure 4", figure_4(threads, conflicts)));
    let mut rows: Vec<Row> = counters.into_iter().chain(worst).map(|(name, trace)| row(name, &trace)).collect();
    for at in 1..rows.len() {
        rows[at].exponent = exponent(&rows[at - 1], &rows[at]);
    }
    rows
}

/// The power of the conflicts with which time grows from one row to another.
fn exponent(from: &Row, to: &Row) -> Option<f64> {
    let are_alike = (from.name, from.threads) == (to.name, to.threads) && from.is_complete && to.is_complete;
    let growth = to.conflicts as f64 / from.conflicts as f64;
    are_alike.then(|| (to.seconds / from.seconds).ln() / growth.ln())
}

fn row(name: &'static str, trace: &Trace) -> Row {
    progress::begin(format_args!("eliminators of {name}, {} accesses", trace.accesses().len()));
    let (found, seconds) = quickest(|| eliminators(trace, &Limits::default()));
    Row {
        name,
        threads: trace.threads(),
        accesses: trace.accesses().len(),
        conflicts: trace.conflicts(),
        eliminators: found.sets.len(),
        is_complete: found.is_complete,
        seconds,
        exponent: None,
    }
}

/// The answer, and how long it takes when nothing else gets in the way: the least of several times, as many as fit into a moment.
fn quickest<T>(answer: impl Fn() -> T) -> (T, f64) {
    let begin = Instant::now();
    let mut least = f64::INFINITY;
    loop {
        let start = Instant::now();
        let answer = answer();
        least = least.min(start.elapsed().as_secs_f64());
        if begin.elapsed() > MOMENT {
            return (answer, least);
        }
    }
}

/// The rows as a table.
pub(super) fn render(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let columns = [
        ("trace", Lean::Left),
        ("threads", Lean::Right),
        ("accesses", Lean::Right),
        ("conflicts", Lean::Right),
        ("eliminators", Lean::Right),
        ("time", Lean::Right),
        ("exponent", Lean::Right),
        ("", Lean::Left),
    ];
    let mut table = Table::new(&columns);
    for row in rows {
        table.push([
            row.name.to_owned(),
            row.threads.to_string(),
            grouped(row.accesses as u64),
            grouped(row.conflicts as u64),
            grouped(row.eliminators as u64),
            time(row.seconds),
            row.exponent.map(|exponent| format!("{exponent:.1}")).unwrap_or_default(),
            if row.is_complete { "" } else { "the smallest" }.to_owned(),
        ]);
    }
    format!("Eliminators of single executions\n\n{}\n", table.render())
}

fn place(line: usize) -> Place {
    Place { file: "object.rs", line: line as u32 }
}

/// So many conflicts from each thread to the next, which leave it above where those of the thread before enter it.
fn figure_4(threads: usize, conflicts: usize) -> Trace {
    let operations = (0..threads).map(|thread| Operation { name: format!("op{thread}").into(), thread }).collect();
    let access = |thread: usize, location: usize, line: usize| Access {
        operation: thread,
        location,
        is_write: true,
        place: place(line),
    };
    let each = || (0..threads).flat_map(|thread| (0..conflicts).map(move |number| (thread, number)));
    let leaves = each().map(|(thread, number)| access(thread, thread * conflicts + number, number));
    let enters = each().map(|(thread, number)| {
        access(thread, (thread + threads - 1) % threads * conflicts + number, conflicts + number)
    });
    Trace::new(operations, leaves.chain(enters).collect())
}

/// Threads take turns with so many accesses each, to twelve counters, one in three a write, in ten lines of one operation.
fn counters(threads: usize, accesses: usize) -> Trace {
    let operations = (0..threads).map(|thread| Operation { name: "count".into(), thread }).collect();
    let access = |turn: usize| Access {
        operation: turn % threads,
        location: turn * 7 / 3 % 12,
        is_write: turn.is_multiple_of(3),
        place: place(turn / threads % 10),
    };
    Trace::new(operations, (0..threads * accesses).map(access).collect())
}

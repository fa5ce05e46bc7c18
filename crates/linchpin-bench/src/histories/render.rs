//! The report as tables.

use std::fmt::Write;

use crate::text::{Lean, Table, rounded, time};

use super::checkers::{Checker, Proof};
use super::child::MEMORY;
use super::growth::Growth;
use super::report::{Comparison, Report};
use super::rows::GROWTH;

const LEGEND: &str = "\
Histories are operations × processes; every process is always inside an operation. Times are those of deciding: the best
and the median of several runs, of peers the median. Linchpin's have the translation of what a file says into
operations; the peers get theirs ready-made. Peak is the whole process with its history. Proof: «order» means that the
order which linchpin gives was verified step by step, a number how many operations its contradiction needs.
";

/// All tables there is something for.
pub(super) fn report(report: &Report) -> String {
    let mut text = String::new();
    if !report.comparisons.is_empty() {
        let cores = if report.cores == 1 { "core" } else { "cores" };
        let budget = time(report.budget_seconds);
        let memory = MEMORY / 1_000_000_000;
        let _ = writeln!(text, "{} {cores}, {budget} per checker and history, {memory} GB per peer", report.cores);
        let _ = writeln!(text, "\n{}\n{LEGEND}", comparisons(&report.comparisons, report.budget_seconds));
    }
    if !report.growth.is_empty() {
        let _ = writeln!(text, "Best time, and nanoseconds per n log₂ n, of n operations by 16 processes:");
        let _ = writeln!(text, "\n{}", growth(&report.growth));
    }
    if let Some(memory) = &report.memory {
        let reached = in_words(memory.reached);
        let (peak, aim) = (memory.peak_mb, memory.aim_mb);
        let _ = writeln!(text, "memory: at most {peak:.1} MB ({}); aim < {aim:.0} MB: {reached}", memory.history);
    }
    for note in &report.notes {
        let _ = writeln!(text, "{note}");
    }
    text
}

fn comparisons(comparisons: &[Comparison], budget: f64) -> String {
    let mut table = Table::new(&[
        ("history", Lean::Left),
        ("", Lean::Left),
        ("linchpin", Lean::Right),
        ("median", Lean::Right),
        ("peak", Lean::Right),
        ("proof", Lean::Right),
        (Checker::PorcupineRs.name(), Lean::Right),
        (Checker::TodcUtils.name(), Lean::Right),
        ("aim", Lean::Right),
        ("", Lean::Left),
    ]);
    let mut previous = "";
    for row in comparisons {
        let history = if row.history == previous { "" } else { &row.history };
        previous = &row.history;
        let answer = row.linchpin.answer();
        let peer = |checker| row.of(checker).map(|outcome| outcome.in_words(budget)).unwrap_or_default();
        table.push([
            history.into(),
            row.verdict.into(),
            answer.map_or_else(|| row.linchpin.in_words(budget), |answer| time(answer.best)),
            answer.map(|_| row.linchpin.in_words(budget)).unwrap_or_default(),
            answer.and_then(|answer| answer.peak_mb).map(|peak| format!("{} MB", rounded(peak))).unwrap_or_default(),
            answer.and_then(|answer| answer.proof.as_ref()).map(proof).unwrap_or_default(),
            peer(Checker::PorcupineRs),
            peer(Checker::TodcUtils),
            row.target.as_ref().map(|target| format!("< {}", time(target.seconds))).unwrap_or_default(),
            row.target.as_ref().map(|target| in_words(target.reached).to_owned()).unwrap_or_default(),
        ]);
    }
    table.render()
}

fn proof(proof: &Proof) -> String {
    match proof {
        Proof { wrong: Some(_), .. } => "WRONG".into(),
        Proof { witnesses: 0, operations, .. } => operations.to_string(),
        Proof { contradictions: 0, .. } => "order".into(),
        Proof { operations, .. } => format!("orders, ≤ {operations}"),
    }
}

fn growth(growth: &[Growth]) -> String {
    let sizes = GROWTH.map(|operations| format!("{}k", operations as f64 / 1e3));
    let mut columns = vec![("object", Lean::Left), ("", Lean::Left)];
    columns.extend(sizes.iter().map(|size| (size.as_str(), Lean::Right)));
    columns.push(("last/first", Lean::Right));
    let mut table = Table::new(&columns);
    for row in growth {
        let mut cells = [const { String::new() }; GROWTH.len() + 3];
        cells[0] = row.object.clone();
        cells[1] = row.verdict.into();
        for (cell, size) in cells[2..].iter_mut().zip(&row.sizes) {
            *cell = match (size.linchpin.answer(), size.per_n_log_n) {
                (Some(answer), Some(per)) => format!("{}, {}", time(answer.best), rounded(per)),
                _ => "–".into(),
            };
        }
        cells[GROWTH.len() + 2] = row.steepness().map(|ratio| format!("{ratio:.2}×")).unwrap_or_default();
        table.push(cells);
    }
    table.render()
}

fn in_words(reached: bool) -> &'static str {
    if reached { "reached" } else { "not reached" }
}

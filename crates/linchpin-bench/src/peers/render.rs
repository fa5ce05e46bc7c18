//! The report as tables.

use std::fmt::Write;

use crate::histories::Outcome;
use crate::text::{Lean, Table, grouped, rounded, time};

use super::comparison::{Comparison, LINCHPIN, Looked, Trial};
use super::{Report, porcupine};

const PROGRAMS: &str = "\
Linchpin explores all executions under C11, with one worker. Miri runs one execution per seed, on all cores; it interprets every
instruction and looks for undefined behaviour, which linchpin does not. Times are those of processors, all cores together; Miri's
have what it takes to start it, and GenMC's are those that it prints. Found: the first execution that fails, and the time until it
is seen. Rate better: linchpin's executions per second over the tool's. Time better: the tool's time over linchpin's, until the
fault is seen, or until all is explored where there is none and both do that; ≥ where the tool has not seen the fault, with the
time that it had.
";

const HISTORIES: &str = "\
Histories are operations × processes; every process is always inside an operation. Times are medians of deciding, without reading.
Linchpin's have the translation of what a file says into operations, and the proof; Porcupine gets its operations ready-made, and
uses all cores where there are keys.
";

/// All tables there is something for.
pub(super) fn report(report: &Report) -> String {
    let mut text = String::new();
    let cores = if report.cores == 1 { "core" } else { "cores" };
    let _ = writeln!(text, "{} {cores}", report.cores);
    for section in [&report.miri, &report.genmc].into_iter().flatten() {
        let _ = writeln!(text, "\n{}\n\n{}", section.version, programs(&section.rows));
        text.push_str(&last_words(&section.rows));
    }
    if report.miri.is_some() || report.genmc.is_some() {
        text.push_str(PROGRAMS);
    }
    if let Some(section) = &report.porcupine {
        let budget = time(report.budget_seconds);
        let _ = writeln!(text, "\n{}; {budget} per history\n", section.version);
        let _ = writeln!(text, "{}", histories(&section.rows, report.budget_seconds));
        for row in &section.rows {
            if let Outcome::Failed(words) = &row.porcupine {
                let _ = writeln!(text, "{}, {}:\n{words}\n", row.history, row.verdict);
            }
        }
        text.push_str(HISTORIES);
    }
    for note in &report.notes {
        let _ = writeln!(text, "\n{note}");
    }
    text
}

fn programs(comparisons: &[Comparison]) -> String {
    let mut table = Table::new(&[
        ("program", Lean::Left),
        ("tool", Lean::Left),
        ("executions", Lean::Right),
        ("failing", Lean::Right),
        ("time", Lean::Right),
        ("per second", Lean::Right),
        ("found after", Lean::Right),
        ("found in", Lean::Right),
        ("rate better", Lean::Right),
        ("time better", Lean::Right),
    ]);
    for comparison in comparisons {
        for (i, trial) in comparison.tools.iter().enumerate() {
            let program = if i == 0 { comparison.program } else { "" };
            match trial.outcome.looked() {
                Some(looked) => table.push(row(program, trial, looked, comparison)),
                None => {
                    let mut cells = [const { String::new() }; 10];
                    cells[0] = program.into();
                    cells[1] = trial.tool.into();
                    cells[2] = "failed".into();
                    table.push(cells);
                }
            }
        }
    }
    table.render()
}

fn row(program: &str, trial: &Trial, looked: &Looked, comparison: &Comparison) -> [String; 10] {
    let ours = comparison.ours().filter(|_| !trial.tool.starts_with(LINCHPIN));
    let rate = ours.and_then(|ours| Some(ours.rate()? / looked.rate()?));
    let dash = || "–".to_owned();
    let found = looked.found.as_ref();
    [
        program.into(),
        trial.tool.into(),
        format!("{}{}", grouped(looked.executions), if looked.are_all { ", all" } else { "" }),
        grouped(looked.failing),
        looked.seconds.map_or("< 10 ms".into(), time),
        looked.rate().map_or_else(dash, rounded),
        found.map_or_else(dash, |found| grouped(found.after)),
        found.map_or_else(dash, |found| time(found.seconds)),
        rate.map(|rate| format!("{}×", rounded(rate))).unwrap_or_default(),
        ours.and_then(|ours| time_better(ours, looked)).unwrap_or_default(),
    ]
}

/// How much sooner linchpin sees the fault, or is done.
fn time_better(ours: &Looked, theirs: &Looked) -> Option<String> {
    let times = |ratio: f64| format!("{}×", rounded(ratio));
    match (&ours.found, &theirs.found) {
        (Some(ours), Some(theirs)) => Some(times(theirs.seconds / ours.seconds)),
        (Some(ours), None) => Some(format!("≥ {}", times(theirs.seconds? / ours.seconds))),
        (None, _) if ours.are_all && theirs.are_all => Some(times(theirs.seconds? / ours.seconds?)),
        (None, _) => None,
    }
}

/// What those say that have failed.
fn last_words(comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    for comparison in comparisons {
        for trial in &comparison.tools {
            if let super::comparison::Outcome::Failed(words) = &trial.outcome {
                let _ = writeln!(text, "{}, {}:\n{words}\n", comparison.program, trial.tool);
            }
        }
    }
    text
}

fn histories(comparisons: &[porcupine::Comparison], budget: f64) -> String {
    let mut table = Table::new(&[
        ("history", Lean::Left),
        ("", Lean::Left),
        ("linchpin", Lean::Right),
        ("Porcupine", Lean::Right),
        ("times better", Lean::Right),
    ]);
    let mut previous = "";
    for row in comparisons {
        let history = if row.history == previous { "" } else { &row.history };
        previous = &row.history;
        let at_least = matches!(row.porcupine, Outcome::Cut).then(|| row.linchpin.answer()).flatten();
        let ratio = match (row.ratio(), at_least) {
            (Some(ratio), _) => format!("{}×", rounded(ratio)),
            (None, Some(ours)) => format!("≥ {}×", rounded(budget / ours.median)),
            (None, None) => "–".into(),
        };
        let theirs = match &row.porcupine {
            Outcome::Failed(_) => "failed".into(),
            outcome => outcome.in_words(budget),
        };
        table.push([history.into(), row.verdict.into(), row.linchpin.in_words(budget), theirs, ratio]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::super::comparison::Found;
    use super::*;

    fn looked(are_all: bool, found: Option<f64>) -> Looked {
        let found = found.map(|seconds| Found { after: 1, seconds });
        Looked { executions: 8, failing: u64::from(found.is_some()), are_all, seconds: Some(4.0), found }
    }

    #[test]
    fn who_has_not_seen_the_fault_makes_the_ratio_a_lower_bound() {
        let ours = looked(true, Some(0.5));
        assert_eq!(time_better(&ours, &looked(false, Some(2.0))).as_deref(), Some("4.00×"));
        assert_eq!(time_better(&ours, &looked(false, None)).as_deref(), Some("≥ 8.00×"));
    }

    #[test]
    fn where_there_is_no_fault_only_those_are_compared_that_explore_all() {
        let ours = looked(true, None);
        assert_eq!(time_better(&ours, &looked(true, None)).as_deref(), Some("1.00×"));
        assert_eq!(time_better(&ours, &looked(false, None)), None);
    }
}

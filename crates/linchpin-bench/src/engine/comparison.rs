//! One program on every tool.

use std::time::Duration;

use serde::Serialize;

use crate::arguments::Engine;
use crate::measurement::{End, Measurement, Tool};
use crate::progress;
use crate::tools;

use super::rows::Row;
use super::targets;

/// What every tool did on one program.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    /// The program's name.
    pub program: &'static str,
    /// How many complete executions there must be.
    pub expected: u64,
    /// How many there must be when loops are reduced.
    pub expected_reduced: u64,
    /// What the tools did.
    pub measurements: Vec<Measurement>,
    /// Linchpin against loom, without and with loops reduced.
    pub ratios: Vec<Ratios>,
}

/// How many times better than loom.
#[derive(Debug, Serialize)]
pub(crate) struct Ratios {
    /// Which linchpin it is.
    pub tool: Tool,
    /// Linchpin's executions per second over loom's.
    pub rate: Option<f64>,
    /// Loom's time to exhaust the program over linchpin's.
    pub time: Option<f64>,
    /// Loom had not finished: its time is the budget, and the ratio of times is at least this.
    pub time_is_at_least: bool,
}

const OURS: [Tool; 2] = [Tool::Linchpin, Tool::LinchpinReduced];

/// In two passes: shuttle prints a page for every panic in the process once it has run, and loom ends its threads by
/// panics. What is set in relation is measured one right after the other.
const PASSES: [&[Tool]; 2] =
    [&[Tool::Linchpin, Tool::LinchpinReduced, Tool::Loom], &[Tool::ShuttleDfs, Tool::ShuttleRandom]];

/// Lets every tool explore the programs of `rows`.
pub(super) fn measure<'a>(rows: impl Iterator<Item = &'a Row>, options: &Engine) -> Vec<Comparison> {
    let mut comparisons: Vec<(&Row, Comparison)> = rows.map(|row| (row, Comparison::new(row))).collect();
    for tools in PASSES {
        for (row, comparison) in &mut comparisons {
            for &tool in tools {
                progress::begin(format_args!("{}: {}", row.name, tool.name()));
                let budget = if tool == Tool::Loom { comparison.budget_of_loom(options) } else { options.budget() };
                comparison.measurements.push(tools::measure(tool, row.program, budget));
            }
        }
    }
    comparisons.into_iter().map(|(_, comparison)| comparison.with_ratios()).collect()
}

fn ratios(ours: &Measurement, loom: &Measurement) -> Ratios {
    let loom_ran = !matches!(loom.end, End::Failed(_));
    Ratios {
        tool: ours.tool,
        rate: loom_ran.then(|| ours.per_second / loom.per_second),
        time: (loom_ran && ours.is_finished()).then(|| loom.seconds / ours.seconds),
        time_is_at_least: loom.end == End::Cut,
    }
}

impl Comparison {
    fn new(row: &Row) -> Self {
        Comparison {
            program: row.name,
            expected: row.complete,
            expected_reduced: row.reduced,
            measurements: Vec::new(),
            ratios: Vec::new(),
        }
    }

    /// As long as it takes to see whether the target for times is reached, unless somebody has said how long.
    fn budget_of_loom(&self, options: &Engine) -> Duration {
        let ours = self.of(Tool::Linchpin);
        let decides = options.budget.is_none() && !options.quick && targets::has_target(self.program);
        if decides && ours.is_finished() {
            options.budget().max(Duration::from_secs_f64(ours.seconds * targets::TIMES_SHORTER * 1.05))
        } else {
            options.budget()
        }
    }

    fn with_ratios(mut self) -> Self {
        self.ratios = OURS.map(|tool| ratios(self.of(tool), self.of(Tool::Loom))).into();
        self
    }

    /// What `tool` did.
    pub fn of(&self, tool: Tool) -> &Measurement {
        self.measurements.iter().find(|measurement| measurement.tool == tool).expect("every tool was measured")
    }

    /// How `tool` compares with loom, if it is ours.
    pub fn ratios_of(&self, tool: Tool) -> Option<&Ratios> {
        self.ratios.iter().find(|ratios| ratios.tool == tool)
    }

    /// What linchpin got wrong.
    pub fn wrong(&self) -> Vec<String> {
        let expected = [(Tool::Linchpin, self.expected), (Tool::LinchpinReduced, self.expected_reduced)];
        expected.into_iter().filter_map(|(tool, expected)| wrong(self.program, self.of(tool), expected)).collect()
    }
}

/// What is wrong with linchpin's answer, if anything is. An exploration that was cut has not counted wrong.
pub(super) fn wrong(program: &str, measurement: &Measurement, expected: u64) -> Option<String> {
    let tool = measurement.tool.name();
    match &measurement.end {
        End::Failed(message) => Some(format!("{program}, {tool}: {message}")),
        End::Finished if measurement.complete != expected => {
            Some(format!("{program}, {tool}: {} complete executions, not {expected}", measurement.complete))
        }
        End::Cut if measurement.complete > expected => {
            Some(format!("{program}, {tool}: more than {expected} complete executions"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(tool: Tool, complete: u64, seconds: f64, end: End) -> Measurement {
        let per_second = complete as f64 / seconds;
        Measurement { tool, complete, blocked: 0, seconds, per_second, end, repetitions: 1 }
    }

    #[test]
    fn a_peer_that_was_cut_makes_the_ratio_a_lower_bound() {
        let ours = measurement(Tool::Linchpin, 100, 0.5, End::Finished);
        let ratios = ratios(&ours, &measurement(Tool::Loom, 40, 20.0, End::Cut));
        assert_eq!((ratios.rate, ratios.time, ratios.time_is_at_least), (Some(100.0), Some(40.0), true));
    }

    #[test]
    fn nothing_is_said_of_times_when_we_were_cut() {
        let ours = measurement(Tool::Linchpin, 100, 0.5, End::Cut);
        assert_eq!(ratios(&ours, &measurement(Tool::Loom, 40, 20.0, End::Finished)).time, None);
    }

    #[test]
    fn a_wrong_count_is_wrong_and_an_unfinished_one_is_not() {
        let answer = |complete, end| wrong("p", &measurement(Tool::Linchpin, complete, 1.0, end), 10);
        assert!(answer(9, End::Finished).is_some());
        assert!(answer(10, End::Finished).is_none());
        assert!(answer(9, End::Cut).is_none());
        assert!(answer(11, End::Cut).is_some());
        assert!(answer(10, End::Failed("a panic was found".into())).is_some());
    }
}

//! Linchpin and loom by turns.
//!
//! What a ratio of two measurements says depends on what else the machine did meanwhile, and on a shared one that is a lot. Here
//! the two explore for a second each, again and again, and the median of the ratios counts.

use serde::Serialize;

use crate::measurement::{ENOUGH, End, Tool};
use crate::progress;
use crate::tools;

use super::rows::Row;

/// One program on linchpin, with every iteration of every loop, and on loom.
#[derive(Debug, Serialize)]
pub(crate) struct ByTurns {
    /// The program's name.
    pub program: &'static str,
    /// What came of each round.
    pub rounds: Vec<Round>,
}

/// A round: executions per second.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Round {
    /// Of linchpin.
    pub linchpin: f64,
    /// Of loom.
    pub loom: f64,
}

/// Lets the two explore a program by turns; nothing if one of them fails.
pub(super) fn measure(row: &Row, quick: bool) -> Option<ByTurns> {
    let rounds = if quick { 3 } else { 9 };
    let rate = |tool| {
        let measurement = tools::measure(tool, row.program, ENOUGH);
        (!matches!(measurement.end, End::Failed(_))).then_some(measurement.per_second)
    };
    let round = |number| {
        progress::begin(format_args!("{}: linchpin and loom by turns, {number} of {rounds}", row.name));
        Some(Round { linchpin: rate(Tool::Linchpin)?, loom: rate(Tool::Loom)? })
    };
    let rounds: Option<Vec<Round>> = (1..=rounds).map(round).collect();
    Some(ByTurns { program: row.name, rounds: rounds? })
}

impl ByTurns {
    /// The median of something about each round, and the least and the most of it.
    pub fn spread(&self, of: impl Fn(&Round) -> f64) -> (f64, f64, f64) {
        let mut all: Vec<f64> = self.rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        (all[all.len() / 2], all[0], all[all.len() - 1])
    }
}

impl Round {
    /// How many times more executions per second linchpin explores.
    pub fn ratio(&self) -> f64 {
        self.linchpin / self.loom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_the_ratios_is_not_the_ratio_of_the_medians() {
        let rounds = [(30.0, 1.0), (20.0, 2.0), (90.0, 3.0)].map(|(linchpin, loom)| Round { linchpin, loom });
        let by_turns = ByTurns { program: "p", rounds: rounds.into() };
        assert_eq!(by_turns.spread(Round::ratio), (30.0, 10.0, 30.0));
        assert_eq!(by_turns.spread(|round| round.linchpin).0 / by_turns.spread(|round| round.loom).0, 15.0);
    }
}

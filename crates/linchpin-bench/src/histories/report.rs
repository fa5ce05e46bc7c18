//! All that was measured, as data.

use std::time::Duration;

use serde::Serialize;

use crate::progress;

use super::checkers::Checker;
use super::growth::Growth;
use super::rows::{MEMORY_AIM_MB, Row, Source};
use super::sample::etcd_folder;
use super::trial::{self, Outcome};

/// All that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// What this machine has.
    pub cores: usize,
    /// What each checker had for each history.
    pub budget_seconds: f64,
    /// Histories on every checker.
    pub comparisons: Vec<Comparison>,
    /// How time grows.
    pub growth: Vec<Growth>,
    /// The most that linchpin's process ever had on any row, and on which.
    pub memory: Option<Memory>,
    /// What could not be measured.
    pub notes: Vec<String>,
    /// Where linchpin was wrong. Must be empty.
    pub wrong: Vec<String>,
}

/// What every checker said of one history.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    /// The row's name.
    pub history: String,
    /// What is known about it.
    pub verdict: &'static str,
    pub linchpin: Outcome,
    /// What the others said, as far as they can be asked.
    pub peers: Vec<Peer>,
    /// What was aimed for.
    pub target: Option<Target>,
}

/// What a peer said.
#[derive(Debug, Serialize)]
pub(crate) struct Peer {
    pub checker: Checker,
    pub outcome: Outcome,
}

/// An aim and whether linchpin's median reached it.
#[derive(Debug, Serialize)]
pub(crate) struct Target {
    pub seconds: f64,
    pub reached: bool,
}

/// The row with which linchpin's process had the most memory.
#[derive(Debug, Serialize)]
pub(crate) struct Memory {
    pub history: String,
    pub peak_mb: f64,
    pub aim_mb: f64,
    pub reached: bool,
}

impl Report {
    /// A report of nothing yet.
    pub fn new(budget: Duration) -> Self {
        Report {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            budget_seconds: budget.as_secs_f64(),
            comparisons: Vec::new(),
            growth: Vec::new(),
            memory: None,
            notes: vec!["Porcupine itself, which is written in Go: linchpin-bench peers --filter porcupine".into()],
            wrong: Vec::new(),
        }
    }

    /// Lets all checkers decide the histories of a row.
    pub fn push(&mut self, row: &Row, budget: Duration) {
        if matches!(row.source, Source::Etcd { .. }) && etcd_folder().is_none() {
            self.notes.push(format!("{}: left out, since the logs are not there.", row.name));
            return;
        }
        for source in row.source.variants() {
            let ask = |checker: Checker| {
                progress::begin(format_args!("{}, {}: {}", row.name, source.verdict(), checker.name()));
                trial::measure(checker, &source, budget)
            };
            let linchpin = ask(Checker::Linchpin);
            let median = linchpin.answer().map(|answer| answer.median);
            let reached = |aim: f64| median.is_some_and(|median| median < aim);
            // Reading is ours: there is nothing to compare it with.
            let peers = if matches!(source, Source::Etcd { reading: true }) { &[][..] } else { &Checker::PEERS };
            self.comparisons.push(Comparison {
                history: row.name.clone(),
                verdict: source.verdict(),
                linchpin,
                peers: peers.iter().map(|&checker| Peer { checker, outcome: ask(checker) }).collect(),
                target: row.aim.map(|seconds| Target { seconds, reached: reached(seconds) }),
            });
        }
    }

    /// Draws the conclusions when all is measured.
    pub fn conclude(&mut self) {
        let compared = self.comparisons.iter().map(|row| (format!("{}, {}", row.history, row.verdict), &row.linchpin));
        let grown = self.growth.iter().flat_map(|growth| {
            growth.sizes.iter().map(|size| (format!("{}, {}", size.history, growth.verdict), &size.linchpin))
        });
        let all: Vec<(String, &Outcome)> = compared.chain(grown).collect();
        self.wrong = all.iter().filter_map(|(row, outcome)| Some(format!("{row}: {}", wrong(outcome)?))).collect();
        let peaks = all.iter().filter_map(|(row, outcome)| Some((row, outcome.answer()?.peak_mb?)));
        self.memory = peaks.max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(row, peak_mb)| Memory {
            history: row.clone(),
            peak_mb,
            aim_mb: MEMORY_AIM_MB,
            reached: peak_mb < MEMORY_AIM_MB,
        });
    }
}

impl Comparison {
    /// What this checker said, if it was asked.
    pub fn of(&self, checker: Checker) -> Option<&Outcome> {
        self.peers.iter().find(|peer| peer.checker == checker).map(|peer| &peer.outcome)
    }
}

/// What is wrong with what linchpin said, if anything is. One that was cut has said nothing wrong.
fn wrong(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Answered(answer) if answer.wrong > 0 => {
            Some(format!("{} of {} verdicts are false", answer.wrong, answer.histories))
        }
        Outcome::Answered(answer) => answer.proof.as_ref()?.wrong.clone(),
        Outcome::Cut => None,
        Outcome::OutOfMemory => Some("out of memory".into()),
        Outcome::Failed(message) => Some(message.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::checkers::Proof;
    use super::super::child::Answer;
    use super::*;

    fn answered(wrong: usize, flaw: Option<&str>) -> Outcome {
        let proof = Proof { wrong: flaw.map(str::to_owned), ..Proof::default() };
        Outcome::Answered(Answer {
            best: 0.1,
            median: 0.1,
            repetitions: 5,
            histories: 1,
            linearizable: 1,
            wrong,
            peak_mb: None,
            proof: Some(proof),
        })
    }

    #[test]
    fn a_false_verdict_is_wrong_and_so_is_a_verdict_without_proof() {
        assert!(wrong(&answered(1, None)).is_some());
        assert!(wrong(&answered(0, Some("the witness is none"))).is_some());
        assert!(wrong(&answered(0, None)).is_none());
        assert!(wrong(&Outcome::Cut).is_none());
        assert!(wrong(&Outcome::OutOfMemory).is_some());
    }
}

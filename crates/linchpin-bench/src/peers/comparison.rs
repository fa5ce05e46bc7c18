//! One program on linchpin and on another tool.

use serde::Serialize;

/// What linchpin is called in tables.
pub(super) const LINCHPIN: &str = "linchpin";

/// A program, and what every tool did on it; linchpin comes first.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    /// The program's name in the catalogue.
    pub program: &'static str,
    /// Does some execution refute what it asserts?
    pub is_faulty: bool,
    pub tools: Vec<Trial>,
}

/// One tool on one program.
#[derive(Debug, Serialize)]
pub(super) struct Trial {
    pub tool: &'static str,
    pub outcome: Outcome,
}

/// How that ended.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// The tool has looked at executions.
    Looked(Looked),
    /// The tool has failed; its last words.
    Failed(String),
}

/// Executions that a tool has looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Looked {
    pub executions: u64,
    /// In how many of them something is wrong.
    pub failing: u64,
    /// Are these all that there are?
    pub are_all: bool,
    /// How long looking at all of them took. Nothing if that is less than the tool's clock shows.
    pub seconds: Option<f64>,
    /// The first in which something is wrong.
    pub found: Option<Found>,
}

/// The first execution in which something is wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Found {
    /// Which one it is; the first one is 1.
    pub after: u64,
    /// How long it takes to look at as many.
    pub seconds: f64,
}

impl Looked {
    /// Executions per second.
    pub fn rate(&self) -> Option<f64> {
        Some(self.executions as f64 / self.seconds?)
    }
}

impl From<Result<Looked, String>> for Outcome {
    fn from(result: Result<Looked, String>) -> Self {
        match result {
            Ok(looked) => Outcome::Looked(looked),
            Err(last_words) => Outcome::Failed(last_words),
        }
    }
}

impl Outcome {
    /// What it looked at, if it did not fail.
    pub fn looked(&self) -> Option<&Looked> {
        match self {
            Outcome::Looked(looked) => Some(looked),
            Outcome::Failed(_) => None,
        }
    }
}

impl Comparison {
    /// What linchpin did.
    pub fn ours(&self) -> Option<&Looked> {
        self.tools.iter().find(|trial| trial.tool == LINCHPIN)?.outcome.looked()
    }

    /// Where a tool is wrong: an execution fails of a program that has no fault, or linchpin has looked at all and found
    /// nothing. Others that look at samples may miss a fault.
    pub fn wrong(&self) -> Vec<String> {
        let wrong = |trial: &Trial| match &trial.outcome {
            Outcome::Looked(looked) if looked.failing > 0 && !self.is_faulty => Some("an execution fails"),
            Outcome::Looked(looked) if looked.failing == 0 && self.is_faulty && looked.are_all => {
                Some("no execution fails")
            }
            Outcome::Failed(_) if trial.tool == LINCHPIN => Some("linchpin has failed"),
            _ => None,
        };
        let all = self.tools.iter().filter_map(|trial| Some((trial.tool, wrong(trial)?)));
        all.map(|(tool, wrong)| format!("{}, {tool}: {wrong}", self.program)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(is_faulty: bool, failing: u64, are_all: bool) -> usize {
        let looked = Looked { executions: 9, failing, are_all, seconds: Some(1.0), found: None };
        let trial = Trial { tool: "Miri", outcome: Outcome::Looked(looked) };
        Comparison { program: "p", is_faulty, tools: vec![trial] }.wrong().len()
    }

    #[test]
    fn a_sample_may_miss_a_fault_and_who_looks_at_all_may_not() {
        assert_eq!(wrong(true, 0, false), 0);
        assert_eq!(wrong(true, 0, true), 1);
        assert_eq!(wrong(true, 3, true), 0);
    }

    #[test]
    fn nobody_may_find_a_fault_where_there_is_none() {
        assert_eq!(wrong(false, 1, false), 1);
        assert_eq!(wrong(false, 0, true), 0);
    }

    #[test]
    fn linchpin_may_not_fail_and_others_may() {
        let failed = |tool| {
            let trial = Trial { tool, outcome: Outcome::Failed("no".into()) };
            Comparison { program: "p", is_faulty: true, tools: vec![trial] }.wrong().len()
        };
        assert_eq!((failed(LINCHPIN), failed("GenMC")), (1, 0));
    }
}

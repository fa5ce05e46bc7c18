//! Exit codes, the same for every command.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    /// What was asked holds.
    Holds,
    /// A violation was found.
    Violation,
    /// The input cannot be used.
    Unusable,
    /// The budget ran out before there was an answer.
    Undecided,
}

impl Exit {
    /// The verdict on the object that was asked about, for programs.
    pub(crate) fn verdict(self) -> &'static str {
        match self {
            Exit::Holds => "linearizable",
            Exit::Violation => "violation",
            Exit::Unusable | Exit::Undecided => "unknown",
        }
    }

    /// Of two ends, the one that has to be told: a violation rather than anything else, and unusable input rather than
    /// an undecided question.
    pub fn or(self, other: Exit) -> Exit {
        let weight = |exit: Exit| match exit {
            Exit::Violation => 3,
            Exit::Unusable => 2,
            Exit::Undecided => 1,
            Exit::Holds => 0,
        };
        if weight(other) > weight(self) { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Holds => 0,
            Exit::Violation => 1,
            Exit::Unusable => 2,
            Exit::Undecided => 3,
        })
    }
}

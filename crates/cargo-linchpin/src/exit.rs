//! Exit codes, the same for every command. Wrong usage and unreadable input exit with 2, from where they are noticed.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// What was asked holds.
    Holds,
    /// A violation was found.
    Violation,
    /// The budget ran out before there was an answer.
    Undecided,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Holds => 0,
            Exit::Violation => 1,
            Exit::Undecided => 3,
        })
    }
}

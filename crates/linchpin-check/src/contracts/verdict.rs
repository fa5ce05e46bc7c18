//! What comes of holding an execution against contracts.

use std::fmt;

/// What comes of holding an execution against contracts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conformance {
    /// It conforms, in all of its histories or in those that were looked at.
    Holds {
        /// How many valid sequential histories were looked at.
        histories: u64,
    },
    /// A contract does not speak of it.
    Inadmissible(Inadmissible),
    /// It does not conform.
    Broken(Breach),
}

/// Two calls that the contract wants ordered, and that are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inadmissible {
    /// The calls, by their places in the list.
    pub calls: (usize, usize),
    /// What is wrong, in a sentence.
    pub sentence: String,
}

/// How an execution breaks a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The clause that does not hold.
    pub clause: Clause,
    /// The call for which it does not hold, by its place in the list.
    pub call: usize,
    /// The valid sequential history up to the call; for what has no justification, the calls that it must have seen.
    pub history: Vec<usize>,
    /// What is wrong, in a sentence.
    pub sentence: String,
}

/// What an execution can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clause {
    /// A precondition, in the history.
    Precondition,
    /// A postcondition, in the history.
    Postcondition,
    /// The justifying conditions: no justifying subhistory satisfies both.
    Justification,
    /// The ordering points put the call before itself.
    Order,
    /// There is no contract for the object, or it does not have the operation.
    Missing,
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Clause::Precondition => "precondition",
            Clause::Postcondition => "postcondition",
            Clause::Justification => "justification",
            Clause::Order => "order of calls",
            Clause::Missing => "missing contract",
        })
    }
}

//! An execution as it is shown: rows in an order for reading, everything in them by name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An execution as it is shown. Rows are numbered from 0 on here, and from 1 on where people read them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShownExecution {
    /// `SC` or `C11`.
    pub model: String,
    /// Are the rows an interleaving, so that each read sees the last write above it?
    pub is_interleaving: bool,
    /// The threads that have rows, in the order of their columns.
    pub threads: Vec<ShownThread>,
    /// What happened.
    pub rows: Vec<Row>,
    /// The operations that were marked.
    pub operations: Vec<Operation>,
    /// The places in memory that have names.
    pub locations: Vec<Location>,
    /// Which row reads from which: (the write, the read).
    pub reads_from: Vec<(usize, usize)>,
    /// Which write to a location comes right after which.
    pub modification_order: Vec<(usize, usize)>,
    /// Rows of different threads at the same location, one of which writes, in their order; those that follow from others of the
    /// same location are left out.
    pub conflicts: Vec<(usize, usize)>,
}

/// A thread of an execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShownThread {
    /// `main`, `t1`, …
    pub name: String,
    /// The name that the program has given it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub given_name: Option<String>,
}

/// One thing that a thread did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The thread, as a place among the execution's threads.
    pub thread: usize,
    /// `1` for what the headline calls (1), and so on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mark: Option<u8>,
    /// What sort of row.
    pub sort: Sort,
    /// What was done: `A.load(Acquire) = 1`.
    pub text: String,
    /// Of a read, in words: whose write it sees.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<String>,
    /// Where, in words: `src/queue.rs:16`, or `after src/queue.rs:16` for what has no position of its own.
    pub place: String,
    /// Where, if the row has a position of its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub position: Option<Position>,
    /// The operation that it is part of, as a place among the execution's operations.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub operation: Option<usize>,
    /// What it did to memory.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub access: Option<Access>,
}

/// What sort of row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// An access to memory, a fence, something done with a lock or a thread.
    #[default]
    Event,
    /// An operation is called.
    Call,
    /// An operation returns.
    Return,
    /// Something that is no event: an allocation, a panic, a wait.
    Remark,
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The file, as the compiler named it.
    pub file: String,
    /// The line, from 1 on.
    pub line: u32,
    /// The column, from 1 on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<u32>,
}

impl Position {
    /// The position that a text like `src/queue.rs:16` names, if it names nothing else.
    pub fn of(text: &str) -> Option<Position> {
        let (file, line) = text.rsplit_once(':')?;
        let line = line.parse().ok()?;
        (!file.contains(' ')).then(|| Position { file: file.to_owned(), line, column: None })
    }
}

/// `src/queue.rs:16`
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// What an event did to memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// The method: `load`, `compare_exchange`, `lock`, `write`, …
    pub verb: String,
    /// The location's name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub location: Option<String>,
    /// The memory order: `Relaxed`, `Acquire`, …; none for plain memory.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub order: Option<String>,
    /// The value that was read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub read: Option<String>,
    /// The value that was written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub written: Option<String>,
    /// Does it write, whether or not the value is known?
    pub is_write: bool,
}

/// An operation that was marked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// With its arguments: `push(1)`.
    pub name: String,
    /// The thread, as a place among the execution's threads.
    pub thread: usize,
    /// The row of its call,
    pub first: usize,
    /// and its last row.
    pub last: usize,
    /// What it returned; `None` if it has not.
    pub result: Option<String>,
}

/// A place in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// `A`, `B`, …
    pub name: String,
    /// What it is, as far as the accesses to it tell.
    pub what: String,
    /// Where it was used first: `src/queue.rs:16`.
    pub first_used: String,
    /// What was at the same address before, by name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<String>,
    /// What was in it at first, where a read has seen that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub initial: Option<String>,
    /// The values that were written, in the order in which they took effect.
    pub values: Vec<String>,
}

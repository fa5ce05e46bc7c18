//! What is still to be tried.

use linchpin_graph::{EventId, Execution, MemoryModel};

/// An alternative that was put aside when the explorer went another way.
///
/// Alternatives of one event are kept as one entry that counts down, since mo is the same again when it is popped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice {
    /// `read` may read from mo position `position` and lower ones down to `bound`.
    ReadFrom { read: EventId, position: u32, bound: u32 },
    /// `write` may stand right after mo position `position` and lower ones down to `bound`.
    WriteAfter { write: EventId, position: u32, bound: u32 },
    /// `choice` may take `next` and higher ones.
    Take { choice: EventId, next: u32 },
    /// `read`, older than `write`, may read from it: in the graph without what depends on the read's old source.
    Revisit { read: EventId, write: EventId },
    /// `read` reads from `write`, which may stand right after `position` and lower ones down to `bound`.
    Reposition { read: EventId, write: EventId, position: u32, bound: u32 },
}

impl Choice {
    /// The newest event that the choice is about: all that is newer goes when it is made.
    pub fn event(&self) -> EventId {
        match *self {
            Choice::ReadFrom { read, .. } => read,
            Choice::WriteAfter { write, .. } | Choice::Revisit { write, .. } | Choice::Reposition { write, .. } => {
                write
            }
            Choice::Take { choice, .. } => choice,
        }
    }
}

/// An execution that is being grown, and what is still to be tried with it.
///
/// A revisit makes a new level from a part of the graph; when the level is exhausted, the one below goes on.
pub(crate) struct Level {
    pub execution: Execution,
    /// Newest last, each with the share of the whole exploration that it stands for.
    pub pending: Vec<(Choice, f64)>,
}

impl Level {
    /// The level of an exploration that has not begun.
    pub fn new(model: MemoryModel) -> Self {
        Level { execution: Execution::new(model), pending: Vec::new() }
    }
}

//! What every rendering of a verdict says alike.

use std::collections::HashSet;

use linchpin_check::{Contradiction, Unknown};

use super::Checked;

/// Numbers that describe a recording.
pub(super) struct Counts {
    pub(super) operations: usize,
    pub(super) processes: usize,
    pub(super) pending: usize,
}

pub(super) fn counts(checked: &Checked<'_>) -> Counts {
    let operations = checked.recording.history.operations();
    let processes: HashSet<u64> = operations.iter().map(|operation| operation.process).collect();
    let pending = operations.iter().filter(|operation| !operation.returned).count();
    Counts { operations: operations.len(), processes: processes.len(), pending }
}

/// Why a history is undecided, and what may help.
pub(super) fn undecided(reason: Unknown) -> (&'static str, &'static str) {
    match reason {
        Unknown::TimeLimit => ("the time limit was reached", "a longer --time-limit may help"),
        Unknown::MemoryLimit => ("the memory limit was reached", "a larger --memory-limit may help"),
        Unknown::Interrupted => ("interrupted", "run it again, perhaps with a --time-limit"),
    }
}

/// A word for the kind of contradiction, for programs.
pub(super) fn kind(contradiction: &Contradiction) -> &'static str {
    match contradiction {
        Contradiction::NeverAdded { .. } => "never-added",
        Contradiction::RemovedTwice { .. } => "removed-twice",
        Contradiction::RemovedBeforeAdded { .. } => "removed-before-added",
        Contradiction::QueueOrder { .. } => "queue-order",
        Contradiction::NeverEmpty { .. } => "never-empty",
        Contradiction::HigherPriority { .. } => "higher-priority",
        Contradiction::StackOrder { .. } => "stack-order",
        Contradiction::NeverWritten { .. } => "never-written",
        Contradiction::ReadBeforeWrite { .. } => "read-before-write",
        Contradiction::Clusters { .. } => "clusters",
        Contradiction::Stuck { .. } => "stuck",
    }
}

//! What sort of finding it is.

use std::fmt;

use linchpin_engine::ViolationKind;
use serde::{Deserialize, Serialize};

/// What sort of finding a report is about. In JSON and SARIF by its [`id`](Kind::id).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// No order of the invocations explains what they returned.
    NotLinearizable,
    /// A clause of a contract is broken.
    Contract,
    /// Somebody else has judged the execution to be wrong.
    Rejected,
    /// A thread panicked.
    Panic,
    /// Two accesses to plain memory are not ordered.
    DataRace,
    /// Memory is accessed whose allocation is not ordered before.
    UnpublishedMemory,
    /// Memory is accessed that has been freed.
    UseAfterFree,
    /// Memory is freed twice.
    DoubleFree,
    /// Memory is never freed.
    Leak,
    /// Threads wait for each other.
    Deadlock,
    /// Threads go round in loops that nobody ends.
    Livelock,
    /// A thread does not come back.
    Stuck,
    /// Run again with the same inputs, something else happened.
    NotDeterministic,
    /// Atomic accesses of different sizes to the same memory.
    MixedSize,
    /// The object and its specification differ even in one thread.
    Disagreement,
    /// There was nothing to check.
    NothingToCheck,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 16] = [
        Kind::NotLinearizable,
        Kind::Contract,
        Kind::Rejected,
        Kind::Panic,
        Kind::DataRace,
        Kind::UnpublishedMemory,
        Kind::UseAfterFree,
        Kind::DoubleFree,
        Kind::Leak,
        Kind::Deadlock,
        Kind::Livelock,
        Kind::Stuck,
        Kind::NotDeterministic,
        Kind::MixedSize,
        Kind::Disagreement,
        Kind::NothingToCheck,
    ];

    /// The name for programs: `data-race`.
    pub fn id(self) -> &'static str {
        match self {
            Kind::NotLinearizable => "not-linearizable",
            Kind::Contract => "contract",
            Kind::Rejected => "rejected",
            Kind::Panic => "panic",
            Kind::DataRace => "data-race",
            Kind::UnpublishedMemory => "unpublished-memory",
            Kind::UseAfterFree => "use-after-free",
            Kind::DoubleFree => "double-free",
            Kind::Leak => "leak",
            Kind::Deadlock => "deadlock",
            Kind::Livelock => "livelock",
            Kind::Stuck => "stuck",
            Kind::NotDeterministic => "not-deterministic",
            Kind::MixedSize => "mixed-size",
            Kind::Disagreement => "disagreement",
            Kind::NothingToCheck => "nothing-to-check",
        }
    }

    /// The name for people: `data race`.
    pub fn title(self) -> &'static str {
        match self {
            Kind::NotLinearizable => "not linearizable",
            Kind::Contract => "broken contract",
            Kind::Rejected => "wrong result",
            Kind::Panic => "panic",
            Kind::DataRace => "data race",
            Kind::UnpublishedMemory => "access to unpublished memory",
            Kind::UseAfterFree => "use after free",
            Kind::DoubleFree => "double free",
            Kind::Leak => "leak",
            Kind::Deadlock => "deadlock",
            Kind::Livelock => "livelock",
            Kind::Stuck => "stuck thread",
            Kind::NotDeterministic => "not deterministic",
            Kind::MixedSize => "accesses of mixed size",
            Kind::Disagreement => "not what is specified",
            Kind::NothingToCheck => "nothing to check",
        }
    }

    /// What such a finding means, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Kind::NotLinearizable => "No order of the invocations, one after another, returns what they returned.",
            Kind::Contract => "A call returned what the contract of its operation does not permit.",
            Kind::Rejected => "The execution was judged to be wrong.",
            Kind::Panic => "A thread panicked: an assertion failed, or worse.",
            Kind::DataRace => "Two accesses to plain memory, one of them a write, are not ordered by happens-before.",
            Kind::UnpublishedMemory => {
                "Memory is accessed by a thread that has not synchronised with who allocated it."
            }
            Kind::UseAfterFree => "Memory is accessed after it was freed, or while it is being freed.",
            Kind::DoubleFree => "Memory is freed twice.",
            Kind::Leak => "Memory is never freed.",
            Kind::Deadlock => "Every thread that has not ended waits for another one.",
            Kind::Livelock => "Threads go round in loops for ever, since nobody will change what they read.",
            Kind::Stuck => "A thread does not come back to Linchpin: it waits or loops where Linchpin does not see it.",
            Kind::NotDeterministic => {
                "Run again with the same inputs, something else happened, so no verdict is possible."
            }
            Kind::MixedSize => "Atomic accesses of different sizes to the same memory are not modelled.",
            Kind::Disagreement => "The object does something else than its specification even in one thread.",
            Kind::NothingToCheck => "There was nothing to check.",
        }
    }

    /// Is the code under test at fault? Otherwise it is the test, or a limit of Linchpin.
    pub fn is_fault_of_code(self) -> bool {
        !matches!(self, Kind::Stuck | Kind::NotDeterministic | Kind::MixedSize | Kind::NothingToCheck)
    }
}

impl From<&ViolationKind> for Kind {
    fn from(kind: &ViolationKind) -> Kind {
        match kind {
            ViolationKind::Panic { .. } => Kind::Panic,
            ViolationKind::Rejected { .. } => Kind::Rejected,
            ViolationKind::DataRace { .. } => Kind::DataRace,
            ViolationKind::UnpublishedMemory { .. } => Kind::UnpublishedMemory,
            ViolationKind::UseAfterFree { .. } => Kind::UseAfterFree,
            ViolationKind::DoubleFree { .. } => Kind::DoubleFree,
            ViolationKind::Leak { .. } => Kind::Leak,
            ViolationKind::Deadlock { .. } => Kind::Deadlock,
            ViolationKind::Livelock { .. } => Kind::Livelock,
            ViolationKind::Stuck { .. } => Kind::Stuck,
            ViolationKind::NotDeterministic { .. } => Kind::NotDeterministic,
            ViolationKind::MixedSize { .. } => Kind::MixedSize,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn ids_are_what_serde_writes() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.id());
        }
    }
}

//! What sort of finding it is.

use std::fmt;

use linchpin_engine::ViolationKind;
use serde::{Deserialize, Serialize};

/// An enumeration of kinds, each with its name for programs, its name for people, and what it means. All that is said of a kind stands in
/// one place, so that none is forgotten anywhere.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $id:literal, $title:literal, $meaning:literal;)*) => {
        /// What sort of finding a report is about. In JSON and SARIF by its [`id`](Kind::id).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Kind {
            $($(#[$doc])* #[serde(rename = $id)] $kind,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &[Kind] = &[$(Kind::$kind),*];

            /// The name for programs: `data-race`.
            pub fn id(self) -> &'static str {
                match self { $(Kind::$kind => $id,)* }
            }

            /// The name for people: `data race`.
            pub fn title(self) -> &'static str {
                match self { $(Kind::$kind => $title,)* }
            }

            /// What such a finding means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Kind::$kind => $meaning,)* }
            }
        }
    };
}

kinds! {
    /// No order of the invocations explains what they returned.
    NotLinearizable = "not-linearizable", "not linearizable",
        "No order of the invocations, one after another, returns what they returned.";
    /// A clause of a contract is broken.
    Contract = "contract", "broken contract",
        "A call returned what the contract of its operation does not permit.";
    /// Somebody else has judged the execution to be wrong.
    Rejected = "rejected", "wrong result",
        "The execution was judged to be wrong.";
    /// A thread panicked.
    Panic = "panic", "panic",
        "A thread panicked: an assertion failed, or worse.";
    /// Two accesses to plain memory are not ordered.
    DataRace = "data-race", "data race",
        "Two accesses to plain memory, one of them a write, are not ordered by happens-before.";
    /// Memory is accessed whose allocation is not ordered before.
    UnpublishedMemory = "unpublished-memory", "access to unpublished memory",
        "Memory is accessed by a thread that has not synchronised with who allocated it.";
    /// Memory is accessed that has been freed.
    UseAfterFree = "use-after-free", "use after free",
        "Memory is accessed after it was freed, or while it is being freed.";
    /// Memory is freed twice.
    DoubleFree = "double-free", "double free",
        "Memory is freed twice.";
    /// Memory is never freed.
    Leak = "leak", "leak",
        "Memory is never freed.";
    /// Threads wait for each other.
    Deadlock = "deadlock", "deadlock",
        "Every thread that has not ended waits for another one.";
    /// Threads go round in loops that nobody ends.
    Livelock = "livelock", "livelock",
        "Threads go round in loops for ever, since nobody will change what they read.";
    /// A thread does not come back.
    Stuck = "stuck", "stuck thread",
        "A thread does not come back to Linchpin: it waits or loops where Linchpin does not see it.";
    /// A thread did what ends the whole program.
    Crash = "crash", "crash",
        "A thread did what ends the whole program: it was aborted, used a bad address, or overflowed its stack.";
    /// Run again with the same inputs, something else happened.
    NotDeterministic = "not-deterministic", "not deterministic",
        "Run again with the same inputs, something else happened, so no verdict is possible.";
    /// The test keeps memory of its executions, and more with each.
    KeptMemory = "kept-memory", "memory is kept beyond executions",
        "An execution uses memory that an earlier one has allocated, again and again, so no verdict is possible.";
    /// Atomic accesses of different sizes to the same memory.
    MixedSize = "mixed-size", "accesses of mixed size",
        "Atomic accesses of different sizes to the same memory are not modelled.";
    /// The object and its specification differ even in one thread.
    Disagreement = "disagreement", "not what is specified",
        "The object does something else than its specification even in one thread.";
    /// There was nothing to check.
    NothingToCheck = "nothing-to-check", "nothing to check",
        "There was nothing to check.";
}

impl Kind {
    /// Is the code under test at fault? Otherwise it is the test, or a limit of Linchpin.
    pub fn is_fault_of_code(self) -> bool {
        !matches!(
            self,
            Kind::Stuck | Kind::NotDeterministic | Kind::KeptMemory | Kind::MixedSize | Kind::NothingToCheck
        )
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
            ViolationKind::Crash { .. } => Kind::Crash,
            ViolationKind::NotDeterministic { .. } => Kind::NotDeterministic,
            ViolationKind::KeptMemory { .. } => Kind::KeptMemory,
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
    use std::collections::BTreeSet;

    use super::Kind;

    #[test]
    fn each_kind_has_names_of_its_own() {
        let ids: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.id()).collect();
        let titles: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.title()).collect();
        assert_eq!((ids.len(), titles.len()), (Kind::ALL.len(), Kind::ALL.len()));
        for &kind in Kind::ALL {
            assert_eq!(serde_json::from_value::<Kind>(kind.id().into()).unwrap(), kind);
        }
    }
}

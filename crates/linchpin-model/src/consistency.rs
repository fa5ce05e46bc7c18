//! What operations promise that are not atomic.

use std::fmt;

/// How much of what is linearized before it an invocation must see, after Emmi and Enea. Each level demands all that the one
/// before does.
///
/// Here an invocation *precedes* another if it comes earlier in the same thread, or if it is in the setup or the other is
/// in the epilogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Consistency {
    /// Nothing.
    Weak,
    /// All that precedes it (in Violat: *self*).
    Own,
    /// All that those that precede it see.
    Monotonic,
    /// All that precedes those that it sees.
    Peer,
    /// All that those that it sees see.
    Causal,
    /// Everything.
    Complete,
}

impl Consistency {
    /// All levels, the weakest first.
    pub const ALL: [Consistency; 6] = [
        Consistency::Weak,
        Consistency::Own,
        Consistency::Monotonic,
        Consistency::Peer,
        Consistency::Causal,
        Consistency::Complete,
    ];
}

/// As it is written in `#[consistency(…)]`.
impl fmt::Display for Consistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Consistency::Weak => "weak",
            Consistency::Own => "self",
            Consistency::Monotonic => "monotonic",
            Consistency::Peer => "peer",
            Consistency::Causal => "causal",
            Consistency::Complete => "complete",
        })
    }
}

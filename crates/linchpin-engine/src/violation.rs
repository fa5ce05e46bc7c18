//! What an exploration can find.

use std::fmt;

use linchpin_graph::{EventId, Execution, Site, ThreadId};

use crate::call::Call;

/// Something that should not happen, and the execution in which it does.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What happened.
    pub kind: ViolationKind,
    /// The thread that it happened to, or that was running.
    pub thread: ThreadId,
    /// The execution up to there.
    pub execution: Execution,
    /// Names of threads that have one, by number.
    pub names: Vec<(ThreadId, String)>,
    /// The operations that were marked, in the order of their tags.
    pub calls: Vec<Call>,
}

impl Violation {
    /// Gives the calls names that people understand, by their tags; but for those whose front end has named them.
    pub fn name_calls(&mut self, name: impl Fn(u64) -> String) {
        for call in self.calls.iter_mut().filter(|call| call.target.is_none()) {
            call.name = Some(name(call.tag));
        }
    }
}

/// What happened.
#[derive(Clone, Debug)]
pub enum ViolationKind {
    /// A thread panicked: an assertion failed, or worse.
    Panic {
        /// The panic's message.
        message: String,
        /// Where it panicked, as `file:line:column`.
        position: String,
        /// How many events the thread had done by then; its destructors may have done more.
        after_events: u32,
    },
    /// The execution is complete, and the [judge](crate::Hooks::judge) says that it is wrong.
    Rejected {
        /// The judge's words.
        message: String,
    },
    /// Two conflicting accesses, one of them plain, are not ordered by happens-before.
    DataRace {
        /// The one that was there before.
        first: EventId,
        /// The one that completed the race.
        second: EventId,
    },
    /// An access to a block whose allocation does not happen before it.
    UnpublishedMemory {
        /// The access.
        event: EventId,
        /// The thread that allocated the block.
        allocated_by: ThreadId,
        /// How many events that thread had done by then.
        after_events: u32,
    },
    /// An access to a block that has been freed, or that is freed concurrently.
    UseAfterFree {
        /// The access.
        event: EventId,
        /// The thread that freed the block.
        freed_by: ThreadId,
        /// How many events that thread had done by then.
        after_events: u32,
    },
    /// A block was freed twice.
    DoubleFree {
        /// The thread that freed it first.
        first_by: ThreadId,
        /// How many events that thread had done by then.
        after_events: u32,
    },
    /// Blocks that nobody freed.
    Leak {
        /// For each: the thread that allocated it, how many events it had done by then, and the size in bytes.
        blocks: Vec<(ThreadId, u32, usize)>,
    },
    /// Every thread that has not ended waits for another one.
    Deadlock {
        /// Who waits, and for what.
        waiting: Vec<Waiting>,
    },
    /// Threads go round in loops for ever, since nobody will change what they read.
    Livelock {
        /// Who waits, and for what.
        waiting: Vec<Waiting>,
    },
    /// A thread does not come back to the engine.
    Stuck {
        /// The last thing that it did.
        last: Option<EventId>,
    },
    /// A thread did what ends the whole program.
    Crash {
        /// What it did.
        cause: Crash,
        /// The last thing that it did before.
        last: Option<EventId>,
    },
    /// The test did something else when it was run again with the same inputs.
    NotDeterministic {
        /// What it did before, if anything.
        expected: Option<EventId>,
        /// What it did now.
        found: String,
    },
    /// Again and again, an execution uses memory that an earlier one has allocated.
    KeptMemory {
        /// The thread that allocated it, how many events it had done by then, and the size in bytes.
        block: Option<(ThreadId, u32, usize)>,
    },
    /// Accesses of different sizes to the same memory, which Linchpin does not model.
    MixedSize {
        /// The address.
        address: usize,
        /// Sizes seen, in bytes.
        sizes: (u8, u8),
    },
}

/// What ends a whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// The program was aborted, by itself or by a library.
    Abort,
    /// Memory was accessed that is not there, or that may not be accessed like that.
    BadAddress {
        /// Where that is; `None` if no memory can be there.
        address: Option<usize>,
    },
    /// The stack was too small for the calls on it.
    StackOverflow {
        /// The size of a thread's stack, in bytes.
        size: usize,
    },
    /// An instruction that the processor does not know.
    IllegalInstruction,
    /// A computation that has no result, such as a division by zero.
    Arithmetic,
}

/// A thread that waits.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// The thread.
    pub thread: ThreadId,
    /// What it waits for.
    pub reason: WaitReason,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug)]
pub enum WaitReason {
    /// For a value that is not there: its last event is the read.
    Value(EventId),
    /// For the end of a thread.
    End(ThreadId, Site),
    /// For a change of what it reads over and over.
    Change(Site),
}

impl ViolationKind {
    /// The kind in a word or two.
    pub fn name(&self) -> &'static str {
        match self {
            ViolationKind::Panic { .. } => "panic",
            ViolationKind::Rejected { .. } => "wrong result",
            ViolationKind::DataRace { .. } => "data race",
            ViolationKind::UnpublishedMemory { .. } => "access to unpublished memory",
            ViolationKind::UseAfterFree { .. } => "use after free",
            ViolationKind::DoubleFree { .. } => "double free",
            ViolationKind::Leak { .. } => "leak",
            ViolationKind::Deadlock { .. } => "deadlock",
            ViolationKind::Livelock { .. } => "livelock",
            ViolationKind::Stuck { .. } => "stuck thread",
            ViolationKind::Crash { .. } => "crash",
            ViolationKind::NotDeterministic { .. } => "test is not deterministic",
            ViolationKind::KeptMemory { .. } => "memory is kept beyond executions",
            ViolationKind::MixedSize { .. } => "accesses of mixed size",
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

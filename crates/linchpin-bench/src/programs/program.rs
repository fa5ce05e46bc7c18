//! What the programs are.

use std::sync::atomic::Ordering;

/// A program that every tool can explore.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Program {
    /// Threads that each increment a counter once, by compare-exchange in a loop.
    Counter {
        /// How many.
        threads: usize,
    },
    /// Threads that each `fetch_add` so many times.
    FetchAdd {
        /// How many.
        threads: usize,
        /// How often each.
        rounds: usize,
    },
    /// Threads that each push to and pop from a Treiber stack so many times.
    Treiber {
        /// How many.
        threads: usize,
        /// How often each.
        rounds: usize,
    },
    /// Threads that each enqueue to and dequeue from a Michael–Scott queue so many times.
    MichaelScott {
        /// How many.
        threads: usize,
        /// How often each.
        rounds: usize,
    },
    /// Threads that each store once to the same location.
    Writers {
        /// How many.
        threads: usize,
    },
    /// Threads that each lock a mutex so many times.
    Lock {
        /// How many.
        threads: usize,
        /// How often each.
        rounds: usize,
    },
    /// A classic of a few accesses.
    Litmus(Shape, Strength),
    /// A program that some executions refute.
    Faulty(Fault),
}

/// The faulty programs. What each asserts is not so in some of its executions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// Store buffering, relaxed: it asserts that one thread sees what the other has stored.
    StoreBuffering,
    /// Message passing without a release: it asserts that who sees the flag sees the data.
    MessagePassing,
    /// Treiber's stack, whose `pop` does not look whether it has worked: it asserts that nothing is popped twice.
    UncheckedPop,
    /// A stack in an array, whose `pop` empties a cell in two steps: it asserts that nothing is popped twice.
    ArrayStack,
    /// Two numbers, whose reader takes equal for unchanged: it asserts that it reads what was there at one time.
    PairSnapshot,
    /// Treiber's stack with a node that is used again: it asserts that nothing is popped twice.
    RecycledNode,
}

/// The classics, by their names in the literature.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Store buffering: each thread writes its own location and reads the other's.
    StoreBuffering,
    /// Message passing: data and flag written, flag and data read. The data is always relaxed.
    MessagePassing,
    /// Independent reads of independent writes: do two readers agree on the order of two writes?
    Iriw,
    /// Two threads write the same two locations in opposite orders.
    TwoPlusTwoWrites,
    /// One thread writes two locations; the other writes the second and reads the first.
    R,
    /// Load buffering: each thread reads one location and writes the other.
    LoadBuffering,
    /// A store, a swap and two loads of one location.
    Swap,
}

/// With which memory orders.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Strength {
    /// Relaxed all over.
    Relaxed,
    /// Release stores, acquire loads.
    AcqRel,
    /// Sequentially consistent all over.
    SeqCst,
}

impl Strength {
    /// The order of stores.
    pub fn store(self) -> Ordering {
        match self {
            Strength::Relaxed => Ordering::Relaxed,
            Strength::AcqRel => Ordering::Release,
            Strength::SeqCst => Ordering::SeqCst,
        }
    }

    /// The order of loads.
    pub fn load(self) -> Ordering {
        match self {
            Strength::Relaxed => Ordering::Relaxed,
            Strength::AcqRel => Ordering::Acquire,
            Strength::SeqCst => Ordering::SeqCst,
        }
    }
}

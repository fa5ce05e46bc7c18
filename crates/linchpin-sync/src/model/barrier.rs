//! The barrier: one word counts the arrivals of this round and the rounds.

use std::fmt;
use std::panic::Location;

use linchpin_graph::{Order, Step, StepFn, Verb};

use super::word::{Ask, Word};

/// One round; below it the number of those who have arrived in the current one.
const ROUND: u64 = 1 << 32;

/// The next of `a` threads arrives; the last of them begins the next round.
const ARRIVE: StepFn = |value, threads, _| {
    let arrived = value % ROUND + 1;
    let next = if arrived < threads { value + 1 } else { value - value % ROUND + ROUND };
    Step::Write(next)
};

/// Waits until round `a` is over.
const UNTIL_OVER: StepFn = |value, round, _| {
    if value / ROUND == round { Step::Wait } else { Step::Return }
};

/// [`std::sync::Barrier`], modelled.
pub struct Barrier {
    word: Word,
    threads: usize,
}

impl Barrier {
    /// A barrier for so many threads.
    #[inline]
    pub const fn new(threads: usize) -> Self {
        Barrier { word: Word::new(0), threads }
    }

    /// Waits until so many threads have arrived here. The last to arrive is the leader.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let site = Location::caller();
        let ask = Ask::new(Verb::Wait, Order::AcqRel, ARRIVE, site).with(self.threads as u64, 0);
        let before = self.word.ask(ask).value;
        let is_leader = before % ROUND + 1 >= self.threads as u64;
        if !is_leader {
            self.word.ask(Ask::acquire(Verb::Await, UNTIL_OVER, site).with(before / ROUND, 0));
        }
        BarrierWaitResult(is_leader)
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

/// What [`Barrier::wait`] tells each thread of a round.
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Is this the one thread of the round that leads?
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult").field("is_leader", &self.0).finish()
    }
}

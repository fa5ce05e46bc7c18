//! Turns: when a model thread may go on.
//!
//! Whatever a thread asks for waits for its turn first: until the graph has the thread's next event already, which is then checked and run
//! again, or until the thread is the leader and may add it.

use linchpin_graph::{EventId, Site, ThreadId, Verb};

use super::context::{Context, Mode};
use super::schedule::{abandon, abandon_for_good, suspend};
use super::thread::State;

/// A destructor that asks so often while its thread is drained waits for something that will not come.
const MANY_CALLS: u32 = 1_000;

/// What a thread may do next.
pub(super) enum Turn {
    /// Run this event of the graph.
    Run(EventId),
    /// Add its next event.
    Add,
    /// The run is over, and the thread is drained.
    Over,
}

/// Waits for the turn of `thread`.
///
/// # Safety
/// Runs on the coroutine of `thread`, in the engine; no reference to the context is alive.
#[inline(always)]
pub(super) unsafe fn turn(context: *mut Context, thread: ThreadId) -> Turn {
    // SAFETY: as promised; the references end before the switch.
    unsafe {
        match (*context).has_turn(thread) {
            Some(turn) => turn,
            None => wait_for_turn(context, thread),
        }
    }
}

/// The long way of [`turn`].
///
/// # Safety
/// As for [`turn`].
#[inline(never)]
unsafe fn wait_for_turn(context: *mut Context, thread: ThreadId) -> Turn {
    loop {
        // SAFETY: as promised; the references end before the switch.
        unsafe {
            suspend(context, thread);
            if (*context).draining {
                return Turn::Over;
            }
            if let Some(turn) = (*context).has_turn(thread) {
                return turn;
            }
            (*context).resumed_in_vain(thread);
        }
    }
}

/// Waits until `source` has run; `None` if the run ends before.
///
/// # Safety
/// As for [`turn`].
#[inline]
pub(super) unsafe fn wait_for(context: *mut Context, thread: ThreadId, source: EventId) -> Option<()> {
    // SAFETY: as promised.
    unsafe {
        while !(*context).has_run(source) {
            (*context).demands.push(source);
            suspend(context, thread);
            if (*context).draining {
                return None;
            }
        }
        Some(())
    }
}

/// Stays until the run is over.
///
/// # Safety
/// As for [`turn`].
pub(super) unsafe fn stay<T>(context: *mut Context, thread: ThreadId) -> Option<T> {
    // SAFETY: as promised.
    unsafe { abandon(context, thread) };
    None
}

impl Context {
    /// What `thread` may do now, if anything.
    #[inline]
    fn has_turn(&self, thread: ThreadId) -> Option<Turn> {
        if let Some(event) = self.next_event(thread) {
            return Some(Turn::Run(event));
        }
        (self.leader == Some(thread) && self.is_next_of_replay(thread)).then_some(Turn::Add)
    }

    #[inline]
    pub(super) fn is_ready(&self, thread: ThreadId) -> bool {
        self.threads[thread.at()].is_ready()
    }

    pub(super) fn set_state(&mut self, thread: ThreadId, state: State) {
        self.threads[thread.at()].state = state;
    }

    /// Notes that the thread's next event has run.
    #[inline]
    pub(super) fn step(&mut self, thread: ThreadId) {
        let executed = self.executed[thread.at()];
        if self.config.call_stacks {
            self.stacks.note(thread, executed);
        }
        self.executed[thread.at()] = executed + 1;
    }

    /// Can the thread not go on, since it waits for something or the run has been stopped?
    pub(super) fn is_held_up(&self, thread: ThreadId) -> bool {
        self.stop.is_some() || !self.is_ready(thread)
    }

    /// Is this a run for sampling that is not over yet?
    #[inline]
    pub(super) fn is_sampling(&self) -> bool {
        self.mode == Mode::Sample && !self.draining
    }

    /// Does the thread only have to come to the end of its panic, since the run is over? If it has, it stays here.
    ///
    /// # Safety
    /// As for [`turn`].
    #[inline]
    pub(super) unsafe fn is_detached(context: *mut Context, thread: ThreadId) -> bool {
        // SAFETY: as promised.
        unsafe {
            if !(*context).draining {
                return false;
            }
            (*context).drained_calls += 1;
            if !std::thread::panicking() || (*context).drained_calls > MANY_CALLS {
                abandon_for_good(context, thread);
            }
            true
        }
    }

    /// May the thread add an event of no further interest?
    pub(super) fn may_add(&mut self, thread: ThreadId, verb: Verb, site: Site) -> bool {
        if self.is_exhausted(thread) {
            return false;
        }
        // A choice takes its step itself.
        self.mode != Mode::Replay || verb == Verb::Choose || self.take_step(thread, verb, site).is_some()
    }

    #[inline(always)]
    pub(super) fn is_exhausted(&mut self, thread: ThreadId) -> bool {
        let has_overflowed = self.overflowed == Some(thread);
        let exhausted = self.executed[thread.at()] >= self.config.max_events_per_thread || has_overflowed;
        if exhausted {
            // The others go on: what they write may be what this thread should have read.
            self.set_state(thread, State::Exhausted);
            if has_overflowed {
                self.note_overflow();
            }
        }
        exhausted
    }
}

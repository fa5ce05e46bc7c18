//! Runs for sampling: sequentially consistent, in true time order, on real memory.
//!
//! No graph is built. Before each access the next thread is chosen among those that can go on; if it is another one, the
//! threads change over. A thread that was chosen makes one access and runs on until it asks for the next one, so what it
//! does in between (memory it allocates, for instance) has a definite place in time too. Fences, choices, starts and ends
//! of threads are no reason to choose: putting them right after what their thread did before loses no behaviour.
//!
//! Atomics outside the arenas belong to all workers, so what is written to them lives in a table of this run.

use linchpin_graph::{EventId, Site, Step, ThreadId, Verb};

use super::context::{Context, Mode};
use super::memory::{peek, poke};
use super::sampler::Waiter;
use super::schedule::suspend;
use super::thread::State;
use super::turn::{Turn, stay};
use crate::replay::Decision;
use crate::rt::{Access, Taken};
use crate::sampling::structure::Place;
use crate::violation::ViolationKind;

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SampleEnd {
    /// All threads ended.
    Complete,
    /// Some thread waits for ever, and nobody minds.
    Blocked,
    /// A thread wanted too many events.
    Cut,
    /// A violation. Which one it is, the replay will tell.
    Violation,
}

/// A step that is no event, in replays.
#[derive(Debug)]
pub(super) enum Mark {
    /// An operation begins.
    Call,
    /// A thread that was spinning goes on.
    Spin,
}

/// Waits until `thread` may make its next access, at `place`; `None` if the run ends before.
///
/// # Safety
/// Runs on the coroutine of `thread`, in the engine; no reference to the context is alive.
#[inline(always)]
unsafe fn turn(context: *mut Context, thread: ThreadId, place: Place) -> Option<()> {
    // SAFETY: as promised; the references end before the switch.
    unsafe {
        let sampler = &mut (*context).sampler;
        if !sampler.is_chosen {
            let next = sampler.choose();
            if next != Some(thread) {
                sampler.next = next;
                suspend(context, thread);
                if (*context).draining {
                    return None;
                }
            }
        }
        (*context).sampler.is_chosen = false;
        if (*context).is_exhausted(thread) {
            (*context).sampler.remove(thread);
            return stay(context, thread);
        }
        let now = (*context).calls.now();
        (*context).sampler.step(thread, place, now);
        Some(())
    }
}

/// A load, read-modify-write or await; `None` if the run ends before it is done.
///
/// # Safety
/// As for [`Context::read`].
pub(super) unsafe fn read(context: *mut Context, thread: ThreadId, access: &Access) -> Option<Taken> {
    // SAFETY: as promised; references to the context end before any switch.
    unsafe {
        turn(context, thread, Place::Source(access.site))?;
        loop {
            let is_freed = (*context).is_freed(access.address);
            let taken = (*context).try_to_take(thread, access);
            if is_freed {
                if taken.is_none() {
                    (*context).sampler.note_unanswered(Waiter { thread, access: *access, is_ready: false });
                }
                return stay(context, thread);
            }
            if taken.is_some() {
                return taken;
            }
            suspend(context, thread);
            if (*context).draining {
                return None;
            }
            let now = (*context).calls.now();
            let sampler = &mut (*context).sampler;
            sampler.is_chosen = false;
            sampler.waiting.retain(|waiter| waiter.thread != thread);
            sampler.takes_turn(thread, now);
        }
    }
}

/// A store; `None` if the run ends before it is done.
///
/// # Safety
/// As for [`Context::read`].
pub(super) unsafe fn write(context: *mut Context, thread: ThreadId, access: &Access, value: u64) -> Option<()> {
    // SAFETY: as promised; references to the context end before any switch.
    unsafe {
        turn(context, thread, Place::Source(access.site))?;
        let context_ref = &mut *context;
        context_ref.sampler.note(thread, &access.verb, Decision::None, access.site);
        if context_ref.is_freed(access.address) {
            return stay(context, thread);
        }
        let before = context_ref.memory_at(access);
        context_ref.store(access, before, value);
        context_ref.step(thread);
        Some(())
    }
}

/// A plain access; the program makes it itself.
///
/// # Safety
/// As for [`Context::read`].
pub(super) unsafe fn plain(context: *mut Context, address: usize, verb: Verb, site: Site) -> Option<()> {
    // SAFETY: as promised; references to the context end before any switch.
    unsafe {
        let thread = (*context).current;
        turn(context, thread, Place::Source(site))?;
        let context_ref = &mut *context;
        context_ref.sampler.note(thread, &verb, Decision::None, site);
        if context_ref.is_freed(address) {
            return stay(context, thread);
        }
        context_ref.step(thread);
        if verb == Verb::PlainWrite {
            // Who spins may be looking at it.
            context_ref.sampler.wake_spinning();
        }
        Some(())
    }
}

/// Waits for the end of `child`.
///
/// # Safety
/// As for [`Context::read`].
pub(super) unsafe fn join(context: *mut Context, thread: ThreadId, child: ThreadId, site: Site) -> Option<()> {
    // SAFETY: as promised; references to the context end before any switch.
    unsafe {
        if (&(*context).threads)[child.at()].state != State::Done {
            (*context).set_state(thread, State::Joining(child, site));
            (*context).sampler.remove(thread);
            suspend(context, thread);
            if (*context).draining {
                return None;
            }
            (*context).set_state(thread, State::Ready);
        }
        (*context).sampler.note(thread, &Verb::Join, Decision::None, site);
        (*context).step(thread);
        Some(())
    }
}

/// The running thread has nothing to do until something changes.
///
/// # Safety
/// As for [`Context::read`].
pub(super) unsafe fn spin(context: *mut Context, thread: ThreadId, site: Site) -> Option<()> {
    // SAFETY: as promised; references to the context end before any switch.
    unsafe {
        if (*context).mode == Mode::Replay {
            return replay(context, thread, Mark::Spin, site);
        }
        let is_endless = (*context).spins_for_ever(thread);
        let sampler = &mut (*context).sampler;
        sampler.remove(thread);
        if is_endless {
            (*context).set_state(thread, State::Exhausted);
            return stay(context, thread);
        }
        sampler.spinning.push(thread);
        sampler.next = sampler.choose();
        if sampler.next == Some(thread) {
            sampler.next = None;
            sampler.is_chosen = true;
        } else {
            suspend(context, thread);
            if (*context).draining {
                return None;
            }
        }
        (*context).sampler.note(thread, &Mark::Spin, Decision::None, site);
        Some(())
    }
}

/// An operation is about to begin: others may go first, so that all orders of calls and returns arise.
///
/// # Safety
/// As for [`Context::read`].
pub(super) unsafe fn call(context: *mut Context, thread: ThreadId, tag: u64) -> Option<()> {
    let site = std::panic::Location::caller();
    // SAFETY: as promised; references to the context end before any switch.
    unsafe {
        if (*context).mode == Mode::Replay {
            return replay(context, thread, Mark::Call, site);
        }
        turn(context, thread, Place::Call(tag))?;
        (*context).sampler.note(thread, &Mark::Call, Decision::None, site);
        Some(())
    }
}

/// Waits until the replay of a run has the mark, which is no event.
///
/// # Safety
/// As for [`Context::read`].
unsafe fn replay(context: *mut Context, thread: ThreadId, mark: Mark, site: Site) -> Option<()> {
    // SAFETY: as promised; references to the context end before any switch.
    unsafe {
        if let Turn::Over = super::turn::turn(context, thread) {
            return None;
        }
        match (*context).take_step(thread, mark, site) {
            Some(_) => Some(()),
            None => stay(context, thread),
        }
    }
}

impl Context {
    /// What memory holds now.
    ///
    /// # Safety
    /// The access is to a live atomic.
    #[inline]
    unsafe fn memory_at(&self, access: &Access) -> u64 {
        if !self.lane.contains(access.address)
            && let Some((_, value)) = self.sampler.outside.iter().find(|(address, _)| *address == access.address)
        {
            return *value;
        }
        // SAFETY: as promised by the caller.
        unsafe { peek(access.address, access.size) }
    }

    /// Writes, and wakes who waits for that.
    ///
    /// # Safety
    /// The access is to a live atomic.
    #[inline]
    unsafe fn store(&mut self, access: &Access, before: u64, value: u64) {
        if self.lane.contains(access.address) {
            // SAFETY: as promised by the caller.
            unsafe { poke(access.address, access.size, value) };
        } else {
            match self.sampler.outside.iter_mut().find(|(address, _)| *address == access.address) {
                Some((_, held)) => *held = value,
                None => self.sampler.outside.push((access.address, value)),
            }
        }
        self.sampler.wrote(access.address, value, before != value);
    }

    /// Does what the access asks for; `None` if it has to wait.
    ///
    /// # Safety
    /// The access is to a live atomic.
    #[inline]
    unsafe fn try_to_take(&mut self, thread: ThreadId, access: &Access) -> Option<Taken> {
        let &Access { verb, site, .. } = access;
        let request = access.request;
        // SAFETY: as promised by the caller.
        let value = unsafe { self.memory_at(access) };
        // What a load does need not be asked for through a pointer.
        let mut answer = if verb == Verb::Load { Step::Return } else { request.answer(value) };
        if answer == Step::Wait {
            self.sampler.remove(thread);
            self.sampler.waiting.push(Waiter { thread, access: *access, is_ready: false });
            return None;
        }
        self.sampler.note(thread, &verb, Decision::None, site);
        self.step(thread);
        if let Step::Choose(options) = answer {
            let taken = self.draw(thread, options, site);
            answer = request.answer_with(value, taken.into());
        }
        let Step::Write(written) = answer else {
            return Some(Taken { value, wrote: false });
        };
        self.sampler.note(thread, &verb, Decision::None, site);
        self.step(thread);
        // SAFETY: as promised by the caller.
        unsafe { self.store(access, value, written) };
        Some(Taken { value, wrote: true })
    }

    /// Counts that `thread` had nothing to do; was that too often?
    fn spins_for_ever(&mut self, thread: ThreadId) -> bool {
        let spins = &mut self.threads[thread.at()].spins;
        *spins += 1;
        *spins > self.config.max_events_per_thread
    }

    /// A choice at random.
    pub(super) fn draw(&mut self, thread: ThreadId, options: u32, site: Site) -> u32 {
        let taken = self.sampler.random.below(options as usize) as u32;
        self.sampler.note(thread, &Verb::Choose, Decision::Choose(taken), site);
        self.step(thread);
        taken
    }

    /// A fence: under sequential consistency it does nothing.
    pub(super) fn pass_fence(&mut self, site: Site) {
        let thread = self.current;
        self.sampler.note(thread, &Verb::Fence, Decision::None, site);
        self.step(thread);
    }

    /// The running thread starts another one; returns its number.
    pub(super) fn give_birth(&mut self, site: Site) -> ThreadId {
        let thread = self.current;
        let unborn = |of: &super::thread::ModelThread| of.state == State::Unborn;
        let number = self.threads.iter().position(|known| unborn(known)).unwrap_or(self.threads.len());
        let child = ThreadId(number as u32);
        self.sampler.note(thread, &Verb::Spawn, Decision::None, site);
        self.step(thread);
        self.sampler.add(child);
        // Who was chosen before there was this thread has to be chosen again.
        self.sampler.is_chosen = false;
        child
    }

    /// The running thread ends.
    pub(super) fn pass_away(&mut self, site: Site) {
        let thread = self.current;
        self.sampler.note(thread, &Verb::End, Decision::None, site);
        self.step(thread);
        self.set_state(thread, State::Done);
        self.sampler.end(thread);
        for parent in 0..self.threads.len() {
            if matches!(self.threads[parent].state, State::Joining(child, _) if child == thread) {
                self.sampler.ready.push(ThreadId(parent as u32));
            }
        }
    }

    /// Is this an address of memory that has been freed? Then that is a violation.
    #[inline]
    fn is_freed(&mut self, address: usize) -> bool {
        let freed = self.lane.block_at(address).and_then(|(_, block)| block.freed);
        freed.is_some_and(|(freed_by, after_events)| self.complain_of_use(freed_by, after_events))
    }

    /// Memory was used after `freed_by` had freed it; is that a violation?
    #[cold]
    fn complain_of_use(&mut self, freed_by: ThreadId, after_events: u32) -> bool {
        let is_wrong = self.config.findings.use_after_free;
        if is_wrong {
            self.violation(ViolationKind::UseAfterFree { event: EventId::NONE, freed_by, after_events });
        }
        is_wrong
    }

    /// How the run ended.
    pub(super) fn conclude_sample(&mut self) -> SampleEnd {
        if self.stop.take().is_some() {
            return SampleEnd::Violation;
        }
        let mut states = self.threads.iter().map(|thread| thread.state).filter(|state| *state != State::Unborn);
        if states.clone().any(|state| state == State::Exhausted) {
            return SampleEnd::Cut;
        }
        if states.all(|state| state == State::Done) {
            let is_wrong = (self.config.findings.leaks && self.leaks().is_some()) || self.judge().is_some();
            return if is_wrong { SampleEnd::Violation } else { SampleEnd::Complete };
        }
        if !self.config.findings.deadlocks {
            return SampleEnd::Blocked;
        }
        // The reads that will never be answered belong to the report.
        for at in 0..self.sampler.waiting.len() {
            let waiter = self.sampler.waiting[at];
            self.sampler.note_unanswered(waiter);
        }
        SampleEnd::Violation
    }
}

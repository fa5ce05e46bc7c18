//! Atomic reads: loads, read-modify-writes, and waiting for a value.
//!
//! Adding a read and running it are two steps: what was added is found in the graph when the turn comes again, unless nothing stands in
//! the way of running it at once.

use linchpin_graph::{Event, EventId, Kind, LocationId, Order, Shape, Site, Step, ThreadId};

use super::access::describe;
use super::context::{Context, Mode, Stop, set_in_user_code};
use super::memory::peek;
use super::rerun::Again;
use super::sample;
use super::thread::State;
use super::turn::{Turn, stay, turn, wait_for};
use crate::explore::explorer::Growth;
use crate::loops::{Past, Repeat};
use crate::rt::{Access, Taken};

impl Context {
    /// A load. Comes from user code directly: only what may wait, allocate or switch threads is the engine's, and says so itself.
    ///
    /// # Safety
    /// Runs on the coroutine of the current thread; no reference to the context is alive. The access is to a live atomic.
    pub(crate) unsafe fn load(context: *mut Context, shape: Shape, address: usize, order: Order, site: Site) -> u64 {
        // SAFETY: as promised.
        unsafe {
            let thread = (*context).current;
            (*context).beat();
            match (*context).load_newest_again(thread, shape, address) {
                Some(value) => value,
                None => Context::load_any(context, shape, address, order, site),
            }
        }
    }

    /// [`Context::load`] of any size and source.
    ///
    /// # Safety
    /// As for [`Context::load`].
    #[inline(never)]
    unsafe fn load_any(context: *mut Context, shape: Shape, address: usize, order: Order, site: Site) -> u64 {
        let access = Access::load(address, shape.size(), order, site);
        // SAFETY: as promised.
        unsafe {
            let thread = (*context).current;
            match (*context).mode {
                Mode::Sample => Context::read_sampled(context, thread, &access).value,
                _ => Context::read_any(context, thread, shape, &access).value,
            }
        }
    }

    /// A read-modify-write or await, otherwise as [`Context::load`].
    ///
    /// # Safety
    /// As for [`Context::load`].
    pub(crate) unsafe fn read(context: *mut Context, shape: Shape, access: &Access) -> Taken {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            let thread = (*context).current;
            (*context).beat();
            match (*context).read_newest_again(thread, shape, access) {
                Some(Again::Read(value)) => Taken { value, wrote: false },
                Some(Again::Update(value)) => Context::update(context, thread, shape, access, value),
                Some(Again::New) | None => Context::read_any(context, thread, shape, access),
            }
        }
    }

    /// [`Context::read`] of any size and source.
    ///
    /// # Safety
    /// As for [`Context::load`].
    #[inline]
    unsafe fn read_any(context: *mut Context, thread: ThreadId, shape: Shape, access: &Access) -> Taken {
        // SAFETY: as promised.
        unsafe {
            if (*context).mode == Mode::Sample {
                return Context::read_sampled(context, thread, access);
            }
            match (*context).read_again(thread, shape, access) {
                Some(Again::Read(value)) => Taken { value, wrote: false },
                Some(Again::Update(value)) => Context::update(context, thread, shape, access, value),
                Some(Again::New) | None => Context::read_the_long_way(context, thread, shape, access),
            }
        }
    }

    /// [`Context::read`] when sampling.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline(never)]
    unsafe fn read_sampled(context: *mut Context, thread: ThreadId, access: &Access) -> Taken {
        set_in_user_code(false);
        // SAFETY: as promised.
        let taken = unsafe {
            let taken = match Context::is_detached(context, thread) {
                true => None,
                false => sample::read(context, thread, access),
            };
            taken.unwrap_or_else(|| (*context).read_natively(access))
        };
        set_in_user_code(true);
        taken
    }

    /// A read-modify-write that the graph may have already, with this value.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline(never)]
    unsafe fn update(context: *mut Context, thread: ThreadId, shape: Shape, access: &Access, value: u64) -> Taken {
        // SAFETY: as promised.
        unsafe {
            match (*context).update_again(thread, value) {
                Some(taken) => taken,
                None => Context::read_the_long_way(context, thread, shape, access),
            }
        }
    }

    /// [`Context::read`] where something has to be waited for, or added.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline(never)]
    unsafe fn read_the_long_way(context: *mut Context, thread: ThreadId, shape: Shape, access: &Access) -> Taken {
        set_in_user_code(false);
        // SAFETY: as promised; references to the context end before any switch.
        let taken = unsafe {
            match (*context).draining || (*context).has_other_orders() {
                true => Context::read_with_care(context, thread, shape, access),
                false => Context::read_in_turn(context, thread, shape, access),
            }
        };
        // SAFETY: as promised.
        let taken = taken.unwrap_or_else(|| unsafe { (*context).read_natively(access) });
        set_in_user_code(true);
        taken
    }

    /// [`Context::read`] by a thread that is drained, or where memory orders may differ from those in the source.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[cold]
    #[inline(never)]
    unsafe fn read_with_care(context: *mut Context, thread: ThreadId, shape: Shape, access: &Access) -> Option<Taken> {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            let (access, changed) = Context::as_ordered(context, access);
            let shape = match changed {
                true => Shape::of_read(access.verb, access.request.order, access.request.failure, access.size),
                false => shape,
            };
            match Context::is_detached(context, thread) {
                true => None,
                false => Context::read_in_turn(context, thread, shape, &access),
            }
        }
    }

    /// `None` if the run ends before the read is done.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline(always)]
    unsafe fn read_in_turn(context: *mut Context, thread: ThreadId, shape: Shape, access: &Access) -> Option<Taken> {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            loop {
                match turn(context, thread) {
                    Turn::Over => return None,
                    Turn::Add => {
                        let added = (*context).grow_by_read(thread, access);
                        if (*context).is_held_up(thread) {
                            return stay(context, thread);
                        }
                        if let Some(read) = added
                            && let Some(taken) = (*context).take_new(thread, read)
                        {
                            return Some(taken);
                        }
                    }
                    Turn::Run(id) => {
                        let event = (*context).explorer.execution().event(id);
                        if event.shape() == shape && event.source.is_some() {
                            wait_for(context, thread, event.source)?;
                            if let Some(taken) = (*context).take_again(thread, shape, access) {
                                return Some(taken);
                            }
                        }
                        return Context::read_as_expected(context, thread, id, access);
                    }
                }
            }
        }
    }

    /// Runs the thread's next event of the graph, which should be this read. `None` if the run ends before it is done.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline(never)]
    unsafe fn read_as_expected(context: *mut Context, thread: ThreadId, id: EventId, access: &Access) -> Option<Taken> {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            if !(*context).is_as_expected_read(thread, id, access) {
                return stay(context, thread);
            }
            let source = (*context).explorer.execution().event(id).source;
            if source.is_some() {
                wait_for(context, thread, source)?;
            }
            if !(*context).run_read(thread, id, access) {
                return stay(context, thread);
            }
            let &Event { value, exclusive, .. } = (*context).explorer.execution().event(id);
            Some(Taken { value, wrote: exclusive })
        }
    }

    /// Adds a read to the graph, or notes why not. Returns the read if it was added for the exploration, and nothing is wrong with it.
    fn grow_by_read(&mut self, thread: ThreadId, access: &Access) -> Option<EventId> {
        let location = self.locate_or_complain(access.address, access.size)?;
        if self.is_exhausted(thread) {
            return None;
        }
        if self.mode == Mode::Replay {
            self.grow_by_replay(thread, location, access);
            return None;
        }
        if !self.loops.are_explored() && self.is_repetition(thread, location, access) {
            return None;
        }
        let known = self.explorer.execution().known_now(thread);
        let complaint = self.complaint_about_block(thread, known, access.address);
        let initial = self.explorer.execution().location(location).initial;
        let (read, growth) =
            self.explorer.add_read(thread, known, location, initial, access.verb, &access.request, access.site);
        if growth == Growth::Dead {
            self.stop = Some(Stop::Dead);
            return None;
        }
        self.raise_complaints(thread, location, complaint);
        Some(read)
    }

    /// Does the read begin an iteration that is not to be explored? Then the thread is held back, or shown again what it has seen.
    #[inline(never)]
    fn is_repetition(&mut self, thread: ThreadId, location: LocationId, access: &Access) -> bool {
        let last_turn = self.calls.last_turn(thread);
        let past = Past { execution: self.explorer.execution(), thread, last_turn };
        if let Some(repeat) = self.loops.repeat(past, location, access) {
            self.hold_back(thread, access.site, repeat);
            return true;
        }
        let Some(position) = self.loops.stutter(past, location, access) else {
            return false;
        };
        let execution = self.explorer.execution_mut();
        let initial = execution.location(location).initial;
        execution.add_read(thread, location, position, initial, access.verb, &access.request, access.site);
        true
    }

    /// Adds a read that a replay has.
    #[cold]
    fn grow_by_replay(&mut self, thread: ThreadId, location: LocationId, access: &Access) {
        let known = self.explorer.execution().known_now(thread);
        let complaint = self.complaint_about_block(thread, known, access.address);
        if self.replay_read(thread, location, access) {
            self.raise_complaints(thread, location, complaint);
        }
    }

    /// The thread does not do the read at `site`, since that would be a repetition.
    #[cold]
    fn hold_back(&mut self, thread: ThreadId, site: Site, repeat: Repeat) {
        match repeat {
            Repeat::Enough { stutters } => self.set_state(thread, State::Paused { site, stutters }),
            Repeat::Retry { same } => {
                self.set_state(thread, State::Retrying { site, same });
                if self.is_hopeless(thread) {
                    self.stop = Some(Stop::Hopeless);
                }
            }
        }
    }

    /// Is `id`, the thread's next event, what it asks for now?
    fn is_as_expected_read(&mut self, thread: ThreadId, id: EventId, access: &Access) -> bool {
        let event = self.explorer.execution().event(id);
        let request = &event.request;
        let same_operands = request.has_operands_of(&access.request) || self.mode == Mode::Rebase;
        let fits = event.kind == Kind::Read
            && event.verb == access.verb
            && request.order == access.request.order
            && request.failure == access.request.failure
            && same_operands
            && self.is_same_place(id, access.address, access.size);
        if !fits {
            self.diverged(thread, describe(access.verb, access.site));
        }
        fits
    }

    /// Runs a read of the graph, and the write half if it has one. `false` if the thread goes no further.
    fn run_read(&mut self, thread: ThreadId, id: EventId, access: &Access) -> bool {
        let location = self.explorer.execution().event(id).location;
        let initial = self.explorer.execution().location(location).initial;
        let event = self.explorer.execution().event(id);
        if self.mode == Mode::Rebase {
            let source = event.source;
            let value = if source.is_some() { self.explorer.execution().event(source).value } else { initial };
            self.explorer.execution_mut().rebind(id, value, initial, Some(access.request));
        } else if !event.source.is_some() && event.value != initial {
            let found = format!("{} found {initial:#x} in memory at first", describe(access.verb, access.site));
            self.diverged(thread, found);
            return false;
        }
        self.step(thread);
        let &Event { waiting, exclusive, value, request, .. } = self.explorer.execution().event(id);
        if waiting {
            self.set_state(thread, State::Waiting);
            return false;
        }
        if !exclusive {
            return self.goes_on(thread);
        }
        let mut answer = request.answer(value);
        if let Step::Choose(_) = answer {
            let Some(choice) = self.next_event(thread) else {
                return false;
            };
            answer = request.answer_with(value, self.explorer.execution().event(choice).value);
            self.step(thread);
        }
        // A graph that is only followed may end between the halves.
        let Some(write) = self.next_event(thread) else {
            return false;
        };
        if let (Mode::Rebase, Step::Write(written)) = (self.mode, answer) {
            self.explorer.execution_mut().rebind(write, written, 0, None);
        }
        self.step(thread);
        self.write_through(write);
        self.goes_on(thread)
    }

    /// May the thread, having run one of its events, do what comes next?
    ///
    /// A graph that changes hands was cut at the choice that went with it, and need not be one that can be continued: its
    /// newest event may be a lock that was taken twice, for the sake of the reads which that write revisits. What such a
    /// thread would do to the plain data behind the lock is not part of the graph, but others would find it.
    fn goes_on(&self, thread: ThreadId) -> bool {
        self.mode != Mode::Rebase || self.next_event(thread).is_some()
    }

    /// Reads for a thread that is drained: it only has to get to its end.
    ///
    /// # Safety
    /// The access is to a live atomic.
    unsafe fn read_natively(&mut self, access: &Access) -> Taken {
        // SAFETY: as promised by the caller.
        unsafe {
            let value = peek(access.address, access.size);
            match access.request.answer(value) {
                Step::Write(written) => {
                    self.poke_own(access.address, access.size, written);
                    Taken { value, wrote: true }
                }
                Step::Return | Step::Wait | Step::Choose(_) => Taken { value, wrote: false },
            }
        }
    }
}

//! The engine's side of everything that user code does.
//!
//! Each function first waits for its turn: until the graph has the thread's next event already, which is then checked
//! and run again, or until the thread is the leader and may add it. Adding an event and running it are two steps: what was
//! added is found in the graph when the turn comes again.

use linchpin_graph::{Event, EventId, Kind, LocationId, Request, Shape, Site, Step, ThreadId, Verb};

use super::blocks::BlockComplaint;
use super::context::{Context, Mode, Stop};
use super::memory::{MixedSize, peek, poke};
use super::rerun::Again;
use super::sample;
use super::schedule::{abandon, abandon_for_good, suspend};
use super::thread::State;
use crate::explore::explorer::Growth;
use crate::loops::{Past, Repeat};
use crate::rt::{Access, Taken};
use crate::violation::ViolationKind;

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
    fn is_ready(&self, thread: ThreadId) -> bool {
        self.threads[thread.at()].is_ready()
    }

    pub(super) fn set_state(&mut self, thread: ThreadId, state: State) {
        self.threads[thread.at()].state = state;
    }

    /// Notes that the thread's next event has run.
    #[inline]
    pub(super) fn step(&mut self, thread: ThreadId) {
        let executed = self.threads[thread.at()].executed;
        if self.config.call_stacks {
            self.stacks.note(thread, executed);
        }
        self.threads[thread.at()].executed = executed + 1;
    }

    /// Can the thread not go on, since it waits for something or the run has been stopped?
    fn is_held_up(&self, thread: ThreadId) -> bool {
        self.stop.is_some() || !self.is_ready(thread)
    }

    /// A load, read-modify-write or await.
    ///
    /// # Safety
    /// Runs on the coroutine of the current thread, in the engine; no reference to the context is alive. The access is
    /// to a live atomic.
    pub(crate) unsafe fn read(context: *mut Context, shape: Shape, access: &Access) -> Taken {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            let thread = (*context).current;
            (*context).beat();
            if (*context).mode == Mode::Sample {
                return Context::read_sampled(context, thread, access);
            }
            // Nothing is left to do after either call, so that the usual case needs no place on the stack.
            if access.size != 8 {
                return Context::read_narrow(context, thread, shape, access);
            }
            match (*context).read_again::<true>(thread, shape, access) {
                Some(Again::Read(value)) => Taken { value, wrote: false },
                Some(Again::Update(value)) => Context::update(context, thread, shape, access, value),
                None => Context::read_the_long_way(context, thread, shape, access),
            }
        }
    }

    /// [`Context::read`] when sampling.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline(never)]
    unsafe fn read_sampled(context: *mut Context, thread: ThreadId, access: &Access) -> Taken {
        // SAFETY: as promised.
        unsafe {
            let taken = match Context::is_detached(context, thread) {
                true => None,
                false => sample::read(context, thread, access),
            };
            taken.unwrap_or_else(|| (*context).read_natively(access))
        }
    }

    /// [`Context::read`] of less than eight bytes.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline(never)]
    unsafe fn read_narrow(context: *mut Context, thread: ThreadId, shape: Shape, access: &Access) -> Taken {
        // SAFETY: as promised.
        unsafe {
            match (*context).read_again::<false>(thread, shape, access) {
                Some(Again::Read(value)) => Taken { value, wrote: false },
                Some(Again::Update(value)) => Context::update(context, thread, shape, access, value),
                None => Context::read_the_long_way(context, thread, shape, access),
            }
        }
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
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            if (*context).draining || (*context).has_other_orders() {
                return Context::read_with_care(context, thread, shape, access);
            }
            match Context::read_in_turn(context, thread, shape, access) {
                Some(taken) => taken,
                None => (*context).read_natively(access),
            }
        }
    }

    /// [`Context::read`] by a thread that is drained, or where memory orders may differ from those in the source.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[cold]
    #[inline(never)]
    unsafe fn read_with_care(context: *mut Context, thread: ThreadId, shape: Shape, access: &Access) -> Taken {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            let (access, changed) = Context::as_ordered(context, access);
            let shape = match changed {
                true => Shape::of_read(access.verb, access.order, access.failure, access.size),
                false => shape,
            };
            let access = &access;
            let taken = match Context::is_detached(context, thread) {
                true => None,
                false => Context::read_in_turn(context, thread, shape, access),
            };
            taken.unwrap_or_else(|| (*context).read_natively(access))
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
        let last_turn = self.calls.last_turn(thread);
        let past = Past { execution: self.explorer.execution(), thread, last_turn };
        if let Some(repeat) = self.loops.repeat(past, location, access) {
            self.hold_back(thread, access.site, repeat);
            return None;
        }
        let complaint = self.complaint_about_block(thread, access.address);
        let initial = self.explorer.execution().location(location).initial;
        let request = access.request();
        let past = Past { execution: self.explorer.execution(), thread, last_turn };
        if let Some(position) = self.loops.stutter(past, location, access) {
            let execution = self.explorer.execution_mut();
            execution.add_read(thread, location, position, initial, access.verb, request, access.site);
            return None;
        }
        let (read, growth) = self.explorer.add_read(thread, location, initial, access.verb, request, access.site);
        if growth == Growth::Dead {
            self.stop = Some(Stop::Dead);
            return None;
        }
        self.raise_complaints(thread, location, complaint);
        Some(read)
    }

    /// Adds a read that a replay has.
    #[cold]
    fn grow_by_replay(&mut self, thread: ThreadId, location: LocationId, access: &Access) {
        let complaint = self.complaint_about_block(thread, access.address);
        if self.replay_read(thread, location, access, access.request()) {
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
        let same_operands = request.a == access.a && (request.b == access.b) || self.mode == Mode::Rebase;
        let fits = event.kind == Kind::Read
            && event.verb == access.verb
            && request.order == access.order
            && request.failure == access.failure
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
            self.explorer.execution_mut().rebind(id, value, initial, Some(access.request()));
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

    /// A store.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn write(context: *mut Context, shape: Shape, access: &Access, value: u64) {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            let thread = (*context).current;
            (*context).beat();
            let is_sampling = (*context).mode == Mode::Sample;
            if !is_sampling && (*context).write_again(thread, shape, access, value) {
                return;
            }
            let (access, changed) = Context::as_ordered(context, access);
            let shape = if changed { Shape::of_write(access.verb, access.order, access.size) } else { shape };
            let access = &access;
            let done = match Context::is_detached(context, thread) {
                true => None,
                false if is_sampling => sample::write(context, thread, access, value),
                false => Context::write_in_turn(context, thread, shape, access, value),
            };
            if done.is_none() {
                (*context).poke_own(access.address, access.size, value);
            }
        }
    }

    /// `None` if the run ends before the write is done.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline(never)]
    unsafe fn write_in_turn(
        context: *mut Context,
        thread: ThreadId,
        shape: Shape,
        access: &Access,
        value: u64,
    ) -> Option<()> {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            loop {
                match turn(context, thread) {
                    Turn::Over => return None,
                    Turn::Add => {
                        (*context).grow_by_write(thread, access, value);
                        if (*context).is_held_up(thread) {
                            return stay(context, thread);
                        }
                        if (*context).write_again(thread, shape, access, value) {
                            return Some(());
                        }
                    }
                    Turn::Run(id) if (*context).run_write(thread, id, access, value) => return Some(()),
                    Turn::Run(_) => return stay(context, thread),
                }
            }
        }
    }

    fn grow_by_write(&mut self, thread: ThreadId, access: &Access, value: u64) {
        let Some(location) = self.locate_or_complain(access.address, access.size) else {
            return;
        };
        if self.is_exhausted(thread) {
            return;
        }
        let complaint = self.complaint_about_block(thread, access.address);
        if self.mode != Mode::Replay {
            self.explorer.add_write(thread, location, access.verb, access.order, value, access.site);
        } else if !self.replay_write(thread, location, access, value) {
            return;
        }
        self.raise_complaints(thread, location, complaint);
    }

    fn run_write(&mut self, thread: ThreadId, id: EventId, access: &Access, value: u64) -> bool {
        let event = self.explorer.execution().event(id);
        let fits = event.kind == Kind::Write
            && event.verb == access.verb
            && event.order == access.order
            && (event.value == value || self.mode == Mode::Rebase)
            && self.is_same_place(id, access.address, access.size);
        if !fits {
            self.diverged(thread, format!("{} of {value:#x}", describe(access.verb, access.site)));
            return false;
        }
        if self.mode == Mode::Rebase {
            self.explorer.execution_mut().rebind(id, value, 0, None);
        }
        self.step(thread);
        self.write_through(id);
        true
    }

    /// The access with the orders that the configuration gives it, and whether they differ from the source's; before that,
    /// the fence that it puts there.
    ///
    /// Only the long way asks: where something is different, the graph's event does not look like the access, or is the
    /// fence, so the short way does not take it.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline]
    unsafe fn as_ordered(context: *mut Context, access: &Access) -> (Access, bool) {
        // SAFETY: as promised by the caller.
        unsafe {
            let Some(change) = (*context).change_of(access.site, access.verb) else {
                return (*access, false);
            };
            if let Some(order) = change.fence_before {
                Context::fence(context, order, access.site);
            }
            let order = change.order.unwrap_or(access.order);
            // A load has one order.
            let failure = if access.verb == Verb::Load { order } else { change.failure.unwrap_or(access.failure) };
            (Access { order, failure, ..*access }, true)
        }
    }

    /// A fence of the program.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn fence_of_program(context: *mut Context, order: linchpin_graph::Order, site: Site) {
        // SAFETY: as promised by the caller.
        unsafe {
            let change = (*context).change_of(site, Verb::Fence);
            Context::fence(context, change.and_then(|change| change.order).unwrap_or(order), site);
        }
    }

    /// A fence.
    ///
    /// # Safety
    /// As for [`Context::read`].
    unsafe fn fence(context: *mut Context, order: linchpin_graph::Order, site: Site) {
        let add = |context: &mut Context, thread| {
            context.explorer.execution_mut().add_fence(thread, order, site);
        };
        // SAFETY: as promised by the caller.
        unsafe {
            match (*context).is_sampling() {
                true => (*context).pass_fence(site),
                false => drop(Context::simple(context, Kind::Fence, Verb::Fence, site, add, |_, _| true)),
            }
        }
    }

    /// An event that only has to be added and run; returns its value. `None` while the thread is drained.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(super) unsafe fn simple(
        context: *mut Context,
        kind: Kind,
        verb: Verb,
        site: Site,
        add: impl Fn(&mut Context, ThreadId),
        is_same: impl Fn(&mut Context, EventId) -> bool,
    ) -> Option<u64> {
        // SAFETY: as promised by the caller; references to the context end before any switch.
        unsafe {
            let thread = (*context).current;
            (*context).beat();
            if Context::is_detached(context, thread) {
                return None;
            }
            loop {
                match turn(context, thread) {
                    Turn::Over => return None,
                    Turn::Add => {
                        if (*context).may_add(thread, verb, site) {
                            add(&mut *context, thread);
                        }
                        if (*context).is_held_up(thread) {
                            return stay(context, thread);
                        }
                    }
                    Turn::Run(id) => {
                        let &Event { kind: found, verb: called, value, .. } = (*context).explorer.execution().event(id);
                        if found != kind || called != verb || !is_same(&mut *context, id) {
                            (*context).diverged(thread, describe(verb, site));
                            return stay(context, thread);
                        }
                        (*context).step(thread);
                        return Some(value);
                    }
                }
            }
        }
    }

    /// A plain access.
    ///
    /// # Safety
    /// As for [`Context::read`], but for the kind of memory.
    pub(crate) unsafe fn plain(context: *mut Context, address: usize, is_write: bool, site: Site) {
        let (kind, verb) =
            if is_write { (Kind::PlainWrite, Verb::PlainWrite) } else { (Kind::PlainRead, Verb::PlainRead) };
        let add = |context: &mut Context, thread| {
            let Ok(location) = context.locate(address, 0, false) else {
                return;
            };
            let complaint = context.complaint_about_block(thread, address);
            context.explorer.execution_mut().add_plain(thread, location, is_write, site);
            context.raise_complaints(thread, location, complaint);
        };
        let is_same = |context: &mut Context, id| {
            let location = context.explorer.execution().event(id).location;
            match context.mode {
                Mode::Rebase => context.bind(location, address, false),
                Mode::Grow | Mode::Follow | Mode::Replay | Mode::Sample => {
                    context.explorer.execution().location(location).address == address
                }
            }
        };
        // SAFETY: as promised by the caller.
        unsafe {
            if (*context).is_sampling() {
                sample::plain(context, address, verb, site);
            } else {
                Context::simple(context, kind, verb, site, add, is_same);
            }
        }
    }

    /// A choice among `options` possibilities.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn choose(context: *mut Context, options: u32, site: Site) -> u32 {
        let add = |context: &mut Context, thread| match context.mode {
            Mode::Replay => context.replay_choice(thread, options, site),
            _ => context.explorer.add_choice(thread, options, site),
        };
        // SAFETY: as promised by the caller.
        if unsafe { (*context).is_sampling() } {
            // SAFETY: as promised by the caller.
            return unsafe { (*context).draw((*context).current, options, site) };
        }
        // SAFETY: as promised by the caller.
        let chosen = unsafe { Context::simple(context, Kind::Choice, Verb::Choose, site, add, |_, _| true) };
        chosen.unwrap_or(0) as u32
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
        let exhausted = self.threads[thread.at()].executed >= self.config.max_events_per_thread;
        if exhausted {
            // The others go on: what they write may be what this thread should have read.
            self.set_state(thread, State::Exhausted);
        }
        exhausted
    }

    #[inline(always)]
    fn locate_or_complain(&mut self, address: usize, size: u8) -> Option<LocationId> {
        match self.locate(address, size, true) {
            Ok(location) => Some(location),
            Err(MixedSize(known, asked)) => {
                self.violation(ViolationKind::MixedSize { address, sizes: (known, asked) });
                None
            }
        }
    }

    /// Does the access go where event `id` went?
    #[inline]
    fn is_same_place(&mut self, id: EventId, address: usize, size: u8) -> bool {
        let expected = self.explorer.execution().event(id).location;
        let location = self.explorer.execution().location(expected);
        if self.mode == Mode::Rebase {
            return location.size == size && self.bind(expected, address, true);
        }
        if location.address == address && location.generation == 0 && self.generations.is_empty() {
            return location.size == size && (self.fill_in(expected) || self.finds(expected, address, size));
        }
        self.finds(expected, address, size)
    }

    fn finds(&mut self, expected: LocationId, address: usize, size: u8) -> bool {
        self.locate(address, size, true).is_ok_and(|found| found == expected)
    }

    /// Reports what is wrong with the access to `location` that `thread` has just added.
    #[inline(always)]
    fn raise_complaints(&mut self, thread: ThreadId, location: LocationId, complaint: Option<BlockComplaint>) {
        // Races take a plain access.
        if complaint.is_some() || self.explorer.execution().location(location).has_plain_accesses() {
            self.find_complaints(thread, complaint);
        }
    }

    fn find_complaints(&mut self, thread: ThreadId, complaint: Option<BlockComplaint>) {
        let execution = self.explorer.execution();
        let Some(newest) = execution.last_of(thread) else {
            return;
        };
        // Of a read-modify-write, either half may race.
        let event = match execution.event(newest).exclusive && execution.event(newest).is_write() {
            true => execution.read_of(newest),
            false => newest,
        };
        let kind = match complaint {
            Some(BlockComplaint::Freed(freed_by, after_events)) => {
                Some(ViolationKind::UseAfterFree { event, freed_by, after_events })
            }
            Some(BlockComplaint::Unpublished(allocated_by, after_events)) => {
                Some(ViolationKind::UnpublishedMemory { event, allocated_by, after_events })
            }
            None => None,
        };
        let race = || {
            let first = execution.race_with(event).or_else(|| execution.race_with(newest))?;
            Some(ViolationKind::DataRace { first, second: event })
        };
        let kind = kind.or_else(|| if self.config.findings.data_races { race() } else { None });
        if let Some(kind) = kind {
            self.violation(kind);
        }
    }
}

impl Context {
    /// Reads for a thread that is drained: it only has to get to its end.
    ///
    /// # Safety
    /// The access is to a live atomic.
    unsafe fn read_natively(&mut self, access: &Access) -> Taken {
        // SAFETY: as promised by the caller.
        unsafe {
            let value = peek(access.address, access.size);
            match access.request().answer(value) {
                Step::Write(written) => {
                    self.poke_own(access.address, access.size, written);
                    Taken { value, wrote: true }
                }
                Step::Return | Step::Wait | Step::Choose(_) => Taken { value, wrote: false },
            }
        }
    }

    /// Writes for a thread that is drained, unless others would see it.
    ///
    /// # Safety
    /// The address is that of a live atomic.
    unsafe fn poke_own(&mut self, address: usize, size: u8, value: u64) {
        if self.lane.contains(address) {
            // SAFETY: as promised by the caller.
            unsafe { poke(address, size, value) };
        }
    }
}

pub(super) fn describe(verb: Verb, site: Site) -> String {
    format!("{verb:?} at {}:{}:{}", site.file(), site.line(), site.column())
}

impl Access {
    pub(super) fn request(&self) -> Request {
        Request { step: self.step, a: self.a, b: self.b, order: self.order, failure: self.failure }
    }
}

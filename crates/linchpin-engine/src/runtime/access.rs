//! What accesses have in common, and those that are neither atomic reads nor writes: fences, plain accesses, choices.

use linchpin_graph::{Event, EventId, Kind, LocationId, Order, Request, Site, Step, StepFn, ThreadId, Verb};

use super::blocks::BlockComplaint;
use super::context::{Context, Mode};
use super::memory::MixedSize;
use super::sample;
use super::turn::{Turn, stay, turn};
use crate::config::Config;
use crate::rt::Access;
use crate::violation::ViolationKind;

impl Context {
    /// The access with the orders that the configuration gives it, and whether they differ from the source's; before that,
    /// the fence that it puts there.
    ///
    /// Only the long way asks: where something is different, the graph's event does not look like the access, or is the
    /// fence, so the short way does not take it.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline]
    pub(super) unsafe fn as_ordered(context: *mut Context, access: &Access) -> (Access, bool) {
        // SAFETY: as promised by the caller.
        unsafe {
            let Some(change) = (*context).change_of(access.site, access.verb) else {
                return (*access, false);
            };
            if let Some(order) = change.fence_before {
                Context::fence(context, order, access.site);
            }
            let order = change.order.unwrap_or(access.request.order);
            // A load has one order.
            let failure =
                if access.verb == Verb::Load { order } else { change.failure.unwrap_or(access.request.failure) };
            (Access { request: Request { order, failure, ..access.request }, ..*access }, true)
        }
    }

    /// A fence of the program.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn fence_of_program(context: *mut Context, order: Order, site: Site) {
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
    unsafe fn fence(context: *mut Context, order: Order, site: Site) {
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
                        if let Some(added) = (*context).next_event(thread) {
                            (*context).step(thread);
                            return Some((*context).explorer.execution().event(added).value);
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

    /// A plain access to `size` bytes.
    ///
    /// # Safety
    /// As for [`Context::read`], but for the kind of memory.
    pub(crate) unsafe fn plain(context: *mut Context, address: usize, size: usize, is_write: bool, site: Site) {
        let extent = u32::try_from(size).unwrap_or(u32::MAX);
        let (kind, verb) =
            if is_write { (Kind::PlainWrite, Verb::PlainWrite) } else { (Kind::PlainRead, Verb::PlainRead) };
        let add = |context: &mut Context, thread| {
            let Ok(location) = context.locate(address, 0, false) else {
                return;
            };
            let known = context.explorer.execution().known_now(thread);
            let complaint = context.complaint_about_block(thread, known, address);
            context.explorer.execution_mut().add_plain(thread, location, extent, is_write, site);
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

    /// A plain access that the thread has done other things during is over.
    ///
    /// # Safety
    /// As for [`Context::plain`].
    pub(crate) unsafe fn plain_ends(context: *mut Context, address: usize, size: usize, is_write: bool, site: Site) {
        // SAFETY: as promised by the caller; references to the context end before any switch.
        unsafe {
            // What happens in the order of time is not looked at for races. Who frees the memory does not access it afterwards.
            if !(*context).is_timed && !(*context).has_freed(address) {
                Context::plain(context, address, size, is_write, site);
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

    /// If the weak compare-exchange at `site` is to fail for no reason: its step.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn spurious_failure(context: *mut Context, site: Site) -> Option<StepFn> {
        // SAFETY: as promised by the caller.
        unsafe {
            let config: &Config = &(*context).config;
            if !config.spurious_failures || Context::choose(context, 2, site) == 0 {
                return None;
            }
            // What happens in the order of time takes what is there.
            Some(match (*context).is_timed {
                true => |_, _, _| Step::Return,
                false => |value, current, _| if value == current { Step::Return } else { Step::Wait },
            })
        }
    }

    #[inline(always)]
    pub(super) fn locate_or_complain(&mut self, address: usize, size: u8) -> Option<LocationId> {
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
    pub(super) fn is_same_place(&mut self, id: EventId, address: usize, size: u8) -> bool {
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
    pub(super) fn raise_complaints(
        &mut self,
        thread: ThreadId,
        location: LocationId,
        complaint: Option<BlockComplaint>,
    ) {
        // Races take a plain access.
        if complaint.is_some() || self.explorer.execution().location(location).may_race() {
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
    /// A race in the graph that is to be continued, and whose it is. What the graph has was looked at when it was added, but a read
    /// that has been given to another write since knows less.
    pub(super) fn find_new_race(&self) -> Option<(ThreadId, ViolationKind)> {
        let execution = self.explorer.execution();
        let newest = EventId(execution.len().checked_sub(1)? as u32);
        let event = execution.event(newest);
        let location = event.location;
        if location == LocationId::NONE || !execution.location(location).may_race() || !self.config.findings.data_races
        {
            return None;
        }
        // Such a read is the newest event, reads from it, or is completed by it.
        let read = (event.is_write() && event.exclusive).then(|| execution.read_of(newest));
        let readers = event.is_write().then(|| execution.readers(newest)).into_iter().flatten();
        read.into_iter().chain([newest]).chain(readers).find_map(|second| {
            let first = execution.race_with(second)?;
            Some((execution.event(second).thread, ViolationKind::DataRace { first, second }))
        })
    }
}

pub(super) fn describe(verb: Verb, site: Site) -> String {
    format!("{verb:?} at {}:{}:{}", site.file(), site.line(), site.column())
}

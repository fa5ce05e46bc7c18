//! The short way through an access that the graph has already.
//!
//! Most of what a run does has been done before, so this decides how fast tests are. Whatever is out of the ordinary (a
//! graph made elsewhere, a source that has not run yet, an address that serves its second object, a test that does
//! something else this time) is left to the long way, which finds nothing changed.

use linchpin_graph::{Event, EventId, Shape, ThreadId};

use super::context::Context;
use super::memory::{Place, peek};
use crate::rt::{Access, Taken};

/// What came of trying to run a read again.
pub(super) enum Again {
    /// It is done, and this is the value.
    Read(u64),
    /// It can be run and is the first half of a read-modify-write, with this value.
    Update(u64),
    /// The graph has no more events of the thread.
    New,
}

impl Context {
    /// Runs the thread's next event if that is this load, of eight bytes, and its source is the newest write there that has run: most
    /// are, and then next to nothing has to be looked at. Returns the value.
    #[inline(always)]
    pub(super) fn load_newest_again(&mut self, thread: ThreadId, shape: Shape, address: usize) -> Option<u64> {
        let (_, value) = self.find_newest_again(thread, shape, address, |_| true)?;
        self.executed[thread.at()] += 1;
        Some(value)
    }

    /// [`Context::load_newest_again`] for a read that may write.
    #[inline(always)]
    pub(super) fn read_newest_again(&mut self, thread: ThreadId, shape: Shape, access: &Access) -> Option<Again> {
        let same_operands = |event: &Event| event.request.has_operands_of(&access.request);
        let (exclusive, value) = self.find_newest_again(thread, shape, access.address, same_operands)?;
        if exclusive {
            return Some(Again::Update(value));
        }
        self.executed[thread.at()] += 1;
        Some(Again::Read(value))
    }

    /// Is the thread's next event such an access of eight bytes, with the newest write there that has run for a source? Then whether it is
    /// exclusive, and its value.
    #[inline(always)]
    fn find_newest_again(
        &mut self,
        thread: ThreadId,
        shape: Shape,
        address: usize,
        is_it: impl FnOnce(&Event) -> bool,
    ) -> Option<(bool, u64)> {
        let execution = self.explorer.execution();
        let executed = *self.executed.get(thread.at())? as usize;
        let next = execution.threads().get(thread.at())?.events().get(executed)?;
        let event = execution.events().get(next.at())?;
        let place = self.places.get_mut(event.location.at())?;
        if event.shape() != shape
            || !shape.is_wide()
            || !is_it(event)
            || event.source != place.newest
            || place.address != address
            || !self.is_usual
        {
            return None;
        }
        // SAFETY: the access is to a live atomic of this size.
        let found = unsafe { peek(address, 8) };
        if found != place.value || found != event.value {
            return None;
        }
        place.is_touched = true;
        Some((event.exclusive, found))
    }

    /// Runs the thread's next event if that is this read and nothing stands in its way.
    #[inline(always)]
    pub(super) fn read_again(&mut self, thread: ThreadId, shape: Shape, access: &Access) -> Option<Again> {
        let execution = self.explorer.execution();
        let executed = self.executed[thread.at()];
        let Some(&next) = execution.thread(thread).events().get(executed as usize) else {
            return Some(Again::New);
        };
        let event = execution.event(next);
        let &Event { exclusive, source, value, ref request, .. } = event;
        if event.shape() != shape || !request.has_operands_of(&access.request) {
            return None;
        }
        let place = self.place_of(event, access)?;
        let is_unchanged = self.is_unchanged(place, access.address, access.size);
        let has_source = if source.is_some() { self.has_run(source) } else { value == place.initial };
        if !is_unchanged || !has_source {
            return None;
        }
        self.places[event.location.at()].is_touched = true;
        if exclusive {
            return Some(Again::Update(value));
        }
        self.executed[thread.at()] = executed + 1;
        Some(Again::Read(value))
    }

    /// Runs the thread's next event, and the other half if it has one, if that is this access and nothing stands in its way.
    pub(super) fn take_again(&mut self, thread: ThreadId, shape: Shape, access: &Access) -> Option<Taken> {
        match self.read_again(thread, shape, access)? {
            Again::Read(value) => Some(Taken { value, wrote: false }),
            Again::Update(value) => self.update_again(thread, value),
            Again::New => None,
        }
    }

    /// Runs the read that the thread has just added, and the other half if it has one, if nothing stands in its way: the place is as
    /// the engine left it, or the read would not have been added there.
    #[inline(always)]
    pub(super) fn take_new(&mut self, thread: ThreadId, read: EventId) -> Option<Taken> {
        let &Event { value, source, exclusive, waiting, .. } = self.explorer.execution().event(read);
        if waiting || !self.is_usual || (source.is_some() && !self.has_run(source)) {
            return None;
        }
        if exclusive {
            return self.update_again(thread, value);
        }
        self.executed[thread.at()] += 1;
        Some(Taken { value, wrote: false })
    }

    /// Runs both halves of a read-modify-write that reads `value`, if the graph has them.
    #[inline(always)]
    pub(super) fn update_again(&mut self, thread: ThreadId, value: u64) -> Option<Taken> {
        let execution = self.explorer.execution();
        let executed = self.executed[thread.at()] as usize;
        let write = *execution.thread(thread).events().get(executed + 1)?;
        if !execution.event(write).is_write() {
            return None;
        }
        self.executed[thread.at()] += 2;
        self.write_through(write);
        Some(Taken { value, wrote: true })
    }

    /// Runs the thread's next event if that is this write and nothing stands in its way.
    #[inline(always)]
    pub(super) fn write_again(&mut self, thread: ThreadId, shape: Shape, access: &Access, written: u64) -> bool {
        let execution = self.explorer.execution();
        let executed = self.executed[thread.at()] as usize;
        let Some(&id) = execution.thread(thread).events().get(executed) else {
            return false;
        };
        let event = execution.event(id);
        if event.shape() != shape || event.value != written {
            return false;
        }
        let location = event.location;
        let is_ready =
            self.place_of(event, access).is_some_and(|place| self.is_unchanged(place, access.address, access.size));
        if is_ready {
            self.places[location.at()].is_touched = true;
            self.executed[thread.at()] += 1;
            self.write_through(id);
        }
        is_ready
    }

    /// Runs the write that the thread has just added, as [`Context::take_new`] does.
    #[inline(always)]
    pub(super) fn write_new(&mut self, thread: ThreadId) -> bool {
        match self.next_event(thread) {
            Some(write) if self.is_usual => {
                self.executed[thread.at()] += 1;
                self.write_through(write);
                true
            }
            _ => false,
        }
    }

    /// What this run knows of the event's location, if that is where the access goes.
    #[inline(always)]
    fn place_of(&self, event: &Event, access: &Access) -> Option<&Place> {
        let place = self.places.get(event.location.at())?;
        (place.address == access.address && self.is_usual).then_some(place)
    }
}

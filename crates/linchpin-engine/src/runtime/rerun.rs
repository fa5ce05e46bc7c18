//! The short way through an access that the graph has already.
//!
//! Most of what a run does has been done before, so this decides how fast tests are. Whatever is out of the ordinary (a
//! graph made elsewhere, a source that has not run yet, an address that serves its second object, a test that does
//! something else this time) is left to the long way, which finds nothing changed.

use linchpin_graph::{Event, LocationId, Shape, ThreadId};

use super::context::Context;
use super::memory::Place;
use crate::rt::{Access, Taken};

impl Context {
    /// Runs the thread's next event if that is this read and nothing stands in its way.
    #[inline(always)]
    pub(super) fn read_again(&mut self, thread: ThreadId, shape: Shape, access: &Access) -> Option<Taken> {
        let execution = self.explorer.execution();
        let executed = self.threads[thread.at()].executed;
        let event = execution.event(*execution.thread(thread).events().get(executed as usize)?);
        let &Event { exclusive, source, value, ref request, .. } = event;
        if event.shape() != shape || request.a != access.a || request.b != access.b {
            return None;
        }
        let place = self.place_of(event, access)?;
        let is_unchanged = self.is_unchanged(place, access.address, access.size);
        let has_source = if source.is_some() { self.has_run(source) } else { value == place.initial };
        if !is_unchanged || !has_source {
            return None;
        }
        if exclusive {
            return self.write_half_again(thread, value);
        }
        self.threads[thread.at()].executed = executed + 1;
        Some(Taken { value, wrote: false })
    }

    /// Runs both halves of a read-modify-write that read `value`.
    fn write_half_again(&mut self, thread: ThreadId, value: u64) -> Option<Taken> {
        let execution = self.explorer.execution();
        let executed = self.threads[thread.at()].executed as usize;
        let write = *execution.thread(thread).events().get(executed + 1)?;
        if !execution.event(write).is_write() {
            return None;
        }
        self.threads[thread.at()].executed += 2;
        self.write_through(write);
        Some(Taken { value, wrote: true })
    }

    /// As [`Context::read_again`], if this is the run's first access to the location.
    pub(super) fn read_first(&mut self, thread: ThreadId, shape: Shape, access: &Access) -> Option<Taken> {
        let event = self.explorer.execution().event(self.next_event(thread)?);
        if event.shape() == shape && self.capture_if_new(event.location, access) {
            self.read_again(thread, shape, access)
        } else {
            None
        }
    }

    /// Runs the thread's next event if that is this write and nothing stands in its way.
    #[inline(always)]
    pub(super) fn write_again(&mut self, thread: ThreadId, shape: Shape, access: &Access, written: u64) -> bool {
        let execution = self.explorer.execution();
        let executed = self.threads[thread.at()].executed as usize;
        let Some(&id) = execution.thread(thread).events().get(executed) else {
            return false;
        };
        let event = execution.event(id);
        if event.shape() != shape || event.value != written {
            return false;
        }
        let is_ready = match self.place_of(event, access) {
            Some(place) => self.is_unchanged(place, access.address, access.size),
            None => self.capture_if_new(event.location, access),
        };
        if is_ready {
            self.threads[thread.at()].executed += 1;
            self.write_through(id);
        }
        is_ready
    }

    /// What this run knows of the event's location, if that is where the access goes.
    #[inline(always)]
    fn place_of(&self, event: &Event, access: &Access) -> Option<&Place> {
        let place = self.places.get(event.location.at())?;
        (place.run == self.run && place.address == access.address && self.is_usual).then_some(place)
    }

    /// Prepares for the run's first access to `location`, if the access is that. The shape says that the size is right.
    #[inline(never)]
    fn capture_if_new(&mut self, id: LocationId, access: &Access) -> bool {
        let location = self.explorer.execution().location(id);
        let is_new = self.is_usual
            && location.address == access.address
            && location.size == access.size
            && location.generation == 0
            && !self.is_filled_in(id);
        if is_new {
            self.capture(id);
        }
        is_new
    }
}

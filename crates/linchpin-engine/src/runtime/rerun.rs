//! The short way through an access that the graph has already.
//!
//! Most of what a run does has been done before, so this decides how fast tests are. Whatever is out of the ordinary (a
//! graph made elsewhere, a source that has not run yet, an address that serves its second object, a test that does
//! something else this time) is left to the long way, which finds nothing changed.

use linchpin_graph::{Event, Kind, LocationId, ThreadId};

use super::context::{Context, Mode};
use crate::rt::{Access, Taken};

impl Context {
    /// Runs the thread's next event if that is this read and nothing stands in its way.
    #[inline(always)]
    pub(super) fn read_again(&mut self, thread: ThreadId, access: &Access) -> Option<Taken> {
        let executed = self.threads[thread.at()].executed as usize;
        let execution = self.explorer.execution();
        let id = *execution.thread(thread).events().get(executed)?;
        let &Event { kind, verb, exclusive, waiting, location, source, value, ref request, .. } = execution.event(id);
        let fits = kind == Kind::Read
            && !waiting
            && verb == access.verb
            && request.order == access.order
            && request.failure == access.failure
            && request.a == access.a
            && request.b == access.b;
        if !fits || (source.is_some() && !self.has_run(source)) || !self.is_still_there(location, access) {
            return None;
        }
        let execution = self.explorer.execution();
        if !source.is_some() && value != execution.location(location).initial {
            return None;
        }
        if exclusive {
            let write = *execution.thread(thread).events().get(executed + 1)?;
            if !execution.event(write).is_write() {
                return None;
            }
            self.write_through(write);
        }
        self.threads[thread.at()].executed += 1 + u32::from(exclusive);
        Some(Taken { value, wrote: exclusive })
    }

    /// Runs the thread's next event if that is this write and nothing stands in its way.
    #[inline(always)]
    pub(super) fn write_again(&mut self, thread: ThreadId, access: &Access, written: u64) -> bool {
        let executed = self.threads[thread.at()].executed as usize;
        let execution = self.explorer.execution();
        let Some(&id) = execution.thread(thread).events().get(executed) else {
            return false;
        };
        let &Event { kind, verb, order, location, value, .. } = execution.event(id);
        let fits = kind == Kind::Write && verb == access.verb && order == access.order && value == written;
        if !fits || !self.is_still_there(location, access) {
            return false;
        }
        self.write_through(id);
        self.threads[thread.at()].executed += 1;
        true
    }

    /// Is the location where the access goes, with memory as the engine left it?
    #[inline(always)]
    fn is_still_there(&mut self, id: LocationId, access: &Access) -> bool {
        let location = self.explorer.execution().location(id);
        location.address == access.address
            && location.size == access.size
            && location.generation == 0
            && self.generations.is_empty()
            && self.mode != Mode::Rebase
            && !self.draining
            && self.fill_in(id)
    }
}

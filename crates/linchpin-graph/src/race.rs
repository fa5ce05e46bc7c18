//! Data races: conflicting accesses, one of them plain, that happens-before does not order.

use crate::event::{EventId, Kind};
use crate::execution::Execution;

impl Execution {
    /// An older access that races with `id`, the newest event of its thread.
    pub fn race_with(&self, id: EventId) -> Option<EventId> {
        let event = self.event(id);
        let location = self.location(event.location);
        let ordered = |other: EventId| self.happens_before(other, id) || self.happens_before(id, other);
        let unordered = |&other: &EventId| other != id && !ordered(other);
        let writes = matches!(event.kind, Kind::Write | Kind::PlainWrite);
        let conflicts = |&other: &EventId| writes || self.event(other).kind == Kind::PlainWrite;
        if let Some(other) = location.plain.iter().copied().filter(conflicts).find(unordered) {
            return Some(other);
        }
        if !event.is_plain() {
            return None;
        }
        if let Some(write) = location.mo.iter().copied().find(unordered) {
            return Some(write);
        }
        if event.kind == Kind::PlainWrite {
            let heads = location.mo.iter().map(|&write| self.event(write).next_reader);
            return heads
                .chain([location.last_initial_reader])
                .flat_map(|head| self.reader_chain(head))
                .find(unordered);
        }
        None
    }
}

//! Data races: conflicting accesses, one of them plain, that happens-before does not order.
//!
//! Most accesses that touch the same memory begin at the same address, and have the same location. Plain accesses may be
//! large, though, and touch what has locations of its own: the fields of a structure, the elements of an array.

use std::ops::Range;

use crate::event::{Event, EventId, Kind};
use crate::execution::Execution;

impl Execution {
    /// An older access that races with `id`, the newest event of its thread.
    pub fn race_with(&self, id: EventId) -> Option<EventId> {
        let overlaps = self.location(self.event(id).location).overlaps;
        self.race_at_location(id).or_else(|| if overlaps { self.race_beyond_location(id) } else { None })
    }

    /// A race with an access to the same location.
    fn race_at_location(&self, id: EventId) -> Option<EventId> {
        let event = self.event(id);
        let location = self.location(event.location);
        let unordered = |&other: &EventId| self.is_unordered(other, id);
        let conflicts = |&other: &EventId| event.writes() || self.event(other).writes();
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

    /// The oldest access to another address that races with `id`.
    ///
    /// Locations whose address has served another object since are left out: whoever put that there had the memory to
    /// themselves.
    fn race_beyond_location(&self, id: EventId) -> Option<EventId> {
        let event = self.event(id);
        let bytes = self.bytes(event);
        let others = self.locations.iter().filter(|(other, location)| {
            location.overlaps
                && location.address != bytes.start
                && location.address < bytes.end
                && self.locations.is_current(*other)
        });
        let races = |&other: &EventId| {
            let access = self.event(other);
            (event.is_plain() || access.is_plain())
                && (event.writes() || access.writes())
                && bytes.start < self.bytes(access).end
                && self.is_unordered(other, id)
        };
        others.flat_map(|(other, _)| self.accesses(other)).filter(races).min()
    }

    fn is_unordered(&self, one: EventId, other: EventId) -> bool {
        one != other && !self.happens_before(one, other) && !self.happens_before(other, one)
    }

    /// The memory that an access touches.
    fn bytes(&self, access: &Event) -> Range<usize> {
        let start = self.location(access.location).address;
        let size = if access.is_plain() { access.extent } else { access.size.into() };
        start..start.saturating_add(size as usize)
    }
}

impl Event {
    /// Does the access change memory?
    fn writes(&self) -> bool {
        matches!(self.kind, Kind::Write | Kind::PlainWrite)
    }
}

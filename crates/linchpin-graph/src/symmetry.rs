//! Interchangeable threads: executions that differ only in which of them did what.

use crate::event::{Event, EventId, Kind, ThreadId};
use crate::execution::Execution;

impl Execution {
    /// Declares that `thread` runs the same code with the same inputs as `twin`, the first of its group.
    pub fn set_twin(&mut self, thread: ThreadId, twin: ThreadId) {
        self.threads[thread.at()].twin = Some(twin);
    }

    /// Are there threads that were declared interchangeable?
    pub fn has_twins(&self) -> bool {
        self.threads.iter().any(|thread| thread.twin.is_some())
    }

    /// Is the execution the one to keep among its mirror images, as far as `id` is concerned, which was given another
    /// source or another place in mo than the newest?
    ///
    /// Where two interchangeable threads first differ, the event that was added first is to have the lower place in mo:
    /// the other way round is explored when the first event takes the lower place. That is not so if an older read has
    /// been redirected to the first thread, since then only that thread's revisit was explored (see
    /// [`Execution::is_first_to_revisit`]) and the two are no longer alike.
    pub fn is_representative(&self, id: EventId) -> bool {
        let event = self.event(id);
        let Some(twin) = self.thread(event.thread).twin else {
            return true;
        };
        let others = self.threads.iter().filter(|other| other.twin == Some(twin));
        others.into_iter().all(|other| {
            let Some(&mirrored) = other.events.get(event.index as usize) else {
                return true;
            };
            if mirrored == id || !self.agree_before(event, self.event(mirrored)) {
                return true;
            }
            let (older, newer) = if mirrored < id { (mirrored, id) } else { (id, mirrored) };
            self.rank(older) <= self.rank(newer) || self.in_porf(older, newer) || self.has_revisited(older)
        })
    }

    /// Is the thread of `from` where it is, from there on, because of a revisit?
    ///
    /// Then an older read has its source there, or a thread that comes before it went on afterwards. Joins do not count:
    /// a thread that waits for others goes on in between anyway.
    fn has_revisited(&self, from: EventId) -> bool {
        let thread = self.event(from).thread;
        let events = &self.thread(thread).events[self.event(from).index as usize..];
        let is_read_by_older = |write: &EventId| {
            self.event(*write).is_write()
                && self.readers(*write).any(|read| read < *write && self.event(read).thread != thread)
        };
        let went_on = |event: &Event| event.thread < thread && event.kind != Kind::Join;
        events.iter().any(is_read_by_older) || self.events[from.at()..].iter().any(went_on)
    }

    /// After a revisit: is no thread ahead of an interchangeable one with a lower number that has done the same so far?
    /// If one is, that other thread has made the same revisit before.
    pub fn is_first_to_revisit(&self) -> bool {
        let ids = || (0..self.threads.len() as u32).map(ThreadId).filter(|id| self.thread(*id).twin.is_some());
        ids().all(|low| {
            ids().filter(|high| *high > low && self.thread(*high).twin == self.thread(low).twin).all(|high| {
                let (behind, ahead) = (&self.thread(low).events, &self.thread(high).events);
                behind.len() >= ahead.len() || !self.agree(behind, &ahead[..behind.len()])
            })
        })
    }

    /// Have the two threads done the same up to these events?
    fn agree_before(&self, left: &Event, right: &Event) -> bool {
        let left = &self.thread(left.thread).events[..left.index as usize];
        let right = &self.thread(right.thread).events[..right.index as usize];
        self.agree(left, right)
    }

    fn agree(&self, left: &[EventId], right: &[EventId]) -> bool {
        left.iter().zip(right).all(|(&left, &right)| {
            let (left, right) = (self.event(left), self.event(right));
            left.kind == right.kind
                && match left.kind {
                    Kind::Read => left.source == right.source && left.location == right.location,
                    Kind::Choice => left.value == right.value,
                    Kind::Fence => true,
                    // Two writes always differ, by their order; the rest is rare and not worth the thought.
                    _ => false,
                }
        })
    }

    fn rank(&self, id: EventId) -> u64 {
        let event = self.event(id);
        match event.kind {
            Kind::Read => self.source_position(id).into(),
            Kind::Write => event.mo_position.into(),
            Kind::Choice => event.value,
            _ => 0,
        }
    }
}

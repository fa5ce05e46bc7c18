//! Interchangeable threads: executions that differ only in which of them did what.
//!
//! Threads of a group run the same code with the same inputs. Of each class of mirrored executions one is to be explored:
//! the *sorted* one, in which, where two neighbours of the group first differ, the one with the lower number reads from or
//! writes to the lower place in mo.
//!
//! Sortedness is made part of consistency, for which the explorer needs two things. A newest event must never break it:
//! so a thread must not get ahead of its predecessor while the two are alike. And it must survive leaving events out: so
//! whoever keeps an event keeps the predecessor's like event too. Both come from one device: as long as the two agree,
//! and for the first event where they differ, the predecessor's event counts as part of the po ∪ rf prefix. The idea of
//! widening the prefix is GenMC's.

use crate::event::{Event, EventId, Kind, ThreadId};
use crate::execution::Execution;

impl Execution {
    /// Declares that `thread` runs the same code with the same inputs as `twin`, which was spawned right before it.
    pub fn set_twin(&mut self, thread: ThreadId, twin: ThreadId) {
        self.threads[thread.at()].twin = Some(twin);
    }

    /// The event of the predecessor in the group that corresponds to `id`, if the two have agreed so far.
    fn mirrored(&self, id: EventId) -> Option<EventId> {
        let event = self.event(id);
        let twin = self.thread(event.thread).twin?;
        let mirrored = *self.thread(twin).events.get(event.index as usize)?;
        self.agree_before(event, self.event(mirrored)).then_some(mirrored)
    }

    /// Widens the prefix of `id` by the predecessor's like event.
    #[inline(always)]
    pub(crate) fn follow_twin(&mut self, id: EventId) {
        if self.thread(self.event(id).thread).twin.is_some() {
            self.widen_by_twin(id);
        }
    }

    fn widen_by_twin(&mut self, id: EventId) {
        if let Some(mirrored) = self.mirrored(id) {
            let &Event { thread, index, porf, .. } = self.event(self.whole(mirrored));
            let widened = self.learn(self.event(id).porf, porf, thread, index + 1);
            self.events[id.at()].porf = widened;
        }
    }

    /// The last event of the read-modify-write that `id` begins; else `id`. The halves are never taken apart.
    fn whole(&self, id: EventId) -> EventId {
        let event = self.event(id);
        if !event.is_read() || !event.exclusive {
            return id;
        }
        let rest = &self.thread(event.thread).events[event.index as usize + 1..];
        rest.iter().copied().find(|&later| self.event(later).is_write()).unwrap_or(id)
    }

    /// Is the execution sorted as far as `id` is concerned?
    pub fn is_sorted_at(&self, id: EventId) -> bool {
        self.mirrored(id).is_none_or(|mirrored| self.rank(mirrored) <= self.rank(id))
    }

    /// Have the two threads done the same up to these events?
    fn agree_before(&self, left: &Event, right: &Event) -> bool {
        let left = &self.thread(left.thread).events[..left.index as usize];
        let right = &self.thread(right.thread).events[..right.index as usize];
        left.iter().zip(right).all(|(&left, &right)| {
            let (left, right) = (self.event(left), self.event(right));
            left.kind == right.kind
                && match left.kind {
                    Kind::Read => left.source == right.source && left.location == right.location,
                    Kind::PlainRead => left.location == right.location,
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

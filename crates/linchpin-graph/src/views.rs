//! Views: what happens before an event, and its po ∪ rf prefix.
//!
//! Happens-before follows C++20: a release write, or any write after a release fence, hands on a message; a
//! read-modify-write passes on the message of what it read as well (release sequences consist of read-modify-writes
//! only); an acquire read takes the message, a later acquire fence takes those of earlier relaxed reads.

use linchpin_model::{MemoryModel, Order};

use crate::event::{Event, EventId, Kind, LocationId, Message, ThreadId};
use crate::execution::Execution;
use crate::rows::RowId;

/// What a thread knows before one of its events, or before the next one: what happens before it.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    thread: ThreadId,
    /// So many events of its own.
    events: u32,
    /// Events of others.
    hb: RowId,
}

impl Execution {
    /// `row` and all that `from` (a row of `thread`'s first `count` events) says.
    #[inline(always)]
    pub(crate) fn learn(&mut self, row: RowId, from: RowId, thread: ThreadId, count: u32) -> RowId {
        // Rows are closed: who knows an event knows all that the event knows.
        if self.rows.count(row, thread) >= count {
            return row;
        }
        self.learn_more(row, from, thread, count)
    }

    #[inline(never)]
    fn learn_more(&mut self, row: RowId, from: RowId, thread: ThreadId, count: u32) -> RowId {
        self.rows.union_and(row, from, thread, count)
    }

    /// `row` of `reader`'s thread, and the message of `write`.
    #[inline]
    fn receive(&mut self, row: RowId, reader: ThreadId, message: Message) -> RowId {
        match message {
            Message::Nothing => row,
            Message::Of(event) => {
                let &Event { thread, index, hb, .. } = self.event(event);
                if thread == reader { row } else { self.learn(row, hb, thread, index + 1) }
            }
            Message::Row(from) => {
                if self.rows.is_subset(from, row) {
                    return row;
                }
                self.rows.union(row, from)
            }
        }
    }

    /// Views before `event`: those of the previous event of its thread.
    pub(crate) fn views_before(&self, event: &Event) -> (RowId, RowId) {
        let thread = self.thread(event.thread);
        match event.index.checked_sub(1) {
            Some(before) => {
                let previous = self.event(thread.events[before as usize]);
                (previous.hb, previous.porf)
            }
            None => (thread.hb, thread.porf),
        }
    }

    /// Adds to the views of `read`, which are those of what precedes it, what is learnt from its source.
    #[inline(always)]
    pub(crate) fn view_read(&mut self, read: EventId) {
        let &Event { thread, source, order, hb, porf, .. } = self.event(read);
        if source.is_some() {
            let (hb, porf) = self.learn_from(source, thread, order, hb, porf);
            self.set_views(read, hb, porf);
        }
    }

    /// Not inlined: the code that every execution runs does not fit the cache as it is.
    #[inline(never)]
    pub(crate) fn learn_from(
        &mut self,
        source: EventId,
        reader: ThreadId,
        order: Order,
        mut hb: RowId,
        mut porf: RowId,
    ) -> (RowId, RowId) {
        let &Event { thread: writer, index, hb: from_hb, porf: from_porf, message, .. } = self.event(source);
        let from_elsewhere = writer != reader;
        if from_elsewhere {
            let shared = hb == porf && from_hb == from_porf;
            porf = self.learn(porf, from_porf, writer, index + 1);
            let hands_on_all = matches!(message, Message::Of(event) if event == source);
            if shared && (self.model == MemoryModel::Sc || (order.acquires() && hands_on_all)) {
                // Nothing tells the two views apart, so they go on sharing their rows.
                return (porf, porf);
            }
        }
        match self.model {
            MemoryModel::Sc if from_elsewhere => hb = self.learn(hb, from_hb, writer, index + 1),
            MemoryModel::C11 if order.acquires() => hb = self.receive(hb, reader, message),
            MemoryModel::Sc | MemoryModel::C11 => {}
        }
        (hb, porf)
    }

    #[inline]
    pub(crate) fn set_views(&mut self, id: EventId, hb: RowId, porf: RowId) {
        let event = &mut self.events[id.at()];
        event.hb = hb;
        event.porf = porf;
    }

    #[inline]
    pub(crate) fn view_write(&mut self, id: EventId) {
        if self.model == MemoryModel::Sc {
            return;
        }
        let &Event { order, exclusive, release_fence, .. } = self.event(id);
        let own = if order.releases() {
            Message::Of(id)
        } else if release_fence.is_some() {
            Message::Of(release_fence)
        } else {
            Message::Nothing
        };
        let inherited = if exclusive {
            let source = self.event(self.read_of(id)).source;
            if source.is_some() { self.event(source).message } else { Message::Nothing }
        } else {
            Message::Nothing
        };
        let message = match (own, inherited) {
            (message, Message::Nothing) | (Message::Nothing, message) => message,
            (Message::Of(own), inherited) if self.includes(own, inherited) => Message::Of(own),
            (Message::Of(own), inherited) => Message::Row(self.combine(own, inherited)),
            (Message::Row(_), _) => unreachable!("a write's own message is that of an event"),
        };
        self.events[id.at()].message = message;
    }

    /// Does all that `write` hands on to those who acquire it happen before `event`?
    pub fn has_received(&self, event: EventId, write: EventId) -> bool {
        self.includes(event, self.event(write).message)
    }

    /// Is all that `message` hands on known to `event` anyway? Mostly it is: who changes what it has read has acquired that before.
    #[inline]
    fn includes(&self, event: EventId, message: Message) -> bool {
        match message {
            Message::Nothing => true,
            Message::Of(other) => self.happens_before(other, event),
            Message::Row(row) => {
                let &Event { thread, index, hb, .. } = self.event(event);
                let mut counts = self.rows.row(row).iter().zip(self.rows.row(hb)).enumerate();
                counts.all(|(of, (&handed, &known))| handed <= if of == thread.at() { index + 1 } else { known })
            }
        }
    }

    /// A row of all that happens before `event`, the event, and what `message` hands on.
    fn combine(&mut self, event: EventId, message: Message) -> RowId {
        let &Event { hb, thread, index, .. } = self.event(event);
        let row = self.rows.copy(hb);
        self.rows.raise(row, thread, index + 1);
        match message {
            Message::Of(other) => {
                let &Event { hb, thread, index, .. } = self.event(other);
                self.rows.join(row, hb);
                self.rows.raise(row, thread, index + 1);
            }
            Message::Row(other) => self.rows.join(row, other),
            Message::Nothing => {}
        }
        row
    }

    pub(crate) fn view_fence(&mut self, id: EventId) {
        let &Event { thread, index, order, mut hb, .. } = self.event(id);
        if self.model == MemoryModel::C11 && order.acquires() {
            // Earlier reads took no message, or took it already: an acquire fence takes what they left. An earlier
            // acquire fence has taken the rest.
            for earlier in (0..index as usize).rev() {
                let earlier = *self.event(self.threads[thread.at()].events[earlier]);
                if earlier.kind == Kind::Fence && earlier.order.acquires() {
                    break;
                }
                if earlier.kind == Kind::Read && earlier.source.is_some() {
                    hb = self.receive(hb, thread, self.event(earlier.source).message);
                }
            }
        }
        let event = &mut self.events[id.at()];
        event.hb = hb;
        if order.releases() {
            event.release_fence = id;
        }
    }

    pub(crate) fn view_join(&mut self, id: EventId) {
        let &Event { source, hb, porf, .. } = self.event(id);
        let &Event { thread, index, hb: end_hb, porf: end_porf, .. } = self.event(source);
        let shared = hb == porf && end_hb == end_porf;
        let porf = self.learn(porf, end_porf, thread, index + 1);
        let hb = if shared { porf } else { self.learn(hb, end_hb, thread, index + 1) };
        self.set_views(id, hb, porf);
    }

    /// Rows of all that `id` knows, its own thread included: what a new thread starts with.
    pub(crate) fn export(&mut self, id: EventId) -> (RowId, RowId) {
        let &Event { thread, index, hb, porf, .. } = self.event(id);
        let exported_hb = self.rows.copy(hb);
        self.rows.raise(exported_hb, thread, index + 1);
        if hb == porf {
            return (exported_hb, exported_hb);
        }
        let exported_porf = self.rows.copy(porf);
        self.rows.raise(exported_porf, thread, index + 1);
        (exported_hb, exported_porf)
    }

    /// Is `earlier` in the po ∪ rf prefix of `later` (or the same)?
    #[inline]
    pub fn in_porf(&self, earlier: EventId, later: EventId) -> bool {
        let (earlier, later) = (self.event(earlier), self.event(later));
        if earlier.thread == later.thread {
            earlier.index <= later.index
        } else {
            self.rows.count(later.porf, earlier.thread) > earlier.index
        }
    }

    /// How many events of `thread` are in the po ∪ rf prefix of `id`, itself included.
    #[inline]
    pub fn porf_count(&self, id: EventId, thread: ThreadId) -> u32 {
        let event = self.event(id);
        if event.thread == thread { event.index + 1 } else { self.rows.count(event.porf, thread) }
    }

    /// Does `earlier` happen before `later` (or is it the same)?
    #[inline]
    pub fn happens_before(&self, earlier: EventId, later: EventId) -> bool {
        let (earlier, later) = (self.event(earlier), self.event(later));
        if earlier.thread == later.thread {
            earlier.index <= later.index
        } else {
            self.rows.count(later.hb, earlier.thread) > earlier.index
        }
    }

    /// What happens before whatever `thread` does next.
    #[inline(always)]
    pub fn known_now(&self, thread: ThreadId) -> Known {
        let owner = self.thread(thread);
        let hb = match owner.events.last() {
            Some(&last) => self.event(last).hb,
            None => owner.hb,
        };
        Known { thread, events: owner.events.len() as u32, hb }
    }

    /// What happens before event number `index` of `thread`.
    #[inline]
    pub fn known_before(&self, thread: ThreadId, index: u32) -> Known {
        let owner = self.thread(thread);
        let hb = match index.checked_sub(1) {
            Some(previous) => self.event(owner.events[previous as usize]).hb,
            None => owner.hb,
        };
        Known { thread, events: index, hb }
    }

    /// How many events of `thread` are known.
    #[inline]
    pub fn known_events(&self, known: Known, thread: ThreadId) -> u32 {
        if thread == known.thread { known.events } else { self.rows.count(known.hb, thread) }
    }

    /// All accesses of a location, in no particular order.
    pub fn accesses(&self, location: LocationId) -> impl Iterator<Item = EventId> {
        let location = self.location(location);
        let readers = location.mo.iter().map(|&write| self.event(write).next_reader);
        let heads = readers.chain([location.last_initial_reader]);
        let reads = heads.flat_map(|head| self.reader_chain(head));
        location.mo.iter().chain(&location.plain).copied().chain(reads)
    }

    /// The least mo position from which a thread that knows so much may read, and after which it may write: what it knows must not be
    /// undone.
    #[inline(always)]
    pub fn bound(&self, known: Known, location: LocationId) -> u32 {
        let row = match self.model {
            MemoryModel::Sc => self.prefix_before(known),
            MemoryModel::C11 => self.rows.row(known.hb),
        };
        let knows = |event: &Event| {
            if event.thread == known.thread { event.index < known.events } else { row[event.thread.at()] > event.index }
        };
        let location = self.location(location);
        for (before, &write) in location.mo.iter().enumerate().rev() {
            let write = self.event(write);
            if knows(write) || self.reader_chain(write.next_reader).any(|reader| knows(self.event(reader))) {
                return before as u32 + 1;
            }
        }
        0
    }

    /// Under SC, more is known than what happens before.
    #[inline(never)]
    fn prefix_before(&self, Known { thread, events, .. }: Known) -> &[u32] {
        let owner = self.thread(thread);
        let previous = events.checked_sub(1).map(|before| owner.events[before as usize]);
        match previous.or(owner.origin.map(|_| self.spawn_of(thread))) {
            Some(previous) => self.prefixes.row(previous),
            None => self.rows.row(RowId::EMPTY),
        }
    }

    /// The event that spawned `thread`.
    pub fn spawn_of(&self, thread: ThreadId) -> EventId {
        let spawn = self.thread(thread).spawn;
        debug_assert!(spawn.is_some(), "the main thread is not spawned");
        spawn
    }
}

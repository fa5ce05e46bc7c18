//! Parts of an execution: what stays when a read is redirected to a newer write, and other copies with events left out.
//!
//! Most executions begin with a revisit. The events up to the read keep their numbers, rows and locations; of the newer ones, those
//! that stay get new numbers.

use crate::event::{Event, EventId, Kind, LocationId, Message, ThreadId};
use crate::execution::{Execution, Thread};
use crate::rows::{RowId, Rows};

/// What things are called in a copy. Kept, so that the next use allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Renaming {
    /// So many events keep their numbers; `events` has the new ones of the others.
    whole_events: u32,
    events: Vec<EventId>,
    /// So many rows keep their numbers; `rows` has the new ones of the others.
    whole_rows: u32,
    rows: Vec<RowId>,
}

impl Renaming {
    /// What the event is called in the copy; [`EventId::NONE`] if it is not there.
    #[inline]
    fn event(&self, id: EventId) -> EventId {
        if id.0 < self.whole_events || !id.is_some() { id } else { self.events[id.at() - self.whole_events as usize] }
    }

    /// What the row is called in the copy, which gets it when somebody asks for it.
    #[inline(always)]
    fn row(&mut self, id: RowId, from: &Rows, to: &mut Rows) -> RowId {
        if id.0 < self.whole_rows {
            return id;
        }
        match self.rows[(id.0 - self.whole_rows) as usize] {
            RowId::EMPTY => self.copy_row(id, from, to),
            known => known,
        }
    }

    #[inline(never)]
    fn copy_row(&mut self, id: RowId, from: &Rows, to: &mut Rows) -> RowId {
        let copy = to.add_from(from, id);
        self.rows[(id.0 - self.whole_rows) as usize] = copy;
        copy
    }
}

impl Execution {
    /// Makes `target` a copy with only the events up to `read` and the po ∪ rf prefix of `write`, reusing its buffers; returns what
    /// `write` is called there. `write` must be the newest event and not in mo. Nothing that stays may have read from what goes, nor
    /// anything older than `read` from what is newer, but for `read`, which reads the initial value in the copy until it is redirected.
    pub fn restrict_into(&self, read: EventId, write: EventId, target: &mut Execution) -> EventId {
        let &Event { thread: writer, porf, .. } = self.event(write);
        let stays = |event: &Event| event.thread == writer || self.rows.count(porf, event.thread) > event.index;
        self.copy_part(read.at() + 1, stays, target);
        let source = self.event(read).source;
        if !source.is_some() || target.renaming.event(source).is_some() {
            target.unlink(read);
        }
        target.link(read, EventId::NONE);
        EventId(target.events.len() as u32 - 1)
    }

    /// Makes `target` a copy in which `thread` did not do its events number `from` up to `to`, which must have no effect that others
    /// saw, reusing its buffers. What other events know is not computed anew: the copy is for following, not for growing.
    pub fn copy_without(&self, thread: ThreadId, from: u32, to: u32, target: &mut Execution) {
        self.copy_part(0, |event| event.thread != thread || event.index < from || event.index >= to, target);
        target.forget_untouched_locations();
    }

    /// Makes `target` equal to this execution, reusing its buffers.
    pub fn copy_into(&self, target: &mut Execution) {
        self.copy_part(self.events.len(), |_| true, target);
        target.forget_untouched_locations();
        target.rebuild_sc();
    }

    /// Makes `target` a copy with the first `whole` events, and of the others those that `keep` says, without the prefixes under SC.
    fn copy_part(&self, whole: usize, keep: impl Fn(&Event) -> bool, target: &mut Execution) {
        let mut renaming = std::mem::take(&mut target.renaming);
        renaming.whole_events = whole as u32;
        renaming.events.clear();
        let mut next = whole as u32;
        renaming.events.extend(self.events[whole..].iter().map(|event| match keep(event) {
            true => {
                next += 1;
                EventId(next - 1)
            }
            false => EventId::NONE,
        }));
        renaming.whole_rows = self.events.get(whole).map_or(self.rows.len(), |next| next.rows_before);
        renaming.rows.clear();
        renaming.rows.resize((self.rows.len() - renaming.whole_rows) as usize, RowId::EMPTY);

        target.model = self.model;
        target.is_flat = self.is_flat;
        target.seq_cst_events = self.seq_cst_events;
        target.prefixes.reset_like(&self.prefixes);
        target.rows.copy_first(&self.rows, renaming.whole_rows);
        target.events.clear();
        target.events.extend_from_slice(&self.events[..whole]);
        target.threads.truncate(self.threads.len());
        target.threads.resize_with(self.threads.len(), Thread::default);
        for (new, old) in target.threads.iter_mut().zip(&self.threads) {
            new.copy_from(old, old.events.partition_point(|id| id.at() < whole));
        }
        for (at, event) in self.events[whole..].iter().enumerate() {
            match renaming.events[at] {
                EventId::NONE => target.forget(event),
                id => self.copy_event(event, id, target, &mut renaming),
            }
        }
        self.copy_locations(target, &renaming);
        target.renaming = renaming;
    }

    /// Takes back what the copy has of an event that is not in it.
    #[inline]
    fn forget(&mut self, event: &Event) {
        if event.kind == Kind::Spawn {
            self.threads[event.value as usize].alive = false;
            self.threads[event.thread.at()].children -= 1;
        }
        if event.order.is_seq_cst() {
            self.seq_cst_events -= 1;
        }
    }

    /// Adds a copy of `event` to `target` as `id`. Who reads from it, and where it stands in mo, comes with the locations.
    #[inline]
    fn copy_event(&self, event: &Event, id: EventId, target: &mut Execution, renaming: &mut Renaming) {
        let events_of_thread = &mut target.threads[event.thread.at()].events;
        let index = events_of_thread.len() as u32;
        events_of_thread.push(id);
        let rows_before = target.rows.len();
        let hb = renaming.row(event.hb, &self.rows, &mut target.rows);
        let porf = renaming.row(event.porf, &self.rows, &mut target.rows);
        let message = match event.message {
            Message::Nothing => Message::Nothing,
            Message::Of(from) => Message::Of(renaming.event(from)),
            Message::Row(row) => Message::Row(renaming.row(row, &self.rows, &mut target.rows)),
        };
        if event.kind == Kind::Spawn {
            let child = &mut target.threads[event.value as usize];
            child.spawn = id;
            child.hb = renaming.row(child.hb, &self.rows, &mut target.rows);
            child.porf = renaming.row(child.porf, &self.rows, &mut target.rows);
        }
        target.events.extend_from_slice(std::slice::from_ref(event));
        let copy = &mut target.events[id.at()];
        copy.index = index;
        copy.rows_before = rows_before;
        copy.hb = hb;
        copy.porf = porf;
        copy.message = message;
        copy.release_fence = renaming.event(event.release_fence);
        copy.source = renaming.event(event.source);
    }

    /// Copies the locations, with what is left of mo, and tells each write that is left who reads from it.
    fn copy_locations(&self, target: &mut Execution, renaming: &Renaming) {
        let Execution { locations, events, .. } = target;
        for (new, old) in locations.copy_places(&self.locations) {
            new.last_initial_reader = self.copy_readers(old.last_initial_reader, events, renaming);
            new.plain.clear();
            new.plain.extend(old.plain.iter().map(|&id| renaming.event(id)).filter(|id| id.is_some()));
            new.mo.clear();
            for &old_write in &old.mo {
                let write = renaming.event(old_write);
                if write.is_some() {
                    new.mo.push(write);
                    let readers = self.copy_readers(self.event(old_write).next_reader, events, renaming);
                    let event = &mut events[write.at()];
                    event.next_reader = readers;
                    event.mo_position = new.mo.len() as u32;
                }
            }
        }
        locations.forget_untouched_at_the_end();
    }

    /// Chains those of the reads from `newest` on that are left, in the same order; returns the newest of them. Those that keep their
    /// numbers are the oldest, and are chained as they were.
    #[inline(always)]
    fn copy_readers(&self, newest: EventId, events: &mut [Event], renaming: &Renaming) -> EventId {
        if newest.0 < renaming.whole_events || !newest.is_some() {
            return newest;
        }
        self.copy_newer_readers(newest, events, renaming)
    }

    /// [`Execution::copy_readers`] where the newest may not keep its number.
    fn copy_newer_readers(&self, newest: EventId, events: &mut [Event], renaming: &Renaming) -> EventId {
        let mut first = EventId::NONE;
        let mut last = EventId::NONE;
        for old in self.reader_chain(newest) {
            let read = renaming.event(old);
            if !read.is_some() {
                continue;
            }
            match last {
                EventId::NONE => first = read,
                last => events[last.at()].next_reader = read,
            }
            if old.0 < renaming.whole_events {
                return first;
            }
            last = read;
        }
        if last.is_some() {
            events[last.at()].next_reader = EventId::NONE;
        }
        first
    }

    /// Numbers the locations by their first events and forgets those that have none.
    fn forget_untouched_locations(&mut self) {
        let mut old = std::mem::take(&mut self.locations);
        let mut new_ids = vec![LocationId::NONE; old.len()];
        for event in self.events.iter_mut().filter(|event| event.location != LocationId::NONE) {
            let new_id = &mut new_ids[event.location.at()];
            if *new_id == LocationId::NONE {
                *new_id = self.locations.add_from(&mut old[event.location]);
            }
            event.location = *new_id;
        }
    }
}

//! Copies of an execution: the whole, or what stays when a read is redirected to a newer write.
//!
//! A revisit copies a graph, and most executions begin with one, so copies are made in bulk: the events up to the read
//! keep their numbers, rows and locations. Only what newer events have changed of them is set right.

use crate::event::{Event, EventId, Kind, LocationId, Message, ThreadId};
use crate::execution::{Execution, Thread};
use crate::rows::{RowId, Rows};

/// What things of the original are called in the copy. Kept with the copy, so that its next use allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Maps {
    /// So many events keep their numbers; `events` is about the others.
    whole_events: u32,
    events: Vec<EventId>,
    /// So many rows keep their numbers; `rows` is about the others.
    whole_rows: u32,
    rows: Vec<RowId>,
}

impl Maps {
    fn reset(&mut self, original: &Execution, whole: usize) {
        let rows = original.events.get(whole).map_or(original.rows.len(), |next| next.rows_before);
        self.whole_events = whole as u32;
        self.events.clear();
        self.events.resize(original.events.len() - whole, EventId::NONE);
        self.whole_rows = rows;
        self.rows.clear();
        self.rows.resize((original.rows.len() - rows) as usize, RowId::EMPTY);
    }

    /// What the event is called in the copy; [`EventId::NONE`] if it is not there.
    #[inline]
    fn event(&self, id: EventId) -> EventId {
        if id.0 < self.whole_events || !id.is_some() { id } else { self.events[id.at() - self.whole_events as usize] }
    }

    /// What the row is called in the copy, to which it is added if it is not there.
    #[inline]
    fn row(&mut self, id: RowId, from: &Rows, to: &mut Rows) -> RowId {
        if id.0 < self.whole_rows {
            return id;
        }
        let known = &mut self.rows[(id.0 - self.whole_rows) as usize];
        if *known == RowId::EMPTY {
            *known = to.copy_from(from, id);
        }
        *known
    }
}

impl Execution {
    /// Copies into `target` the events up to `read` and the po ∪ rf prefix of `write`, and returns what the two are
    /// called there. `write` must be the newest event and not in mo.
    pub fn restrict_into(&self, read: EventId, write: EventId, target: &mut Execution) -> (EventId, EventId) {
        let newest = self.event(write);
        let known = self.rows.row(newest.porf);
        self.copy_where(target, read.at() + 1, |event| {
            event.thread == newest.thread || known[event.thread.at()] > event.index
        });
        (read, target.maps.event(write))
    }

    /// A copy in which `thread` did not do its events number `from` up to `to`, which must have no effect that others
    /// saw. What other events know is not computed anew: the copy is for following, not for growing.
    pub fn without(&self, thread: ThreadId, from: u32, to: u32) -> Execution {
        let mut copy = Execution::new(self.model);
        self.copy_where(&mut copy, 0, |event| event.thread != thread || event.index < from || event.index >= to);
        copy.forget_untouched_locations();
        copy
    }

    /// Makes `target` equal to this execution, reusing its buffers.
    pub fn copy_into(&self, target: &mut Execution) {
        self.copy_where(target, self.events.len(), |_| true);
        target.forget_untouched_locations();
        target.rebuild_sc();
    }

    /// Copies the first `whole` events, and of the others those that `keep` says. What is kept must be closed under po ∪ rf
    /// but for reads that will be redirected.
    fn copy_where(&self, target: &mut Execution, whole: usize, keep: impl Fn(&Event) -> bool) {
        target.model = self.model;
        target.is_flat = self.is_flat;
        target.seq_cst_events = self.seq_cst_events;
        target.prefixes.reset_like(&self.prefixes);
        let mut maps = std::mem::take(&mut target.maps);
        maps.reset(self, whole);
        target.rows.copy_first(&self.rows, maps.whole_rows);
        target.events.clear();
        target.events.extend_from_slice(&self.events[..whole]);
        self.copy_threads(target, whole);
        for stamp in whole..self.events.len() {
            let event = &self.events[stamp];
            if keep(event) {
                maps.events[stamp - whole] = EventId(target.events.len() as u32);
                self.copy_event(event, &mut maps, target);
            } else if event.order.is_seq_cst() {
                target.seq_cst_events -= 1;
            }
        }
        self.copy_spawns(&mut maps, target);
        self.copy_locations(&maps, target);
        self.copy_sources(&mut maps, target);
        target.locations.forget_untouched_at_the_end();
        target.maps = maps;
    }

    /// Copies the threads with those of their events that keep their numbers.
    fn copy_threads(&self, target: &mut Execution, whole: usize) {
        target.threads.truncate(self.threads.len());
        target.threads.resize_with(self.threads.len(), Thread::default);
        for (new, old) in target.threads.iter_mut().zip(&self.threads) {
            let kept = old.events.partition_point(|id| id.at() < whole);
            new.events.clear();
            new.events.extend_from_slice(&old.events[..kept]);
            new.origin = old.origin;
            new.twin = old.twin;
        }
    }

    /// Copies an event that gets another number. Its source and its place in mo are set right later.
    #[inline]
    fn copy_event(&self, event: &Event, maps: &mut Maps, target: &mut Execution) {
        let id = EventId(target.events.len() as u32);
        let events_of_thread = &mut target.threads[event.thread.at()].events;
        let mut new = *event;
        new.index = events_of_thread.len() as u32;
        new.rows_before = target.rows.len();
        new.hb = maps.row(event.hb, &self.rows, &mut target.rows);
        new.porf = maps.row(event.porf, &self.rows, &mut target.rows);
        new.message = match event.message {
            Message::Nothing => Message::Nothing,
            Message::Of(from) => Message::Of(maps.event(from)),
            Message::Row(row) => Message::Row(maps.row(row, &self.rows, &mut target.rows)),
        };
        new.release_fence = maps.event(event.release_fence);
        events_of_thread.push(id);
        target.events.push(new);
    }

    /// Copies which threads have been started, and what they knew then.
    fn copy_spawns(&self, maps: &mut Maps, target: &mut Execution) {
        for thread in 0..self.threads.len() {
            target.threads[thread].children = 0;
        }
        for (number, old) in self.threads.iter().enumerate() {
            let spawn = if old.alive { maps.event(old.spawn) } else { EventId::NONE };
            let alive = spawn.is_some() || old.origin.is_none();
            if let (true, Some((parent, _))) = (alive, old.origin) {
                target.threads[parent.at()].children += 1;
            }
            let new = &mut target.threads[number];
            new.spawn = spawn;
            new.alive = alive;
            if alive {
                new.hb = maps.row(old.hb, &self.rows, &mut target.rows);
                new.porf = maps.row(old.porf, &self.rows, &mut target.rows);
            }
        }
    }

    /// Copies the locations, and mo as far as it is kept.
    fn copy_locations(&self, maps: &Maps, target: &mut Execution) {
        target.locations.clear();
        for (_, old) in self.locations.iter() {
            let id = target.locations.add(old.address, old.generation, old.size);
            let new = &mut target.locations[id];
            new.initial = old.initial;
            for &write in &old.mo {
                let write = maps.event(write);
                if write.is_some() {
                    new.mo.push(write);
                    let write = &mut target.events[write.at()];
                    write.mo_position = new.mo.len() as u32;
                    write.last_reader = EventId::NONE;
                }
            }
            new.plain.extend(old.plain.iter().map(|&access| maps.event(access)).filter(|access| access.is_some()));
        }
    }

    /// Lets the copied reads and joins point to the copies of their sources.
    fn copy_sources(&self, maps: &mut Maps, target: &mut Execution) {
        for stamp in 0..target.events.len() {
            let event = &mut target.events[stamp];
            if event.kind == Kind::Read {
                let source = maps.event(event.source);
                event.source = source;
                if stamp < maps.whole_events as usize {
                    // A read that was redirected got its rows after newer events.
                    event.hb = maps.row(event.hb, &self.rows, &mut target.rows);
                    event.porf = maps.row(event.porf, &self.rows, &mut target.rows);
                }
                let location = event.location;
                let head = if source.is_some() {
                    &mut target.events[source.at()].last_reader
                } else {
                    &mut target.locations[location].last_initial_reader
                };
                let older = std::mem::replace(head, EventId(stamp as u32));
                target.events[stamp].older_reader = older;
            } else if event.kind == Kind::Join {
                event.source = maps.event(event.source);
            }
        }
    }

    /// Numbers the locations by their first events and forgets those that have none.
    fn forget_untouched_locations(&mut self) {
        let mut old = std::mem::take(&mut self.locations);
        let mut new_ids = vec![LocationId::NONE; old.len()];
        for event in self.events.iter_mut().filter(|event| event.location != LocationId::NONE) {
            let new_id = &mut new_ids[event.location.at()];
            if *new_id == LocationId::NONE {
                let old = &mut old[event.location];
                *new_id = self.locations.add(old.address, old.generation, old.size);
                let new = &mut self.locations[*new_id];
                new.initial = old.initial;
                new.last_initial_reader = old.last_initial_reader;
                std::mem::swap(&mut new.mo, &mut old.mo);
                std::mem::swap(&mut new.plain, &mut old.plain);
            }
            event.location = *new_id;
        }
    }
}

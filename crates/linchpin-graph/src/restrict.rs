//! Copies of an execution: the whole, or what stays when a read is redirected to a newer write.

use crate::event::{Event, EventId, Kind, LocationId, Message, ThreadId};
use crate::execution::{Execution, Thread};
use crate::rows::RowId;

/// What things of the original are called in the copy. Kept with the copy, so that its next use allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Maps {
    events: Vec<EventId>,
    rows: Vec<RowId>,
    locations: Vec<LocationId>,
}

impl Maps {
    fn reset(&mut self, events: usize, rows: usize, locations: usize) {
        self.events.clear();
        self.events.resize(events, EventId::NONE);
        self.rows.clear();
        self.rows.resize(rows, RowId::EMPTY);
        self.locations.clear();
        self.locations.resize(locations, LocationId::NONE);
    }
}

impl Execution {
    /// Copies into `target` the events up to `read` and the po ∪ rf prefix of `write`, and returns what the two are
    /// called there. `write` must be the newest event and not in mo.
    pub fn restrict_into(&self, read: EventId, write: EventId, target: &mut Execution) -> (EventId, EventId) {
        let newest = self.event(write);
        self.copy_where(target, read.at() + 1, |event| {
            event.thread == newest.thread || self.rows.count(newest.porf, event.thread) > event.index
        });
        (target.maps.events[read.at()], target.maps.events[write.at()])
    }

    /// A copy in which `thread` did not do its events number `from` up to `to`, which must have no effect that others
    /// saw. What other events know is not computed anew: the copy is for following, not for growing.
    pub fn without(&self, thread: ThreadId, from: u32, to: u32) -> Execution {
        let mut copy = Execution::new(self.model);
        self.copy_where(&mut copy, 0, |event| event.thread != thread || event.index < from || event.index >= to);
        copy
    }

    /// Makes `target` equal to this execution, reusing its buffers.
    pub fn copy_into(&self, target: &mut Execution) {
        self.copy_where(target, self.events.len(), |_| true);
        target.rebuild_sc();
    }

    /// Copies the first `whole` events, and of the others those that `keep` says. What is kept must be closed under po ∪ rf
    /// but for reads that will be redirected.
    fn copy_where(&self, target: &mut Execution, whole: usize, keep: impl Fn(&Event) -> bool) {
        target.model = self.model;
        target.is_flat = self.is_flat;
        target.events.clear();
        target.locations.clear();
        target.rows.reset_like(&self.rows);
        target.prefixes.reset_like(&self.prefixes);
        target.seq_cst_events = 0;
        target.threads.truncate(self.threads.len());
        target.threads.resize_with(self.threads.len(), Thread::default);
        for (new, old) in target.threads.iter_mut().zip(&self.threads) {
            new.events.clear();
            new.origin = old.origin;
            new.twin = old.twin;
            new.alive = old.origin.is_none();
            new.children = 0;
            new.hb = RowId::EMPTY;
            new.porf = RowId::EMPTY;
        }
        let mut maps = std::mem::take(&mut target.maps);
        maps.reset(self.events.len(), self.rows.len() as usize, self.locations.len());

        // The first events keep their numbers and rows, so they are copied in one go.
        let rows = self.events.get(whole).map_or(self.rows.len(), |next| next.rows_before);
        target.rows.copy_first(&self.rows, rows);
        target.events.extend_from_slice(&self.events[..whole]);
        for row in 0..rows {
            maps.rows[row as usize] = RowId(row);
        }
        for stamp in 0..whole {
            maps.events[stamp] = EventId(stamp as u32);
            self.adopt(&self.events[stamp], EventId(stamp as u32), rows, &mut maps, target);
        }
        for stamp in whole..self.events.len() {
            let event = &self.events[stamp];
            if !keep(event) {
                continue;
            }
            let id = EventId(target.events.len() as u32);
            maps.events[stamp] = id;
            let mut new = *event;
            new.index = target.threads[event.thread.at()].events.len() as u32;
            new.rows_before = target.rows.len();
            if let Message::Of(from) = event.message {
                new.message = Message::Of(maps.events[from.at()]);
            }
            if event.release_fence.is_some() {
                new.release_fence = maps.events[event.release_fence.at()];
            }
            target.events.push(new);
            self.adopt(event, id, 0, &mut maps, target);
        }

        // Reads may be older than what they read from, so sources are linked when all events are there.
        for (stamp, event) in self.events.iter().enumerate() {
            let new_id = maps.events[stamp];
            if !new_id.is_some() || !matches!(event.kind, Kind::Read | Kind::Join) {
                continue;
            }
            let source = if event.source.is_some() { maps.events[event.source.at()] } else { EventId::NONE };
            let new = &mut target.events[new_id.at()];
            new.source = source;
            if event.kind == Kind::Read {
                let location = new.location;
                let head = if source.is_some() {
                    &mut target.events[source.at()].last_reader
                } else {
                    &mut target.locations[location].last_initial_reader
                };
                let older = std::mem::replace(head, new_id);
                target.events[new_id.at()].older_reader = older;
            }
        }
        for (old, location) in self.locations.iter() {
            let new_location = maps.locations[old.at()];
            if new_location == LocationId::NONE {
                continue;
            }
            for &write in &location.mo {
                let write = maps.events[write.at()];
                if write.is_some() {
                    let mo = &mut target.locations[new_location].mo;
                    mo.push(write);
                    target.events[write.at()].mo_position = mo.len() as u32;
                }
            }
        }
        target.maps = maps;
    }

    /// Makes `id`, a copy of `event`, part of the target: its rows from `rows` on, its location and its thread.
    #[inline]
    fn adopt(&self, event: &Event, id: EventId, rows: u32, maps: &mut Maps, target: &mut Execution) {
        let location = match event.location {
            LocationId::NONE => LocationId::NONE,
            location => self.copy_location(location, maps, target),
        };
        let hb = if event.hb.0 < rows { event.hb } else { self.copy_row(event.hb, maps, target) };
        let porf = if event.porf.0 < rows { event.porf } else { self.copy_row(event.porf, maps, target) };
        let message = match event.message {
            Message::Row(row) if row.0 >= rows => Some(Message::Row(self.copy_row(row, maps, target))),
            _ => None,
        };
        let new = &mut target.events[id.at()];
        new.location = location;
        new.hb = hb;
        new.porf = porf;
        new.mo_position = 0;
        new.last_reader = EventId::NONE;
        if let Some(message) = message {
            new.message = message;
        }
        target.threads[event.thread.at()].events.push(id);
        if event.order.is_seq_cst() {
            target.seq_cst_events += 1;
        }
        match event.kind {
            Kind::Spawn => {
                let child = ThreadId(event.value as u32);
                let (hb, porf) = (self.thread(child).hb, self.thread(child).porf);
                let (hb, porf) = (self.copy_row(hb, maps, target), self.copy_row(porf, maps, target));
                let thread = &mut target.threads[child.at()];
                thread.alive = true;
                thread.hb = hb;
                thread.porf = porf;
                target.threads[event.thread.at()].children += 1;
            }
            Kind::PlainRead | Kind::PlainWrite => target.locations[location].plain.push(id),
            _ => {}
        }
    }

    fn copy_row(&self, row: RowId, maps: &mut Maps, target: &mut Execution) -> RowId {
        if row == RowId::EMPTY {
            return row;
        }
        let known = &mut maps.rows[row.0 as usize];
        if *known == RowId::EMPTY {
            *known = target.rows.copy_from(&self.rows, row);
        }
        *known
    }

    fn copy_location(&self, id: LocationId, maps: &mut Maps, target: &mut Execution) -> LocationId {
        let known = &mut maps.locations[id.at()];
        if *known == LocationId::NONE {
            let location = self.location(id);
            *known = target.locations.add(location.address, location.generation, location.size);
            target.locations[*known].initial = location.initial;
        }
        *known
    }
}

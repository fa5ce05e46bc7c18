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
        self.copy_where(target, |id, event| {
            id <= read || {
                let newest = self.event(write);
                event.thread == newest.thread || self.rows.count(newest.porf, event.thread) > event.index
            }
        });
        (target.maps.events[read.at()], target.maps.events[write.at()])
    }

    /// A copy in which `thread` did not do its events number `from` up to `to`, which must have no effect that others
    /// saw. What other events know is not computed anew: the copy is for following, not for growing.
    pub fn without(&self, thread: ThreadId, from: u32, to: u32) -> Execution {
        let mut copy = Execution::new(self.model);
        self.copy_where(&mut copy, |_, event| event.thread != thread || event.index < from || event.index >= to);
        copy
    }

    /// Makes `target` equal to this execution, reusing its buffers.
    pub fn copy_into(&self, target: &mut Execution) {
        self.copy_where(target, |_, _| true);
        target.rebuild_sc();
    }

    /// Copies what `keep` says, which must be closed under po ∪ rf but for reads that will be redirected, and for
    /// which it is enough to ask in order of stamps.
    fn copy_where(&self, target: &mut Execution, keep: impl Fn(EventId, &Event) -> bool) {
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

        for (stamp, event) in self.events.iter().enumerate() {
            let id = EventId(stamp as u32);
            if !keep(id, event) {
                continue;
            }
            let new_id = EventId(target.events.len() as u32);
            maps.events[stamp] = new_id;
            let mut new = *event;
            new.index = target.threads[event.thread.at()].events.len() as u32;
            new.rows_before = target.rows.len();
            new.hb = self.copy_row(event.hb, &mut maps, target);
            new.porf = self.copy_row(event.porf, &mut maps, target);
            new.message = match event.message {
                Message::Nothing => Message::Nothing,
                Message::Of(from) => Message::Of(maps.events[from.at()]),
                Message::Row(row) => Message::Row(self.copy_row(row, &mut maps, target)),
            };
            if event.release_fence.is_some() {
                new.release_fence = maps.events[event.release_fence.at()];
            }
            if event.location != LocationId::NONE {
                new.location = self.copy_location(event.location, &mut maps, target);
            }
            new.mo_position = 0;
            new.last_reader = EventId::NONE;
            target.threads[event.thread.at()].events.push(new_id);
            if event.order.is_seq_cst() {
                target.seq_cst_events += 1;
            }
            match event.kind {
                Kind::Spawn => {
                    let child = ThreadId(event.value as u32);
                    let (hb, porf) = (self.thread(child).hb, self.thread(child).porf);
                    let (hb, porf) = (self.copy_row(hb, &mut maps, target), self.copy_row(porf, &mut maps, target));
                    let thread = &mut target.threads[child.at()];
                    thread.alive = true;
                    thread.hb = hb;
                    thread.porf = porf;
                    target.threads[event.thread.at()].children += 1;
                }
                Kind::PlainRead | Kind::PlainWrite => target.locations[new.location].plain.push(new_id),
                _ => {}
            }
            target.events.push(new);
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

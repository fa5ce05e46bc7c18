//! Parts of an execution: what stays when a read is redirected to a newer write, and other copies with events left out.
//!
//! Most executions begin with a revisit, so its cost should depend on what is newer than the read: the events up to there
//! keep their numbers, rows and locations. Newer ones are taken out, and those that stay come back under new numbers.

use crate::event::{Event, EventId, Kind, LocationId, Message, ThreadId};
use crate::execution::{Execution, Thread};
use crate::rows::{RowId, Rows};

/// What things were called before events were taken out. Kept, so that the next use allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Renaming {
    /// So many events keep their numbers; `events` has the new ones of the others.
    whole_events: u32,
    events: Vec<EventId>,
    /// So many rows keep their numbers; `rows` has the new ones of the others, and `old_rows` what they say.
    whole_rows: u32,
    rows: Vec<RowId>,
    old_rows: Vec<u32>,
    /// Locations whose mo has changed.
    written: Vec<LocationId>,
}

impl Renaming {
    /// What the event is called now; [`EventId::NONE`] if it is gone.
    #[inline]
    fn event(&self, id: EventId) -> EventId {
        if id.0 < self.whole_events || !id.is_some() { id } else { self.events[id.at() - self.whole_events as usize] }
    }

    /// What the row is called now. Rows come back when somebody asks for them.
    #[inline]
    fn row(&mut self, id: RowId, rows: &mut Rows) -> RowId {
        if id.0 < self.whole_rows {
            return id;
        }
        let known = &mut self.rows[(id.0 - self.whole_rows) as usize];
        if *known == RowId::EMPTY {
            *known = rows.put_back(&self.old_rows, id.0 - self.whole_rows);
        }
        *known
    }
}

impl Execution {
    /// Leaves only the events up to `read` and the po ∪ rf prefix of `write`, and returns what `write` is called then.
    /// `write` must be the newest event and not in mo. Nothing that stays may have read from what goes, but for `read`, which
    /// reads the initial value until it is redirected.
    pub fn restrict(&mut self, read: EventId, write: EventId) -> EventId {
        self.unlink(read);
        self.link(read, EventId::NONE);
        let &Event { thread: writer, porf, .. } = self.event(write);
        self.retain(read.at() + 1, |execution, event| {
            event.thread == writer || execution.rows.count(porf, event.thread) > event.index
        });
        EventId(self.events.len() as u32 - 1)
    }

    /// Makes `target` what [`Execution::restrict`] would make of this execution, reusing its buffers; returns what the two
    /// events are called there.
    pub fn restrict_into(&self, read: EventId, write: EventId, target: &mut Execution) -> (EventId, EventId) {
        self.duplicate_into(target);
        (read, target.restrict(read, write))
    }

    /// A copy in which `thread` did not do its events number `from` up to `to`, which must have no effect that others
    /// saw. What other events know is not computed anew: the copy is for following, not for growing.
    pub fn without(&self, thread: ThreadId, from: u32, to: u32) -> Execution {
        let mut copy = Execution::new(self.model);
        self.duplicate_into(&mut copy);
        copy.retain(0, |_, event| event.thread != thread || event.index < from || event.index >= to);
        copy.forget_untouched_locations();
        copy
    }

    /// Makes `target` equal to this execution, reusing its buffers.
    pub fn copy_into(&self, target: &mut Execution) {
        self.duplicate_into(target);
        target.forget_untouched_locations();
        target.rebuild_sc();
    }

    /// As [`Execution::copy_into`], but with locations that nothing touches, and without the prefixes under SC.
    fn duplicate_into(&self, target: &mut Execution) {
        target.model = self.model;
        target.is_flat = self.is_flat;
        target.seq_cst_events = self.seq_cst_events;
        target.events.clear();
        target.events.extend_from_slice(&self.events);
        target.redirected.clone_from(&self.redirected);
        target.rows.copy_from(&self.rows);
        target.prefixes.reset_like(&self.prefixes);
        target.threads.truncate(self.threads.len());
        target.threads.resize_with(self.threads.len(), Thread::default);
        for (new, old) in target.threads.iter_mut().zip(&self.threads) {
            new.copy_from(old);
        }
        target.locations.copy_from(&self.locations);
    }

    /// Keeps the first `whole` events, and of the others those that `keep` says.
    fn retain(&mut self, whole: usize, keep: impl Fn(&Execution, &Event) -> bool) {
        let mut renaming = std::mem::take(&mut self.renaming);
        renaming.whole_events = whole as u32;
        renaming.events.clear();
        let mut stay = whole as u32;
        for stamp in whole..self.events.len() {
            let stays = keep(self, &self.events[stamp]);
            renaming.events.push(if stays { EventId(stay) } else { EventId::NONE });
            stay += u32::from(stays);
        }
        for stamp in (whole..self.events.len()).rev() {
            self.take_out(EventId(stamp as u32), &mut renaming);
        }
        renaming.whole_rows = self.events.get(whole).map_or(self.rows.len(), |next| next.rows_before);
        renaming.rows.clear();
        renaming.rows.resize((self.rows.len() - renaming.whole_rows) as usize, RowId::EMPTY);
        self.rows.take_from(renaming.whole_rows, &mut renaming.old_rows);
        self.put_back_rows_of_redirected(&mut renaming);
        for stamp in whole..self.events.len() {
            let id = renaming.events[stamp - whole];
            if id.is_some() {
                self.put_back(EventId(stamp as u32), id, &mut renaming);
            }
        }
        self.events.truncate(stay as usize);
        // Reads may be older than what they read from, so sources are linked when all events are there.
        for stamp in whole..self.events.len() {
            let &Event { kind, source, .. } = &self.events[stamp];
            if kind == Kind::Read {
                self.link(EventId(stamp as u32), source);
            }
        }
        self.put_mo_right(&mut renaming);
        self.locations.forget_untouched_at_the_end();
        self.renaming = renaming;
    }

    /// Takes an event out of everything but the list of events. Newer ones are out already.
    #[inline(always)]
    fn take_out(&mut self, id: EventId, renaming: &mut Renaming) {
        let &Event { thread, kind, order, location, value, .. } = self.event(id);
        match kind {
            Kind::Read => self.unlink(id),
            Kind::Write => {
                if !renaming.written.contains(&location) {
                    renaming.written.push(location);
                }
            }
            Kind::PlainRead | Kind::PlainWrite => {
                self.locations[location].plain.pop();
            }
            Kind::Spawn => {
                self.threads[value as usize].alive = false;
                self.threads[thread.at()].children -= 1;
            }
            Kind::Fence | Kind::Join | Kind::End | Kind::Choice => {}
        }
        self.threads[thread.at()].events.pop();
        if order.is_seq_cst() && !renaming.event(id).is_some() {
            self.seq_cst_events -= 1;
        }
    }

    /// A read that was redirected got its rows after newer events, so they are among those that were taken away.
    fn put_back_rows_of_redirected(&mut self, renaming: &mut Renaming) {
        self.redirected.retain_mut(|read| {
            let event = &mut self.events[read.at()];
            if read.0 < renaming.whole_events {
                event.hb = renaming.row(event.hb, &mut self.rows);
                event.porf = renaming.row(event.porf, &mut self.rows);
            }
            *read = renaming.event(*read);
            read.is_some()
        });
    }

    /// Puts the event `old` back as `id`. Its source is linked and its place in mo set right later.
    #[inline(always)]
    fn put_back(&mut self, old: EventId, id: EventId, renaming: &mut Renaming) {
        self.events.copy_within(old.at()..=old.at(), id.at());
        let event = &mut self.events[id.at()];
        let events_of_thread = &mut self.threads[event.thread.at()].events;
        event.index = events_of_thread.len() as u32;
        events_of_thread.push(id);
        event.rows_before = self.rows.len();
        event.hb = renaming.row(event.hb, &mut self.rows);
        event.porf = renaming.row(event.porf, &mut self.rows);
        event.release_fence = renaming.event(event.release_fence);
        event.source = renaming.event(event.source);
        match event.kind {
            Kind::Write => {
                event.message = match event.message {
                    Message::Nothing => Message::Nothing,
                    Message::Of(from) => Message::Of(renaming.event(from)),
                    Message::Row(row) => Message::Row(renaming.row(row, &mut self.rows)),
                };
                // Those that are left are reads of the first events.
                let mut reader = event.next_reader;
                while reader.is_some() {
                    let event = &mut self.events[reader.at()];
                    event.source = id;
                    reader = event.next_reader;
                }
            }
            Kind::PlainRead | Kind::PlainWrite => self.locations[event.location].plain.push(id),
            Kind::Spawn => {
                self.threads[event.thread.at()].children += 1;
                let child = &mut self.threads[event.value as usize];
                child.alive = true;
                child.spawn = id;
                child.hb = renaming.row(child.hb, &mut self.rows);
                child.porf = renaming.row(child.porf, &mut self.rows);
            }
            Kind::Read | Kind::Fence | Kind::Join | Kind::End | Kind::Choice => {}
        }
    }

    /// Lets the changed parts of mo consist of what is left, under its new names.
    fn put_mo_right(&mut self, renaming: &mut Renaming) {
        let mut written = std::mem::take(&mut renaming.written);
        for location in written.drain(..) {
            self.locations[location].mo.retain_mut(|write| {
                *write = renaming.event(*write);
                write.is_some()
            });
            self.renumber_mo(location, 0);
        }
        renaming.written = written;
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

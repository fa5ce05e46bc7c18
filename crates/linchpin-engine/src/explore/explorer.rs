//! The TruSt algorithm: optimal, with memory linear in the size of one execution.
//!
//! Source: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, *Truly Stateless, Optimal Dynamic Partial Order Reduction*
//! (POPL 2022), in the following form. Threads add events in a fixed order. A read takes the newest write and puts the
//! others it may read aside; a write goes to the end of mo and puts its other places aside. Besides, a write may be what
//! an *older* read should have read: that read is *revisited* in the graph that consists of all that is older than
//! the read and of the write's po ∪ rf prefix. So that each graph is reached in one way only, this is done only
//! if each event which disappears, and the read itself, is *maximal*: is just what it would be if it were added to what
//! stays ([`Explorer::is_maximal`]).
//!
//! A read-modify-write is two events, read and write, added together. Its write has one place only, right after what
//! was read. If another read-modify-write is there already, the graph is dead, but for the revisits of the write.

use linchpin_graph::{Event, EventId, Execution, Kind, Known, LocationId, Order, Request, Site, Step, ThreadId, Verb};
use linchpin_model::MemoryModel;

use super::choice::{Choice, Level};
use crate::config::Mutation;

/// Explores executions of one program, one after the other.
pub(crate) struct Explorer {
    model: MemoryModel,
    mutation: Option<Mutation>,
    /// The level that is being explored. Apart from the others, since every access goes there.
    current: Level,
    /// The first `depth` are those below, which wait until it is exhausted. The others are not in use but keep their buffers.
    others: Vec<Level>,
    depth: usize,
    /// Which share of the whole exploration the current execution stands for.
    share: f64,
    /// Scratch of [`Explorer::put_revisits_aside`].
    beyond: Vec<Beyond>,
}

/// What a thread has done beyond a prefix: its events from number `known` to `end`.
struct Beyond {
    thread: usize,
    known: usize,
    end: usize,
}

/// A part of an exploration: all that comes of one choice.
pub(crate) struct Subtree {
    execution: Execution,
    choice: Choice,
    share: f64,
}

/// May the current graph be continued?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Growth {
    /// Yes.
    Alive,
    /// No: a read-modify-write found its place taken. What could come of it is among the pending choices.
    Dead,
}

impl Explorer {
    /// An explorer at the beginning of an exploration, which uses the buffers of `spare` first.
    pub fn new(model: MemoryModel, mutation: Option<Mutation>, mut spare: Vec<Level>) -> Self {
        let current = spare.pop().unwrap_or_else(|| Level::new(model));
        let mut explorer =
            Explorer { model, mutation, current, others: spare, depth: 0, share: 1.0, beyond: Vec::new() };
        explorer.restart();
        explorer
    }

    /// Starts over with the whole exploration.
    pub fn restart(&mut self) {
        self.depth = 0;
        self.current.pending.clear();
        Execution::new(self.model).copy_into(&mut self.current.execution);
        self.share = 1.0;
    }

    /// The levels of an explorer that has done its work, for the sake of their buffers: as many as have room for `events` events in all.
    pub fn take_levels(&mut self, mut events: usize) -> Vec<Level> {
        let mut levels = std::mem::take(&mut self.others);
        self.depth = 0;
        levels.push(std::mem::replace(&mut self.current, Level::new(self.model)));
        levels.retain(|level| {
            let left = events.checked_sub(level.execution.capacity());
            events = left.unwrap_or(events);
            left.is_some()
        });
        levels
    }

    /// An explorer that has only the current execution, with nothing pending.
    pub fn fork(&self) -> Explorer {
        let mut fork = Explorer::new(self.model, self.mutation, Vec::new());
        self.current.execution.copy_into(&mut fork.current.execution);
        fork
    }

    /// Gives away what would be explored last, if there is anything.
    pub fn split(&mut self) -> Option<Subtree> {
        let mut levels = self.others[..self.depth].iter_mut().chain([&mut self.current]);
        let level = levels.find(|level| !level.pending.is_empty())?;
        let (choice, share) = level.pending.remove(0);
        let mut execution = level.execution.clone();
        execution.cut_after(choice.event());
        // Whoever applies the choice takes back what its event has done to the prefixes of older ones, and only whoever has added the
        // event knows what that was. So it is given away as one that has done nothing to them.
        match choice {
            Choice::ReadFrom { read, .. } => {
                let location = execution.location(execution.event(read).location);
                let newest = location.at(location.last_position());
                execution.redirect(read, newest);
            }
            Choice::WriteAfter { write, .. } | Choice::Revisit { write, .. } | Choice::Reposition { write, .. } => {
                execution.unplace(write);
            }
            Choice::Take { .. } => {}
        }
        execution.rebuild_sc();
        Some(Subtree { execution, choice, share })
    }

    /// Takes over what another explorer gave away. The graph must be run in [`Mode::Rebase`](crate::runtime::context::Mode)
    /// before [`Explorer::advance`] turns to its first execution.
    pub fn adopt(&mut self, subtree: Subtree) {
        self.depth = 0;
        let level = &mut self.current;
        level.execution = subtree.execution;
        level.pending.clear();
        level.pending.push((subtree.choice, subtree.share));
    }

    /// The current execution.
    #[inline]
    pub fn execution(&self) -> &Execution {
        &self.current.execution
    }

    /// The current execution, for bookkeeping that does not change what it is.
    #[inline]
    pub fn execution_mut(&mut self) -> &mut Execution {
        &mut self.current.execution
    }

    /// Which share of the whole exploration the current execution stands for: a guess that assumes all alternatives to
    /// be alike.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Puts `choice` aside. It and what is going on are taken to be of equal weight per alternative.
    fn put_aside(&mut self, choice: Choice, alternatives: u32) {
        let part = self.share / f64::from(alternatives + 1);
        self.current.pending.push((choice, part * f64::from(alternatives)));
        self.share = part;
    }

    /// Adds a read by `thread`, which knows so much, that takes the newest write.
    #[expect(clippy::too_many_arguments, reason = "an access has that many sides")]
    #[inline]
    pub fn add_read(
        &mut self,
        thread: ThreadId,
        known: Known,
        location: LocationId,
        initial: u64,
        verb: Verb,
        request: &Request,
        site: Site,
    ) -> (EventId, Growth) {
        let execution = self.execution_mut();
        let bound = execution.bound(known, location);
        let newest = execution.location(location).last_position();
        let read = execution.add_read(thread, location, newest, initial, verb, request, site);
        if newest > bound {
            self.put_aside(Choice::ReadFrom { read, position: newest - 1, bound }, newest - bound);
        }
        (read, self.complete(read))
    }

    /// Adds the write half of a read-modify-write whose read half has just got its value.
    #[inline(always)]
    fn complete(&mut self, read: EventId) -> Growth {
        if self.execution().event(read).exclusive { self.complete_exclusive(read) } else { Growth::Alive }
    }

    fn complete_exclusive(&mut self, read: EventId) -> Growth {
        let &Event { thread, ref request, value, site, .. } = self.execution().event(read);
        match request.answer(value) {
            Step::Write(written) => self.add_exclusive_write(read, written),
            Step::Choose(options) => {
                let choice = self.execution_mut().add_choice(thread, options, 0, site);
                if options > 1 {
                    self.put_aside(Choice::Take { choice, next: 1 }, options - 1);
                }
                self.complete_choice(read, choice)
            }
            Step::Return | Step::Wait => unreachable!("an exclusive read writes"),
        }
    }

    fn complete_choice(&mut self, read: EventId, choice: EventId) -> Growth {
        let &Event { ref request, value, .. } = self.execution().event(read);
        match request.answer_with(value, self.execution().event(choice).value) {
            Step::Write(written) => self.add_exclusive_write(read, written),
            other => unreachable!("a step that asked for a choice must write, not {other:?}"),
        }
    }

    fn add_exclusive_write(&mut self, read: EventId, value: u64) -> Growth {
        let &Event { thread, location, verb, order, site, .. } = self.execution().event(read);
        let write = self.execution_mut().add_write(thread, location, verb, order, value, true, site);
        if self.mutation != Some(Mutation::RmwDoesNotRevisit) {
            self.put_revisits_aside(write);
        }
        let execution = self.execution_mut();
        let after = execution.source_position(read);
        if !execution.may_follow(location, after) {
            return Growth::Dead;
        }
        execution.place(write, after);
        Growth::Alive
    }

    /// Adds a store by `thread`, which knows so much, last in mo.
    #[expect(clippy::too_many_arguments, reason = "an access has that many sides")]
    pub fn add_write(
        &mut self,
        thread: ThreadId,
        known: Known,
        location: LocationId,
        verb: Verb,
        order: Order,
        value: u64,
        site: Site,
    ) {
        let bound = self.execution().bound(known, location);
        let write = self.execution_mut().add_write(thread, location, verb, order, value, false, site);
        self.put_revisits_aside(write);
        let execution = self.execution_mut();
        let last = execution.location(location).last_position();
        execution.place(write, last);
        if last > bound {
            self.put_aside(Choice::WriteAfter { write, position: last - 1, bound }, last - bound);
        }
    }

    /// Adds a choice that takes its first possibility.
    pub fn add_choice(&mut self, thread: ThreadId, options: u32, site: Site) {
        let choice = self.execution_mut().add_choice(thread, options, 0, site);
        if options > 1 {
            self.put_aside(Choice::Take { choice, next: 1 }, options - 1);
        }
    }

    /// Puts aside every revisit by `write`, the newest event, which is not in mo yet.
    #[inline]
    fn put_revisits_aside(&mut self, write: EventId) {
        // What each thread has done beyond the prefix of the write is looked at from the newest to the oldest.
        let (execution, beyond) = (&self.current.execution, &mut self.beyond);
        beyond.clear();
        for (thread, of_thread) in execution.threads().iter().enumerate() {
            let (known, all) = (execution.porf_count(write, ThreadId(thread as u32)), of_thread.events().len());
            if all > known as usize {
                beyond.push(Beyond { thread, known: known as usize, end: all });
            }
        }
        if !beyond.is_empty() {
            self.put_revisits_beyond_aside(write);
        }
    }

    /// Puts aside every revisit by `write` of what [`Explorer::beyond`] has.
    fn put_revisits_beyond_aside(&mut self, write: EventId) {
        let location = self.execution().event(write).location;
        let mut beyond = std::mem::take(&mut self.beyond);
        while let Some((id, at)) = self.newest_beyond(&beyond) {
            beyond[at].end -= 1;
            if !self.is_maximal(id, write) {
                break;
            }
            let event = self.execution().event(id);
            if event.is_read() && event.location == location && !self.is_frozen(id) {
                self.put_aside(Choice::Revisit { read: id, write }, 1);
            }
        }
        self.beyond = beyond;
    }

    /// The newest event that is left, and whose it is.
    #[inline]
    fn newest_beyond(&self, beyond: &[Beyond]) -> Option<(EventId, usize)> {
        let left = beyond.iter().enumerate().filter(|(_, part)| part.end > part.known);
        left.map(|(at, part)| (self.execution().threads()[part.thread].events()[part.end - 1], at)).max()
    }

    fn is_frozen(&self, read: EventId) -> bool {
        self.mutation == Some(Mutation::FrozenRead) && {
            let source = self.execution().event(read).source;
            source.is_some() && source > read
        }
    }

    /// Is `id` just what it would be if it were added to its *previous* events: those that are older, and those in
    /// the po ∪ rf prefix of `write`?
    fn is_maximal(&self, id: EventId, write: EventId) -> bool {
        let execution = self.execution();
        let event = execution.event(id);
        let previous = |other: EventId| {
            other <= id || (execution.in_porf(other, write) && self.mutation != Some(Mutation::PrevWithoutPrefix))
        };
        let overwritten = |position: u32| {
            let mo = execution.location(event.location).mo();
            mo[position as usize..].iter().any(|&later| previous(later))
                || (self.mutation == Some(Mutation::PrevCountsWrite)
                    && event.location == execution.event(write).location)
        };
        match event.kind {
            Kind::Read => {
                (!event.source.is_some() || previous(event.source)) && !overwritten(execution.source_position(id))
            }
            Kind::Write => {
                let unread = || !execution.readers(id).any(previous);
                !overwritten(event.mo_position()) && (self.mutation == Some(Mutation::ReadersDoNotCount) || unread())
            }
            Kind::Choice => event.value == 0,
            Kind::Fence | Kind::PlainRead | Kind::PlainWrite | Kind::Spawn | Kind::Join | Kind::End => true,
        }
    }

    /// Turns to the next graph that is still to be explored; `false` when there is none.
    pub fn advance(&mut self) -> bool {
        loop {
            let Some((choice, share)) = self.current.pending.pop() else {
                let Some(below) = self.depth.checked_sub(1) else { return false };
                self.depth = below;
                std::mem::swap(&mut self.current, &mut self.others[below]);
                continue;
            };
            self.share = share;
            if self.apply(choice) {
                return true;
            }
        }
    }

    /// Makes the graph that `choice` stands for, and puts the rest of the choice aside; `false` if no execution comes
    /// of it.
    fn apply(&mut self, choice: Choice) -> bool {
        self.execution_mut().cut_after(choice.event());
        match choice {
            Choice::ReadFrom { read, position, bound } => {
                if position > bound {
                    self.put_aside(Choice::ReadFrom { read, position: position - 1, bound }, position - bound);
                }
                if self.skips_taken(read, position) {
                    return false;
                }
                let execution = self.execution_mut();
                let source = execution.location(execution.event(read).location).at(position);
                execution.redirect(read, source);
                self.execution().is_sorted_at(read)
                    && self.is_worth_while(read)
                    && self.is_consistent()
                    && self.complete_consistently(read)
            }
            Choice::WriteAfter { write, position, bound } => {
                let execution = self.execution_mut();
                execution.unplace(write);
                let location = execution.event(write).location;
                let Some(position) = (bound..=position).rev().find(|&after| execution.may_follow(location, after))
                else {
                    return false;
                };
                execution.place(write, position);
                if position > bound {
                    self.put_aside(Choice::WriteAfter { write, position: position - 1, bound }, position - bound);
                }
                self.execution().is_sorted_at(write) && self.is_consistent()
            }
            Choice::Take { choice, next } => {
                let execution = self.execution_mut();
                execution.choose(choice, next);
                let options = execution.event(choice).options;
                if next + 1 < options {
                    self.put_aside(Choice::Take { choice, next: next + 1 }, options - next - 1);
                }
                self.execution().is_sorted_at(choice) && self.complete_taken(choice)
            }
            Choice::Revisit { read, write } => self.revisit(read, write),
            Choice::Reposition { read, write, position, bound } => {
                self.execution_mut().unplace(write);
                self.place_revisiting(read, write, position, bound)
            }
        }
    }

    /// A choice that belongs to a read-modify-write lets it write; others stand alone.
    fn complete_taken(&mut self, choice: EventId) -> bool {
        let Some(before) = self.execution().previous(choice) else {
            return true;
        };
        let event = self.execution().event(before);
        let is_pending =
            event.is_read() && event.exclusive && matches!(event.request.answer(event.value), Step::Choose(_));
        !is_pending || (self.complete_choice(before, choice) == Growth::Alive && self.is_consistent())
    }

    fn complete_consistently(&mut self, read: EventId) -> bool {
        self.complete(read) == Growth::Alive && (!self.execution().event(read).exclusive || self.is_consistent())
    }

    /// psc is the one rule that alternatives may break; SC and coherence are kept by the bounds.
    fn is_consistent(&self) -> bool {
        self.model == MemoryModel::Sc || self.mutation == Some(Mutation::NoPsc) || self.execution().psc_is_acyclic()
    }

    /// Can the thread of `read` go on, here or after a revisit?
    ///
    /// A thread that waits can do so only after its read has been revisited, and a read that is not maximal with respect
    /// to older events never is.
    fn is_worth_while(&self, read: EventId) -> bool {
        let execution = self.execution();
        let event = execution.event(read);
        if !event.waiting {
            return true;
        }
        let newer = execution.source_position(read) as usize;
        !execution.location(event.location).mo()[newer..].iter().any(|&write| write < read)
    }

    fn skips_taken(&self, read: EventId, position: u32) -> bool {
        let wanted = match self.mutation {
            Some(Mutation::RmwSkipsTaken) => true,
            Some(Mutation::FailedCasSkipsTaken) => false,
            _ => return false,
        };
        let execution = self.execution();
        let event = execution.event(read);
        let source = execution.location(event.location).at(position);
        let value = if source.is_some() { execution.event(source).value } else { event.initial };
        let writes = matches!(event.request.answer(value), Step::Write(_));
        let is_update = event.verb != Verb::Load;
        is_update && writes == wanted && !execution.may_follow(event.location, position)
    }

    /// Starts a level in which `read` reads from the newer `write`.
    fn revisit(&mut self, read: EventId, write: EventId) -> bool {
        self.execution_mut().unplace(write);
        if self.is_place_taken(read, write) {
            return false;
        }
        debug_assert!(self.mutation.is_some() || self.older_reads_have_older_sources(read));
        if self.depth == self.others.len() {
            self.others.push(Level::new(self.model));
        }
        let level = &mut self.others[self.depth];
        level.pending.clear();
        let write = self.current.execution.restrict_into(read, write, &mut level.execution);
        std::mem::swap(&mut self.current, level);
        // Without anything pending, nobody will come back to the old graph.
        self.depth += usize::from(!level.pending.is_empty());
        let new = &mut self.current.execution;
        new.redirect(read, write);
        new.rebuild_sc();
        let &Event { thread: writer, index: index_of_write, location, exclusive, .. } = new.event(write);
        let &Event { thread: reader, index: index_of_read, .. } = new.event(read);
        let bound_of_read = new.bound(new.known_before(reader, index_of_read), location);
        let bound_of_read = if self.mutation == Some(Mutation::BoundIgnoresRead) { 0 } else { bound_of_read };
        if exclusive {
            let after = new.source_position(new.read_of(write));
            if after < bound_of_read || !new.may_follow(location, after) {
                return false;
            }
            return self.place_revisiting(read, write, after, after);
        }
        let bound = bound_of_read.max(new.bound(new.known_before(writer, index_of_write), location));
        let last = new.location(location).last_position();
        let bound = if self.mutation == Some(Mutation::OnlyLastPosition) { last } else { bound };
        self.place_revisiting(read, write, last, bound)
    }

    /// Does no read before `read` have a source after it? One that was revisited is older than its source, but all between the two is in
    /// the source's prefix. A write with the source in its prefix cannot revisit any of that; for other writes the source would have to
    /// go, which is not maximal, since it is read.
    fn older_reads_have_older_sources(&self, read: EventId) -> bool {
        let mut older = self.execution().events()[..read.at()].iter().filter(|event| event.is_read());
        older.all(|event| !event.source.is_some() || event.source < read)
    }

    /// Will `write`, as part of a read-modify-write, find its place taken in what stays when it revisits `read`, or be too
    /// old for `read`? Asked before the graph is taken apart, which is a lot of work for nothing.
    fn is_place_taken(&self, read: EventId, write: EventId) -> bool {
        let execution = self.execution();
        let (at_read, at_write) = (execution.event(read), execution.event(write));
        if !at_write.exclusive {
            return false;
        }
        let after = execution.source_position(execution.read_of(write));
        let stays = |id: EventId| id <= read || execution.in_porf(id, write);
        let mut later = execution.location(at_write.location).mo()[after as usize..].iter();
        if later.find(|&&id| stays(id)).is_some_and(|&next| execution.event(next).exclusive) {
            return true;
        }
        // What happens before the read all stays. Under SC more counts than that, and not all of it does.
        self.model == MemoryModel::C11
            && self.mutation != Some(Mutation::BoundIgnoresRead)
            && after < execution.bound(execution.known_before(at_read.thread, at_read.index), at_write.location)
    }

    /// Places `write`, which `read` reads from, at `position` or the next lower place that is free.
    fn place_revisiting(&mut self, read: EventId, write: EventId, position: u32, bound: u32) -> bool {
        let execution = self.execution_mut();
        let location = execution.event(write).location;
        let Some(position) = (bound..=position).rev().find(|&after| execution.may_follow(location, after)) else {
            return false;
        };
        execution.place(write, position);
        if position > bound {
            let rest = Choice::Reposition { read, write, position: position - 1, bound };
            self.put_aside(rest, position - bound);
        }
        self.execution().is_sorted_at(read)
            && self.execution().is_sorted_at(write)
            && self.is_worth_while(read)
            && self.is_consistent()
            && self.complete_consistently(read)
    }
}

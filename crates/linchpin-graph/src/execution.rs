//! The execution graph: grown event by event, taken back event by event.

use linchpin_model::{MemoryModel, Order};

use crate::consistency::sc::Prefixes;
use crate::event::{Event, EventId, Kind, LocationId, Request, Shape, Site, ThreadId, Verb};
use crate::location::{Location, Locations};
use crate::restrict::Renaming;
use crate::rows::{RowId, Rows};

/// A thread of an execution.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Its events in program order.
    pub(crate) events: Vec<EventId>,
    /// Who spawned it, and as the how-manieth of its children; `None` for the main thread.
    pub origin: Option<(ThreadId, u32)>,
    /// The thread before it in its group of interchangeable threads.
    pub twin: Option<ThreadId>,
    /// Set while the thread's spawn event is part of the graph; the main thread always is.
    pub(crate) alive: bool,
    /// The event that spawned it, while that is part of the graph.
    pub(crate) spawn: EventId,
    /// How many threads it has spawned.
    pub(crate) children: u32,
    /// What happens before its first event.
    pub(crate) hb: RowId,
    /// The po ∪ rf prefix of its first event.
    pub(crate) porf: RowId,
}

impl Default for Thread {
    fn default() -> Self {
        Thread {
            events: Vec::new(),
            origin: None,
            twin: None,
            alive: false,
            spawn: EventId::NONE,
            children: 0,
            hb: RowId::EMPTY,
            porf: RowId::EMPTY,
        }
    }
}

impl Thread {
    /// The thread's events in program order.
    #[inline]
    pub fn events(&self) -> &[EventId] {
        &self.events
    }

    /// Becomes equal to `other` with its first events, reusing its buffer.
    pub(crate) fn copy_from(&mut self, other: &Thread, events: usize) {
        let mut buffer = std::mem::take(&mut self.events);
        buffer.clear();
        buffer.extend_from_slice(&other.events[..events]);
        *self = Thread { events: buffer, ..*other };
    }

    /// Is the thread part of the graph?
    #[inline]
    pub fn is_alive(&self) -> bool {
        self.alive
    }
}

/// What [`Execution::add_spawn`] did.
#[derive(Clone, Copy, Debug)]
pub struct Spawned {
    /// The event.
    pub event: EventId,
    /// The new thread.
    pub thread: ThreadId,
}

/// An execution: events in the order in which they were added (which extends po ∪ rf, except for reads that were
/// redirected to a newer write), with program order, reads-from and modification order.
#[derive(Debug)]
pub struct Execution {
    pub(crate) model: MemoryModel,
    pub(crate) events: Vec<Event>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) is_flat: bool,
    pub(crate) locations: Locations,
    pub(crate) rows: Rows,
    /// Under SC only: the po ∪ rf ∪ mo ∪ fr prefix of every event.
    pub(crate) prefixes: Prefixes,
    /// How many events are SC accesses or SC fences.
    pub(crate) seq_cst_events: u32,
    /// Scratch of [`Execution::restrict_into`].
    pub(crate) renaming: Renaming,
}

impl Execution {
    /// The execution in which nothing has happened yet: only the main thread is there.
    pub fn new(model: MemoryModel) -> Self {
        Execution {
            model,
            events: Vec::new(),
            threads: vec![Thread { alive: true, ..Thread::default() }],
            is_flat: true,
            locations: Locations::default(),
            rows: Rows::default(),
            prefixes: Prefixes::default(),
            seq_cst_events: 0,
            renaming: Renaming::default(),
        }
    }

    /// The memory model by whose rules the graph grows.
    #[inline]
    pub fn model(&self) -> MemoryModel {
        self.model
    }

    /// All events, by stamp.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// One event.
    #[inline]
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.at()]
    }

    /// Number of events.
    #[inline]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// For how many events it has room without asking for memory.
    pub fn capacity(&self) -> usize {
        self.events.capacity()
    }

    /// Has nothing happened yet?
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// All threads that were ever part of the graph; see [`Thread::is_alive`].
    #[inline]
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// One thread.
    #[inline]
    pub fn thread(&self, id: ThreadId) -> &Thread {
        &self.threads[id.at()]
    }

    /// The newest event of a thread.
    #[inline]
    pub fn last_of(&self, thread: ThreadId) -> Option<EventId> {
        self.threads[thread.at()].events.last().copied()
    }

    /// The event before `id` in its thread.
    #[inline]
    pub fn previous(&self, id: EventId) -> Option<EventId> {
        let event = self.event(id);
        let index = event.index.checked_sub(1)?;
        Some(self.threads[event.thread.at()].events[index as usize])
    }

    /// Has the thread ended?
    #[inline]
    pub fn has_ended(&self, thread: ThreadId) -> bool {
        self.last_of(thread).is_some_and(|last| self.event(last).kind == Kind::End)
    }

    /// All locations.
    #[inline]
    pub fn locations(&self) -> &Locations {
        &self.locations
    }

    /// All locations, to add or relocate some.
    #[inline]
    pub fn locations_mut(&mut self) -> &mut Locations {
        &mut self.locations
    }

    /// One location.
    #[inline]
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id]
    }

    /// The reads of a write, newest first.
    #[inline]
    pub fn readers(&self, write: EventId) -> impl Iterator<Item = EventId> {
        self.reader_chain(self.event(write).next_reader)
    }

    /// The reads of a location's initial value, newest first.
    pub fn initial_readers(&self, location: LocationId) -> impl Iterator<Item = EventId> {
        self.reader_chain(self.location(location).last_initial_reader)
    }

    #[inline]
    pub(crate) fn reader_chain(&self, newest: EventId) -> impl Iterator<Item = EventId> {
        let mut next = newest;
        std::iter::from_fn(move || {
            let current = next;
            if !current.is_some() {
                return None;
            }
            next = self.event(current).next_reader;
            Some(current)
        })
    }

    /// Position in mo of the write that `read` reads from.
    #[inline]
    pub fn source_position(&self, read: EventId) -> u32 {
        let source = self.event(read).source;
        if source.is_some() { self.event(source).mo_position } else { 0 }
    }

    /// Does the read see the newest write of its location?
    #[inline]
    pub fn reads_newest(&self, read: EventId) -> bool {
        self.source_position(read) == self.location(self.event(read).location).last_position()
    }

    /// Adds an event to the end of `thread`, with the views of what precedes it, for the caller to fill in.
    ///
    /// Room is made first and everything is written to its place at once: what has to be kept while room is made, or is written in small
    /// pieces and then copied, costs more than all the rest.
    #[inline(always)]
    fn begin(&mut self, thread: ThreadId, kind: Kind, verb: Verb, site: Site) -> (EventId, &mut Event) {
        let id = EventId(self.events.len() as u32);
        self.events.push(Event::BLANK);
        let (event, older) = self.events.split_last_mut().expect("there is at least the new one");
        let owner = &mut self.threads[thread.at()];
        (event.hb, event.porf) = (owner.hb, owner.porf);
        if let Some(last) = owner.events.last() {
            let last = &older[last.at()];
            (event.hb, event.porf, event.release_fence) = (last.hb, last.porf, last.release_fence);
        }
        (event.thread, event.index) = (thread, owner.events.len() as u32);
        (event.kind, event.verb, event.site) = (kind, verb, site);
        event.rows_before = self.rows.len();
        owner.events.push(id);
        (id, event)
    }

    /// Adds a read of `location` that reads from the write at mo position `position`.
    ///
    /// `initial` is the location's initial value as this thread would see it.
    #[expect(clippy::too_many_arguments, reason = "an access has that many sides")]
    pub fn add_read(
        &mut self,
        thread: ThreadId,
        location: LocationId,
        position: u32,
        initial: u64,
        verb: Verb,
        request: &Request,
        site: Site,
    ) -> EventId {
        let (id, _) = self.begin(thread, Kind::Read, verb, site);
        let (event, older) = self.events.split_last_mut().expect("one has just been added");
        let place = &mut self.locations[location];
        let (source, size) = (place.at(position), place.size);
        let (value, newest_reader) = match source.is_some() {
            true => {
                let write = &mut older[source.at()];
                (write.value, &mut write.next_reader)
            }
            false => (initial, &mut place.last_initial_reader),
        };
        event.next_reader = std::mem::replace(newest_reader, id);
        (event.location, event.size, event.source) = (location, size, source);
        (event.request, event.initial, event.value) = (*request, initial, value);
        event.answer();
        let Event { order, hb, porf, .. } = *event;
        self.seq_cst_events += u32::from(order.is_seq_cst());
        if source.is_some() {
            let (hb, porf) = self.learn_from(source, thread, order, hb, porf);
            self.set_views(id, hb, porf);
        }
        self.follow_twin(id);
        self.track_sc(id);
        id
    }

    /// Lets `read`, the last event of its thread, read from `source` instead.
    ///
    /// If the read is also the newest event, all is up to date afterwards; otherwise [`Execution::rebuild_sc`] must
    /// follow once the graph is as it should be.
    pub fn redirect(&mut self, read: EventId, source: EventId) {
        let newest = read.at() + 1 == self.events.len();
        if newest {
            self.rows.truncate(self.event(read).rows_before);
            self.untrack_sc(read);
        }
        self.unlink(read);
        let (hb, porf) = self.views_before(self.event(read));
        let value = if source.is_some() { self.event(source).value } else { self.event(read).initial };
        let event = &mut self.events[read.at()];
        self.seq_cst_events -= u32::from(event.order.is_seq_cst());
        (event.hb, event.porf) = (hb, porf);
        (event.source, event.value) = (source, value);
        event.answer();
        self.seq_cst_events += u32::from(event.order.is_seq_cst());
        self.view_read(read);
        self.link(read, source);
        self.follow_twin(read);
        if newest {
            self.track_sc(read);
        }
    }

    #[inline]
    pub(crate) fn link(&mut self, read: EventId, source: EventId) {
        let location = self.event(read).location;
        let older = std::mem::replace(self.newest_reader(source, location), read);
        let event = &mut self.events[read.at()];
        event.source = source;
        event.next_reader = older;
    }

    #[inline]
    pub(crate) fn unlink(&mut self, read: EventId) {
        let &Event { location, source, next_reader, .. } = self.event(read);
        let newest = self.newest_reader(source, location);
        if *newest == read {
            *newest = next_reader;
            return;
        }
        let mut newer = *newest;
        while self.event(newer).next_reader != read {
            newer = self.event(newer).next_reader;
        }
        self.events[newer.at()].next_reader = next_reader;
    }

    /// Where it says who has read from `source`, or the initial value of `location`, last.
    #[inline]
    fn newest_reader(&mut self, source: EventId, location: LocationId) -> &mut EventId {
        match source.is_some() {
            true => &mut self.events[source.at()].next_reader,
            false => &mut self.locations[location].last_initial_reader,
        }
    }

    /// Adds a write that is not yet in mo: [`Execution::place`] puts it there.
    #[expect(clippy::too_many_arguments, reason = "an access has that many sides")]
    pub fn add_write(
        &mut self,
        thread: ThreadId,
        location: LocationId,
        verb: Verb,
        order: Order,
        value: u64,
        exclusive: bool,
        site: Site,
    ) -> EventId {
        let size = self.location(location).size;
        let (id, event) = self.begin(thread, Kind::Write, verb, site);
        (event.location, event.size) = (location, size);
        (event.order, event.value, event.exclusive) = (order, value, exclusive);
        if !exclusive {
            event.shape = Shape::of_write(verb, order, size);
        }
        self.seq_cst_events += u32::from(order.is_seq_cst());
        self.view_write(id);
        self.follow_twin(id);
        self.track_sc(id);
        id
    }

    /// The read that an exclusive write completes.
    #[inline]
    pub fn read_of(&self, write: EventId) -> EventId {
        let event = self.event(write);
        let events = &self.threads[event.thread.at()].events;
        let mut index = event.index as usize - 1;
        // A choice may stand between the two halves.
        while self.event(events[index]).kind == Kind::Choice {
            index -= 1;
        }
        events[index]
    }

    /// Puts `write`, the newest event, into mo right after position `after`.
    pub fn place(&mut self, write: EventId, after: u32) {
        let location = self.event(write).location;
        let mo = &mut self.locations[location].mo;
        if after as usize == mo.len() {
            mo.push(write);
            self.events[write.at()].mo_position = after + 1;
        } else {
            mo.insert(after as usize, write);
            self.renumber_mo(location, after);
        }
        self.untrack_sc(write);
        self.track_sc(write);
    }

    /// Takes `write`, the newest event, out of mo.
    pub fn unplace(&mut self, write: EventId) {
        self.untrack_sc(write);
        self.remove_from_mo(write);
    }

    fn remove_from_mo(&mut self, write: EventId) {
        let &Event { location, mo_position, .. } = self.event(write);
        if mo_position == 0 {
            return;
        }
        self.locations[location].mo.remove(mo_position as usize - 1);
        self.renumber_mo(location, mo_position - 1);
        self.events[write.at()].mo_position = 0;
    }

    /// Tells the writes after position `after` where they are.
    pub(crate) fn renumber_mo(&mut self, location: LocationId, after: u32) {
        for (before, write) in self.locations[location].mo.iter().enumerate().skip(after as usize) {
            self.events[write.at()].mo_position = before as u32 + 1;
        }
    }

    /// May `write` stand right after mo position `after`: is no read-modify-write pair torn apart?
    #[inline]
    pub fn may_follow(&self, location: LocationId, after: u32) -> bool {
        let mo = &self.location(location).mo;
        match mo.get(after as usize) {
            // An exclusive write always stands right after what its read half read.
            Some(&next) => !self.event(next).exclusive,
            None => true,
        }
    }

    /// Adds a fence.
    pub fn add_fence(&mut self, thread: ThreadId, order: Order, site: Site) -> EventId {
        let (id, event) = self.begin(thread, Kind::Fence, Verb::Fence, site);
        event.order = order;
        self.seq_cst_events += u32::from(order.is_seq_cst());
        self.view_fence(id);
        self.follow_twin(id);
        self.track_sc(id);
        id
    }

    /// Adds a plain access to `extent` bytes.
    pub fn add_plain(
        &mut self,
        thread: ThreadId,
        location: LocationId,
        extent: u32,
        is_write: bool,
        site: Site,
    ) -> EventId {
        let (kind, verb) =
            if is_write { (Kind::PlainWrite, Verb::PlainWrite) } else { (Kind::PlainRead, Verb::PlainRead) };
        let size = self.location(location).size;
        let (id, event) = self.begin(thread, kind, verb, site);
        (event.location, event.size, event.extent) = (location, size, extent);
        self.locations[location].plain.push(id);
        self.locations.extend(location, extent);
        self.follow_twin(id);
        self.track_sc(id);
        id
    }

    /// Adds a choice among `options` possibilities.
    pub fn add_choice(&mut self, thread: ThreadId, options: u32, taken: u32, site: Site) -> EventId {
        let (id, event) = self.begin(thread, Kind::Choice, Verb::Choose, site);
        (event.options, event.value) = (options, taken.into());
        self.follow_twin(id);
        self.track_sc(id);
        id
    }

    /// Changes what was chosen.
    pub fn choose(&mut self, choice: EventId, taken: u32) {
        debug_assert_eq!(self.event(choice).kind, Kind::Choice);
        self.events[choice.at()].value = taken.into();
    }

    /// Adds the start of a thread. The n-th child of a thread is the same thread whenever it is spawned.
    pub fn add_spawn(&mut self, parent: ThreadId, site: Site) -> Spawned {
        let ordinal = self.threads[parent.at()].children;
        let origin = Some((parent, ordinal));
        let child = match self.threads.iter().position(|thread| thread.origin == origin) {
            Some(known) => ThreadId(known as u32),
            None => {
                self.threads.push(Thread { origin, ..Thread::default() });
                self.rows.widen(self.threads.len());
                self.prefixes.widen(self.threads.len());
                ThreadId(self.threads.len() as u32 - 1)
            }
        };
        self.threads[parent.at()].children += 1;
        self.is_flat &= parent == ThreadId::MAIN;
        let (id, event) = self.begin(parent, Kind::Spawn, Verb::Spawn, site);
        event.value = child.0.into();
        let (hb, porf) = self.export(id);
        let thread = &mut self.threads[child.at()];
        thread.alive = true;
        thread.spawn = id;
        thread.hb = hb;
        thread.porf = porf;
        self.track_sc(id);
        Spawned { event: id, thread: child }
    }

    /// Adds that `thread` saw `child` end; the child must have ended.
    #[inline]
    pub fn add_join(&mut self, thread: ThreadId, child: ThreadId, site: Site) -> EventId {
        let end = self.last_of(child).expect("a thread that is joined has ended");
        let (id, event) = self.begin(thread, Kind::Join, Verb::Join, site);
        (event.value, event.source) = (child.0.into(), end);
        self.view_join(id);
        self.track_sc(id);
        id
    }

    /// Adds the end of a thread.
    #[inline]
    pub fn add_end(&mut self, thread: ThreadId, site: Site) -> EventId {
        let (id, _) = self.begin(thread, Kind::End, Verb::End, site);
        self.track_sc(id);
        id
    }

    /// Takes back all events after `newest`.
    #[inline(never)]
    pub fn cut_after(&mut self, newest: EventId) {
        let Some(&Event { rows_before, .. }) = self.events.get(newest.at() + 1) else {
            return;
        };
        for id in (newest.at() + 1..self.events.len()).rev() {
            self.take_back(EventId(id as u32));
        }
        self.events.truncate(newest.at() + 1);
        self.rows.truncate(rows_before);
    }

    /// Takes back what `id`, the newest event that was not taken back yet, has done.
    #[inline(always)]
    fn take_back(&mut self, id: EventId) {
        let &Event { thread, kind, order, location, value, .. } = self.event(id);
        self.untrack_sc(id);
        match kind {
            Kind::Read => self.unlink(id),
            Kind::Write => self.remove_from_mo(id),
            Kind::PlainRead | Kind::PlainWrite => {
                self.locations[location].plain.pop();
            }
            Kind::Spawn => {
                self.threads[value as usize].alive = false;
                self.threads[thread.at()].children -= 1;
            }
            Kind::Fence | Kind::Join | Kind::End | Kind::Choice => {}
        }
        if order.is_seq_cst() {
            self.seq_cst_events -= 1;
        }
        self.threads[thread.at()].events.pop();
        self.prefixes.pop();
    }

    /// Have only children of the main thread ever been part of the graph? They are numbered in the order of their origins.
    #[inline]
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// Threads in the order of their origins: the main thread, its first child, that one's children, and so on. This
    /// order does not depend on when a thread was met first.
    pub fn compare_threads(&self, left: ThreadId, right: ThreadId) -> std::cmp::Ordering {
        fn path(execution: &Execution, mut thread: ThreadId) -> Vec<u32> {
            let mut path = Vec::new();
            while let Some((parent, ordinal)) = execution.thread(thread).origin {
                path.push(ordinal);
                thread = parent;
            }
            path.reverse();
            path
        }
        path(self, left).cmp(&path(self, right))
    }

    /// Gives `event` another value, operands and address-dependent content, when it is run again elsewhere.
    pub fn rebind(&mut self, event: EventId, value: u64, initial: u64, request: Option<Request>) {
        let event = &mut self.events[event.at()];
        event.value = value;
        event.initial = initial;
        if let Some(request) = request {
            event.request = request;
        }
    }
}

impl Clone for Execution {
    fn clone(&self) -> Self {
        let mut copy = Execution::new(self.model);
        self.copy_into(&mut copy);
        copy
    }
}

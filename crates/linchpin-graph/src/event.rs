//! Events: what threads do, one memory access, fence or thread action at a time.

use std::panic::Location as SourceLocation;

use linchpin_model::Order;

use crate::rows::RowId;

/// Where in the source an event was asked for.
pub type Site = &'static SourceLocation<'static>;

/// A thread of an execution. Thread 0 runs the test's closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// An event of an execution: its stamp, that is its place in the order in which events were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u32);

/// A location of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(pub u32);

impl EventId {
    /// "No event"; as the source of a read: the location's initial value.
    pub const NONE: EventId = EventId(u32::MAX);

    /// Is this an event at all?
    #[inline]
    pub fn is_some(self) -> bool {
        self != EventId::NONE
    }

    /// The event's place in [`Execution::events`](crate::Execution::events).
    #[inline]
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

impl ThreadId {
    /// The thread that runs the test's closure.
    pub const MAIN: ThreadId = ThreadId(0);

    /// The thread's place in a table of threads.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

impl LocationId {
    /// For events that have no location.
    pub const NONE: LocationId = LocationId(u32::MAX);

    /// The location's place in a table of locations.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// What sort of thing an event is. The rules of the memory models depend on this and on nothing finer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An atomic read; if [`Event::exclusive`], the first half of a read-modify-write.
    Read,
    /// An atomic write; if [`Event::exclusive`], the second half of a read-modify-write.
    Write,
    /// A fence.
    Fence,
    /// A non-atomic read.
    PlainRead,
    /// A non-atomic write.
    PlainWrite,
    /// The thread starts another one: [`Event::value`] is its number.
    Spawn,
    /// The thread saw another one end: [`Event::value`] is its number.
    Join,
    /// The thread ended.
    End,
    /// A choice among [`Event::options`] possibilities: [`Event::value`] is the one taken.
    Choice,
}

/// What the program called it. For people; no rule depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is named after the std operation that it stands for")]
pub enum Verb {
    Load,
    Store,
    Swap,
    CompareExchange,
    FetchAdd,
    FetchSub,
    FetchAnd,
    FetchNand,
    FetchOr,
    FetchXor,
    FetchMax,
    FetchMin,
    Fence,
    PlainRead,
    PlainWrite,
    Spawn,
    Join,
    End,
    Choose,
    Lock,
    TryLock,
    Unlock,
    LockShared,
    TryLockShared,
    UnlockShared,
    Wait,
    Notify,
    Park,
    Unpark,
    Await,
}

/// The answer of a [`StepFn`] to the value that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The read is all there is: a load, a failed compare-exchange.
    Return,
    /// Write this value, atomically with the read.
    Write(u64),
    /// Not a value to go on with: the thread waits for another one.
    Wait,
    /// Choose among this many possibilities first; the function is then asked again with the choice in place of `b`.
    Choose(u32),
}

/// Given the value read and the two operands, what happens next. All of atomics, locks and waiting is built from this.
///
/// It must be pure and total: the explorer also asks about values that the program would never see.
pub type StepFn = fn(value: u64, a: u64, b: u64) -> Step;

/// In place of operand `b`: nothing was chosen yet (see [`Step::Choose`]).
pub const NOT_CHOSEN: u64 = u64::MAX;

/// What a thread asks of the memory when it reads: enough to answer again when the read is redirected to another write.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// What to do with the value.
    pub step: StepFn,
    /// First operand of `step`.
    pub a: u64,
    /// Second operand of `step`.
    pub b: u64,
    /// Order of the access if it writes.
    pub order: Order,
    /// Order of the read if it does not write.
    pub failure: Order,
}

impl Request {
    /// The request of a relaxed load.
    const LOAD: Request =
        Request { step: |_, _, _| Step::Return, a: 0, b: 0, order: Order::Relaxed, failure: Order::Relaxed };

    /// The request of a load of this order.
    #[inline]
    pub fn load(order: Order) -> Self {
        Request { order, failure: order, ..Request::LOAD }
    }

    /// Are the operands the same?
    #[inline(always)]
    pub fn has_operands_of(&self, other: &Request) -> bool {
        self.a == other.a && self.b == other.b
    }

    /// What the request does with `value`.
    #[inline]
    pub fn answer(&self, value: u64) -> Step {
        (self.step)(value, self.a, self.b)
    }

    /// What the request does with `value` after `choice` was made for it.
    #[inline]
    pub fn answer_with(&self, value: u64, choice: u64) -> Step {
        (self.step)(value, self.a, choice)
    }
}

/// What an access looks like, apart from its place and its operands: verb, orders and size in one word, so that they are
/// compared at once when the access is run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape(u32);

impl Shape {
    /// What has no shape: other events, and reads whose thread waits.
    pub const NONE: Shape = Shape(0);

    /// A read, with the order it has if it writes and the one it has if not.
    #[inline(always)]
    pub fn of_read(verb: Verb, order: Order, failure: Order, size: u8) -> Shape {
        Shape(1 << 31 | (verb as u32) << 24 | (order as u32) << 16 | (failure as u32) << 8 | u32::from(size))
    }

    /// Of how many bytes is the access?
    #[inline(always)]
    pub fn size(self) -> u8 {
        self.0 as u8
    }

    /// Is the access to eight bytes?
    #[inline(always)]
    pub fn is_wide(self) -> bool {
        self.size() == 8
    }

    /// A write that is not part of a read-modify-write.
    #[inline(always)]
    pub fn of_write(verb: Verb, order: Order, size: u8) -> Shape {
        Shape((verb as u32) << 24 | (order as u32) << 16 | 1 << 8 | u32::from(size))
    }
}

/// What a write hands to those who acquire it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Message {
    /// Nothing: a relaxed write with no release fence before it.
    Nothing,
    /// All that happens before this event, and the event.
    Of(EventId),
    /// What this row says: read-modify-writes in release sequences.
    Row(RowId),
}

/// One event of an execution.
///
/// What is needed to run it again comes first, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Event {
    /// What was asked, for reads.
    pub request: Request,
    /// The value read, written or chosen; the number of the thread spawned or joined.
    pub value: u64,
    /// The location accessed.
    pub location: LocationId,
    /// Of a read: the write that it reads from, or [`EventId::NONE`] for the initial value.
    pub source: EventId,
    /// What it looks like when it is run again.
    pub(crate) shape: Shape,
    /// The thread that did it.
    pub thread: ThreadId,
    /// Its place among the thread's events.
    pub index: u32,
    /// What sort of event.
    pub kind: Kind,
    /// Part of a read-modify-write that writes.
    pub exclusive: bool,
    /// A read whose value is not one to go on with: its thread waits here.
    pub waiting: bool,
    /// Size of the access in bytes.
    pub size: u8,

    /// Of a write in mo: its position there; the initial value has position 0. 0 for a write that is not in mo (yet).
    pub(crate) mo_position: u32,
    /// Of a write: its newest reader. Of a read: the next older reader of its source.
    pub(crate) next_reader: EventId,
    /// Of a write: what it hands on.
    pub(crate) message: Message,
    /// The thread's last release fence up to here.
    pub(crate) release_fence: EventId,
    /// What happens before the event, without the thread's own past.
    pub(crate) hb: RowId,
    /// Its po ∪ rf prefix, without the thread's own past.
    pub(crate) porf: RowId,
    /// How many rows there were before this event.
    pub(crate) rows_before: u32,
    /// Of a read: the initial value of its location as it was when the read was added. Other branches of an exploration
    /// may use the address for something else.
    pub initial: u64,
    /// Where in the source.
    pub site: Site,
    /// Of a choice: how many possibilities there were.
    pub options: u32,
    /// Of a plain access: how many bytes it touches.
    pub extent: u32,
    /// What the program called it.
    pub verb: Verb,
    /// Its memory order (of a fence, read or write).
    pub order: Order,
}

const _: () = assert!(size_of::<Event>() == 128 && std::mem::offset_of!(Event, mo_position) == 64);

impl Event {
    /// An event of which nothing is known.
    pub(crate) const BLANK: Event = Event {
        request: Request::LOAD,
        value: 0,
        location: LocationId::NONE,
        source: EventId::NONE,
        shape: Shape::NONE,
        thread: ThreadId::MAIN,
        index: 0,
        kind: Kind::End,
        exclusive: false,
        waiting: false,
        size: 0,
        mo_position: 0,
        next_reader: EventId::NONE,
        message: Message::Nothing,
        release_fence: EventId::NONE,
        hb: RowId::EMPTY,
        porf: RowId::EMPTY,
        rows_before: 0,
        initial: 0,
        site: SourceLocation::caller(),
        options: 0,
        extent: 0,
        verb: Verb::End,
        order: Order::Relaxed,
    };

    /// Of a read: sets what depends on its value, that is whether the request goes on, and its order.
    #[inline(always)]
    pub(crate) fn answer(&mut self) {
        let Request { order, failure, .. } = self.request;
        let answer = self.request.answer(self.value);
        self.exclusive = matches!(answer, Step::Write(_) | Step::Choose(_));
        self.waiting = answer == Step::Wait;
        self.shape = match self.waiting {
            true => Shape::NONE,
            false => Shape::of_read(self.verb, order, failure, self.size),
        };
        self.order = if self.exclusive { order } else { failure };
    }

    /// Is this an atomic read?
    #[inline]
    pub fn is_read(&self) -> bool {
        self.kind == Kind::Read
    }

    /// Is this an atomic write?
    #[inline]
    pub fn is_write(&self) -> bool {
        self.kind == Kind::Write
    }

    /// Is this a non-atomic access?
    #[inline]
    pub fn is_plain(&self) -> bool {
        matches!(self.kind, Kind::PlainRead | Kind::PlainWrite)
    }

    /// Does the event have an effect that others can see? Such an event ends an iteration of a waiting loop.
    #[inline]
    pub fn is_effect(&self) -> bool {
        !matches!(self.kind, Kind::Read | Kind::PlainRead | Kind::Fence | Kind::Choice)
    }

    /// What the event looks like when it is run again.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Position of a write in mo: 1 is the first after the initial value; 0 if the write is not in mo.
    #[inline]
    pub fn mo_position(&self) -> u32 {
        self.mo_position
    }
}

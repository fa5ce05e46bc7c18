//! Counters and locks: numbers that go up and down.

use linchpin_model::{Interval, Time, Value};

use super::Options;
use super::random::Random;
use super::schedule::{Family, Made};

/// The bounds of a number that operations add to and subtract from.
///
/// In every order, an operation comes after all that returned before it was called, and before all that are called
/// after it returned. Of the others that overlap it, any may come before it: at least none of those that add and all
/// of those that subtract, at most the opposite. One that never returned overlaps everything after its call.
struct Gauge {
    /// Sums of what is added, and of what is subtracted, by all that are called up to a time.
    called: Vec<(Time, Change)>,
    /// The same by all that return up to a time.
    returned: Vec<(Time, Change)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Change {
    up: i64,
    down: i64,
}

impl Change {
    fn of(change: i64) -> Self {
        Change { up: change.max(0), down: change.min(0) }
    }

    fn plus(self, other: Change) -> Change {
        Change { up: self.up + other.up, down: self.down + other.down }
    }

    fn minus(self, other: Change) -> Change {
        Change { up: self.up - other.up, down: self.down - other.down }
    }
}

impl Gauge {
    /// What operations add, if they have done it, in the order of their calls.
    fn new(changes: impl Iterator<Item = (Interval, i64)>) -> Self {
        let mut called: Vec<(Time, Change)> = Vec::new();
        let mut returned: Vec<(Time, Change)> = Vec::new();
        for (Interval { call, ret }, change) in changes {
            called.push((call, Change::of(change)));
            if ret != Interval::NEVER {
                returned.push((ret, Change::of(change)));
            }
        }
        returned.sort_unstable_by_key(|(ret, _)| *ret);
        for sums in [&mut called, &mut returned] {
            for at in 1..sums.len() {
                sums[at].1 = sums[at].1.plus(sums[at - 1].1);
            }
        }
        Gauge { called, returned }
    }

    /// The least and the greatest number that an operation, which itself adds `own`, can find.
    fn bounds(&self, interval: Interval, own: i64) -> (i64, i64) {
        let before = |sums: &[(Time, Change)], time: Time| {
            let at = sums.partition_point(|(other, _)| *other < time);
            at.checked_sub(1).map_or(Change::default(), |at| sums[at].1)
        };
        let certain = before(&self.returned, interval.call);
        let overlapping = before(&self.called, interval.ret).minus(certain).minus(Change::of(own));
        let certain = certain.up + certain.down;
        (certain + overlapping.down, certain + overlapping.up)
    }
}

fn interval<A>(made: &Made<A>) -> Interval {
    Interval { call: made.call, ret: made.ret }
}

pub(super) struct Counter {
    number: i64,
}

pub(super) enum Count {
    Increment,
    Decrement,
    /// Says what the number was before.
    Add(i64),
    Get,
}

impl Counter {
    pub(super) fn new() -> Self {
        Counter { number: 0 }
    }
}

impl Count {
    fn change(&self) -> i64 {
        match self {
            Count::Increment => 1,
            Count::Decrement => -1,
            Count::Add(change) => *change,
            Count::Get => 0,
        }
    }
}

impl Family for Counter {
    type Act = Count;

    fn next(&mut self, _: usize, random: &mut Random) -> Count {
        match random.below(8) {
            0..3 => Count::Increment,
            3 => Count::Decrement,
            4 => Count::Add(1 + random.below(9) as i64),
            _ => Count::Get,
        }
    }

    fn perform(&mut self, _: usize, act: &mut Count, _: bool) -> Option<Value> {
        let before = self.number;
        self.number += act.change();
        Some(match act {
            Count::Increment | Count::Decrement => Value::Nil,
            Count::Add(_) | Count::Get => before.into(),
        })
    }

    fn takes_effect_when_pending(&self, _: &Count) -> Option<bool> {
        None
    }

    fn call(&self, act: &Count) -> (&'static str, Option<Value>, Value) {
        match act {
            Count::Increment => ("increment", None, Value::Nil),
            Count::Decrement => ("decrement", None, Value::Nil),
            Count::Add(change) => ("add", None, (*change).into()),
            Count::Get => ("get", None, Value::Nil),
        }
    }

    /// Somebody finds a number just outside its bounds: one too many, or one too few.
    fn violate(&self, operations: &mut [Made<Count>], random: &mut Random) -> Option<Vec<usize>> {
        let found = |at: &usize| operations[*at].returned() && matches!(operations[*at].act, Count::Get);
        let at = random.around(operations.len()).find(found)?;
        let gauge = Gauge::new(operations.iter().map(|made| (interval(made), made.act.change())));
        let (least, greatest) = gauge.bounds(interval(&operations[at]), 0);
        operations[at].output = if random.one_in(2) { least - 1 } else { greatest + 1 }.into();
        Some(vec![at])
    }
}

/// Mutexes, reader-writer locks and semaphores.
pub(super) struct Locks {
    object: Object,
    /// By lock: how many readers (or permits) there are, and whether there is a writer.
    locks: Vec<(i64, bool)>,
    /// How many permits a semaphore has.
    permits: i64,
    /// What the process in each slot has taken and not given back.
    held: Vec<Option<Taken>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Mutex,
    RwLock,
    Semaphore,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    lock: usize,
    mode: Mode,
    /// How many permits; 1 for a lock.
    amount: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Shared,
    Exclusive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Acquire(Taken),
    TryAcquire(Taken),
    Release(Taken),
}

impl Act {
    fn taken(&self) -> Taken {
        let (Act::Acquire(taken) | Act::TryAcquire(taken) | Act::Release(taken)) = *self;
        taken
    }
}

impl Locks {
    pub(super) fn mutex(options: &Options) -> Self {
        Locks::new(Object::Mutex, options.keys as usize, options)
    }

    pub(super) fn rw_lock(options: &Options) -> Self {
        Locks::new(Object::RwLock, options.keys as usize, options)
    }

    pub(super) fn semaphore(options: &Options) -> Self {
        Locks::new(Object::Semaphore, 1, options)
    }

    fn new(object: Object, locks: usize, options: &Options) -> Self {
        let permits = i64::try_from(options.permits).unwrap_or(i64::MAX);
        Locks { object, locks: vec![(0, false); locks], permits, held: vec![None; options.processes] }
    }

    fn some(&self, random: &mut Random) -> Taken {
        let lock = random.index(self.locks.len());
        let (mode, amount) = match self.object {
            Object::Mutex => (Mode::Exclusive, 1),
            Object::RwLock if random.one_in(2) => (Mode::Exclusive, 1),
            Object::RwLock => (Mode::Shared, 1),
            Object::Semaphore => (Mode::Shared, 1 + random.below(self.permits.min(2) as u64) as i64),
        };
        Taken { lock, mode, amount }
    }

    fn is_free(&self, taken: Taken) -> bool {
        let (readers, writer) = self.locks[taken.lock];
        match (self.object, taken.mode) {
            (Object::Semaphore, _) => readers + taken.amount <= self.permits,
            (_, Mode::Shared) => !writer,
            (_, Mode::Exclusive) => readers == 0 && !writer,
        }
    }

    fn set(&mut self, taken: Taken, acquired: bool) {
        let lock = &mut self.locks[taken.lock];
        match taken.mode {
            Mode::Shared => lock.0 += if acquired { taken.amount } else { -taken.amount },
            Mode::Exclusive => lock.1 = acquired,
        }
    }

    /// What cannot be taken while this is held: the opposite of a lock, or everything.
    fn excluded_by(&self, held: Taken) -> Taken {
        match (self.object, held.mode) {
            (Object::Semaphore, _) => Taken { amount: self.permits, ..held },
            (Object::Mutex, _) | (_, Mode::Shared) => Taken { mode: Mode::Exclusive, ..held },
            (_, Mode::Exclusive) => Taken { mode: Mode::Shared, ..held },
        }
    }
}

impl Family for Locks {
    type Act = Act;

    /// Whoever holds something tries, once in a while, what it itself excludes: since every process is always inside
    /// an operation, nothing else is certain to fail.
    fn next(&mut self, slot: usize, random: &mut Random) -> Act {
        match self.held[slot] {
            Some(held) if random.one_in(3) => Act::TryAcquire(self.excluded_by(held)),
            Some(held) => {
                self.held[slot] = None;
                Act::Release(held)
            }
            None if random.one_in(2) => Act::Acquire(self.some(random)),
            None => Act::TryAcquire(self.some(random)),
        }
    }

    fn perform(&mut self, slot: usize, act: &mut Act, give_up: bool) -> Option<Value> {
        match *act {
            Act::Release(taken) => {
                self.set(taken, false);
                Some(Value::Nil)
            }
            Act::Acquire(taken) | Act::TryAcquire(taken) if self.is_free(taken) => {
                self.set(taken, true);
                self.held[slot] = Some(taken);
                Some(if matches!(act, Act::Acquire(_)) { Value::Nil } else { true.into() })
            }
            Act::TryAcquire(_) => Some(false.into()),
            Act::Acquire(taken) if give_up => {
                *act = Act::TryAcquire(taken);
                Some(false.into())
            }
            Act::Acquire(_) => None,
        }
    }

    /// Nobody would ever give back what somebody took who was never heard of again.
    fn takes_effect_when_pending(&self, act: &Act) -> Option<bool> {
        Some(matches!(act, Act::Release(_)))
    }

    fn call(&self, act: &Act) -> (&'static str, Option<Value>, Value) {
        let taken = act.taken();
        let name = match (act, self.object, taken.mode) {
            (Act::Acquire(_), Object::RwLock, Mode::Shared) => "read_lock",
            (Act::TryAcquire(_), Object::RwLock, Mode::Shared) => "try_read_lock",
            (Act::Release(_), Object::RwLock, Mode::Shared) => "read_unlock",
            (Act::Acquire(_), Object::RwLock, Mode::Exclusive) => "write_lock",
            (Act::TryAcquire(_), Object::RwLock, Mode::Exclusive) => "try_write_lock",
            (Act::Release(_), Object::RwLock, Mode::Exclusive) => "write_unlock",
            (Act::Acquire(_), ..) => "acquire",
            (Act::TryAcquire(_), ..) => "try_acquire",
            (Act::Release(_), ..) => "release",
        };
        let key = (self.locks.len() > 1).then_some(Value::Integer(taken.lock as i64));
        let argument = if self.object == Object::Semaphore { taken.amount.into() } else { Value::Nil };
        (name, key, argument)
    }

    /// Somebody gets what certainly cannot be had, or does not get what certainly can be.
    ///
    /// What can be had depends on how much is held: what was acquired minus what was released, of which the bounds are
    /// known. If even the least that can be held excludes an attempt, it cannot have succeeded; if even the most that
    /// can be held does not, it cannot have failed.
    fn violate(&self, operations: &mut [Made<Act>], random: &mut Random) -> Option<Vec<usize>> {
        let acquired = |made: &Made<Act>, any_mode: bool| {
            let taken = made.act.taken();
            match made.act {
                _ if !any_mode && taken.mode == Mode::Shared => 0,
                Act::Release(_) => -taken.amount,
                _ if made.output == Value::Bool(false) => 0,
                _ => taken.amount,
            }
        };
        let mut by_lock: Vec<Vec<&Made<Act>>> = vec![Vec::new(); self.locks.len()];
        for made in operations.iter() {
            by_lock[made.act.taken().lock].push(made);
        }
        let gauge = |of_lock: &[&Made<Act>], any_mode: bool| {
            Gauge::new(of_lock.iter().map(|made| (interval(made), acquired(made, any_mode))))
        };
        // By lock: all that is held, and what writers hold.
        let gauges: Vec<[Gauge; 2]> =
            by_lock.iter().map(|of_lock| [gauge(of_lock, true), gauge(of_lock, false)]).collect();
        let (at, gets) = random.around(operations.len()).find_map(|at| {
            let made = &operations[at];
            let (Act::TryAcquire(taken), Value::Bool(got)) = (made.act, &made.output) else { return None };
            let any_mode = taken.mode == Mode::Exclusive || self.object == Object::Semaphore;
            let gauge = &gauges[taken.lock][usize::from(!any_mode)];
            let (least, most) = gauge.bounds(interval(made), acquired(made, any_mode));
            let room = if self.object == Object::Semaphore { self.permits - taken.amount } else { 0 };
            let impossible = if *got { most <= room } else { least > room };
            impossible.then_some((at, !got))
        })?;
        operations[at].output = gets.into();
        Some(vec![at])
    }
}

//! Registers, stores, maps and sets: cells by key, each with the value that was put there last.

use std::collections::HashMap;

use linchpin_model::{Interval, Time, Value};

use super::random::Random;
use super::schedule::{Family, Made};
use super::{Options, Values, value};

/// What a cell holds; `None` is nothing.
type Held = Option<i64>;

pub(super) struct Cells {
    object: Object,
    /// By key.
    held: Vec<Held>,
    values: Values,
    /// How many values have been written.
    written: i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Register,
    CasRegister,
    MultiRegister,
    KeyValue,
    Map,
    Set,
}

/// Keys are indices into [`Cells::held`].
pub(super) enum Act {
    Read(usize),
    Write(usize, i64),
    Cas(i64, i64),
    Remove(usize),
    /// Each key at most once; `None` is a read.
    Transaction(Vec<(usize, Held)>),
}

/// The element of a set is there.
const THERE: i64 = 1;

impl Cells {
    pub(super) fn named(name: &str, options: &Options) -> Self {
        let object = match name {
            "register" => Object::Register,
            "cas-register" => Object::CasRegister,
            "multi-register" => Object::MultiRegister,
            "kv" => Object::KeyValue,
            "map" => Object::Map,
            "set" => Object::Set,
            other => unreachable!("model {other} has no generator"),
        };
        let keys = match object {
            Object::Register | Object::CasRegister => 1,
            _ => options.keys as usize,
        };
        let mut cells = Cells { object, held: Vec::new(), values: options.values, written: 0 };
        cells.held = vec![cells.initial(); keys];
        cells
    }

    fn initial(&self) -> Held {
        match self.object {
            Object::Map | Object::Set => None,
            _ => Some(0),
        }
    }

    fn value(&mut self, random: &mut Random) -> i64 {
        match self.values {
            Values::Distinct => {
                self.written += 1;
                self.written
            }
            Values::Few(values) => 1 + random.below(values) as i64,
        }
    }

    fn transaction(&mut self, random: &mut Random) -> Act {
        let mut accesses: Vec<(usize, Held)> = Vec::new();
        for _ in 0..1 + random.below(3) {
            let key = random.index(self.held.len());
            if accesses.iter().all(|(other, _)| *other != key) {
                let access = if random.one_in(2) { None } else { Some(self.value(random)) };
                accesses.push((key, access));
            }
        }
        Act::Transaction(accesses)
    }

    fn key(&self, key: usize) -> Value {
        Value::Integer(key as i64)
    }

    /// A transaction as a list, with what its reads found.
    fn list(&self, accesses: &[(usize, Held)], mut found: impl FnMut(usize) -> Value) -> Value {
        Value::list(accesses.iter().map(|(key, access)| match access {
            Some(written) => Value::list(["write".into(), self.key(*key), (*written).into()]),
            None => Value::list(["read".into(), self.key(*key), found(*key)]),
        }))
    }
}

impl Family for Cells {
    type Act = Act;

    fn next(&mut self, _: usize, random: &mut Random) -> Act {
        let key = random.index(self.held.len());
        match (self.object, random.below(4)) {
            (Object::MultiRegister, _) => self.transaction(random),
            (_, 0 | 1) => Act::Read(key),
            (Object::Set, 2) => Act::Write(key, THERE),
            (Object::Set | Object::Map, 3) => Act::Remove(key),
            (Object::CasRegister, 3) => {
                // What is there now may still be there when it is performed.
                let expected = if random.one_in(4) { self.value(random) } else { self.held[0].unwrap_or(0) };
                Act::Cas(expected, self.value(random))
            }
            _ => Act::Write(key, self.value(random)),
        }
    }

    fn perform(&mut self, _: usize, act: &mut Act, _: bool) -> Option<Value> {
        Some(match act {
            Act::Read(key) if self.object == Object::Set => self.held[*key].is_some().into(),
            Act::Read(key) => value(self.held[*key]),
            Act::Write(key, new) => {
                let before = self.held[*key].replace(*new);
                match self.object {
                    Object::Set => before.is_none().into(),
                    Object::Map => value(before),
                    _ => Value::Nil,
                }
            }
            Act::Remove(key) => {
                let before = self.held[*key].take();
                if self.object == Object::Set { before.is_some().into() } else { value(before) }
            }
            Act::Cas(expected, new) => {
                let equal = self.held[0] == Some(*expected);
                if equal {
                    self.held[0] = Some(*new);
                }
                equal.into()
            }
            Act::Transaction(accesses) => {
                let output = self.list(accesses, |key| value(self.held[key]));
                for (key, access) in accesses {
                    self.held[*key] = access.or(self.held[*key]);
                }
                output
            }
        })
    }

    fn takes_effect_when_pending(&self, _: &Act) -> Option<bool> {
        None
    }

    fn call(&self, act: &Act) -> (&'static str, Option<Value>, Value) {
        let keyed = |key: &usize| match self.object {
            Object::Register | Object::CasRegister => None,
            _ => Some(self.key(*key)),
        };
        match (act, self.object) {
            (Act::Read(key), Object::KeyValue | Object::Map) => ("get", keyed(key), Value::Nil),
            (Act::Read(key), Object::Set) => ("contains", keyed(key), Value::Nil),
            (Act::Read(key), _) => ("read", keyed(key), Value::Nil),
            (Act::Write(key, new), Object::KeyValue) => ("put", keyed(key), (*new).into()),
            (Act::Write(key, new), Object::Map) => ("insert", keyed(key), (*new).into()),
            (Act::Write(key, _), Object::Set) => ("add", keyed(key), Value::Nil),
            (Act::Write(key, new), _) => ("write", keyed(key), (*new).into()),
            (Act::Remove(key), _) => ("remove", keyed(key), Value::Nil),
            (Act::Cas(expected, new), _) => ("cas", None, Value::list([(*expected).into(), (*new).into()])),
            (Act::Transaction(accesses), _) => ("txn", None, self.list(accesses, |_| Value::Nil)),
        }
    }

    fn violate(&self, operations: &mut [Made<Act>], random: &mut Random) -> Option<Vec<usize>> {
        let setters = Setters::new(self, operations);
        let reads: Vec<(usize, usize)> = reads(operations).collect();
        let (at, key, stale, contradiction) = random.around(reads.len()).find_map(|read| {
            let (at, key) = reads[read];
            let (stale, contradiction) = setters.stale(key, at, &operations[at])?;
            Some((at, key, stale, contradiction))
        })?;
        let made = &mut operations[at];
        made.output = match &made.act {
            Act::Transaction(accesses) => {
                let mut found: HashMap<usize, Value> = HashMap::new();
                for ((key, _), access) in accesses.iter().zip(made.output.as_list().unwrap_or_default()) {
                    found.insert(*key, access.as_list().and_then(|list| list.get(2)).cloned().unwrap_or_default());
                }
                found.insert(key, value(stale));
                self.list(accesses, |key| found[&key].clone())
            }
            _ if self.object == Object::Set => stale.is_some().into(),
            _ => value(stale),
        };
        Some(contradiction)
    }
}

/// Each operation that returned what it found in a cell, with the key.
fn reads(operations: &[Made<Act>]) -> impl Iterator<Item = (usize, usize)> + '_ {
    operations.iter().enumerate().filter(|(_, made)| made.returned()).flat_map(|(at, made)| {
        let one = if let Act::Read(key) = made.act { Some(key) } else { None };
        let several: &[(usize, Held)] = if let Act::Transaction(accesses) = &made.act { accesses } else { &[] };
        let read = |(key, access): &(usize, Held)| access.is_none().then_some(*key);
        one.into_iter().chain(several.iter().filter_map(read)).map(move |key| (at, key))
    })
}

/// What set each cell to what, and when.
struct Setters {
    /// By key, by return.
    returned: Vec<Vec<Setter>>,
    /// By key and value, in the order of calls: the time of the call, and the latest return up to there.
    latest: HashMap<(usize, Held), Vec<(Time, Time)>>,
}

#[derive(Clone, Copy)]
struct Setter {
    /// `None`: the beginning.
    operation: Option<usize>,
    value: Held,
    ret: Time,
    /// Of all setters of this key that returned no later, the one that was called last: its call, operation and value.
    last: (Time, Option<usize>, Held),
}

impl Setters {
    /// Whatever leaves a cell with a value counts: also an addition to a set that found the element there already.
    /// A compare-and-set counts unless it failed.
    fn new(cells: &Cells, operations: &[Made<Act>]) -> Self {
        let beginning = Interval { call: 0, ret: 0 };
        let mut all: Vec<(usize, Held, Interval, Option<usize>)> =
            (0..cells.held.len()).map(|key| (key, cells.initial(), beginning, None)).collect();
        for (at, made) in operations.iter().enumerate() {
            let mut add = |key, value| all.push((key, value, Interval { call: made.call, ret: made.ret }, Some(at)));
            match &made.act {
                Act::Read(_) => {}
                Act::Write(key, new) => add(*key, Some(*new)),
                Act::Remove(key) => add(*key, None),
                Act::Cas(_, new) => {
                    if made.output != Value::Bool(false) {
                        add(0, Some(*new));
                    }
                }
                Act::Transaction(accesses) => {
                    for (key, access) in accesses {
                        if access.is_some() {
                            add(*key, *access);
                        }
                    }
                }
            }
        }
        let mut setters = Setters { returned: vec![Vec::new(); cells.held.len()], latest: HashMap::new() };
        for (key, value, Interval { call, ret }, operation) in all {
            let latest = setters.latest.entry((key, value)).or_default();
            let before = latest.last().map_or(0, |(_, ret)| *ret);
            latest.push((call, ret.max(before)));
            if ret != Interval::NEVER {
                setters.returned[key].push(Setter { operation, value, ret, last: (call, operation, value) });
            }
        }
        for of_key in &mut setters.returned {
            of_key.sort_unstable_by_key(|setter| setter.ret);
            for at in 1..of_key.len() {
                if of_key[at - 1].last.0 > of_key[at].last.0 {
                    of_key[at].last = of_key[at - 1].last;
                }
            }
        }
        setters
    }

    /// A value that this read cannot have found, though the cell held it once.
    ///
    /// Let `between` set the cell to something else, and return before the read is called. If everything that sets the
    /// cell to the stale value and that is called before the read returns, has itself returned before `between` is
    /// called, then in every order all those come before `between`, which comes before the read: what set the cell
    /// last before the read is `between` or something later, and none of that sets it to the stale value.
    fn stale(&self, key: usize, at: usize, read: &Made<Act>) -> Option<(Held, Vec<usize>)> {
        let setters = &self.returned[key];
        let before_read = setters.partition_point(|setter| setter.ret < read.call);
        // Of those that have returned, the one that was called last leaves the most room before it. If it sets the
        // stale value itself, none of the others will do.
        let (call, between, value) = setters[before_read.checked_sub(1)?].last;
        let before_between = setters.partition_point(|setter| setter.ret < call);
        // The most recent of them make the violations that are hardest to see.
        let candidates = setters[..before_between].iter().rev().take(64);
        let stale = candidates.into_iter().find(|candidate| {
            let latest = &self.latest[&(key, candidate.value)];
            let called = latest.partition_point(|(call, _)| *call < read.ret);
            candidate.value != value && called > 0 && latest[called - 1].1 < call
        })?;
        Some((stale.value, [Some(at), between, stale.operation].into_iter().flatten().collect()))
    }
}

//! Histories to try the monitors on: small ones, random and exhaustive, for the oracle; long ones for the clock.

use fastrand::Rng;

use super::{Act, NEVER, Observed, Watched};

/// The initial value of the registers here, and a bit's.
pub(super) const REGISTER: Watched = Watched::Register { initial: 0 };
pub(super) const BIT: Watched = Watched::Bit { initial: false };

/// What a random history may have besides returned operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pending {
    None,
    /// Operations that do not return, with the results that they would return.
    Known,
    /// The same, and removals that may take anything.
    Unknown,
}

/// A history that was linearizable, before something was changed, perhaps.
pub(super) fn nearly_linearizable(watched: Watched, len: usize, pending: Pending, rng: &mut Rng) -> Vec<Observed> {
    let mut object = Object::new(watched, rng);
    let spread = [5, 20, 40, 80][rng.usize(0..4)];
    let timed = (0..len as u32).map(|at| {
        let point = 100 + 10 * at;
        (object.step(rng), point - rng.u32(0..=spread), point + 1 + rng.u32(0..=spread))
    });
    let mut history = ranked(timed.collect(), rng);
    for _ in 0..rng.usize(0..=3) {
        mutate(watched, &mut history, rng);
    }
    leave_open(&mut history, pending, rng);
    history
}

/// Any history.
pub(super) fn uniform(watched: Watched, len: usize, pending: Pending, rng: &mut Rng) -> Vec<Observed> {
    let mut values: Vec<u32> = (1..=len as u32).collect();
    rng.shuffle(&mut values);
    let mut fresh = values.clone().into_iter();
    let timed = (0..len).map(|_| {
        let (a, b) = (rng.u32(0..1000), rng.u32(0..1000));
        (random_act(watched, &mut fresh, &values[..len.div_ceil(2)], rng), a.min(b), a.max(b) + 1)
    });
    let mut history = ranked(timed.collect(), rng);
    leave_open(&mut history, pending, rng);
    history
}

/// A history in which every element or value comes from somewhere, and not too late: what is wrong, if anything, is an
/// order. At most `len` operations.
pub(super) fn well_formed(watched: Watched, len: usize, pending: Pending, rng: &mut Rng) -> Vec<Observed> {
    let width = [8, 20, 50, 100][rng.usize(0..4)];
    let mut values: Vec<u32> = (1..=len as u32).collect();
    rng.shuffle(&mut values);
    let mut timed = Vec::new();
    let interval = |rng: &mut Rng, after: u32| {
        let call = rng.u32(0..100);
        let ret = call + 1 + rng.u32(0..width);
        if ret > after { (call, ret) } else { (call, after + 1 + rng.u32(0..width)) }
    };
    let is_register = matches!(watched, Watched::Register { .. });
    if is_register && rng.bool() {
        let (call, ret) = interval(rng, 0);
        timed.push((Act::Read(0), call, ret));
    }
    for value in values {
        if timed.len() >= len {
            break;
        }
        let (call, ret) = interval(rng, 0);
        timed.push((if is_register { Act::Write(value) } else { Act::Add(value) }, call, ret));
        // A removal more than once now and then.
        let uses = if is_register {
            rng.usize(0..=3)
        } else {
            [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2][rng.usize(0..16)]
        };
        for _ in 0..uses {
            let (call, ret) = interval(rng, call);
            timed.push((if is_register { Act::Read(value) } else { Act::Remove(value) }, call, ret));
        }
        if !is_register && rng.u8(0..10) == 0 {
            let (call, ret) = interval(rng, 0);
            timed.push((Act::FindEmpty, call, ret));
        }
    }
    timed.truncate(len);
    let mut history = ranked(timed, rng);
    leave_open(&mut history, pending, rng);
    history
}

fn random_act(watched: Watched, fresh: &mut impl Iterator<Item = u32>, values: &[u32], rng: &mut Rng) -> Act {
    match watched {
        Watched::Register { .. } => match rng.u8(0..5) {
            0 | 1 => Act::Write(fresh.next().unwrap_or(99)),
            2 => Act::Read(0),
            _ => Act::Read(values[rng.usize(0..values.len())]),
        },
        Watched::Bit { .. } if rng.bool() => Act::Switch { to: rng.bool() },
        Watched::Bit { .. } => Act::Observe(rng.bool()),
        _ => match rng.u8(0..7) {
            0..=2 => Act::Add(fresh.next().unwrap_or(99)),
            3..=5 => Act::Remove(values[rng.usize(0..values.len())]),
            _ => Act::FindEmpty,
        },
    }
}

/// Times become ranks, with gaps; whoever has the same time is in any order, but calls before returns.
fn ranked(mut timed: Vec<(Act, u32, u32)>, rng: &mut Rng) -> Vec<Observed> {
    // The position of an operation says nothing about its time.
    rng.shuffle(&mut timed);
    let mut events: Vec<(u32, bool, u32, usize)> = Vec::new();
    for (at, &(_, call, ret)) in timed.iter().enumerate() {
        events.push((call, false, rng.u32(..), at));
        events.push((ret, true, rng.u32(..), at));
    }
    events.sort_unstable();
    let mut history: Vec<Observed> =
        timed.into_iter().map(|(act, _, _)| Observed { act, call: 0, ret: NEVER }).collect();
    let mut rank = 0;
    for (_, is_return, _, at) in events {
        rank += rng.u32(1..=2);
        if is_return {
            history[at].ret = rank;
        } else {
            history[at].call = rank;
        }
    }
    history
}

fn mutate(watched: Watched, history: &mut Vec<Observed>, rng: &mut Rng) {
    if history.len() < 2 {
        return;
    }
    let (a, b) = (rng.usize(0..history.len()), rng.usize(0..history.len()));
    match rng.u8(0..6) {
        0 | 1 => {
            let act = history[a].act;
            history[a].act = history[b].act;
            history[b].act = act;
        }
        2 => {
            // The same times for two others.
            let (call, ret) = (history[a].call, history[a].ret);
            (history[a].call, history[a].ret) = (history[b].call, history[b].ret);
            (history[b].call, history[b].ret) = (call, ret);
        }
        3 => {
            // An exchange of returns, as long as both stay after the calls.
            let (x, y) = (history[a], history[b]);
            if x.call < y.ret && y.call < x.ret {
                history[a].ret = y.ret;
                history[b].ret = x.ret;
            }
        }
        4 => drop(history.swap_remove(a)),
        _ => {
            // Nothing is added twice.
            let values: Vec<u32> = (1..=9).collect();
            if !matches!(history[a].act, Act::Add(_) | Act::Write(_)) {
                history[a].act = random_act(watched, &mut std::iter::once(50), &values, rng);
                let again = history.iter().filter(|seen| matches!(seen.act, Act::Add(50) | Act::Write(50))).count() > 1;
                if again {
                    history[a].act = Act::Nothing;
                }
            }
        }
    }
}

fn leave_open(history: &mut [Observed], pending: Pending, rng: &mut Rng) {
    let odds = [2, 5, 9, 9][rng.usize(0..4)];
    for seen in history {
        if pending != Pending::None && rng.u8(0..odds) == 0 {
            seen.ret = NEVER;
            if pending == Pending::Unknown && matches!(seen.act, Act::Remove(_)) && rng.bool() {
                seen.act = Act::RemoveUnknown;
            }
        }
    }
}

/// A sequential object that is used at random.
struct Object {
    watched: Watched,
    fresh: Vec<u32>,
    items: Vec<u32>,
    /// How often, of ten times, an element is added while there are others.
    adds: u8,
}

impl Object {
    fn new(watched: Watched, rng: &mut Rng) -> Self {
        let mut fresh: Vec<u32> = (1..=9).collect();
        rng.shuffle(&mut fresh);
        Object { watched, fresh, items: vec![], adds: rng.u8(3..=7) }
    }

    fn step(&mut self, rng: &mut Rng) -> Act {
        match self.watched {
            Watched::Register { initial } => {
                if rng.u8(0..5) < 2 {
                    self.items = vec![self.fresh.pop().unwrap()];
                    Act::Write(self.items[0])
                } else {
                    Act::Read(*self.items.last().unwrap_or(&initial))
                }
            }
            Watched::Bit { initial } => {
                let bit = initial ^ (self.items.len() % 2 == 1);
                if rng.bool() {
                    self.items.push(0);
                    Act::Switch { to: !bit }
                } else {
                    Act::Observe(bit)
                }
            }
            _ if self.items.is_empty() && rng.u8(0..3) == 0 => Act::FindEmpty,
            _ if self.items.is_empty() || rng.u8(0..10) < self.adds => {
                let value = self.fresh.pop().unwrap();
                self.items.push(value);
                Act::Add(value)
            }
            Watched::Queue => Act::Remove(self.items.remove(0)),
            Watched::Stack => Act::Remove(self.items.pop().unwrap()),
            Watched::PriorityQueue => {
                let greatest = (0..self.items.len()).max_by_key(|&at| self.items[at]).unwrap();
                Act::Remove(self.items.remove(greatest))
            }
        }
    }
}

/// Every way in which `len` operations, numbered by their calls, can overlap; with all that may not return, if wanted.
pub(super) fn all_overlaps(len: usize, with_pending: bool) -> Vec<Vec<(u32, u32)>> {
    fn go(len: usize, with_pending: bool, now: u32, intervals: &mut Vec<(u32, u32)>, all: &mut Vec<Vec<(u32, u32)>>) {
        let open: Vec<usize> = (0..intervals.len()).filter(|&at| intervals[at].1 == NEVER).collect();
        if intervals.len() == len && (with_pending || open.is_empty()) {
            all.push(intervals.clone());
        }
        if intervals.len() < len {
            intervals.push((now, NEVER));
            go(len, with_pending, now + 1, intervals, all);
            intervals.pop();
        }
        for at in open {
            intervals[at].1 = now;
            go(len, with_pending, now + 1, intervals, all);
            intervals[at].1 = NEVER;
        }
    }
    let mut all = Vec::new();
    go(len, with_pending, 0, &mut Vec::new(), &mut all);
    all
}

/// Every way to give `len` operations something to do, up to the names of values that make no difference.
pub(super) fn all_acts(watched: Watched, len: usize) -> Vec<Vec<Act>> {
    let mut all = vec![vec![]];
    for _ in 0..len {
        all = all.into_iter().flat_map(|acts| next_acts(watched, len, &acts)).collect();
    }
    all.retain(|acts| !acts.iter().any(|act| is_vain(watched, *act, acts)));
    all
}

fn next_acts(watched: Watched, len: usize, acts: &[Act]) -> Vec<Vec<Act>> {
    let bits = [false, true];
    let values = 1..=len as u32;
    let next: Vec<Act> = match watched {
        Watched::Bit { .. } => bits.iter().flat_map(|&to| [Act::Switch { to }, Act::Observe(to)]).collect(),
        Watched::Register { .. } => {
            let writes = acts.iter().filter(|act| matches!(act, Act::Write(_))).count() as u32;
            (0..=len as u32).map(Act::Read).chain([Act::Write(writes + 1)]).collect()
        }
        _ => {
            let adds = acts.iter().filter(|act| matches!(act, Act::Add(_))).count() as u32;
            let added = values.clone().filter(|value| match watched {
                // Which is greater makes a difference.
                Watched::PriorityQueue => !acts.contains(&Act::Add(*value)),
                _ => *value == adds + 1,
            });
            added.map(Act::Add).chain(values.clone().map(Act::Remove)).chain([Act::FindEmpty]).collect()
        }
    };
    next.into_iter().map(|act| acts.iter().copied().chain([act]).collect()).collect()
}

/// Does it take what nothing adds, under any but the greatest name?
fn is_vain(watched: Watched, act: Act, acts: &[Act]) -> bool {
    let (value, source) = match act {
        Act::Remove(value) => (value, Act::Add(value)),
        Act::Read(value) if value != 0 => (value, Act::Write(value)),
        _ => return false,
    };
    watched != BIT && value != acts.len() as u32 && !acts.contains(&source)
}

/// A long history of clients that are always inside an operation, linearizable, on a collection that holds about
/// `depth` elements, or a register, or a bit; sorted by the calls.
pub(super) fn long(watched: Watched, len: usize, clients: usize, depth: usize, rng: &mut Rng) -> Vec<Observed> {
    let mut items = std::collections::VecDeque::new();
    let mut heap = std::collections::BinaryHeap::new();
    let mut fresh: Vec<u32> = (1..=len as u32).collect();
    if watched == Watched::PriorityQueue {
        rng.shuffle(&mut fresh);
    }
    let mut fresh = fresh.into_iter();
    let mut register = 0;
    let mut act = || {
        let held = items.len() + heap.len();
        match watched {
            Watched::Register { .. } if rng.u8(0..4) == 0 => {
                register = fresh.next().unwrap();
                Act::Write(register)
            }
            Watched::Register { .. } => Act::Read(register),
            Watched::Bit { .. } if rng.bool() => {
                register ^= 1;
                Act::Switch { to: register == 1 }
            }
            Watched::Bit { .. } => Act::Observe(register == 1),
            _ if rng.usize(0..=2 * depth) < held => Act::Remove(match watched {
                Watched::Queue => items.pop_front().unwrap(),
                Watched::Stack => items.pop_back().unwrap(),
                _ => heap.pop().unwrap(),
            }),
            _ if held == 0 && rng.bool() => Act::FindEmpty,
            _ => {
                let value = fresh.next().unwrap();
                if watched == Watched::PriorityQueue {
                    heap.push(value);
                } else {
                    items.push_back(value);
                }
                Act::Add(value)
            }
        }
    };
    // Each client's operation is called, takes effect and returns; whose turn it is, is a matter of chance.
    let acts: Vec<Act> = (0..len).map(|_| act()).collect();
    let mut acts = acts.into_iter();
    let mut history: Vec<Observed> = Vec::with_capacity(len);
    let mut inside: Vec<Option<(usize, bool)>> = vec![None; clients];
    let mut now = 0;
    let mut done = 0;
    while done < len {
        let client = rng.usize(0..clients);
        match inside[client] {
            None if history.len() < len => {
                inside[client] = Some((history.len(), false));
                history.push(Observed { act: Act::Nothing, call: now, ret: NEVER });
                now += 1;
            }
            None => {}
            Some((at, false)) => {
                history[at].act = acts.next().unwrap();
                inside[client] = Some((at, true));
            }
            Some((at, true)) => {
                history[at].ret = now;
                now += 1;
                done += 1;
                inside[client] = None;
            }
        }
    }
    history
}

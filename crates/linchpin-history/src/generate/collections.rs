//! Queues, stacks and their relatives: elements that are put in and taken out.

use std::collections::{BinaryHeap, HashMap, VecDeque};

use linchpin_model::{Time, Value};

use super::random::Random;
use super::schedule::{Family, Made};
use super::{Options, Values, value};

pub(super) struct Collection {
    object: Object,
    /// What is in it, unless it is a priority queue.
    row: VecDeque<i64>,
    /// What is in a priority queue.
    heap: BinaryHeap<i64>,
    capacity: usize,
    values: Values,
    /// How many elements have been put in.
    put: i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Queue,
    BoundedQueue,
    Stack,
    Deque,
    PriorityQueue,
}

/// The end at which an element goes in or out. A queue takes at the back and gives at the front; a stack does both at
/// the back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Front,
    Back,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Push(Side, i64),
    Pop(Side),
}

impl Collection {
    pub(super) fn queue(options: &Options) -> Self {
        Collection::new(Object::Queue, options)
    }

    pub(super) fn bounded_queue(options: &Options) -> Self {
        let capacity = usize::try_from(options.capacity).unwrap_or(usize::MAX);
        Collection { capacity, ..Collection::new(Object::BoundedQueue, options) }
    }

    pub(super) fn stack(options: &Options) -> Self {
        Collection::new(Object::Stack, options)
    }

    pub(super) fn deque(options: &Options) -> Self {
        Collection::new(Object::Deque, options)
    }

    pub(super) fn priority_queue(options: &Options) -> Self {
        Collection::new(Object::PriorityQueue, options)
    }

    fn new(object: Object, options: &Options) -> Self {
        let values = options.values;
        Collection { object, row: VecDeque::new(), heap: BinaryHeap::new(), capacity: usize::MAX, values, put: 0 }
    }

    fn value(&mut self, random: &mut Random) -> i64 {
        match self.values {
            Values::Distinct => {
                self.put += 1;
                match self.object {
                    // An odd factor makes no two numbers below 2^31 the same, and leaves no trace of their order.
                    Object::PriorityQueue => self.put.wrapping_mul(0x5851_f42d) & 0x7fff_ffff,
                    _ => self.put,
                }
            }
            Values::Few(values) => 1 + random.below(values) as i64,
        }
    }
}

impl Family for Collection {
    type Act = Act;

    fn next(&mut self, _: usize, random: &mut Random) -> Act {
        let mut side = |otherwise| match self.object {
            Object::Deque if random.one_in(2) => Side::Front,
            Object::Deque => Side::Back,
            _ => otherwise,
        };
        let push = side(Side::Back);
        let pop = side(if self.object == Object::Stack { Side::Back } else { Side::Front });
        if random.one_in(2) { Act::Push(push, self.value(random)) } else { Act::Pop(pop) }
    }

    fn perform(&mut self, _: usize, act: &mut Act, _: bool) -> Option<Value> {
        Some(match (*act, self.object) {
            (Act::Push(_, new), Object::PriorityQueue) => {
                self.heap.push(new);
                Value::Nil
            }
            (Act::Pop(_), Object::PriorityQueue) => value(self.heap.pop()),
            (Act::Push(..), Object::BoundedQueue) if self.row.len() >= self.capacity => false.into(),
            (Act::Push(side, new), _) => {
                match side {
                    Side::Front => self.row.push_front(new),
                    Side::Back => self.row.push_back(new),
                }
                if self.object == Object::BoundedQueue { true.into() } else { Value::Nil }
            }
            (Act::Pop(Side::Front), _) => value(self.row.pop_front()),
            (Act::Pop(Side::Back), _) => value(self.row.pop_back()),
        })
    }

    fn takes_effect_when_pending(&self, _: &Act) -> Option<bool> {
        None
    }

    fn call(&self, act: &Act) -> (&'static str, Option<Value>, Value) {
        let name = match (act, self.object) {
            (Act::Push(..), Object::Queue | Object::BoundedQueue) => "enq",
            (Act::Pop(_), Object::Queue | Object::BoundedQueue) => "deq",
            (Act::Push(..), Object::Stack) => "push",
            (Act::Pop(_), Object::Stack) => "pop",
            (Act::Push(Side::Front, _), Object::Deque) => "push_front",
            (Act::Push(Side::Back, _), Object::Deque) => "push_back",
            (Act::Pop(Side::Front), Object::Deque) => "pop_front",
            (Act::Pop(Side::Back), Object::Deque) => "pop_back",
            (Act::Push(..), Object::PriorityQueue) => "insert",
            (Act::Pop(_), Object::PriorityQueue) => "pop_max",
        };
        let argument = if let Act::Push(_, new) = act { (*new).into() } else { Value::Nil };
        (name, None, argument)
    }

    /// Three of four violations are about the order of elements, if there is a place for one.
    fn violate(&self, operations: &mut [Made<Act>], random: &mut Random) -> Option<Vec<usize>> {
        let in_order = |operations: &mut [Made<Act>], random: &mut Random| {
            let elements = elements(operations);
            let swap = match self.object {
                Object::PriorityQueue => overtaking_smaller(operations, elements, random),
                _ => overtaking(operations, elements, random),
            };
            swap.map(|(first, second, contradiction)| {
                let later = std::mem::take(&mut operations[second].output);
                operations[second].output = std::mem::replace(&mut operations[first].output, later);
                contradiction
            })
        };
        if random.one_in(4) {
            surplus(operations, random).or_else(|| in_order(operations, random))
        } else {
            in_order(operations, random).or_else(|| surplus(operations, random))
        }
    }
}

/// An element that was put in once and taken out by an operation that returned it.
#[derive(Clone, Copy)]
struct Element {
    value: i64,
    push: usize,
    push_side: Side,
    pop: usize,
    pop_side: Side,
}

/// All elements whose values nothing else puts in: what is said about such a value is said about the element.
fn elements(operations: &[Made<Act>]) -> Vec<Element> {
    let mut pushes: HashMap<i64, Option<(usize, Side)>> = HashMap::new();
    for (at, made) in operations.iter().enumerate() {
        if let Act::Push(side, value) = made.act {
            pushes.entry(value).and_modify(|push| *push = None).or_insert(Some((at, side)));
        }
    }
    let taken = |(pop, made): (usize, &Made<Act>)| {
        let (Act::Pop(pop_side), Value::Integer(value)) = (made.act, &made.output) else { return None };
        let (push, push_side) = (*pushes.get(value)?)?;
        Some(Element { value: *value, push, push_side, pop, pop_side })
    };
    operations.iter().enumerate().filter_map(taken).collect()
}

/// How far apart, in operations, two elements are looked for.
const NEAR: usize = 512;

/// Two operations such that it is a contradiction if each returned what the other did, and all that contradicts.
type Swap = (usize, usize, Vec<usize>);

/// Two elements of a queue, stack or deque of which the wrong one can be made to come out first.
///
/// Let `x` be put in before `y` is (in every order, since the one returned before the other was called), `y` at the
/// end `s`. As long as both are in, `y` is closer to `s` than `x`. So it is a contradiction
/// - if `y` comes out at the other end, and `x` later (in every order): `x` was in then, and in the way; or
/// - if `x` comes out at `s`, after `y` was put in, and `y` later: `y` was in then, and in the way.
///
/// Two results that say the opposite, and are in an order that everybody agrees on, are swapped to say that.
fn overtaking(operations: &[Made<Act>], mut elements: Vec<Element>, random: &mut Random) -> Option<Swap> {
    elements.sort_unstable_by_key(|element| operations[element.push].point);
    let precedes = |a: usize, b: usize| operations[a].precedes(&operations[b]);
    random.around(elements.len()).find_map(|at| {
        let x = elements[at];
        elements[at + 1..].iter().take(NEAR).filter(|y| precedes(x.push, y.push)).find_map(|y| {
            let (first, second) = if x.pop_side != y.push_side && precedes(x.pop, y.pop) {
                (x.pop, y.pop)
            } else if y.pop_side == y.push_side && precedes(y.push, y.pop) && precedes(y.pop, x.pop) {
                (y.pop, x.pop)
            } else {
                return None;
            };
            Some((first, second, vec![first, second, x.push, y.push]))
        })
    })
}

/// Two elements of a priority queue of which the smaller one can be made to come out first.
///
/// Let the greater one be put in before an operation that is called later returns the smaller one, and be taken out
/// by an operation that is called after that one has returned: it was in then, and should have come out.
fn overtaking_smaller(operations: &[Made<Act>], mut elements: Vec<Element>, random: &mut Random) -> Option<Swap> {
    elements.sort_unstable_by_key(|element| operations[element.pop].point);
    let precedes = |a: usize, b: usize| operations[a].precedes(&operations[b]);
    random.around(elements.len()).find_map(|at| {
        let greater = elements[at];
        if !precedes(greater.push, greater.pop) {
            return None;
        }
        let mut later = elements[at + 1..].iter().take(NEAR);
        let smaller = later.find(|other| other.value < greater.value && precedes(greater.pop, other.pop))?;
        let (first, second) = (greater.pop, smaller.pop);
        Some((first, second, vec![first, second, greater.push, smaller.push]))
    })
}

/// Makes an operation take out an element that is not there any more.
///
/// Whatever order is chosen: of a value, no more can have been taken out by operations that have returned at a time
/// than have been put in by operations that have been called by then.
fn surplus(operations: &mut [Made<Act>], random: &mut Random) -> Option<Vec<usize>> {
    /// When each was put in, and taken out, with the operation; in the order of time.
    #[derive(Default)]
    struct Times {
        put: Vec<(Time, usize)>,
        taken: Vec<(Time, usize)>,
    }
    let mut times: HashMap<i64, Times> = HashMap::new();
    let mut pops = Vec::new();
    for (at, made) in operations.iter().enumerate() {
        match (made.act, &made.output) {
            (Act::Push(_, value), output) if *output != Value::Bool(false) => {
                times.entry(value).or_default().put.push((made.call, at));
            }
            (Act::Pop(_), Value::Integer(value)) => {
                times.entry(*value).or_default().taken.push((made.ret, at));
                pops.push((made.ret, at));
            }
            _ => {}
        }
    }
    times.values_mut().for_each(|times| times.taken.sort_unstable());
    pops.sort_unstable();
    random.around(pops.len()).find_map(|nth| {
        let (time, changed) = pops[nth];
        let mut tried = vec![operations[changed].output.as_integer()?];
        // What was taken out shortly before.
        let value = pops[..nth].iter().rev().take(64).find_map(|(_, other)| {
            let value = operations[*other].output.as_integer()?;
            if tried.contains(&value) {
                return None;
            }
            tried.push(value);
            let Times { put, taken } = &times[&value];
            let put = put.partition_point(|(call, _)| *call < time);
            let taken = taken.partition_point(|(ret, _)| *ret <= time);
            (taken + 1 > put).then_some(value)
        })?;
        operations[changed].output = Value::Integer(value);
        let Times { put, taken } = &times[&value];
        let others = put.iter().filter(|(call, _)| *call < time).chain(taken.iter().filter(|(ret, _)| *ret <= time));
        Some([changed].into_iter().chain(others.map(|(_, at)| *at)).collect())
    })
}

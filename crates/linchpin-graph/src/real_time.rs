//! Real time, derived: in which orders the operations of an execution may have been called and have returned.
//!
//! An execution orders events partially, so it says only in part which operation had returned before which was called. Take
//! an execution that is sequentially consistent. Each of its interleavings gives such an order, if an operation is called right
//! before its first event and returns right after its last one; calling earlier or returning later only lets operations
//! overlap more. An interleaving is possible if it keeps po ∪ rf ∪ mo ∪ fr, and as far as calls and returns are concerned all
//! that matters is which calls must come before a call, and which before a return ([`RealTime`]).
//!
//! Orders that say more are harder to explain by a sequential run, so only maximal ones are of interest. Returning as soon as
//! possible says more than returning later. So [`RealTime::orders`] goes over the orders of calls alone, and since what can
//! have returned depends only on what has been called, not on the order of that, it goes from set to set.
//!
//! The halves of a read-modify-write are two events, and an interleaving may put another thread's event between them that
//! no machine would. That event does not depend on the first half, so putting the first half next to the second gives a
//! possible interleaving, whose order says no less.
//!
//! An execution that is not sequentially consistent has no interleavings. Its operations are ordered by happens-before.

use std::collections::HashMap;
use std::ops::Range;

use linchpin_model::MemoryModel;

use crate::event::{EventId, ThreadId};
use crate::execution::Execution;

/// A set of operations, by their numbers.
type Set = u64;

/// At most so many operations can be put in order.
const MOST: usize = Set::BITS as usize;

/// For each operation, those that have returned before it is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Precedence(Vec<Set>);

impl Precedence {
    /// Has the first operation returned before the second is called?
    pub fn precedes(&self, first: usize, second: usize) -> bool {
        self.0[second] >> first & 1 == 1
    }

    /// Does it order all that the other one orders?
    fn covers(&self, other: &Precedence) -> bool {
        self.0.iter().zip(&other.0).all(|(all, some)| some & !all == 0)
    }
}

/// What an execution says about the real-time order of some operations: equal values allow the same orders.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RealTime {
    /// Interleavings give the orders.
    Interleaved {
        /// For each operation those that must have been called before it is called. Earlier ones of its thread are among them.
        before_call: Vec<Set>,
        /// For each operation those that must have been called before it returns.
        before_return: Vec<Set>,
    },
    /// There are no interleavings. This is the order by happens-before.
    Weak(Precedence),
}

impl Execution {
    /// What the execution says about the real-time order of these operations, each a thread and which of its events belong
    /// to it. Those of one thread come in program order and do not overlap. `None`: there are more than 64.
    pub fn real_time(&self, operations: &[(ThreadId, Range<u32>)]) -> Option<RealTime> {
        if operations.len() > MOST {
            return None;
        }
        if self.model == MemoryModel::Sc {
            let count = |event: EventId, of: ThreadId| self.prefixes.row(event).get(of.at()).copied().unwrap_or(0);
            return Some(self.interleaved(operations, count));
        }
        let Some(prefixes) = self.sequential_prefixes() else {
            return Some(RealTime::Weak(self.happening(operations)));
        };
        let threads = self.threads.len();
        Some(self.interleaved(operations, |event, of| prefixes[event.at() * threads + of.at()]))
    }

    /// `count(event, thread)` is how many events of the thread come before the event or are it.
    fn interleaved(&self, operations: &[(ThreadId, Range<u32>)], count: impl Fn(EventId, ThreadId) -> u32) -> RealTime {
        // What must have happened before a point of a thread: whatever its event there depends on; if nothing happens
        // there, what the thread's events up to there depend on.
        let must = |number: usize, event: Option<EventId>| -> Set {
            let thread = operations[number].0;
            let is_needed = |&other: &usize| {
                let (of, events) = &operations[other];
                match *of == thread {
                    true => other < number,
                    false => event.is_some_and(|event| count(event, *of) > events.start),
                }
            };
            (0..operations.len()).filter(is_needed).fold(0, |set, other| set | 1 << other)
        };
        let at = |thread: ThreadId, index: u32| self.thread(thread).events()[index as usize];
        let previous = |thread: ThreadId, index: u32| match index.checked_sub(1) {
            Some(before) => Some(at(thread, before)),
            None => (thread != ThreadId::MAIN).then(|| self.spawn_of(thread)),
        };
        let numbered = || operations.iter().cloned().enumerate();
        RealTime::Interleaved {
            before_call: numbered()
                .map(|(number, (thread, events))| match events.is_empty() {
                    true => must(number, previous(thread, events.start)),
                    false => must(number, Some(at(thread, events.start))),
                })
                .collect(),
            before_return: numbered()
                .map(|(number, (thread, events))| must(number, previous(thread, events.end)) | 1 << number)
                .collect(),
        }
    }

    /// For each event, how many events of each thread its po ∪ rf ∪ mo ∪ fr prefix has, itself included. `None`: there is a cycle.
    fn sequential_prefixes(&self) -> Option<Vec<u32>> {
        let threads = self.threads.len();
        let mut rows = vec![0; self.events.len() * threads];
        let mut placed = vec![false; self.events.len()];
        let mut left = self.events.len();
        // Stamps are nearly an order already: few rounds are needed.
        while left > 0 {
            let before = left;
            for stamp in 0..self.events.len() {
                let id = EventId(stamp as u32);
                let mut is_next = !placed[stamp];
                self.each_predecessor(id, |earlier| is_next &= placed[earlier.at()]);
                if !is_next {
                    continue;
                }
                placed[stamp] = true;
                left -= 1;
                self.each_predecessor(id, |earlier| {
                    for thread in 0..threads {
                        let count = rows[earlier.at() * threads + thread];
                        let own = &mut rows[stamp * threads + thread];
                        *own = count.max(*own);
                    }
                });
                let event = self.event(id);
                rows[stamp * threads + event.thread.at()] = event.index + 1;
            }
            if left == before {
                return None;
            }
        }
        Some(rows)
    }

    /// The order of operations by happens-before: all of the first before all of the second.
    fn happening(&self, operations: &[(ThreadId, Range<u32>)]) -> Precedence {
        let precedes = |(thread, events): &(ThreadId, Range<u32>), (other, of_other): &(ThreadId, Range<u32>)| {
            // What an operation without events does is known only to who knows what its thread does next.
            let needed = events.end.max(events.start + 1);
            // Its first event may be the one that learns of it.
            let known_at = if of_other.is_empty() { of_other.start } else { of_other.start + 1 };
            thread != other && self.known_events(self.known_before(*other, known_at), *thread) >= needed
        };
        let before = |number: usize| {
            let of_thread = |other: usize| operations[other].0 == operations[number].0 && other < number;
            let is_before = |&other: &usize| of_thread(other) || precedes(&operations[other], &operations[number]);
            (0..operations.len()).filter(is_before).fold(0, |set, other| set | 1 << other)
        };
        Precedence((0..operations.len()).map(before).collect())
    }
}

impl RealTime {
    /// The orders, without those that say less than another one.
    pub fn orders(&self) -> Vec<Precedence> {
        let (before_call, before_return) = match self {
            RealTime::Weak(order) => return vec![order.clone()],
            RealTime::Interleaved { before_call, before_return } => (before_call, before_return),
        };
        let all = before_call.len();
        // For each set of called operations the maximal orders among them.
        let mut layer = HashMap::from([(0, vec![Precedence(vec![0; all])])]);
        for _ in 0..all {
            let mut next: HashMap<Set, Vec<Precedence>> = HashMap::new();
            for (called, orders) in layer {
                let has_returned = |&other: &usize| called >> other & 1 == 1 && before_return[other] & !called == 0;
                let returned = (0..all).filter(has_returned).fold(0, |set, other| set | 1 << other);
                let can_be_called = |&other: &usize| called >> other & 1 == 0 && before_call[other] & !called == 0;
                for other in (0..all).filter(can_be_called) {
                    let maximal = next.entry(called | 1 << other).or_default();
                    for order in &orders {
                        let mut order = order.clone();
                        order.0[other] = returned;
                        insert_maximal(maximal, order);
                    }
                }
            }
            layer = next;
        }
        let mut orders: Vec<Precedence> = layer.into_values().flatten().collect();
        orders.sort();
        orders
    }
}

/// Adds an order unless another one says as much; takes out those that say less.
fn insert_maximal(orders: &mut Vec<Precedence>, order: Precedence) {
    if !orders.iter().any(|other| other.covers(&order)) {
        orders.retain(|other| !order.covers(other));
        orders.push(order);
    }
}

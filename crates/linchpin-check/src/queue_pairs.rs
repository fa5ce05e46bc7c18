//! Queues whose values are not distinct.
//!
//! A general search carries the contents of the queue from configuration to configuration, and of those there are
//! exponentially many: whatever was enqueued concurrently may lie in any order until it comes out again. Here the
//! contents are never looked at. A linearization is an order e1 e2 … of the enqueues and an order d1 d2 … of the
//! dequeues that found something, where d_i takes what e_i put in; it is built pair by pair.
//!
//! Claim: two such orders, each respecting real time, are those of a linearization (without dequeues that find
//! nothing) iff for all k ≤ j the call of e_k comes before the return of d_j. For if they are not, the order of the
//! enqueues, that of the dequeues, e_i before d_i, and real time form a cycle. It contains a step in real time from
//! some d_j to some e_k (nothing else leads from dequeues to enqueues). If the cycle then comes back to the dequeues by
//! a step e_i before d_i, then k ≤ i ≤ j: excluded. If it comes back by a step in real time from e_a to d_b, then
//! e_a returned before d_b was called, d_b was called before d_j returned (d_b is not after d_j, and their order
//! respects real time), and d_j returned before e_k was called: so e_a returned before e_k was called, though e_k is
//! not after e_a: excluded as well.
//!
//! A dequeue that finds nothing stands after the first i pairs and before everything else, for some i; there, nothing
//! of the rest may have returned before something of those pairs was called. It goes in at the first such place that
//! real time allows. Nothing is lost: such dequeues do not disturb each other. If z1 returned before z2 was called and
//! z2 stands at an earlier place, that place is open to z1 too.
//!
//! Enqueues that nothing takes out follow at the end. So a configuration is a frontier of the enqueues, one of the
//! dequeues, and which dequeues have found nothing: for k processes at most about 4^k for each number of pairs, whatever
//! is in the queue.

use hashbrown::HashSet;

use crate::Unknown;
use crate::limits::{Account, Budget};
use crate::monitor::{Act, Observed};
use crate::reduce::{Test, reduced};
use crate::search::{Frontier, Intervals, Layout, Mask, NEVER, Span};

/// What was found out. Operations are positions in the history that was given.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Linearizable, in this order.
    Order(Vec<u32>),
    /// Not linearizable: the return that ends the shortest failing prefix, and operations that suffice for that.
    Violation { fails_at: u32, operations: Vec<u32> },
}

/// Decides a history of a queue, in the order of the calls; `None` if there is a dequeue that returned, nobody knows
/// what.
pub(crate) fn decide(history: &[Observed], budget: &Budget) -> Result<Option<Decision>, Unknown> {
    let unclear = |o: &Observed| o.ret != NEVER && matches!(o.act, Act::RemoveUnknown);
    let foreign = |o: &Observed| matches!(o.act, Act::Write(_) | Act::Read(_) | Act::Switch { .. } | Act::Observe(_));
    if history.iter().any(|o| unclear(o) || foreign(o)) {
        return Ok(None);
    }
    if let Some(order) = Queue::new(history, NEVER).order(budget)? {
        return Ok(Some(Decision::Order(order)));
    }

    // Prefixes of a linearizable history are linearizable: the first that is not is found by halving.
    let mut returns: Vec<u32> = (0..history.len() as u32).filter(|&i| history[i as usize].ret != NEVER).collect();
    returns.sort_unstable_by_key(|&i| history[i as usize].ret);
    let (mut good, mut bad) = (0, returns.len() - 1);
    while good < bad {
        let middle = (good + bad) / 2;
        let end = history[returns[middle] as usize].ret;
        match Queue::new(history, end).order(budget)? {
            Some(_) => good = middle + 1,
            None => bad = middle,
        }
    }
    let fails_at = returns[bad];
    let end = history[fails_at as usize].ret;

    // All operations on one value can be left out together, and a dequeue that found nothing alone: what is left of a
    // queue's history is one. Dequeues of which nobody knows what they took out have to stay, and with them everything.
    let mut by_value: hashbrown::HashMap<u32, Vec<u32>> = Default::default();
    let mut units = Vec::new();
    let mut needed = Vec::new();
    for i in (0..history.len() as u32).filter(|&i| history[i as usize].call < end) {
        match history[i as usize].act {
            Act::Add(value) | Act::Remove(value) => by_value.entry(value).or_default().push(i),
            Act::FindEmpty => units.push(vec![i]),
            _ => needed.push(i),
        }
    }
    let mut values: Vec<Vec<u32>> = by_value.into_values().collect();
    values.sort_unstable();
    if needed.is_empty() {
        units.extend(values);
    } else {
        needed.extend(values.into_iter().flatten());
    }
    let fails = |operations: &[u32]| {
        let some: Vec<Observed> = operations.iter().map(|&i| history[i as usize]).collect();
        match Queue::new(&some, end).order(budget) {
            Ok(None) => Test::Passed,
            Ok(Some(_)) => Test::Failed,
            Err(_) => Test::GaveUp,
        }
    };
    let operations = reduced((units, needed), fails);
    Ok(Some(Decision::Violation { fails_at, operations }))
}

/// The operations of a history by what they do. Whatever returns after the end is open.
struct Queue {
    adds: Side,
    removes: Side,
    empties: Side,
}

/// Operations of one sort, in the order of their calls.
struct Side {
    /// Which operations of the history they are.
    operations: Vec<u32>,
    /// The values they put in or take out; [`ANY`] for a pending dequeue.
    values: Vec<u32>,
    layout: Layout,
}

/// The value of a dequeue that may take anything out. It has to be small, since values are used as indices.
const ANY: u32 = 0;

impl Queue {
    fn new(history: &[Observed], end: u32) -> Self {
        let side = |pick: &dyn Fn(Act) -> Option<u32>| {
            let mut side = (Vec::new(), Vec::new(), Vec::new());
            for (i, observed) in history.iter().enumerate().filter(|(_, observed)| observed.call < end) {
                let ret = if observed.ret > end { NEVER } else { observed.ret };
                if let Some(value) = pick(observed.act) {
                    side.0.push(i as u32);
                    side.1.push(value);
                    side.2.push(Span { call: observed.call, ret });
                }
            }
            Side { operations: side.0, values: side.1, layout: Layout::new(side.2) }
        };
        let mut queue = Queue {
            adds: side(&|act| if let Act::Add(value) = act { Some(value + 1) } else { None }),
            removes: side(&|act| match act {
                Act::Remove(value) => Some(value + 1),
                Act::RemoveUnknown => Some(ANY),
                _ => None,
            }),
            empties: side(&|act| (act == Act::FindEmpty).then_some(0)),
        };
        // One that is open at the end proves nothing.
        queue.empties.keep_returned();
        queue
    }

    fn order(&self, budget: &Budget) -> Result<Option<Vec<u32>>, Unknown> {
        match self.adds.layout.slots.max(self.removes.layout.slots).max(self.empties.layout.slots) {
            0..=64 => Pairing::<[u64; 1]>::new(self).order(budget),
            65..=128 => Pairing::<[u64; 2]>::new(self).order(budget),
            _ => Pairing::<Box<[u64]>>::new(self).order(budget),
        }
    }
}

impl Side {
    fn keep_returned(&mut self) {
        let kept: Vec<usize> = (0..self.operations.len()).filter(|&i| self.layout.spans[i].ret != NEVER).collect();
        self.operations = kept.iter().map(|&i| self.operations[i]).collect();
        self.values = kept.iter().map(|&i| self.values[i]).collect();
        self.layout = Layout::new(kept.iter().map(|&i| self.layout.spans[i]).collect());
    }
}

/// What stands in the linearization: a pair, or a dequeue that finds nothing.
#[derive(Clone, Copy)]
enum Placed {
    Pair(u32, u32),
    Empty(u32),
}

/// What is to be restored when the last thing placed is taken back.
struct Before<M> {
    adds: (u32, M),
    removes: (u32, M),
    empties: (u32, M),
    added: u32,
    latest: u32,
}

/// A search under way.
struct Pairing<'a, M> {
    queue: &'a Queue,
    adds: Intervals<'a, M>,
    removes: Intervals<'a, M>,
    empties: Intervals<'a, M>,
    /// The latest call of an enqueue in the pairs.
    added: u32,
    /// The latest call of any operation in the pairs.
    latest: u32,
    placed: Vec<Placed>,
    before: Vec<Before<M>>,
}

impl<'a, M: Mask> Pairing<'a, M> {
    fn new(queue: &'a Queue) -> Self {
        Pairing {
            queue,
            adds: Intervals::new(&queue.adds.layout, &queue.adds.values),
            removes: Intervals::new(&queue.removes.layout, &queue.removes.values),
            empties: Intervals::new(&queue.empties.layout, &queue.empties.values),
            added: 0,
            latest: 0,
            placed: Vec::new(),
            before: Vec::new(),
        }
    }

    /// A linearization, if there is one.
    fn order(mut self, budget: &Budget) -> Result<Option<Vec<u32>>, Unknown> {
        let mut met = HashSet::new();
        let mut untried: Vec<(u32, u32)> = Vec::new();
        // For each configuration on the way: how much was placed there, and where its untried pairs begin.
        let mut levels: Vec<(usize, usize)> = Vec::new();
        let (mut adds, mut removes) = (Vec::new(), Vec::new());
        let mut account = Account::new(budget);
        for turn in 0_u64.. {
            if turn.is_multiple_of(256) {
                budget.check_time()?;
                account.grow_to(met.allocation_size())?;
            }

            budget.check_time_to_grow(met.len(), met.capacity())?;
            let possible = self.place_empties();
            if possible && self.removes.is_complete() && self.empties.is_complete() {
                return Ok(Some(self.linearization()));
            }
            if possible && met.insert((self.adds.key(), self.removes.key(), self.empties.key())) {
                adds.clear();
                removes.clear();
                self.adds.candidates(&mut adds);
                self.removes.candidates(&mut removes);
                levels.push((self.placed.len(), untried.len()));
                for &remove in &removes {
                    for &add in &adds {
                        if self.fits(add, remove) {
                            untried.push((add, remove));
                        }
                    }
                }
            }

            loop {
                let Some(&(placed, start)) = levels.last() else {
                    return Ok(None);
                };
                self.take_back_to(placed);
                if untried.len() > start {
                    let (add, remove) = untried.pop().expect("something is untried");
                    self.place(Placed::Pair(add, remove));
                    break;
                }
                levels.pop();
            }
        }
        unreachable!("the search ends before the numbers do")
    }

    /// May these be the next pair?
    fn fits(&self, add: u32, remove: u32) -> bool {
        let (added, removed) = (self.queue.adds.values[add as usize], self.queue.removes.values[remove as usize]);
        let call = self.queue.adds.layout.spans[add as usize].call;
        let ret = self.queue.removes.layout.spans[remove as usize].ret;
        (removed == ANY || added == removed) && call.max(self.added) < ret
    }

    /// Places every dequeue that can have found nothing here. Is there still a place for each of the others?
    fn place_empties(&mut self) -> bool {
        let deadline = self.adds.deadline().min(self.removes.deadline());
        let spans = &self.queue.empties.layout.spans;
        let separate = self.latest < deadline;
        let here: Vec<u32> =
            self.empties.left().take_while(|&empty| separate && spans[empty as usize].call < deadline).collect();
        for empty in here {
            if spans[empty as usize].ret < self.latest {
                return false;
            }
            self.place(Placed::Empty(empty));
        }
        // The others must wait until what has returned before their call is in a pair: too late for those that return
        // before something that is in a pair was called.
        self.empties.deadline() > self.latest
    }

    fn place(&mut self, placed: Placed) {
        self.before.push(Before {
            adds: self.adds.key(),
            removes: self.removes.key(),
            empties: self.empties.key(),
            added: self.added,
            latest: self.latest,
        });
        self.placed.push(placed);
        match placed {
            Placed::Empty(empty) => self.empties.place(empty),
            Placed::Pair(add, remove) => {
                self.adds.place(add);
                self.removes.place(remove);
                self.added = self.added.max(self.queue.adds.layout.spans[add as usize].call);
                self.latest = self.latest.max(self.added).max(self.queue.removes.layout.spans[remove as usize].call);
            }
        }
    }

    fn take_back_to(&mut self, length: usize) {
        while self.placed.len() > length {
            let before = self.before.pop().expect("one for everything placed");
            match self.placed.pop().expect("longer than `length`") {
                Placed::Empty(empty) => self.empties.take_back(empty, &before.empties),
                Placed::Pair(add, remove) => {
                    self.adds.take_back(add, &before.adds);
                    self.removes.take_back(remove, &before.removes);
                }
            }
            (self.added, self.latest) = (before.added, before.latest);
        }
    }

    /// Everything that was placed, in one order: each operation at the earliest moment that its own call, what precedes
    /// it on its side, and its partner allow.
    fn linearization(&self) -> Vec<u32> {
        let Queue { adds, removes, empties } = self.queue;
        let mut moments: Vec<(u32, u32)> = Vec::new();
        let (mut add_moment, mut remove_moment) = (0, 0);
        for &placed in &self.placed {
            match placed {
                Placed::Pair(add, remove) => {
                    add_moment = add_moment.max(adds.layout.spans[add as usize].call);
                    remove_moment = remove_moment.max(removes.layout.spans[remove as usize].call).max(add_moment);
                    moments.push((add_moment, adds.operations[add as usize]));
                    moments.push((remove_moment, removes.operations[remove as usize]));
                }
                Placed::Empty(empty) => {
                    let moment = add_moment.max(remove_moment).max(empties.layout.spans[empty as usize].call);
                    (add_moment, remove_moment) = (moment, moment);
                    moments.push((moment, empties.operations[empty as usize]));
                }
            }
        }
        for add in self.adds.left() {
            let Span { call, ret } = adds.layout.spans[add as usize];
            if ret != NEVER {
                add_moment = add_moment.max(call);
                moments.push((add_moment, adds.operations[add as usize]));
            }
        }
        // Stable: at equal moments, as they were placed.
        moments.sort_by_key(|&(moment, _)| moment);
        moments.into_iter().map(|(_, operation)| operation).collect()
    }
}

//! As few orders as possible, stronger.
//!
//! An execution that violates something stays possible unless the order of one of its own accesses changes, or a fence comes to
//! stand before one. So a set of changes that does not rule out the violation has to be extended by a change to an access of
//! the violating execution, and by nothing else first: the search branches over these. It takes small sets first, and
//! cheap ones among them. A set that passes is a repair; sets that do all that it does are not looked at, nor are
//! larger ones that cost as much. So no repair contains another one.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use linchpin_engine::{Change, Orders, Place};
use linchpin_graph::{Order, Verb};

use crate::access::{Access, Half};
use crate::strength::{cost_of, stronger};
use crate::trial::{Failure, Run, Trial};

/// Changes that together rule a violation out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What to change, in the order of the source.
    pub changes: Vec<(Place, Change)>,
    /// What that costs at run time; see [`cost_of`].
    pub cost: u32,
}

/// What the search for repairs has found.
#[derive(Clone, Debug)]
pub struct Repairs {
    /// The violation.
    pub failure: Failure,
    /// Minimal repairs, the cheapest first. With each of them all tests passed.
    pub repairs: Vec<Repair>,
    /// Is there nothing else with as few changes, and nothing cheaper with more? If not, the search was cut short.
    pub is_complete: bool,
}

/// A set of changes that has not been tried yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    size: usize,
    cost: u32,
    steps: BTreeSet<Step>,
}

/// The access of this number gets this order, or a fence of this order before it. Orders as numbers, since these can be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Step {
    Order(usize, u8),
    Fence(usize, u8),
}

/// Looks for up to `most` repairs with up to `trials` runs of the tests. `None` if the tests pass with `orders`.
pub fn repair(orders: &Orders, most: usize, trials: usize, run: &mut Run<'_>) -> Option<Repairs> {
    // Those of all failing executions so far, with their orders before any repair.
    let mut accesses: Vec<Access> = Vec::new();
    let mut failure = None;
    let mut repairs: Vec<(BTreeSet<Step>, Repair)> = Vec::new();
    let mut queue = BTreeSet::from([Candidate { size: 0, cost: 0, steps: BTreeSet::new() }]);
    let mut known = HashSet::new();
    let mut left = trials;
    while let Some(candidate) = queue.pop_first() {
        let is_no_better = |(steps, repair): &(BTreeSet<Step>, Repair)| {
            is_covered(steps, &candidate.steps) || candidate.size > steps.len() && candidate.cost >= repair.cost
        };
        if repairs.iter().any(is_no_better) {
            continue;
        }
        if repairs.len() == most || left == 0 {
            return Some(finish(failure?, repairs, false));
        }
        left -= 1;
        let changes = changes_of(&accesses, &candidate.steps);
        let with = changes.iter().fold(orders.clone(), |orders, (place, change)| orders.with(place, *change));
        match run(&with) {
            Trial::Passes => repairs.push((candidate.steps, Repair { changes, cost: candidate.cost })),
            Trial::Undecided(_) => {}
            Trial::Fails(found) => {
                // What is not known yet has not been changed.
                let is_new = |access: &&Access| !accesses.iter().any(|known| known.is_of(access));
                let new: Vec<Access> = found.accesses.iter().filter(is_new).cloned().collect();
                accesses.extend(new);
                for step in steps_against(&accesses, &candidate.steps, &found) {
                    let mut steps = candidate.steps.clone();
                    steps.insert(step);
                    if known.insert(steps.iter().copied().collect::<Vec<_>>()) {
                        let changes = changes_of(&accesses, &steps);
                        let cost = changes.iter().map(|(place, change)| extra_cost(&accesses, place, change)).sum();
                        queue.insert(Candidate { size: steps.len(), cost, steps });
                    }
                }
                failure.get_or_insert(found);
            }
        }
    }
    Some(finish(failure?, repairs, true))
}

fn finish(failure: Failure, repairs: Vec<(BTreeSet<Step>, Repair)>, is_complete: bool) -> Repairs {
    let mut repairs: Vec<Repair> = repairs.into_iter().map(|(_, repair)| repair).collect();
    repairs.sort_by_key(|repair| repair.cost);
    Repairs { failure, repairs, is_complete }
}

/// Is everything that `weak` does done by `strong` as well?
fn is_covered(weak: &BTreeSet<Step>, strong: &BTreeSet<Step>) -> bool {
    weak.iter().all(|step| {
        strong.iter().any(|other| match (step, other) {
            (Step::Order(a, order), Step::Order(b, stronger)) => a == b && implies(*stronger, *order),
            (Step::Fence(a, order), Step::Fence(b, stronger)) => a == b && implies(*stronger, *order),
            _ => false,
        })
    })
}

fn implies(strong: u8, weak: u8) -> bool {
    let (strong, weak) = (order_of(strong), order_of(weak));
    strong == weak || strong.is_seq_cst() || strong == Order::AcqRel && weak != Order::SeqCst || weak == Order::Relaxed
}

fn order_of(number: u8) -> Order {
    [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst][usize::from(number)]
}

/// The steps that change something about the failing execution, where nothing has been changed yet.
fn steps_against(accesses: &[Access], done: &BTreeSet<Step>, failure: &Failure) -> Vec<Step> {
    let mut steps = Vec::new();
    let takes_part = |access: &Access| failure.accesses.iter().any(|other| other.is_of(access));
    for (number, access) in accesses.iter().enumerate().filter(|(_, access)| takes_part(access)) {
        if !done.iter().any(|step| matches!(step, Step::Order(of, _) if *of == number)) {
            steps.extend(all_stronger(access).into_iter().map(|order| Step::Order(number, order as u8)));
        }
        let has_fence = done.iter().any(|step| matches!(step, Step::Fence(of, _) if *of == number));
        if access.half == Half::Success && access.place.verb != Verb::Fence && !has_fence {
            let fences = [Order::Acquire, Order::Release, Order::SeqCst];
            steps.extend(fences.map(|order| Step::Fence(number, order as u8)));
        }
    }
    steps
}

/// All orders that are stronger than the access's own.
fn all_stronger(access: &Access) -> Vec<Order> {
    let mut orders = vec![access.order];
    let mut at = 0;
    while at < orders.len() {
        let more = stronger(access, orders[at]).iter().filter(|order| !orders.contains(order));
        let more: Vec<Order> = more.copied().collect();
        orders.extend(more);
        at += 1;
    }
    orders.split_off(1)
}

fn changes_of(accesses: &[Access], steps: &BTreeSet<Step>) -> Vec<(Place, Change)> {
    let mut changes: Vec<(Place, Change)> = Vec::new();
    for step in steps {
        let (number, change) = match *step {
            Step::Order(number, order) => (number, accesses[number].with_order(order_of(order))),
            Step::Fence(number, order) => (number, Change { fence_before: Some(order_of(order)), ..Change::default() }),
        };
        let place = &accesses[number].place;
        match changes.iter_mut().find(|(known, _)| known == place) {
            Some((_, known)) => {
                known.order = known.order.or(change.order);
                known.failure = known.failure.or(change.failure);
                known.fence_before = known.fence_before.or(change.fence_before);
            }
            None => changes.push((place.clone(), change)),
        }
    }
    changes.sort_by(|a, b| a.0.cmp(&b.0));
    changes
}

/// What a change costs more than what is there.
fn extra_cost(accesses: &[Access], place: &Place, change: &Change) -> u32 {
    let there = accesses.iter().filter(|access| access.place == *place).fold(Change::default(), |there, access| {
        let Change { order, failure, .. } = access.with_order(access.order);
        Change { order: there.order.or(order), failure: there.failure.or(failure), fence_before: None }
    });
    let there =
        Change { order: change.order.and(there.order), failure: change.failure.and(there.failure), fence_before: None };
    cost_of(place.verb, change).saturating_sub(cost_of(place.verb, &there)).max(1)
}

/// One line per repair, the cheapest first.
impl fmt::Display for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Repair { changes, cost } in &self.repairs {
            let told: Vec<String> = changes.iter().map(|(place, change)| tell(place, change)).collect();
            writeln!(f, "{} (cost {cost})", told.join(" and "))?;
        }
        match (self.repairs.is_empty(), self.is_complete) {
            (true, true) => writeln!(f, "no change of orders and no fence rules the failure out"),
            (true, false) => writeln!(f, "nothing found so far; the search was cut short"),
            (false, true) => Ok(()),
            (false, false) => writeln!(f, "there may be others: the search was cut short"),
        }
    }
}

fn tell(place: &Place, change: &Change) -> String {
    let mut told = Vec::new();
    told.extend(change.order.map(|order| format!("{:?} at {place}: {order:?}", place.verb)));
    told.extend(change.failure.map(|order| format!("failing {:?} at {place}: {order:?}", place.verb)));
    told.extend(change.fence_before.map(|order| format!("fence({order:?}) before {place}")));
    told.join(" and ")
}

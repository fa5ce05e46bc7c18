//! Last in, first out.
//!
//! An element can lie at the bottom of all others if its push and its pop each own a slot in which no other element is
//! certainly there. Then the others come and go before the first slot, between the two, or after the second (see
//! `empties` for why each can be kept on one side of a slot that it does not cover), each side is a stack of its own,
//! and the element can be taken out of the question. If this takes out every element the history is linearizable. If
//! it gets stuck, it is not: in a linearization of what is left, the element that is pushed first lies on the ground,
//! so it is pushed and popped while nothing else is there.
//!
//! The order in which elements are taken out does not matter: each one leaves the others with more free slots.

use std::ops::Range;

use linchpin_model::OperationId;

use super::empties::Segments;
use super::prepare::{Collection, Element};
use super::range_min::RangeMin;
use crate::Unknown;
use crate::limits::Budget;

/// How an element was taken out of the question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Freed {
    /// The how-manieth it was.
    rank: u32,
    /// A slot of its push, and a slot of its pop, that none of those taken out later covers.
    push: u32,
    pop: u32,
}

/// How each element was taken out, or those that could not be.
pub(super) fn take_out(
    elements: &[Element],
    end: u32,
    budget: &Budget,
) -> Result<Result<Vec<Freed>, Vec<u32>>, Unknown> {
    budget.check_time()?;
    let mut covered = Counts::new(elements.iter().map(Element::present), end);
    let mut owners = Owners::new(elements, end);
    let mut freed = vec![Freed { rank: NOT_YET, push: NOT_YET, pop: NOT_YET }; elements.len()];
    for (element, freed) in elements.iter().zip(&mut freed) {
        // Whatever is left is popped at the end, where nothing covers it.
        if element.removing.start == end {
            freed.pop = end;
        }
    }
    let mut rank = 0;
    let mut steps = 0_u32;
    while let Some(slot) = covered.take_free() {
        steps += 1;
        if steps.is_multiple_of(1 << 13) {
            budget.check_time()?;
        }
        while let Some((number, is_pop)) = owners.take_one(slot) {
            let element = &mut freed[number as usize];
            *(if is_pop { &mut element.pop } else { &mut element.push }) = slot;
            if element.push != NOT_YET && element.pop != NOT_YET {
                // The push is not after the pop: a slot that both own frees both, and no slot of the push that is not one
                // of the pop's is after one of the pop's.
                debug_assert!(element.push <= element.pop);
                element.rank = rank;
                rank += 1;
                covered.uncover(elements[number as usize].present());
            }
        }
    }
    if rank as usize == elements.len() {
        return Ok(Ok(freed));
    }
    let stuck = (0..).zip(&freed).filter(|(_, freed)| freed.rank == NOT_YET);
    Ok(Err(stuck.map(|(number, _)| number).collect()))
}

const NOT_YET: u32 = u32::MAX;

/// How many elements are certainly there in each slot: a tournament for the slot with the fewest.
struct Counts {
    leaves: usize,
    /// The least count below a node, but for what is noted at the nodes above it.
    least: Vec<i32>,
    /// What is to be added to all counts below a node; already in its own `least`.
    noted: Vec<i32>,
}

impl Counts {
    /// More than any count: the slot has been taken.
    const TAKEN: i32 = 1 << 30;

    fn new(covers: impl Iterator<Item = Range<u32>>, end: u32) -> Self {
        let slots = end as usize + 1;
        let leaves = slots.next_power_of_two();
        let mut changes = vec![0; slots + 1];
        for cover in covers.filter(|cover| !cover.is_empty()) {
            changes[cover.start as usize] += 1;
            changes[cover.end as usize] -= 1;
        }
        let mut least = vec![Self::TAKEN; 2 * leaves];
        let mut count = 0;
        for (leaf, change) in least[leaves..leaves + slots].iter_mut().zip(changes) {
            count += change;
            *leaf = count;
        }
        for node in (1..leaves).rev() {
            least[node] = least[2 * node].min(least[2 * node + 1]);
        }
        Counts { leaves, least, noted: vec![0; leaves] }
    }

    /// A slot in which nothing is there, each slot once.
    fn take_free(&mut self) -> Option<u32> {
        if self.least[1] != 0 {
            return None;
        }
        let mut node = 1;
        let mut count = 0;
        while node < self.leaves {
            count -= self.noted[node];
            node *= 2;
            if self.least[node] != count {
                node += 1;
            }
        }
        let slot = (node - self.leaves) as u32;
        self.least[node] = Self::TAKEN;
        while node > 1 && self.correct(node / 2) {
            node /= 2;
        }
        Some(slot)
    }

    /// One element less is there.
    fn uncover(&mut self, slots: Range<u32>) {
        if slots.is_empty() {
            return;
        }
        let (first, last) = (slots.start as usize + self.leaves, slots.end as usize - 1 + self.leaves);
        let (mut low, mut high) = (first, last + 1);
        while low < high {
            if low % 2 == 1 {
                self.decrease(low);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                self.decrease(high);
            }
            low /= 2;
            high /= 2;
        }
        // Every change is above one of the two ends.
        (low, high) = (first / 2, last / 2);
        while high > 0 {
            self.correct(low);
            if low != high {
                self.correct(high);
            }
            low /= 2;
            high /= 2;
        }
    }

    fn decrease(&mut self, node: usize) {
        self.least[node] -= 1;
        if node < self.leaves {
            self.noted[node] -= 1;
        }
    }

    /// Computes a node from its children; did that change it?
    fn correct(&mut self, node: usize) -> bool {
        let least = self.least[2 * node].min(self.least[2 * node + 1]) + self.noted[node];
        std::mem::replace(&mut self.least[node], least) != least
    }
}

/// The pushes and pops that have no free slot yet: a tournament for the one that lasts longest.
struct Owners {
    leaves: usize,
    /// Where the slots of the operations below a node end.
    ends: Vec<u32>,
    /// Which element's operation a leaf is. Two leaves for each slot: for the push, and for the pop, that begins there.
    elements: Vec<u32>,
}

impl Owners {
    fn new(elements: &[Element], end: u32) -> Self {
        let leaves = (2 * end as usize).next_power_of_two().max(2);
        let mut owners = Owners { leaves, ends: vec![0; 2 * leaves], elements: vec![0; 2 * end as usize] };
        let mut place = |leaf: usize, ends: u32, number: u32| {
            owners.ends[leaves + leaf] = ends;
            owners.elements[leaf] = number;
        };
        for (number, element) in (0..).zip(elements) {
            place(2 * element.adding.start as usize, element.adding.end, number);
            if element.removing.start < end {
                place(2 * element.removing.start as usize + 1, element.removing.end, number);
            }
        }
        for node in (1..leaves).rev() {
            owners.ends[node] = owners.ends[2 * node].max(owners.ends[2 * node + 1]);
        }
        owners
    }

    /// An operation that owns this slot (its element, and whether it is the pop), each operation once.
    ///
    /// Of those that last beyond the slot the one that begins first: if that one begins after the slot, all do.
    fn take_one(&mut self, slot: u32) -> Option<(u32, bool)> {
        if self.ends[1] <= slot {
            return None;
        }
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            if self.ends[node] <= slot {
                node += 1;
            }
        }
        let leaf = node - self.leaves;
        if leaf / 2 > slot as usize {
            return None;
        }
        let taken = std::mem::replace(&mut self.ends[node], 0);
        // Only where it was the one that lasts longest, something changes.
        while node > 1 && self.ends[node / 2] == taken {
            node /= 2;
            self.ends[node] = self.ends[2 * node].max(self.ends[2 * node + 1]);
        }
        Some((self.elements[leaf], leaf % 2 == 1))
    }
}

/// An order of a history whose elements were all taken out.
pub(super) fn order(collection: &Collection, freed: &[Freed], segments: &Segments) -> Vec<OperationId> {
    let elements = &collection.elements;
    let sorted = &segments.elements;
    let mut at_rank = vec![0; elements.len()];
    for (at, &number) in sorted.iter().enumerate() {
        at_rank[freed[number as usize].rank as usize] = at;
    }
    let mut left = RangeMin::new(sorted.iter().map(|&number| freed[number as usize].rank));
    let mut order = Vec::with_capacity(2 * elements.len() + collection.empties.len());
    for segment in &segments.segments {
        let mut open = vec![Step::Order { range: segment.elements.clone(), until: segment.until }];
        while let Some(step) = open.pop() {
            match step {
                Step::Order { range, until } => {
                    // The one that was taken out first is at the bottom of the others.
                    let Some(rank) = left.smallest(&range) else { continue };
                    let at = at_rank[rank as usize];
                    left.strike(at);
                    let number = sorted[at] as usize;
                    let (push, pop) = (freed[number].push.min(until), freed[number].pop.min(until));
                    let by = |slot: u32| {
                        let gone = |&number: &u32| elements[number as usize].removing.start <= slot;
                        range.start + sorted[range.clone()].partition_point(gone)
                    };
                    let (below, above) = (by(push), by(pop));
                    open.push(Step::Order { range: above..range.end, until });
                    // What is popped at the end need not be popped at all, and must not if it is below what stays.
                    if let Some(remove) = elements[number].remove.filter(|_| pop < collection.end) {
                        open.push(Step::Append(remove));
                    }
                    open.push(Step::Order { range: below..above, until: pop });
                    open.push(Step::Append(elements[number].add));
                    open.push(Step::Order { range: range.start..below, until: push });
                }
                Step::Append(operation) => order.push(operation),
            }
        }
        order.extend(&segment.empties);
    }
    order
}

enum Step {
    /// Order the elements in a range of positions, which can all have gone by `until`.
    Order {
        range: Range<usize>,
        until: u32,
    },
    Append(OperationId),
}

//! The greatest comes out first.
//!
//! A removal needs a slot in which no greater element was certainly there, and if every removal has one, the history is
//! linearizable: [`order`] finds an order.

use std::ops::Range;

use linchpin_model::OperationId;

use super::cover::{self, Free};
use super::empties::Segments;
use super::prepare::{Collection, Element};
use super::range_min::RangeMin;

/// For each element the slot in which it is taken out while no greater element is certainly there; the slot after all
/// others if there is none.
pub(super) fn removal_slots(collection: &Collection) -> Vec<u32> {
    let mut free = Free::new(collection.end);
    let mut slots = vec![0; collection.elements.len()];
    for (element, slot) in collection.elements.iter().zip(&mut slots).rev() {
        *slot = free.from(element.removing.start);
        free.cover(element.present());
    }
    slots
}

/// Of the elements that were taken out although something greater was there all the time, the one that was taken out
/// first, and what was there. The history up to that removal is the shortest with such an element: what was there by
/// then was there then.
pub(super) fn violation<'a>(collection: &'a Collection, slots: &[u32]) -> Option<(&'a Element, Vec<&'a Element>)> {
    let elements = collection.elements.iter().enumerate();
    let covered = elements.filter(|&(i, element)| slots[i] >= element.removing.end);
    let (first, element) = covered.min_by_key(|(_, element)| element.removed)?;
    let chain = cover::chain(element.removing.clone(), &collection.elements[first + 1..]);
    Some((element, chain.expect("no slot of a covered removal is free")))
}

/// An order of a history without a [`violation`].
///
/// The least element `v` of a segment is taken out in its slot `q`, in which no other is certainly there; so, as with
/// those that find nothing (see `empties`), the others come and go before that or after it, and each side is ordered
/// in the same way. This gives the order of the removals. An addition comes after the removal of the lesser element
/// that cut its side off on the left, if any, and before its own removal; apart from that it is free, because being
/// there hinders only the removal of lesser elements, and all of those that could be hindered are beyond the cuts.
///
/// There is an order of the operations with these properties (put each addition as far forward as the operations that
/// come before it allow), so giving each operation the earliest slot that they allow keeps all within their slots.
pub(super) fn order(collection: &Collection, slots: &[u32], segments: &Segments) -> Vec<OperationId> {
    let elements = &collection.elements;
    let sorted = &segments.elements;
    let mut position = vec![0; elements.len()];
    for (at, &element) in sorted.iter().enumerate() {
        position[element as usize] = at;
    }
    // The elements are sorted by value, so an element's number is its rank.
    let mut left = RangeMin::new(sorted.iter().copied());
    let mut order = Vec::with_capacity(2 * elements.len() + collection.empties.len());
    let mut removals = Removals { slot: 0, count: 0, places: vec![(0, 0); elements.len()], line: Vec::new() };
    for segment in &segments.segments {
        let mut open = vec![Step::Order { range: segment.elements.clone(), until: segment.until, cut: None }];
        while let Some(step) = open.pop() {
            match step {
                Step::Order { range, until, cut } => {
                    let Some(least) = left.smallest(&range) else { continue };
                    let (least, slot) = (least as usize, slots[least as usize].min(until));
                    left.strike(position[least]);
                    let before = |&element: &u32| elements[element as usize].removing.start <= slot;
                    let middle = range.start + sorted[range.clone()].partition_point(before);
                    // At the end nothing needs to be taken out any more.
                    let stays = slot == collection.end;
                    open.push(Step::Order { range: middle..range.end, until, cut: Some(least) });
                    open.push(Step::Remove { element: least, cut, stays });
                    open.push(Step::Order { range: range.start..middle, until: slot, cut });
                }
                Step::Remove { element, cut, stays } => removals.push(&elements[element], element, cut, stays),
            }
        }
        removals.line.sort_unstable();
        order.extend(removals.line.drain(..).map(|(_, _, id)| id));
        order.extend(&segment.empties);
    }
    order
}

enum Step {
    /// Order the elements in a range of positions, which can all have gone by `until`, after the removal of `cut`.
    Order { range: Range<usize>, until: u32, cut: Option<usize> },
    /// Take this element out, unless it stays.
    Remove { element: usize, cut: Option<usize>, stays: bool },
}

/// The removals, in order, and the additions that belong to them.
struct Removals {
    /// The slot of the latest one.
    slot: u32,
    /// Twice how many there have been: room for additions in between.
    count: u32,
    /// Each element's `slot` and `count` right after its removal.
    places: Vec<(u32, u32)>,
    /// The operations of this segment: slot, place among those with the same slot, and which it is.
    line: Vec<(u32, u32, OperationId)>,
}

impl Removals {
    fn push(&mut self, element: &Element, number: usize, cut: Option<usize>, stays: bool) {
        // Right after the removal that cuts it off, so that it is before all removals that follow in the same slot.
        let (slot, place) = cut.map_or((0, 0), |cut| self.places[cut]);
        let added = element.adding.start.max(slot);
        self.line.push((added, place, element.add));
        self.slot = self.slot.max(element.removing.start).max(added);
        if !stays && let Some(remove) = element.remove {
            self.line.push((self.slot, self.count + 1, remove));
        }
        self.count += 2;
        self.places[number] = (self.slot, self.count);
    }
}

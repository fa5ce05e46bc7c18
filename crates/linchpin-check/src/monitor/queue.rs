//! First in, first out.
//!
//! A queue gives two elements in the order in which it got them, so the additions of two elements and their removals
//! must not be ordered in opposite ways, and that suffices: a history of a queue is linearizable iff there are no two
//! elements of which the first was put in before the second, and the second taken out before the first. (See
//! [`order`], which finds an order whenever there are no such two.)

use linchpin_model::OperationId;

use super::prepare::{Collection, Element};

/// Two elements in the order in which they were put in, the second of which was taken out before the first; of all such
/// pairs one whose second was taken out first. The history up to that removal is the shortest that has such a pair.
pub(super) fn violation(collection: &Collection) -> Option<(&Element, &Element)> {
    let elements = &collection.elements;
    let mut by_call: Vec<&Element> = elements.iter().collect();
    by_call.sort_unstable_by_key(|element| element.adding.start);
    let mut by_return: Vec<&Element> = elements.iter().collect();
    by_return.sort_unstable_by_key(|element| element.adding.end);

    let mut put_in = by_return.into_iter().peekable();
    // Of the elements that were put in before the current one was, the one that was taken out last.
    let mut last: Option<&Element> = None;
    let mut found: Option<(&Element, &Element)> = None;
    for second in by_call {
        while let Some(first) = put_in.next_if(|first| first.adding.end <= second.adding.start) {
            if last.is_none_or(|last| last.removing.start < first.removing.start) {
                last = Some(first);
            }
        }
        if let Some(first) = last
            && second.removing.end <= first.removing.start
            && found.is_none_or(|(_, earlier)| second.removed < earlier.removed)
        {
            found = Some((first, second));
        }
    }
    found
}

/// Appends the elements of one segment of a queue without a [`violation`] to an order.
///
/// Elements are taken one after another: next can be any that neither was put in nor was taken out after another one
/// that is left. Let `x` be the one whose addition ends first: none that is left was put in before it. If none was taken
/// out before it either, it is next. Otherwise `y`, whose removal ends first, is: it was taken out before `x`, so `x`
/// was not put in before `y`, and then nothing that is left was, since the addition of `x` ends first.
pub(super) fn order(members: &[&Element], end: u32, order: &mut Vec<OperationId>) {
    let mut by_addition: Vec<usize> = (0..members.len()).collect();
    by_addition.sort_unstable_by_key(|&member| members[member].adding.end);
    let mut by_removal: Vec<usize> = (0..members.len()).collect();
    by_removal.sort_unstable_by_key(|&member| members[member].removing.end);

    let mut taken = vec![false; members.len()];
    let (mut additions, mut removals) = (by_addition.iter(), by_removal.iter());
    let (mut x, mut y) = (additions.next(), removals.next());
    let mut sequence: Vec<&Element> = Vec::with_capacity(members.len());
    while let (Some(&first_added), Some(&first_removed)) = (x, y) {
        let next = match members[first_added].removing.start < members[first_removed].removing.end {
            true => first_added,
            false => first_removed,
        };
        taken[next] = true;
        sequence.push(members[next]);
        while x.is_some_and(|&x| taken[x]) {
            x = additions.next();
        }
        while y.is_some_and(|&y| taken[y]) {
            y = removals.next();
        }
    }
    both_sides(&sequence, end, order);
}

/// The additions of a sequence of elements and their removals, each in the earliest slot that it can have after those
/// before it. An element's addition is no later than its removal, and of two operations in the same slot the addition
/// comes first, so every removal finds its element at the head.
fn both_sides(sequence: &[&Element], end: u32, order: &mut Vec<OperationId>) {
    let mut added = 0;
    let additions: Vec<u32> = sequence
        .iter()
        .map(|element| {
            added = added.max(element.adding.start);
            added
        })
        .collect();
    let mut put_in = 0;
    let mut removed = 0;
    for (element, &added) in sequence.iter().zip(&additions) {
        removed = removed.max(element.removing.start).max(added);
        // What is left at the end stays, and with it what came later, even if something may have been about to take it.
        if removed == end {
            break;
        }
        while put_in < sequence.len() && additions[put_in] <= removed {
            order.push(sequence[put_in].add);
            put_in += 1;
        }
        order.extend(element.remove);
    }
    order.extend(sequence[put_in..].iter().map(|element| element.add));
}

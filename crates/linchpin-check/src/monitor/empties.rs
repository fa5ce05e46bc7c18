//! Operations that find a collection empty.
//!
//! Such an operation needs a slot in which no element was certainly there, and that is all that it needs. For let `t`
//! be a slot that no element covers. Each element with `removing.start <= t` can have come and gone by then, and each
//! other one can have come and gone later: since it was not certainly there in `t`, its addition and its removal may
//! both take effect after `t`. No operation of the latter comes before one of the former, so any linearization can be
//! rearranged: first what it says of the former, then the operation that finds nothing, then what it says of the
//! latter. (An element can be left out of any linearization of the collections here.)
//!
//! So the free slots that are chosen for these operations cut the elements, sorted by `removing.start`, into segments
//! that are linearized one after another, each as if it were alone.

use std::ops::Range;

use linchpin_model::OperationId;

use super::cover::{self, Free};
use super::prepare::{Collection, Element, Empty};

/// Of the operations that found nothing although something was there all the time, the one that returned first, and
/// what was there.
pub(super) fn violation(collection: &Collection) -> Option<(&Empty, Vec<&Element>)> {
    let mut free = free(collection);
    let covered = |empty: &&Empty| free.from(empty.looking.start) >= empty.looking.end;
    let first = collection.empties.iter().filter(covered).min_by_key(|empty| empty.ret)?;
    let chain = cover::chain(first.looking.clone(), &collection.elements);
    Some((first, chain.expect("no slot of a covered operation is free")))
}

/// The elements by `removing.start`, cut into segments.
pub(super) struct Segments {
    pub(super) elements: Vec<u32>,
    pub(super) segments: Vec<Segment>,
}

/// Elements that come and go between two moments at which the collection is found empty.
pub(super) struct Segment {
    /// Which of the sorted elements.
    pub(super) elements: Range<usize>,
    /// The slot by which they can all have gone.
    pub(super) until: u32,
    /// What finds nothing then.
    pub(super) empties: Vec<OperationId>,
}

/// The segments of a collection without a [`violation`].
pub(super) fn segments(collection: &Collection) -> Segments {
    let removing = |element: &u32| collection.elements[*element as usize].removing.start;
    let mut elements: Vec<u32> = (0..collection.elements.len() as u32).collect();
    elements.sort_unstable_by_key(removing);

    let mut free = free(collection);
    let mut empties: Vec<(u32, OperationId)> =
        collection.empties.iter().map(|empty| (free.from(empty.looking.start), empty.id)).collect();
    empties.sort_unstable();

    let mut segments: Vec<Segment> = Vec::new();
    let mut begin = 0;
    for group in empties.chunk_by(|a, b| a.0 == b.0) {
        let until = group[0].0;
        let end = begin + elements[begin..].partition_point(|element| removing(element) <= until);
        segments.push(Segment { elements: begin..end, until, empties: group.iter().map(|&(_, id)| id).collect() });
        begin = end;
    }
    segments.push(Segment { elements: begin..elements.len(), until: collection.end, empties: Vec::new() });
    Segments { elements, segments }
}

fn free(collection: &Collection) -> Free {
    let mut free = Free::new(collection.end);
    if !collection.empties.is_empty() {
        for element in &collection.elements {
            free.cover(element.present());
        }
    }
    free
}

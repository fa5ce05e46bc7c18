//! From operations to elements: what was put in, what took it out, and in which slots.
//!
//! Time is divided into slots, one per call: whatever takes effect can do so right after a call, since moving it back
//! to the latest call before it changes no order between operations that do not overlap. An operation owns the slots
//! from its own call up to the last one before its return; one operation comes before another if it owns only earlier
//! slots. The slot `end`, after all others, is where elements that nothing takes out are removed *virtually*: for every
//! collection here, a history is linearizable iff it is when all that is left is taken out at the end.
//!
//! What becomes of pending operations:
//!
//! * An addition whose element no returned operation took out is dropped, with whatever may have taken the element out:
//!   an element can be left out of any linearization, and nothing that returned speaks of it.
//! * An addition whose element a returned operation took out must have taken effect: it returns at the end of time.
//! * A removal of an element that was added, and that nothing else has taken out, returns at the end of time: either it
//!   takes effect, or it stands for the virtual removal, whose slot it owns.
//! * A removal of an element that another operation has taken out, or that was not added, cannot take effect: dropped.
//!   (Of several pending removals of one element at most one takes effect, and the one called first has the freedom of
//!   all of them.)
//! * One that finds the collection empty need not take effect, and nothing follows if it does: dropped.

use std::ops::Range;

use linchpin_model::OperationId;

use super::{Act, NEVER, Op};
use crate::Contradiction;

/// An element that was put in, and taken out by an operation or virtually.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) value: u32,
    pub(super) add: OperationId,
    pub(super) remove: Option<OperationId>,
    /// The slots in which it may have been put in; never after it was taken out.
    pub(super) adding: Range<u32>,
    /// The slots in which it may have been taken out; never before it was put in.
    pub(super) removing: Range<u32>,
    /// When it had been taken out: a time of the history, not a slot.
    pub(super) removed: u32,
}

impl Element {
    /// The slots in which it certainly was there; empty if it may have come and gone at once.
    pub(super) fn present(&self) -> Range<u32> {
        self.adding.end..self.removing.start
    }
}

/// An operation that returned and found nothing.
#[derive(Debug, Clone)]
pub(super) struct Empty {
    pub(super) id: OperationId,
    /// The slots in which it may have looked.
    pub(super) looking: Range<u32>,
    pub(super) ret: u32,
}

/// A history of a collection in which every element is put in once and taken out at most once.
#[derive(Debug, Clone)]
pub(super) struct Collection {
    /// By value.
    pub(super) elements: Vec<Element>,
    pub(super) empties: Vec<Empty>,
    /// The slot of the virtual removals.
    pub(super) end: u32,
    /// Was an element taken out while another operation, called earlier and still pending, might have taken it? Then
    /// shorter prefixes have more freedom than the times of this history tell.
    pub(super) rivals: bool,
}

/// A removal that contradicts nothing but the additions.
#[derive(Debug)]
pub(super) struct Defect {
    /// When the shortest prefix with the defect ends.
    pub(super) ret: u32,
    pub(super) fails_at: OperationId,
    pub(super) contradiction: Contradiction,
}

pub(super) enum Prepared {
    Collection(Collection),
    /// The defect that appears first.
    Defect(Defect),
    /// Something is put in twice, or done that is not known here.
    NotApplicable,
}

pub(super) fn prepare(history: &[Op]) -> Prepared {
    let mut by_value: Vec<u64> = Vec::with_capacity(history.len());
    let mut empties = Vec::new();
    for (at, op) in history.iter().enumerate() {
        match op.act {
            Act::Add(value) | Act::Remove(value) => by_value.push(u64::from(value) << 32 | at as u64),
            Act::FindEmpty if op.is_pending() => {}
            Act::FindEmpty => empties.push(op),
            _ => return Prepared::NotApplicable,
        }
    }
    by_value.sort_unstable();

    let mut pairs: Vec<(Op, Option<Op>)> = Vec::with_capacity(by_value.len() / 2 + 1);
    let mut rivals = false;
    let mut defect: Option<Defect> = None;
    for group in by_value.chunk_by(|a, b| a >> 32 == b >> 32) {
        let mut add = None;
        let mut removes = Removes::default();
        for &key in group {
            let op = history[key as u32 as usize];
            match op.act {
                Act::Add(_) if add.replace(op).is_some() => return Prepared::NotApplicable,
                Act::Add(_) => {}
                _ => removes.see(op),
            }
        }
        if let Some(found) = removes.defect(add) {
            if defect.as_ref().is_none_or(|first| found.ret < first.ret) {
                defect = Some(found);
            }
        } else if let Some(add) = add {
            let remove = removes.in_effect();
            if !add.is_pending() || remove.is_some_and(|remove| !remove.is_pending()) {
                rivals |= removes.rivalled();
                pairs.push((add, remove));
            }
        }
    }
    match defect {
        Some(defect) => Prepared::Defect(defect),
        None => Prepared::Collection(Collection { rivals, ..slotted(&pairs, &empties) }),
    }
}

/// What took, or may have taken, one element out.
#[derive(Default)]
struct Removes {
    /// The two that returned first.
    returned: [Option<Op>; 2],
    /// The one that was called first.
    called: Option<Op>,
}

impl Removes {
    fn see(&mut self, mut op: Op) {
        if self.called.is_none_or(|called| op.call < called.call) {
            self.called = Some(op);
        }
        if op.is_pending() {
            return;
        }
        for place in &mut self.returned {
            match place {
                Some(earlier) if earlier.ret < op.ret => {}
                Some(later) => std::mem::swap(later, &mut op),
                None => {
                    *place = Some(op);
                    return;
                }
            }
        }
    }

    /// What took the element out, if it was put in.
    fn in_effect(&self) -> Option<Op> {
        self.returned[0].or(self.called)
    }

    fn rivalled(&self) -> bool {
        self.returned[0].map(|op| op.call) > self.called.map(|op| op.call)
    }

    fn defect(&self, add: Option<Op>) -> Option<Defect> {
        let first = self.returned[0]?;
        let (op, contradiction) = match (add, self.returned[1]) {
            (None, _) => (first, Contradiction::NeverAdded { remove: first.id }),
            (Some(add), _) if first.ret < add.call => {
                (first, Contradiction::RemovedBeforeAdded { add: add.id, remove: first.id })
            }
            (Some(add), Some(second)) => {
                (second, Contradiction::RemovedTwice { add: add.id, removes: [first.id, second.id] })
            }
            (Some(_), None) => return None,
        };
        Some(Defect { ret: op.ret, fails_at: op.id, contradiction })
    }
}

/// Elements and empty removals with slots instead of times.
fn slotted(pairs: &[(Op, Option<Op>)], empties: &[&Op]) -> Collection {
    // Every time, followed by whose it is: the operation's number, doubled, and one more for a return.
    let mut times: Vec<u64> = Vec::with_capacity(4 * pairs.len() + 2 * empties.len());
    let mut add_times = |owner: u64, op: &Op| {
        times.push(u64::from(op.call) << 32 | owner << 1);
        if !op.is_pending() {
            times.push(u64::from(op.ret) << 32 | owner << 1 | 1);
        }
    };
    for (i, (add, remove)) in (0..).zip(pairs) {
        add_times(2 * i, add);
        if let Some(remove) = remove {
            add_times(2 * i + 1, remove);
        }
    }
    let first_empty = 2 * pairs.len();
    for (i, empty) in (first_empty as u64..).zip(empties) {
        add_times(i, empty);
    }
    times.sort_unstable();

    let mut calls = 0;
    let mut slots = vec![NEVER..NEVER; first_empty + empties.len()];
    for time in times {
        let owner = &mut slots[(time as u32 >> 1) as usize];
        if time & 1 == 0 {
            owner.start = calls;
            calls += 1;
        } else {
            owner.end = calls;
        }
    }
    let end = calls;

    let elements = pairs.iter().enumerate().map(|(i, (add, remove))| {
        let Act::Add(value) = add.act else { unreachable!("only additions make elements") };
        let (mut adding, mut removing) = (slots[2 * i].clone(), slots[2 * i + 1].clone());
        // What never returns, or was never called, is there at the end.
        removing = removing.start.min(end)..removing.end.min(end + 1);
        adding.end = adding.end.min(removing.end);
        removing.start = removing.start.max(adding.start);
        let removed = remove.map_or(NEVER, |remove| remove.ret);
        Element { value, add: add.id, remove: remove.map(|remove| remove.id), adding, removing, removed }
    });
    let empties = empties.iter().zip(&slots[first_empty..]);
    Collection {
        elements: elements.collect(),
        empties: empties.map(|(op, slots)| Empty { id: op.id, looking: slots.clone(), ret: op.ret }).collect(),
        end,
        rivals: false,
    }
}

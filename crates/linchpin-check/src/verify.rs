//! Checks a witness, with nothing that was used to find it.

use std::fmt;

use linchpin_model::{History, OperationId, Specification};

use crate::Witness;

/// What is wrong with an order that should explain a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It names an operation that the history does not have.
    NotThere(OperationId),
    /// It has this operation more than once.
    Twice(OperationId),
    /// This operation returned, but it is not in the order.
    Missing(OperationId),
    /// The first comes after the second in the order, and before it in the history.
    OutOfOrder(OperationId, OperationId),
    /// At its place in the order, this operation cannot return what it did.
    CannotReturn(OperationId),
}

/// Does this order explain the history? It has to hold every operation that returned, keep the history's order, and
/// be admitted by the specification.
pub fn verify<S: Specification>(
    specification: &S,
    history: &History<S::Invocation, S::Returned>,
    witness: &Witness,
) -> Result<(), Fault> {
    let order = &witness.order;
    let mut place = vec![None; history.len()];
    for (i, &id) in order.iter().enumerate() {
        match place.get_mut(id.index()) {
            None => return Err(Fault::NotThere(id)),
            Some(Some(_)) => return Err(Fault::Twice(id)),
            Some(free) => *free = Some(i),
        }
    }
    if let Some(id) = history.ids().find(|id| history[*id].returned && place[id.index()].is_none()) {
        return Err(Fault::Missing(id));
    }

    if let Some(intervals) = history.intervals() {
        // Going backwards, the earliest return so far must not lie before any call.
        let mut earliest: Option<OperationId> = None;
        for &id in order.iter().rev() {
            if let Some(later) = earliest
                && intervals[later.index()].ret < intervals[id.index()].call
            {
                return Err(Fault::OutOfOrder(later, id));
            }
            if earliest.is_none_or(|later| intervals[id.index()].ret < intervals[later.index()].ret) {
                earliest = Some(id);
            }
        }
    }
    // Pending operations come before nothing, so no pair leads through an operation that is not in the order.
    for &(a, b) in history.pairs().unwrap_or_default() {
        if let (Some(first), Some(second)) = (place[a.index()], place[b.index()])
            && first > second
        {
            return Err(Fault::OutOfOrder(a, b));
        }
    }

    let mut states = vec![specification.initial()];
    for &id in order {
        let operation = &history[id];
        let mut next = Vec::new();
        for state in &states {
            specification.step(state, &operation.invocation, operation.result.as_ref(), &mut next);
        }
        states = Vec::new();
        for state in next {
            if !states.contains(&state) {
                states.push(state);
            }
        }
        if states.is_empty() {
            return Err(Fault::CannotReturn(id));
        }
    }
    Ok(())
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotThere(id) => write!(f, "the order names operation {id}, which the history does not have"),
            Fault::Twice(id) => write!(f, "operation {id} is in the order more than once"),
            Fault::Missing(id) => write!(f, "operation {id} returned, but is not in the order"),
            Fault::OutOfOrder(a, b) => write!(f, "operation {a} returned before {b} was called, but comes after it"),
            Fault::CannotReturn(id) => write!(f, "operation {id} cannot return what it did at its place in the order"),
        }
    }
}

impl std::error::Error for Fault {}

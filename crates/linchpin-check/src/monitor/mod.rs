//! Decisions in n log n for well-known kinds of objects.
//!
//! Each monitor answers with evidence: an order, or the return at which the history stops being explainable together
//! with a smallest set of operations that contradict each other. What a monitor needs (distinct values, above all) it
//! checks itself; outside of that it says [`Decision::NotApplicable`] rather than guess.
//!
//! To be read in this order: `prepare` (operations to elements and slots), `prefix` (what a history was at an earlier
//! time), `cover` and `empties` (moments at which something was certainly there), then `queue`, `priority_queue` and
//! `stack` with its `stack_core`, which `collection` joins; `unknown` (removals of which only the call is known);
//! `register` and `bit`, which stand alone.

mod bit;
mod collection;
mod cover;
mod empties;
mod idle;
mod prefix;
mod prepare;
mod priority_queue;
mod queue;
mod range_min;
mod register;
mod stack;
mod stack_core;
mod unknown;

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod generate;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod timing;

use linchpin_model::OperationId;

use crate::limits::Budget;
use crate::{Contradiction, Unknown};

/// One operation as a monitor sees it. Times are the ranks of the calls and returns of the whole history, all
/// distinct; whatever is pending returns at [`NEVER`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Observed {
    pub(crate) act: Act,
    pub(crate) call: u32,
    pub(crate) ret: u32,
}

/// When a pending operation returns.
pub(crate) const NEVER: u32 = u32::MAX;

/// A [`Role`](linchpin_model::Role) whose value is a number: equal values have equal numbers, greater ones greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Act {
    Write(u32),
    Read(u32),
    Switch { to: bool },
    Observe(bool),
    Add(u32),
    Remove(u32),
    RemoveUnknown,
    FindEmpty,
    Nothing,
}

/// What kind of object is monitored; a register's initial value has a number too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watched {
    Register { initial: u32 },
    Bit { initial: bool },
    Queue,
    Stack,
    PriorityQueue,
}

/// What a monitor found out. Operations are named by their position in the slice it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Linearizable, in this order.
    Order(Vec<OperationId>),
    /// Not linearizable: the return with which the shortest failing prefix ends, and the contradiction, unless the
    /// caller has to find it.
    Violation { fails_at: OperationId, contradiction: Option<Contradiction> },
    /// The history is outside what the monitor can decide.
    NotApplicable,
}

/// An operation that keeps its name when a part of the history is looked at.
#[derive(Debug, Clone, Copy)]
struct Op {
    id: OperationId,
    act: Act,
    call: u32,
    ret: u32,
}

impl Op {
    fn is_pending(&self) -> bool {
        self.ret == NEVER
    }
}

/// Decides a history of one part.
pub(crate) fn decide(watched: Watched, history: &[Observed], budget: &Budget) -> Result<Decision, Unknown> {
    budget.check_time()?;
    let ops: Vec<Op> = (0..)
        .map(OperationId)
        .zip(history)
        .filter(|(_, seen)| seen.act != Act::Nothing)
        .map(|(id, &Observed { act, call, ret })| Op { id, act, call, ret })
        .collect();
    let decision = match watched {
        Watched::Register { initial } => register::decide(initial, &ops, budget)?,
        Watched::Bit { initial } => bit::decide(initial, &ops, budget)?,
        Watched::Queue => unknown::decide(collection::Discipline::Queue, &ops, budget)?,
        Watched::Stack => unknown::decide(collection::Discipline::Stack, &ops, budget)?,
        Watched::PriorityQueue => unknown::decide(collection::Discipline::PriorityQueue, &ops, budget)?,
    };
    Ok(match decision {
        Decision::Order(order) => Decision::Order(idle::woven_in(history, order)),
        other => other,
    })
}

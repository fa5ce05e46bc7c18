//! The order r on calls: happens-before and the order of SC events, between ordering points.

use linchpin_graph::{EventId, Execution, MemoryModel, ThreadId};

use super::call::Observed;

/// A transitive order on calls, by their places in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOrder {
    calls: usize,
    before: Vec<bool>,
}

impl CallOrder {
    /// r of the calls of an execution: a call is before another if one of its ordering points happens before one of the
    /// other's, or precedes it in every order of SC events that the execution admits; closed transitively.
    ///
    /// A call without ordering points is before another when it has ended before that one's points, and after another when it
    /// begins after those.
    pub fn of(execution: &Execution, calls: &[Observed]) -> CallOrder {
        let anchors: Vec<Anchors> = calls.iter().map(|call| Anchors::of(execution, call)).collect();
        let is_seq_cst = |id: EventId| execution.event(id).order.is_seq_cst();
        // Under the model SC every event counts as SC.
        let takes_part = |&&id: &&EventId| execution.model() == MemoryModel::Sc || is_seq_cst(id);
        let ends = anchors.iter().flat_map(|anchors| &anchors.ends).any(|id| takes_part(&id));
        let starts = anchors.iter().flat_map(|anchors| &anchors.starts).any(|id| takes_part(&id));
        let sc_order = (ends && starts).then(|| execution.sc_order());
        let precedes = |earlier: EventId, later: EventId| {
            execution.happens_before(earlier, later)
                || sc_order.as_ref().is_some_and(|order| order.orders(earlier, later))
        };
        let mut order = CallOrder { calls: calls.len(), before: vec![false; calls.len() * calls.len()] };
        for (a, first) in anchors.iter().enumerate() {
            for (b, second) in anchors.iter().enumerate() {
                order.before[a * calls.len() + b] = match calls[a].thread == calls[b].thread {
                    // Calls of one thread do not overlap; those without events may stand in the same place.
                    true if calls[a].events == calls[b].events => a < b,
                    true => calls[a].events.end <= calls[b].events.start,
                    false => first.ends.iter().any(|&end| second.starts.iter().any(|&start| precedes(end, start))),
                };
            }
        }
        order.close();
        order
    }

    /// The order with these pairs, and what follows from them.
    pub fn from_pairs(calls: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> CallOrder {
        let mut order = CallOrder { calls, before: vec![false; calls * calls] };
        for (a, b) in pairs {
            order.before[a * calls + b] = true;
        }
        order.close();
        order
    }

    /// Is call `a` before call `b`?
    pub fn orders(&self, a: usize, b: usize) -> bool {
        self.before[a * self.calls + b]
    }

    /// Is neither before the other?
    pub fn is_concurrent(&self, a: usize, b: usize) -> bool {
        a != b && !self.orders(a, b) && !self.orders(b, a)
    }

    /// A call that is before itself, if r has a cycle.
    pub fn cycle(&self) -> Option<usize> {
        (0..self.calls).find(|&call| self.orders(call, call))
    }

    /// The order among some of the calls.
    pub(super) fn among(&self, some: &[usize]) -> CallOrder {
        let before = some.iter().flat_map(|&a| some.iter().map(move |&b| self.orders(a, b))).collect();
        CallOrder { calls: some.len(), before }
    }

    pub(super) fn len(&self) -> usize {
        self.calls
    }

    fn close(&mut self) {
        for middle in 0..self.calls {
            for from in 0..self.calls {
                if self.orders(from, middle) {
                    for to in 0..self.calls {
                        self.before[from * self.calls + to] |= self.orders(middle, to);
                    }
                }
            }
        }
    }
}

/// What of a call takes part in the order. If it has ordering points, these are both.
struct Anchors {
    /// What is before other calls if the call is.
    ends: Vec<EventId>,
    /// What is after other calls if the call is.
    starts: Vec<EventId>,
}

impl Anchors {
    fn of(execution: &Execution, call: &Observed) -> Anchors {
        let at = |index: u32| execution.thread(call.thread).events().get(index as usize).copied();
        let points: Vec<EventId> = call.points.iter().filter_map(|&index| at(index)).collect();
        if !points.is_empty() {
            return Anchors { ends: points.clone(), starts: points };
        }
        let (end, start) = if !call.events.is_empty() {
            (at(call.events.end - 1), at(call.events.start))
        } else {
            // It is where its thread is: what that does next comes after it, what that did last before it.
            let last = call.events.start.checked_sub(1).and_then(at);
            let spawn = (call.thread != ThreadId::MAIN).then(|| execution.spawn_of(call.thread));
            (at(call.events.end), last.or(spawn))
        };
        Anchors { ends: end.into_iter().collect(), starts: start.into_iter().collect() }
    }
}

//! Independent parts of a history, each to be decided on its own.

use hashbrown::HashMap;
use linchpin_model::{History, Interval, OperationId, Specification, Value};

use crate::search::{NEVER, Span};

/// The operations of one part, in the order of their calls, with calls and returns as ranks in the whole history.
pub(crate) struct Part<'a, S: Specification> {
    pub(crate) specification: &'a S,
    pub(crate) history: &'a History<S::Invocation, S::Returned>,
    /// Which part it is; `None` when it is the whole object.
    pub(crate) name: Option<Value>,
    pub(crate) ids: Vec<OperationId>,
    pub(crate) spans: Vec<Span>,
}

impl<'a, S: Specification> Part<'a, S> {
    /// The parts of a history in real time; one for everything when an operation works on the whole object.
    pub(crate) fn split(
        specification: &'a S,
        history: &'a History<S::Invocation, S::Returned>,
        intervals: &[Interval],
    ) -> Vec<Self> {
        let names: Option<Vec<Value>> =
            history.operations().iter().map(|operation| specification.part(&operation.invocation)).collect();
        let whole = Part::whole(specification, history, intervals);
        let Some(names) = names else { return vec![whole] };

        let mut parts: Vec<Self> = Vec::new();
        let mut index: HashMap<&Value, usize> = HashMap::new();
        for (id, span) in whole.ids.into_iter().zip(whole.spans) {
            let name = &names[id.index()];
            let index = *index.entry(name).or_insert_with(|| {
                let name = Some(name.clone());
                parts.push(Part { specification, history, name, ids: Vec::new(), spans: Vec::new() });
                parts.len() - 1
            });
            parts[index].ids.push(id);
            parts[index].spans.push(span);
        }
        parts
    }

    /// All operations as one part.
    ///
    /// Pending operations that can only read are left out: nobody saw what they read, so they prove nothing.
    pub(crate) fn whole(
        specification: &'a S,
        history: &'a History<S::Invocation, S::Returned>,
        intervals: &[Interval],
    ) -> Self {
        let matters = |&(id, _): &(OperationId, Span)| {
            let operation = &history[id];
            operation.returned || !specification.is_read_only(&operation.invocation, operation.result.as_ref())
        };
        let (ids, spans) = ranked(intervals).into_iter().filter(matters).unzip();
        Part { specification, history, name: None, ids, spans }
    }
}

/// The operations in the order of their calls, with calls and returns numbered in the order of time. At equal times
/// calls come before returns, since intervals are closed.
fn ranked(intervals: &[Interval]) -> Vec<(OperationId, Span)> {
    // Calls and returns are sorted apart, since most histories have their calls in order already.
    let mut calls: Vec<(i64, u32)> = (0..).zip(intervals).map(|(i, interval)| (interval.call, i)).collect();
    let returned = (0..).zip(intervals).filter(|(_, interval)| interval.ret != Interval::NEVER);
    let mut returns: Vec<(i64, u32)> = returned.map(|(i, interval)| (interval.ret, i)).collect();
    calls.sort_unstable();
    returns.sort_unstable();
    let mut place = vec![0; intervals.len()];
    let mut ranked: Vec<(OperationId, Span)> = Vec::with_capacity(intervals.len());
    let mut rank = 0;
    let mut calls = calls.into_iter().peekable();
    for (time, operation) in returns {
        while let Some((_, called)) = calls.next_if(|&(call, _)| call <= time) {
            place[called as usize] = ranked.len();
            ranked.push((OperationId(called), Span { call: rank, ret: NEVER }));
            rank += 1;
        }
        ranked[place[operation as usize]].1.ret = rank;
        rank += 1;
    }
    // What is called when nothing returns any more.
    ranked
        .extend((rank..).zip(calls).map(|(call, (_, operation))| (OperationId(operation), Span { call, ret: NEVER })));
    ranked
}

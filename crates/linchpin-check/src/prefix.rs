//! Beginnings of a history, and the orders that explain them.

use hashbrown::HashMap;
use linchpin_model::{History, Interval, Operation, OperationId, Specification};

use crate::decide::{calls, search};
use crate::limits::Budget;
use crate::part::Part;
use crate::search::{Keep, Layout, Transitions};
use crate::{Evidence, Limits, Unknown, Verdict, Witness, check};

/// The history up to the return of an operation, and which operation each of its operations was. What is still open
/// there is pending, but keeps the result that it returns later: if it takes effect, it does so with that result.
///
/// `None` if the operation does not return, or the order is not one in time.
pub fn prefix<I: Clone, R: Clone>(
    history: &History<I, R>,
    last: OperationId,
) -> Option<(History<I, R>, Vec<OperationId>)> {
    let intervals = history.intervals()?;
    let end = intervals[last.index()].ret;
    if end == Interval::NEVER {
        return None;
    }
    let mut begun = History::new();
    let mut ids = Vec::new();
    for (id, &Interval { call, ret }) in history.ids().zip(intervals) {
        if call <= end {
            let ret = if ret > end { Interval::NEVER } else { ret };
            begun.push(Operation { returned: ret != Interval::NEVER, ..history[id].clone() }, Interval { call, ret });
            ids.push(id);
        }
    }
    Some((begun, ids))
}

/// A witness for every linearizable prefix of a history, shortest first: the one at position i explains the history up
/// to its i-th return. Where the history fails, the list ends before the return at which it does. (This is what the CGVT
/// paper calls *OpOrder*.)
///
/// The orders come from one search, and so mostly continue each other.
pub fn witnesses_of_prefixes<S: Specification>(
    specification: &S,
    history: &History<S::Invocation, S::Returned>,
    limits: &Limits,
) -> Result<Vec<Witness>, Unknown> {
    let Some(intervals) = history.intervals() else { return Ok(Vec::new()) };
    let budget = Budget::new(limits);
    let whole = Part::whole(specification, history, intervals);
    let layout = Layout::new(whole.spans.clone());
    let mut witnesses: Vec<Witness> = Vec::new();
    let mut progress = |position: u32, order: &[u32]| {
        // The order may have come several returns further at once: for each of them, it ends where everything that has
        // returned by then is in it.
        let place: HashMap<u32, usize> = order.iter().enumerate().map(|(i, &operation)| (operation, i)).collect();
        let end_with = |returned: u32| place[&returned] + 1;
        let mut end = layout.by_return[..witnesses.len()].iter().map(|&returned| end_with(returned)).max().unwrap_or(0);
        for reached in witnesses.len()..position as usize {
            end = end.max(end_with(layout.by_return[reached]));
            let order = order[..end].iter().map(|&local| whole.ids[local as usize]).collect();
            witnesses.push(Witness { order });
        }
    };
    let mut steps = Transitions::new(specification, calls(&whole), &budget)?;
    let mut keep = Keep { progress: Some(&mut progress), ..Keep::default() };
    search(&layout, &mut steps, &mut keep, &budget)?;
    Ok(witnesses)
}

/// An order of some operations that the specification admits and that cannot be continued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// The operations in order.
    pub order: Vec<OperationId>,
    /// The operation that had to come next, and cannot.
    pub stuck_at: OperationId,
}

/// How far one can get with a history that fails: for each operation up to the failure, the longest order found that
/// has it. For pictures: with many operations, only the order of the longest prefix that can be explained.
pub fn partial_linearizations<S: Specification>(
    specification: &S,
    history: &History<S::Invocation, S::Returned>,
    evidence: &Evidence,
    limits: &Limits,
) -> Vec<Partial> {
    /// More operations than this, or more dead ends, are not worth the wait.
    const OPERATIONS: usize = 1_000;
    const CONFIGURATIONS: u64 = 20_000;

    let (Some(intervals), Some(fails_at)) = (history.intervals(), evidence.fails_at) else { return Vec::new() };
    let end = intervals[fails_at.index()].ret;
    let inside = |id: OperationId| {
        let part = || specification.part(&history[id].invocation);
        intervals[id.index()].call <= end && (evidence.part.is_none() || part() == evidence.part)
    };
    let (inside, ids) = history.restricted(inside);
    let mut partials = Vec::new();

    let before = inside.ids().zip(inside.intervals().unwrap_or_default()).filter(|(_, interval)| interval.ret < end);
    if let Some((last, _)) = before.max_by_key(|(_, interval)| interval.ret)
        && let Some((begun, of_inside)) = prefix(&inside, last)
        && let Verdict::Linearizable(witness) = check(specification, &begun, limits)
    {
        let order = witness.order.iter().map(|id| ids[of_inside[id.index()].index()]).collect();
        partials.push(Partial { order, stuck_at: fails_at });
    }

    if inside.len() <= OPERATIONS {
        let budget = Budget::new(limits);
        let intervals = inside.intervals().unwrap_or_default();
        let whole = Part::whole(specification, &inside, intervals);
        let layout = Layout::new(whole.spans.clone());
        let mut longest: HashMap<u32, usize> = HashMap::new();
        let mut orders: Vec<Vec<u32>> = Vec::new();
        let mut dead_end = |order: &[u32]| {
            let better = |&&operation: &&u32| longest.get(&operation).is_none_or(|&i| orders[i].len() < order.len());
            let improved: Vec<u32> = order.iter().filter(better).copied().collect();
            if !improved.is_empty() {
                longest.extend(improved.into_iter().map(|operation| (operation, orders.len())));
                orders.push(order.to_vec());
            }
        };
        let mut keep = Keep { dead_end: Some(&mut dead_end), configurations: Some(CONFIGURATIONS), ..Keep::default() };
        // Whatever ends the search, what it has found so far is right.
        let _ = Transitions::new(specification, calls(&whole), &budget)
            .and_then(|mut steps| search(&layout, &mut steps, &mut keep, &budget));
        let mut useful: Vec<usize> = longest.into_values().collect();
        useful.sort_unstable();
        useful.dedup();
        for order in useful.into_iter().map(|i| &orders[i]) {
            let next = layout.by_return.iter().find(|operation| !order.contains(operation));
            if let Some(&next) = next {
                let id = |local: u32| ids[whole.ids[local as usize].index()];
                partials.push(Partial { order: order.iter().map(|&local| id(local)).collect(), stuck_at: id(next) });
            }
        }
    }
    partials
}

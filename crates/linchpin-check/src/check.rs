//! From a history to a verdict.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use linchpin_model::{History, Interval, OperationId, Specification};

use crate::decide::{Decided, FIRST_ATTEMPT, decide, decide_ordered, is_explained};
use crate::limits::Budget;
use crate::part::Part;
use crate::sentence::sentence;
use crate::{Contradiction, Evidence, Limits, Unknown, Verdict, Witness};

/// Below this many operations, starting threads would take longer than they save.
const WORTH_THREADS: usize = 2_000;

/// Decides whether a history is linearizable.
///
/// Independent parts of the object are decided on their own, in parallel. For each, the fastest way that applies is
/// taken: a monitor in n log n if the specification says what [kind](Specification::kind) of object it is and the
/// values of the history are distinct; otherwise a search.
///
/// ```
/// use linchpin_check::specs::{Queue, QueueCall, QueueReturned};
/// use linchpin_check::{Limits, Verdict, check};
/// use linchpin_model::History;
///
/// let mut history = History::new();
/// history.returned(0, QueueCall::Enqueue(3.into()), QueueReturned::Enqueued, 1, 2);
/// history.returned(1, QueueCall::Enqueue(5.into()), QueueReturned::Enqueued, 3, 4);
/// history.returned(0, QueueCall::Dequeue, QueueReturned::Dequeued(Some(5.into())), 5, 6);
/// let Verdict::Violation(evidence) = check(&Queue, &history, &Limits::default()) else { panic!() };
/// assert_eq!(evidence.contradiction.operations().len(), 3);
/// ```
pub fn check<S: Specification>(
    specification: &S,
    history: &History<S::Invocation, S::Returned>,
    limits: &Limits,
) -> Verdict {
    let budget = Budget::new(limits);
    match history.intervals() {
        Some(intervals) => {
            let parts = Part::split(specification, history, intervals);
            let decided = decide_all(&parts, limits, &budget);
            joined(specification, history, intervals, &parts, decided)
        }
        // An order that is not one of intervals may forbid what each part allows: no splitting here.
        None => match decide_ordered(specification, history, &budget) {
            Ok(Decided::Order(order)) => Verdict::Linearizable(Witness { order }),
            Ok(Decided::NotYet | Decided::Overtaken) => {
                unreachable!("nothing limits this search, and there is no other part")
            }
            Ok(Decided::Violation { contradiction, .. }) => {
                let sentence = in_words(specification, history, &contradiction);
                Verdict::Violation(Evidence { part: None, fails_at: None, contradiction, sentence })
            }
            Err(unknown) => Verdict::Unknown(unknown),
        },
    }
}

/// Is a history linearizable? Decided by the general search alone, whatever the specification says about its kind: nothing is assumed
/// but that `step` is right and parts are independent. Finding out why a history fails may take much longer than finding out
/// that it does, so this is for those who do not ask why.
///
/// ```
/// use linchpin_check::specs::{Queue, QueueCall, QueueReturned};
/// use linchpin_check::{Limits, is_linearizable};
/// use linchpin_model::History;
///
/// let mut history = History::new();
/// history.returned(0, QueueCall::Enqueue(3.into()), QueueReturned::Enqueued, 1, 2);
/// history.returned(0, QueueCall::Dequeue, QueueReturned::Dequeued(Some(5.into())), 3, 4);
/// assert_eq!(is_linearizable(&Queue, &history, &Limits::default()), Ok(false));
/// ```
pub fn is_linearizable<S: Specification>(
    specification: &S,
    history: &History<S::Invocation, S::Returned>,
    limits: &Limits,
) -> Result<bool, Unknown> {
    let budget = Budget::new(limits);
    let Some(intervals) = history.intervals() else {
        return decide_ordered(specification, history, &budget).map(|decided| matches!(decided, Decided::Order(_)));
    };
    for part in &Part::split(specification, history, intervals) {
        if !is_explained(part, &budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Decides every part, on as many threads as are worth it.
///
/// At first each gets a short attempt, then those that were not decided get as long as they need: where one part fails
/// early on, the others need not be followed any further than that.
fn decide_all<S: Specification>(
    parts: &[Part<'_, S>],
    limits: &Limits,
    budget: &Budget,
) -> Vec<Result<Decided, Unknown>> {
    let operations: usize = parts.iter().map(|part| part.ids.len()).sum();
    if parts.len() <= 1 || operations < WORTH_THREADS {
        let attempt = if parts.len() <= 1 { None } else { Some(FIRST_ATTEMPT) };
        let first: Vec<_> = parts.iter().map(|part| decide(part, attempt, budget)).collect();
        let again = |(part, decided)| match decided {
            Ok(Decided::NotYet) => decide(part, None, budget),
            decided => decided,
        };
        return parts.iter().zip(first).map(again).collect();
    }
    let cores = limits.workers.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let workers = cores.min(parts.len());
    let next = AtomicUsize::new(0);
    let decided: Vec<Mutex<_>> = parts.iter().map(|_| Mutex::new(Ok(Decided::NotYet))).collect();
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    // First all parts, then all again.
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    let Some(part) = parts.get(turn % parts.len()).filter(|_| turn < 2 * parts.len()) else { break };
                    // Whoever comes the second time waits here for who came the first time.
                    let mut decided = decided[turn % parts.len()].lock().expect("no worker panics");
                    if matches!(*decided, Ok(Decided::NotYet)) {
                        let attempt = (turn < parts.len()).then_some(FIRST_ATTEMPT);
                        *decided = decide(part, attempt, budget);
                    }
                }
            });
        }
    });
    decided.into_iter().map(|decided| decided.into_inner().expect("no worker panics")).collect()
}

/// The verdict on the whole from those on its parts: a violation if there is one (the one that shows first),
/// otherwise undecided if one part is, otherwise the parts' orders merged into one.
fn joined<S: Specification>(
    specification: &S,
    history: &History<S::Invocation, S::Returned>,
    intervals: &[Interval],
    parts: &[Part<'_, S>],
    decided: Vec<Result<Decided, Unknown>>,
) -> Verdict {
    let mut undecided = None;
    let mut orders = Vec::new();
    let mut first: Option<(i64, Evidence)> = None;
    for (part, decided) in parts.iter().zip(decided) {
        match decided {
            Err(unknown) => undecided = Some(unknown),
            Ok(Decided::Order(order)) => orders.push(order),
            // Only in the company of a violation.
            Ok(Decided::NotYet | Decided::Overtaken) => {}
            Ok(Decided::Violation { fails_at, contradiction }) => {
                let time = intervals[fails_at.index()].ret;
                if first.as_ref().is_none_or(|(earliest, _)| time < *earliest) {
                    let sentence = in_words(specification, history, &contradiction);
                    let fails_at = Some(fails_at);
                    first = Some((time, Evidence { part: part.name.clone(), fails_at, contradiction, sentence }));
                }
            }
        }
    }
    match (first, undecided) {
        (Some((_, evidence)), _) => Verdict::Violation(evidence),
        (None, Some(unknown)) => Verdict::Unknown(unknown),
        (None, None) => Verdict::Linearizable(Witness { order: merged(orders, intervals) }),
    }
}

/// One order for all parts. Within its part, every operation is given the earliest moment that the order of the part
/// leaves it: no earlier than its own call or any call before it in that order. Since the order respects real time,
/// that moment does not lie after its return; so ordering everything by these moments respects real time too.
fn merged(orders: Vec<Vec<OperationId>>, intervals: &[Interval]) -> Vec<OperationId> {
    if orders.len() == 1 {
        return orders.into_iter().flatten().collect();
    }
    let mut moments: Vec<(i64, OperationId)> = Vec::with_capacity(intervals.len());
    for order in orders {
        let mut moment = i64::MIN;
        moments.extend(order.into_iter().map(|id| {
            moment = moment.max(intervals[id.index()].call);
            (moment, id)
        }));
    }
    // Stable: equal moments keep the order within their part.
    moments.sort_by_key(|&(moment, _)| moment);
    moments.into_iter().map(|(_, id)| id).collect()
}

fn in_words<S: Specification>(
    specification: &S,
    history: &History<S::Invocation, S::Returned>,
    contradiction: &Contradiction,
) -> String {
    let describe = |id: OperationId| {
        let operation = &history[id];
        specification.describe(&operation.invocation, operation.result.as_ref())
    };
    sentence(contradiction, describe, |id| history[id].process)
}

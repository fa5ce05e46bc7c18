//! Localisation: from a long run that is wrong to a client that is small enough to be explored.
//!
//! The steps are those of CGVT's Algorithm 1: invocations before the fault become a setup, in an order that explains what
//! they returned; those around it stay in their threads; the rest becomes an epilogue. What is different is how the place
//! is found. Run the recorded schedule up to some step, and from there on one operation after the other, in the order in which
//! they were called. If the history is still wrong, the fault had been *triggered* by then, and the rest only *reveals* it;
//! if not, it had not. So the step that triggers it is found by bisection, in a logarithmic number of runs, however much
//! later it is revealed.
//!
//! The threads of the client are the operations that were open at that step, and those that overlap them. If the client does
//! not fail when it is explored, what overlaps those is taken in too, and so on.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use linchpin_check::Verdict;
use linchpin_engine::{Call, Guide, Sampling, SamplingHooks, Strategy, Turn};
use linchpin_generate::admitted_by_object;
use linchpin_model::{Client, Interval, Object, Operation, OperationId};

use super::detect::Detected;
use super::history::{ClientHistory, decide, history};
use crate::{Builder, ClientTest, Exploration, Hooks};

/// More invocations than this in the threads are not explored.
const MOST: usize = 12;

/// A client that is small enough to be explored, and fails.
#[derive(Clone, Debug)]
pub struct Located {
    /// The client.
    pub client: Client,
    /// How many runs along the recorded schedule it took to find the step that triggers the fault.
    pub guided_runs: usize,
    /// How many clients around that step were explored; the last one failed.
    pub explorations: usize,
}

/// Finds a client that fails and is small enough to be explored. `None` if there is none, or nobody wants it any more.
pub(crate) fn locate<O: Object>(
    detected: &Detected,
    builder: &Builder,
    interrupt: &AtomicBool,
) -> Option<(Located, Exploration)> {
    let whole = detected.history.as_ref()?;
    let Verdict::Violation(evidence) = decide::<O>(whole) else { return None };
    let intervals = whole.intervals()?;
    let revealed = intervals[evidence.fails_at?.index()].ret;
    let mut guided_runs = 0;
    let triggered = detected.found.as_ref().and_then(|found| {
        let mut fails = |steps: usize| {
            guided_runs += 1;
            !interrupt.load(Relaxed) && is_wrong::<O>(&detected.client, &guide(&found.turns, steps, whole), builder)
        };
        let steps = first_that_fails(found.turns.len(), &mut fails)?;
        Some(found.turns[steps - 1].time as i64)
    });
    // Without a schedule, or if it did not help: the fault may be where it is revealed.
    let mut explorations = 0;
    for moment in triggered.into_iter().chain([revealed]) {
        let mut start = moment;
        loop {
            // The earliest call among what is open at this time.
            let earlier = (0..intervals.len())
                .filter(|&at| intervals[at].call < start && intervals[at].ret >= start)
                .map(|at| intervals[at].call)
                .min();
            let Some(earlier) = earlier else { break };
            start = earlier;
            let Some(client) = around::<O>(&detected.client, whole, start, moment, revealed) else { break };
            if interrupt.load(Relaxed) || client.threads.iter().map(Vec::len).sum::<usize>() > MOST {
                break;
            }
            explorations += 1;
            if let Some(exploration) = explore::<O>(&client, builder, interrupt) {
                return Some((Located { client, guided_runs, explorations }, exploration));
            }
        }
    }
    None
}

/// The exploration of a client, if it fails.
fn explore<O: Object>(client: &Client, builder: &Builder, interrupt: &AtomicBool) -> Option<Exploration> {
    let admitted = admitted_by_object::<O>(client).ok()?;
    let hooks = Hooks { interrupt: Some(interrupt), ..Hooks::default() };
    let exploration = ClientTest::<O>::new(client.clone()).with(builder.clone()).explore_against(admitted, hooks);
    exploration.violation.is_some().then_some(exploration)
}

/// The least number of steps, from 1, after which `fails` says yes, if it does not before the first and does after the
/// last; it stays with yes.
fn first_that_fails(steps: usize, fails: &mut impl FnMut(usize) -> bool) -> Option<usize> {
    if steps == 0 || fails(0) || !fails(steps) {
        return None;
    }
    let (mut right, mut wrong) = (0, steps);
    while wrong - right > 1 {
        let middle = right + (wrong - right) / 2;
        if fails(middle) {
            wrong = middle;
        } else {
            right = middle;
        }
    }
    Some(wrong)
}

/// The first steps of a run, then what has not returned by then, one operation after the other.
fn guide(turns: &[Turn], steps: usize, history: &ClientHistory) -> Vec<Guide> {
    let time = turns.get(steps).map_or(u64::MAX, |turn| turn.time) as i64;
    let intervals = history.intervals().unwrap_or_default();
    let mut rest: Vec<(i64, u64)> = history
        .ids()
        .zip(intervals)
        .filter(|(_, interval)| interval.ret >= time)
        .map(|(id, interval)| (interval.call, history[id].process))
        .collect();
    rest.sort_unstable();
    let steps = turns[..steps].iter().map(|turn| Guide::Step(turn.thread));
    steps.chain(rest.into_iter().map(|(_, process)| Guide::Call(linchpin_graph::ThreadId(process as u32)))).collect()
}

/// Is the history wrong when the client is run like this?
fn is_wrong<O: Object>(client: &Client, turns: &[Guide], builder: &Builder) -> bool {
    let judge = |calls: &[Call]| match decide::<O>(&history(client, calls)) {
        Verdict::Violation(evidence) => Some(evidence.sentence),
        Verdict::Linearizable(_) | Verdict::Unknown(_) => None,
    };
    let sampling = Sampling { strategy: Strategy::Guided(turns.to_vec()), runs: 1, ..Sampling::default() };
    let hooks = SamplingHooks { judge: &judge, ..SamplingHooks::default() };
    let test = ClientTest::<O>::new(client.clone()).test();
    // It is enough to count them: a report takes two more runs.
    let builder = builder.clone().workers(1).keep_going(true);
    builder.sample_with(&sampling, test, hooks).violations > 0
}

/// What had returned at `start` as a setup; what was called before `moment` in threads; the rest, up to `revealed`, as an
/// epilogue. `None` if no order explains the setup.
fn around<O: Object>(client: &Client, whole: &ClientHistory, start: i64, moment: i64, revealed: i64) -> Option<Client> {
    let intervals = whole.intervals()?;
    // What is open at the start may have taken effect, with the result that it returns later.
    let mut begun = ClientHistory::new();
    let mut ids = Vec::new();
    for (id, &Interval { call, ret }) in whole.ids().zip(intervals) {
        if call < start {
            let ret = if ret < start { ret } else { Interval::NEVER };
            begun.push(Operation { returned: ret != Interval::NEVER, ..whole[id].clone() }, Interval { call, ret });
            ids.push(id);
        }
    }
    let Verdict::Linearizable(witness) = decide::<O>(&begun) else { return None };
    let setup: Vec<OperationId> = witness.order.iter().map(|id| ids[id.index()]).collect();
    let is_open = |id: &OperationId| !setup.contains(id) && intervals[id.index()].call < moment;
    let mut rest: Vec<OperationId> = whole
        .ids()
        .filter(|id| !setup.contains(id) && (moment..=revealed).contains(&intervals[id.index()].call))
        .collect();
    rest.sort_by_key(|id| intervals[id.index()].call);
    let invocation = |id: OperationId| whole[id].invocation.clone();
    let mut first = 0;
    let threads = client.threads.iter().map(|thread| {
        let own = first as u32..(first + thread.len()) as u32;
        first += thread.len();
        own.map(OperationId).filter(is_open).map(invocation).collect::<Vec<_>>()
    });
    Some(Client {
        threads: threads.filter(|thread| !thread.is_empty()).collect(),
        setup: setup.iter().copied().map(invocation).collect(),
        epilogue: rest.into_iter().map(invocation).collect(),
    })
}

//! Localisation: from a long run that is wrong to a client that is small enough to be explored.
//!
//! The steps are those of CGVT's Algorithm 1: invocations before the fault become a setup, in an order that explains what
//! they returned; those around it stay in their threads; the rest becomes an epilogue. What is different is how the place
//! is found. Run the recorded schedule up to some step, and from there on one operation after the other, in the order in which
//! they were called. If the history is still wrong, the fault had been *triggered* by then, and the rest only *reveals* it;
//! if not, it had not. So the step that triggers it is found by bisection, in a logarithmic number of runs, however much
//! later it is revealed.
//!
//! The threads of the client are the operations that were open at that step, and those that overlap them. As long as the recorded
//! schedule, or what is left of it, makes the client fail, it is thinned out: that takes a run each, where exploring takes
//! many. If the client does not fail when it is explored, what overlaps its threads is taken in too, and so on.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use linchpin_check::Verdict;
use linchpin_engine::{Call, Guide, Sampling, SamplingHooks, Strategy, Turn};
use linchpin_generate::admitted_by_object;
use linchpin_graph::ThreadId;
use linchpin_model::{AnyObject, Client, Interval, Invocation, Operation, OperationId};

use super::detect::{Detected, Wrong};
use super::history::{ClientHistory, Decider, history};
use crate::shrink::explore_deeper;
use crate::{Builder, ClientTest, Exploration, Hooks};

/// A client whose threads can be shuffled in more ways than this is not explored.
const MOST: f64 = 5_000.0;

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

/// Finds a client that fails and is small enough to be explored, with one builder for long runs and one for explorations. `None` if there is none, or nobody wants it any more.
pub(crate) fn locate(
    object: AnyObject,
    detected: &Detected,
    running: &Builder,
    exploring: &Builder,
    decider: &Decider,
    interrupt: &AtomicBool,
) -> Option<(Located, Exploration)> {
    let Wrong { history: whole, fails_at, turns: all } = &**detected.wrong.as_ref()?;
    let mut guided_runs = 0;
    let mut fails = |client: &Client, guide: &[Guide]| {
        guided_runs += 1;
        !interrupt.load(Relaxed) && is_wrong(object, client, guide, running, decider)
    };
    // What is called after the fault has been revealed makes no difference, unless something that is open by then does: if it
    // takes what that returns to reveal the fault, it is revealed when the last of it has returned.
    let intervals = whole.intervals()?;
    let mut revealed = intervals[(*fails_at)?.index()].ret;
    let last = intervals.iter().filter(|interval| interval.call <= revealed && interval.ret != Interval::NEVER);
    let last = last.map(|interval| interval.ret).max()?;
    let (mut client, mut whole, mut all) = (detected.client.clone(), whole.clone(), &all[..]);
    for moment in [revealed, last] {
        let (shorter, shorter_whole) = until(&client, &whole, moment)?;
        let turns = &all[..all.partition_point(|turn| turn.time as i64 <= moment)];
        if !turns.is_empty() && fails(&shorter, &guide(turns, turns.len(), &shorter_whole)) {
            (client, whole, all, revealed) = (shorter, shorter_whole, turns, moment);
            break;
        }
    }
    let whole = &whole;
    let intervals = whole.intervals()?;
    let triggered = first_that_fails(all.len(), &mut |steps| fails(&client, &guide(all, steps, whole)))
        .map(|steps| (all[steps - 1].time as i64, &all[..steps]));
    // Without a schedule, or if it did not help: the fault may be where it is revealed.
    let mut explorations = 0;
    for (moment, turns) in triggered.into_iter().chain([(revealed, all)]) {
        // The step may be the call itself, or the last of its operation.
        let mut open: Vec<Interval> =
            intervals.iter().copied().filter(|interval| interval.call <= moment && interval.ret >= moment).collect();
        while let Some(start) = open.iter().map(|interval| interval.call).min() {
            open =
                intervals.iter().copied().filter(|interval| interval.call < start && interval.ret >= start).collect();
            let Some(mut cut) = Cut::around(&client, whole, start..moment, revealed, decider) else { break };
            if !turns.is_empty() {
                let mut fails = |cut: &Cut| fails(&cut.client(whole), &cut.guide(turns, whole));
                if fails(&cut) {
                    cut.thin_out(&mut fails);
                }
            }
            if interrupt.load(Relaxed) || cut.shuffles() > MOST {
                break;
            }
            let small = cut.client(whole);
            explorations += 1;
            if let Some(exploration) = explore(object, &small, exploring, interrupt) {
                return Some((Located { client: small, guided_runs, explorations }, exploration));
            }
        }
    }
    None
}

/// What was called up to some moment, as a client and as a history.
fn until(client: &Client, whole: &ClientHistory, moment: i64) -> Option<(Client, ClientHistory)> {
    let intervals = whole.intervals()?;
    let mut ids = whole.ids();
    let mut history = ClientHistory::new();
    let mut shorter = Client { threads: vec![Vec::new(); client.threads.len()], ..client.clone() };
    for (thread, invocations) in client.threads.iter().enumerate() {
        for (invocation, id) in invocations.iter().zip(&mut ids) {
            let interval = intervals[id.index()];
            if interval.call <= moment {
                shorter.threads[thread].push(invocation.clone());
                history.push(whole[id].clone(), interval);
            }
        }
    }
    Some((shorter, history))
}

/// The exploration of a client, if it fails.
fn explore(object: AnyObject, client: &Client, builder: &Builder, interrupt: &AtomicBool) -> Option<Exploration> {
    let admitted = admitted_by_object(object, client).ok()?;
    let hooks = Hooks { interrupt: Some(interrupt), ..Hooks::default() };
    let exploration = explore_deeper(object, client, admitted, builder, hooks);
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
    steps.chain(rest.into_iter().map(|(_, process)| Guide::Call(ThreadId(process as u32)))).collect()
}

/// Is the history wrong when the client is run like this?
fn is_wrong(object: AnyObject, client: &Client, turns: &[Guide], builder: &Builder, decider: &Decider) -> bool {
    let is_wrong = AtomicBool::new(false);
    // It is enough to know: a report would take two more runs.
    let judge = |calls: &[Call]| {
        is_wrong.store(decider.is_wrong(&history(client, calls)), Relaxed);
        None
    };
    let sampling = Sampling { strategy: Strategy::Guided(turns.to_vec()), runs: 1, ..Sampling::default() };
    let hooks = SamplingHooks { judge: &judge, ..SamplingHooks::default() };
    let test = ClientTest::new(object, client.clone()).test();
    let sampled = builder.clone().workers(1).sample_with(&sampling, test, hooks);
    is_wrong.into_inner() || sampled.violations > 0
}

/// Operations of a long run as a client.
#[derive(Clone)]
struct Cut {
    setup: Vec<OperationId>,
    threads: Vec<Vec<OperationId>>,
    epilogue: Vec<OperationId>,
}

impl Cut {
    /// What had returned at `start` as a setup; what was called by `moment` in threads; the rest, up to `revealed`, as an
    /// epilogue. `None` if no order explains the setup.
    fn around(
        client: &Client,
        whole: &ClientHistory,
        Range { start, end: moment }: Range<i64>,
        revealed: i64,
        decider: &Decider,
    ) -> Option<Cut> {
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
        let Verdict::Linearizable(witness) = decider.decide(&begun) else { return None };
        let setup: Vec<OperationId> = witness.order.iter().map(|id| ids[id.index()]).collect();
        let mut is_done = vec![false; whole.len()];
        setup.iter().for_each(|id| is_done[id.index()] = true);
        let called = |id: &OperationId| intervals[id.index()].call;
        let mut epilogue: Vec<OperationId> =
            whole.ids().filter(|id| !is_done[id.index()] && (moment + 1..=revealed).contains(&called(id))).collect();
        epilogue.sort_by_key(called);
        let mut first = 0;
        let threads = client.threads.iter().map(|thread| {
            let own = first as u32..(first + thread.len()) as u32;
            first += thread.len();
            own.map(OperationId).filter(|id| !is_done[id.index()] && called(id) <= moment).collect()
        });
        let mut cut = Cut { threads: threads.collect(), setup, epilogue };
        cut.threads.retain(|thread| !thread.is_empty());
        Some(cut)
    }

    /// In how many ways the threads can be shuffled: a multinomial coefficient.
    fn shuffles(&self) -> f64 {
        let mut placed = 0.0;
        let mut ways = 1.0;
        for thread in &self.threads {
            for place in 1..=thread.len() {
                placed += 1.0;
                ways *= placed / place as f64;
            }
        }
        ways
    }

    fn client(&self, whole: &ClientHistory) -> Client {
        let invocations = |ids: &Vec<OperationId>| -> Vec<Invocation> {
            ids.iter().map(|&id| whole[id].invocation.clone()).collect()
        };
        Client {
            setup: invocations(&self.setup),
            threads: self.threads.iter().map(invocations).collect(),
            epilogue: invocations(&self.epilogue),
        }
    }

    /// Those of some turns of the recorded run that belong to what is in threads here, and what has to follow.
    fn guide(&self, turns: &[Turn], whole: &ClientHistory) -> Vec<Guide> {
        let intervals = whole.intervals().unwrap_or_default();
        let thread_of = |turn: &Turn| {
            let is_its = |id: &&OperationId| {
                let Interval { call, ret } = intervals[id.index()];
                let process = whole[**id].process;
                process == u64::from(turn.thread.0) && (call..=ret).contains(&(turn.time as i64))
            };
            let thread = self.threads.iter().position(|thread| thread.iter().any(|id| is_its(&id)))?;
            Some(Guide::Step(ThreadId(thread as u32 + 1)))
        };
        // What comes after these turns goes on one operation after the other, in the order of their calls.
        let end = turns.last().map_or(0, |turn| turn.time as i64);
        let mut rest: Vec<(i64, u32)> = (1..)
            .zip(&self.threads)
            .flat_map(|(number, thread)| thread.iter().map(move |id| (intervals[id.index()], number)))
            .filter(|(interval, _)| interval.ret >= end)
            .map(|(interval, number)| (interval.call, number))
            .collect();
        rest.sort_unstable();
        let rest = rest.into_iter().map(|(_, number)| Guide::Call(ThreadId(number)));
        turns.iter().filter_map(thread_of).chain(rest).collect()
    }

    /// Takes operations out as long as the rest fails: first of the sequences, then of the threads, in halves, quarters and
    /// so on.
    fn thin_out(&mut self, fails: &mut impl FnMut(&Cut) -> bool) {
        type Part = fn(&mut Cut) -> Vec<&mut Vec<OperationId>>;
        let parts: [Part; 3] =
            [|cut| vec![&mut cut.setup], |cut| vec![&mut cut.epilogue], |cut| cut.threads.iter_mut().collect()];
        for part in parts {
            let all =
                |cut: &mut Cut| -> Vec<OperationId> { part(cut).iter().flat_map(|ids| ids.iter().copied()).collect() };
            let mut length = all(self).len();
            while length > 0 {
                let mut at = 0;
                while let Some(gone) = all(self).get(at..).filter(|left| !left.is_empty()) {
                    let mut fewer = self.clone();
                    let gone: HashSet<OperationId> = gone.iter().take(length).copied().collect();
                    part(&mut fewer).into_iter().for_each(|ids| ids.retain(|id| !gone.contains(id)));
                    fewer.threads.retain(|thread| !thread.is_empty());
                    if fails(&fewer) {
                        *self = fewer;
                    } else {
                        at += length;
                    }
                }
                length /= 2;
            }
        }
    }
}

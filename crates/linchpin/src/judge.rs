//! Whether an execution of a client is one that its object's specification explains.
//!
//! An execution is wrong if no order of the client's invocations returns its outcome. It is also wrong if some order does, but
//! none that keeps real time: an invocation that had returned before another was called comes first. Real time is derived
//! from an execution that was explored (see [`linchpin_graph::RealTime`]), and each interleaving must be explained; one that
//! was sampled has happened in one order.
//!
//! Both questions are answered once for each outcome and each thing that executions say about time, which are few.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use linchpin_engine::Call;
use linchpin_generate::{Outcomes, in_time_by_object};
use linchpin_graph::{Execution, Precedence, RealTime, ThreadId};
use linchpin_model::{AnyObject, Client, Consistency, Outcome};

/// Of the ways in which one order in time contradicts an outcome, so many are looked for.
const MOST_REASONS: usize = 16;

/// What is wrong, if anything is, with executions that have this outcome and say this about time.
type Known = HashMap<(Outcome, Time), Option<String>>;

/// Invocations of different threads of which the first had returned before the second was called, by their positions in the
/// text.
type Pairs = Vec<(usize, usize)>;

/// What an execution says about time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Time {
    /// Nothing that counts.
    Nothing,
    /// It stands for all orders that this allows.
    Derived(RealTime),
    /// It happened in this order.
    Observed(Pairs),
}

/// Judges executions of one client.
pub(crate) struct Verdicts {
    admitted: Outcomes,
    /// Does real time count? Not if an operation promises less than atomicity: what it may miss is not a matter of time.
    is_timed: bool,
    known: Mutex<Known>,
    /// The least parts of pairs that contradict an outcome.
    least: Mutex<HashMap<(Outcome, Pairs), Vec<Pairs>>>,
    object: AnyObject,
}

impl Verdicts {
    /// Measures executions against these outcomes of a client.
    pub fn new(object: AnyObject, admitted: Outcomes) -> Self {
        let operations = object.operations();
        let is_weak = |name: &str| {
            operations.iter().any(|operation| operation.name == name && operation.consistency != Consistency::Complete)
        };
        let is_timed = !admitted.client().invocations().any(|invocation| is_weak(&invocation.operation));
        Verdicts { admitted, is_timed, known: Mutex::default(), least: Mutex::default(), object }
    }

    /// The client whose executions are judged.
    pub fn client(&self) -> &Client {
        self.admitted.client()
    }

    /// What is wrong with a complete execution. Calls are tagged with the positions of invocations in the client's text.
    pub fn judge(&self, execution: &Execution, calls: &[Call]) -> Option<String> {
        let derived = self.is_timed.then(|| execution.real_time(&self.operations(calls))).flatten();
        self.look_up(calls, derived.map_or(Time::Nothing, Time::Derived))
    }

    /// What is wrong with a complete run whose calls have times.
    pub fn judge_run(&self, calls: &[Call]) -> Option<String> {
        let observed = || {
            let times: Option<Vec<_>> = self.of_threads(calls).iter().map(|call| call.time.clone()).collect();
            times.map(|times| self.pairs(|first, second| times[first].end < times[second].start))
        };
        self.look_up(calls, self.is_timed.then(observed).flatten().map_or(Time::Nothing, Time::Observed))
    }

    /// Decides, unless that has been decided before.
    fn look_up(&self, calls: &[Call], time: Time) -> Option<String> {
        let key = (Outcome(calls.iter().map(|call| call.result.clone().unwrap_or_default()).collect()), time);
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| {
            let wrong = self.decide(&key.0, &key.1);
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, wrong.clone());
            wrong
        })
    }

    /// Why an execution that was found to be wrong is: sets of pairs of which the first invocation had returned before the second
    /// was called, by their numbers among those of the threads. If the outcome itself is wrong, that is one set without pairs; else
    /// the least sets that contradict it.
    pub fn reasons(&self, execution: &Execution, calls: &[Call]) -> Vec<Pairs> {
        let outcome = Outcome(calls.iter().map(|call| call.result.clone().unwrap_or_default()).collect());
        let real_time = self.is_timed.then(|| execution.real_time(&self.operations(calls))).flatten();
        let Some(real_time) = real_time.filter(|_| self.admitted.contains(&outcome)) else { return vec![Vec::new()] };
        let mut least: Vec<Pairs> = Vec::new();
        for order in real_time.orders() {
            for pairs in self.least_of(&outcome, self.pairs(|first, second| order.precedes(first, second))) {
                if !least.contains(&pairs) {
                    least.push(pairs);
                }
            }
        }
        let setup = self.client().setup.len();
        let number = |(first, second): (usize, usize)| (first - setup, second - setup);
        least.into_iter().map(|pairs| pairs.into_iter().map(number).collect()).collect()
    }

    /// The least parts of these pairs that contradict the outcome, found once.
    fn least_of(&self, outcome: &Outcome, pairs: Pairs) -> Vec<Pairs> {
        let key = (outcome.clone(), pairs);
        let known = self.least.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| {
            let mut least = Vec::new();
            self.add_least(outcome, key.1.clone(), &mut HashSet::new(), &mut least);
            self.least.lock().unwrap_or_else(PoisonError::into_inner).insert(key, least.clone());
            least
        })
    }

    /// Adds the least parts of these pairs that contradict the outcome. Says whether they do, at all. Parts that were looked at
    /// are not looked at again: many ways to leave pairs out lead to the same.
    fn add_least(&self, outcome: &Outcome, pairs: Pairs, seen: &mut HashSet<Pairs>, least: &mut Vec<Pairs>) -> bool {
        if self.is_explained(outcome, &pairs) {
            return false;
        }
        let mut is_least = true;
        for left_out in 0..pairs.len() {
            let mut fewer = pairs.clone();
            fewer.remove(left_out);
            if seen.contains(&fewer) {
                is_least &= !least.iter().any(|other| other.iter().all(|pair| fewer.contains(pair)));
                continue;
            }
            is_least &= !self.add_least(outcome, fewer.clone(), seen, least);
            seen.insert(fewer);
            // One contradiction in each of many pairs is found again and again: enough is enough.
            if least.len() > MOST_REASONS {
                return true;
            }
        }
        if is_least {
            least.push(pairs);
        }
        true
    }

    /// Is an interleaving right that has this outcome, and in which one invocation had returned before another was called, by
    /// their positions in the text?
    pub fn is_right(&self, outcome: &Outcome, precedes: &dyn Fn(usize, usize) -> bool) -> bool {
        if !self.admitted.contains(outcome) {
            return false;
        }
        let setup = self.client().setup.len();
        let pairs = self.pairs(|first, second| precedes(setup + first, setup + second));
        !self.is_timed || pairs.is_empty() || self.is_explained(outcome, &pairs)
    }

    /// The threads' calls, without those of setup and epilogue.
    pub fn of_threads<'a>(&self, calls: &'a [Call]) -> &'a [Call] {
        let client = self.client();
        &calls[client.setup.len()..calls.len() - client.epilogue.len()]
    }

    /// The threads' calls, as threads and ranges of events.
    fn operations(&self, calls: &[Call]) -> Vec<(ThreadId, Range<u32>)> {
        self.of_threads(calls).iter().map(|call| (call.thread, call.events.clone())).collect()
    }

    fn decide(&self, outcome: &Outcome, time: &Time) -> Option<String> {
        if let Some(explanation) = self.admitted.explain(outcome) {
            return Some(format!("{}: {explanation}", self.client()));
        }
        let orders: Vec<Pairs> = match time {
            Time::Nothing => vec![],
            Time::Derived(real_time) => {
                let pairs = |order: &Precedence| self.pairs(|first, second| order.precedes(first, second));
                real_time.orders().iter().map(pairs).collect()
            }
            Time::Observed(pairs) => vec![pairs.clone()],
        };
        let unexplained = orders.into_iter().find(|pairs| !self.is_explained(outcome, pairs))?;
        Some(self.tell(outcome, unexplained))
    }

    /// Does some order of the invocations that keeps these pairs give the outcome?
    fn is_explained(&self, outcome: &Outcome, pairs: &[(usize, usize)]) -> bool {
        let precedes = |first, second| pairs.contains(&(first, second));
        in_time_by_object(self.object, self.client(), outcome, precedes).is_some()
    }

    /// The pairs of which the first precedes the second, given the positions of the two among the threads' invocations.
    fn pairs(&self, precedes: impl Fn(usize, usize) -> bool) -> Pairs {
        let client = self.client();
        let threads: Vec<usize> =
            client.threads.iter().enumerate().flat_map(|(thread, calls)| vec![thread; calls.len()]).collect();
        let all = (0..threads.len()).flat_map(|first| (0..threads.len()).map(move |second| (first, second)));
        let counts = |&(first, second): &(usize, usize)| threads[first] != threads[second];
        let in_text = |(first, second)| (client.setup.len() + first, client.setup.len() + second);
        all.filter(counts).filter(|&(first, second)| precedes(first, second)).map(in_text).collect()
    }

    /// What is wrong with an outcome that only other orders of calls and returns would explain.
    fn tell(&self, outcome: &Outcome, mut pairs: Pairs) -> String {
        // What is not needed for the contradiction is left out.
        for pair in pairs.clone() {
            let fewer: Vec<_> = pairs.iter().copied().filter(|&other| other != pair).collect();
            if !self.is_explained(outcome, &fewer) {
                pairs = fewer;
            }
        }
        let client = self.client();
        let name = |position| linchpin_generate::name(client, position);
        let known: Vec<String> = pairs
            .iter()
            .map(|&(first, second)| format!("{} had returned before {} was called", name(first), name(second)))
            .collect();
        let sequence = self.admitted.linearization(outcome).unwrap_or_default();
        let sequence: Vec<String> = sequence.iter().map(|&position| name(position)).collect();
        format!(
            "{client}: no order of the invocations that keeps real time returns {outcome}\n  {}\n  without that, {} would \
             explain it",
            known.join("\n  "),
            sequence.join("; "),
        )
    }
}

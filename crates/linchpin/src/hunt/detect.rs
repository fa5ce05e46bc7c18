//! Detection: a long random client is run once, and its history decided.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use linchpin_check::{Evidence, Verdict};
use linchpin_engine::{Call, SURVEY, Sampling, SamplingHooks, Strategy, Turn};
use linchpin_model::{AnyObject, Client, OperationId};

use super::history::{ClientHistory, Decider, history};
use super::native;
use crate::{Builder, ClientTest};

/// A run that is wrong.
#[derive(Clone, Debug)]
pub struct Detected {
    /// Which run of the hunt it is, counted from 1.
    pub run: usize,
    /// The client.
    pub client: Client,
    /// What is wrong with its history, or what happened instead of an end.
    pub message: String,
    /// The history; `None` if the run did not come to its end.
    pub(crate) wrong: Option<Box<Wrong>>,
}

/// A history that is wrong.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub history: ClientHistory,
    /// Up to the return of this operation nothing explains it.
    pub fails_at: Option<OperationId>,
    /// Whose turn it was at each step; empty if nobody knows, as of native threads.
    pub turns: Vec<Turn>,
}

impl Detected {
    /// The first run, which has this history.
    fn wrong(client: &Client, history: ClientHistory, evidence: Evidence, turns: Vec<Turn>) -> Detected {
        let Evidence { sentence, fails_at, .. } = evidence;
        let wrong = Wrong { history, fails_at, turns };
        Detected { run: 1, client: client.clone(), message: sentence, wrong: Some(Box::new(wrong)) }
    }

    /// The first run, to which this happened.
    fn without_end(client: &Client, message: String) -> Detected {
        Detected { run: 1, client: client.clone(), message, wrong: None }
    }
}

/// What came of one long run.
pub(crate) struct Run {
    pub detected: Option<Detected>,
    /// How long running took, and how long deciding.
    pub running: Duration,
    pub deciding: Duration,
    /// The history could not be decided.
    pub is_unknown: bool,
}

/// Runs a client once, on native threads.
pub(crate) fn run_natively(object: AnyObject, client: &Client, decider: &Decider) -> Run {
    let start = Instant::now();
    let ran = native::run(object, client);
    let running = start.elapsed();
    let (detected, is_unknown) = match ran {
        Err(native::NoHistory::Panicked) => {
            (Some(Detected::without_end(client, "an operation panicked".into())), false)
        }
        Err(native::NoHistory::Stuck) => {
            (Some(Detected::without_end(client, "an operation does not return".into())), false)
        }
        Ok(history) => match decider.decide(&history) {
            Verdict::Linearizable(_) => (None, false),
            Verdict::Violation(evidence) => (Some(Detected::wrong(client, history, evidence, Vec::new())), false),
            Verdict::Unknown(_) => (None, true),
        },
    };
    Run { detected, running, deciding: start.elapsed() - running, is_unknown }
}

/// One run by a strategy, after as many runs as it takes to learn what the strategy has to know: those do not count.
pub(crate) fn sample(
    object: AnyObject,
    client: &Client,
    strategy: Strategy,
    seed: u64,
    builder: &Builder,
    decider: &Decider,
) -> Run {
    let start = Instant::now();
    let survey = if let Strategy::Pct { steps: None, .. } = strategy { SURVEY } else { 0 };
    let asked = AtomicU64::new(0);
    let deciding = AtomicU64::new(0);
    let decided: Mutex<Option<(ClientHistory, Verdict)>> = Mutex::new(None);
    let turns: Mutex<Vec<Turn>> = Mutex::new(Vec::new());
    // What is wrong is noted here and not reported: a report would take two more runs, and a graph of the whole one.
    let judge = |calls: &[Call]| {
        if asked.fetch_add(1, Relaxed) >= survey {
            let start = Instant::now();
            let history = history(client, calls);
            let verdict = decider.decide(&history);
            *decided.lock().unwrap_or_else(PoisonError::into_inner) = Some((history, verdict));
            deciding.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
        }
        None
    };
    let note = |run: u64, of_run: &[Turn]| {
        if run == survey {
            *turns.lock().unwrap_or_else(PoisonError::into_inner) = of_run.to_vec();
        }
    };
    let sampling = Sampling { strategy, runs: survey + 1, seed, ..Sampling::default() };
    let test = ClientTest::new(object, client.clone()).test();
    let hooks = SamplingHooks { judge: &judge, turns: Some(&note), ..SamplingHooks::default() };
    let sampled = builder.clone().workers(1).sample_with(&sampling, test, hooks);
    let turns = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
    let decided = decided.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_unknown = matches!(decided, Some((_, Verdict::Unknown(_))));
    let detected = match (sampled.found, decided) {
        (Some(found), _) => Some(Detected::without_end(client, found.violation.kind.to_string())),
        (None, Some((history, Verdict::Violation(evidence)))) => {
            Some(Detected::wrong(client, history, evidence, turns))
        }
        (None, _) => None,
    };
    let deciding = Duration::from_nanos(deciding.into_inner());
    Run { detected, running: start.elapsed().saturating_sub(deciding), deciding, is_unknown }
}

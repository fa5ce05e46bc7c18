//! Detection: a long random client is run once, and its history decided.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use linchpin_check::Verdict;
use linchpin_engine::{Call, Found, SURVEY, Sampling, SamplingHooks, Strategy, Violation, ViolationKind};
use linchpin_model::{AnyObject, Client};

use super::history::{ClientHistory, Decider, history};
use super::native;
use crate::{Builder, ClientTest, Scheduler};

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
    pub(crate) history: Option<ClientHistory>,
    /// The run, if it was not a native one.
    pub(crate) found: Option<Box<Found>>,
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

/// Runs a client once; under D-PCT with this many operations in a window.
pub(crate) fn run(
    object: AnyObject,
    client: &Client,
    scheduler: Scheduler,
    window: u32,
    seed: u64,
    builder: &Builder,
    decider: &Decider,
) -> Run {
    match scheduler {
        Scheduler::Native => run_natively(object, client, decider),
        Scheduler::Random => sample(object, client, Strategy::Random, 0, seed, builder, decider),
        Scheduler::Pct { depth } => {
            sample(object, client, Strategy::Pct { depth, steps: None }, SURVEY, seed, builder, decider)
        }
        Scheduler::DPct { depth } => {
            sample(object, client, Strategy::PctInWindows { depth, operations: window }, 0, seed, builder, decider)
        }
    }
}

fn run_natively(object: AnyObject, client: &Client, decider: &Decider) -> Run {
    let start = Instant::now();
    let ran = native::run(object, client);
    let running = start.elapsed();
    let wrong = |message: &str, history| Detected {
        run: 1,
        client: client.clone(),
        message: message.into(),
        history,
        found: None,
    };
    let (detected, is_unknown) = match ran {
        Err(native::NoHistory::Panicked) => (Some(wrong("an operation panicked", None)), false),
        Err(native::NoHistory::Stuck) => (Some(wrong("an operation does not return", None)), false),
        Ok(history) => match decider.decide(&history) {
            Verdict::Linearizable(_) => (None, false),
            Verdict::Violation(evidence) => (Some(wrong(&evidence.sentence, Some(history))), false),
            Verdict::Unknown(_) => (None, true),
        },
    };
    Run { detected, running, deciding: start.elapsed() - running, is_unknown }
}

/// One run by a strategy, after as many runs as it takes to learn what the strategy has to know: those do not count.
fn sample(
    object: AnyObject,
    client: &Client,
    strategy: Strategy,
    survey: u64,
    seed: u64,
    builder: &Builder,
    decider: &Decider,
) -> Run {
    let start = Instant::now();
    let asked = AtomicU64::new(0);
    let deciding = AtomicU64::new(0);
    let last: Mutex<(Option<ClientHistory>, bool)> = Mutex::new((None, false));
    let judge = |calls: &[Call]| {
        if asked.fetch_add(1, Relaxed) < survey {
            return None;
        }
        let start = Instant::now();
        let history = history(client, calls);
        let verdict = decider.decide(&history);
        deciding.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        match verdict {
            Verdict::Linearizable(_) => None,
            Verdict::Unknown(_) => {
                last.1 = true;
                None
            }
            Verdict::Violation(evidence) => {
                last.0 = Some(history);
                Some(evidence.sentence)
            }
        }
    };
    let sampling = Sampling { strategy, runs: survey + 1, seed, ..Sampling::default() };
    let test = ClientTest::new(object, client.clone()).test();
    let hooks = SamplingHooks { judge: &judge, ..SamplingHooks::default() };
    let sampled = builder.clone().workers(1).sample_with(&sampling, test, hooks);
    let (history, is_unknown) = last.into_inner().unwrap_or_else(PoisonError::into_inner);
    let detected = sampled.found.map(|found| Detected {
        run: 1,
        client: client.clone(),
        message: message(&found.violation),
        history,
        found: Some(Box::new(found)),
    });
    let deciding = Duration::from_nanos(deciding.into_inner());
    Run { detected, running: start.elapsed().saturating_sub(deciding), deciding, is_unknown }
}

fn message(violation: &Violation) -> String {
    match &violation.kind {
        ViolationKind::Rejected { message } => message.clone(),
        kind => kind.to_string(),
    }
}

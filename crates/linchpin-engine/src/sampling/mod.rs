//! Sampling: some executions of a test, at random. Exhaustive exploration ends somewhere; this starts there.
//!
//! Runs are sequentially consistent and happen in true time order on real memory, so freed addresses may be used again and
//! no graph has to be built. A violation is run once more to write down what happened, and then once as a replay, which
//! makes an ordinary [`Violation`] of it. Runs are numbered, and all that is random in one follows from the seed and its
//! number.
//!
//! Looked for are panics, deadlocks, uses after free, double frees, leaks if asked for, and what a judge rejects. Not looked for
//! are data races and unpublished memory: both are questions about order, not about time. What comes of a race is seen if
//! its plain accesses go through the front end, since other threads may come in between at those too.

pub(crate) mod guided;
mod options;
pub(crate) mod ranking;
pub(crate) mod structure;
mod window;
mod worker;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use linchpin_graph::Execution;
use linchpin_model::{Bound, Coverage};

pub use options::{Found, Guide, Reuse, RunJudge, SURVEY, Sampled, Sampling, SamplingHooks, Strategy, Turn, TurnsHook};
pub use structure::Unit;
use worker::{Shared, Tally, Worker};

use crate::call::Call;
use crate::config::Config;
use crate::exploration::Progress;
use crate::replay::settle_for_sampling;
use crate::runtime::alone::Alone;
use crate::runtime::context::{Context, Subject};
use crate::runtime::lane::Lane;
use crate::runtime::watchdog::Watched;

/// Runs `test` as often as `sampling` says, with threads that take turns at random.
///
/// Of `config` this takes the budgets, findings and workers, but not the memory model: runs are sequentially consistent.
///
/// ```
/// use linchpin_engine::{Config, Sampling, sample};
///
/// #[global_allocator]
/// static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);
///
/// let sampled = sample(&Config::default(), &Sampling { runs: 100, ..Sampling::default() }, &|| assert_eq!(1 + 1, 2));
/// assert!(sampled.found.is_none());
/// assert_eq!((sampled.runs, sampled.complete), (100, 100));
/// ```
pub fn sample(config: &Config, sampling: &Sampling, test: &(dyn Fn() + Sync)) -> Sampled {
    sample_with(config, sampling, test, SamplingHooks::default())
}

/// As [`sample`], and tells `hooks` of it.
///
/// # Panics
/// If Linchpin's [`Allocator`](crate::Allocator) is not the global allocator.
pub fn sample_with(
    config: &Config,
    sampling: &Sampling,
    test: &(dyn Fn() + Sync),
    hooks: SamplingHooks<'_>,
) -> Sampled {
    let start = Instant::now();
    let mut config = config.clone();
    settle_for_sampling(&mut config);
    let config = Arc::new(config);
    let workers = match config.workers {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    };
    let shared = sample_by(workers, &config, sampling, test, hooks, start);
    // Several workers had begun when it turned out that the test must not be run by more than one.
    shared.unwrap_or_else(|| sample_by(1, &config, sampling, test, hooks, start).expect("a single worker is alone"))
}

/// Samples with so many workers; `None` if one worker would have to be alone and was not.
fn sample_by(
    workers: usize,
    config: &Arc<Config>,
    sampling: &Sampling,
    test: &(dyn Fn() + Sync),
    hooks: SamplingHooks<'_>,
    start: Instant,
) -> Option<Sampled> {
    let judge = |_: &Execution, calls: &[Call]| (hooks.judge)(calls);
    // No context outlives the scope below.
    let alone = Alone::default();
    let subject = Subject::new(test, &judge, &alone);
    let shared = Shared::new(config, sampling, hooks.turns, workers);
    let watched: Vec<Watched> = (0..workers).map(|_| Watched::default()).collect();
    let (bounds, tally) = std::thread::scope(|scope| {
        let begin = |(number, watched)| {
            let (config, shared) = (config.clone(), &shared);
            scope.spawn(move || {
                let _leave = shared.enter();
                let mut context = Context::new(config, Lane::acquire(), subject);
                context.check_allocator();
                Worker::new(context, shared, number == 0).work(watched)
            })
        };
        let handles: Vec<_> = watched.iter().enumerate().map(begin).collect();
        let bounds = supervise(config, &shared, &watched, &hooks, start);
        let mut tally = Tally::default();
        for handle in handles {
            match handle.join() {
                Ok(of_worker) => tally.add(of_worker),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        (bounds, tally)
    });
    (!shared.has_to_be_alone()).then(|| conclude(config, &shared, tally, bounds, start))
}

/// Waits for the workers, minding time, interrupts and threads that do not come back. Returns the budgets that ran out.
fn supervise(
    config: &Config,
    shared: &Shared<'_>,
    watched: &[Watched],
    hooks: &SamplingHooks<'_>,
    start: Instant,
) -> Vec<Bound> {
    let mut bounds = Vec::new();
    loop {
        let left = config.max_time.map(|limit| limit.saturating_sub(start.elapsed()));
        // Not too short a nap when time is up: the workers come to the end of their runs.
        let nap = Duration::from_millis(50).min(left.unwrap_or(Duration::MAX)).max(Duration::from_millis(1));
        if shared.wait(nap) {
            return bounds;
        }
        for worker in watched {
            worker.check(config.stuck_after);
        }
        let runs = shared.runs();
        let done = runs as f64 / shared.sampling.runs as f64;
        (hooks.progress)(&Progress { complete: runs, blocked: 0, done, elapsed: start.elapsed() });
        if !bounds.is_empty() {
            continue;
        }
        let is_interrupted = hooks.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        bounds.extend(config.max_time.filter(|&limit| start.elapsed() >= limit).map(Bound::Time));
        bounds.extend(is_interrupted.then_some(Bound::Interrupted));
        if !bounds.is_empty() {
            shared.halt();
        }
    }
}

fn conclude(config: &Config, shared: &Shared<'_>, tally: Tally, mut bounds: Vec<Bound>, start: Instant) -> Sampled {
    let found = shared.take_found();
    let runs = match &found {
        // What other workers did beyond that is nobody's business.
        Some(found) if !config.keep_going => {
            bounds = vec![Bound::FirstViolation];
            found.run + 1
        }
        _ => shared.runs(),
    };
    if bounds.is_empty() {
        bounds.push(Bound::Executions(runs));
    }
    let among = |numbers: &[u64]| numbers.iter().filter(|&&run| run < runs).count() as u64;
    let (violations, blocked, cut) = (among(&tally.violations), among(&tally.blocked), among(&tally.cut));
    if cut > 0 {
        bounds.push(Bound::EventsPerThread(config.max_events_per_thread));
    }
    Sampled {
        found,
        violations,
        runs,
        complete: runs - violations - blocked - cut,
        blocked,
        cut,
        seed: shared.sampling.seed,
        assumed_steps: shared.assumed_steps(),
        coverage: Coverage::Bounded(bounds),
        elapsed: start.elapsed(),
    }
}

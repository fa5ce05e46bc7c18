//! Shuttle's schedulers: all schedules depth first, random ones, and PCT.

use std::time::Duration;

use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, Runner};

use crate::measurement::{End, Measurement, Run, Tool};
use crate::programs::{Program, on_shuttle::run};
use crate::tools::peer;

/// Random schedules are drawn and timed so many at a time.
const SAMPLE: usize = 1_000;

/// Explores all schedules.
pub(super) fn depth_first(program: Program, budget: Duration) -> Measurement {
    Measurement::of(Tool::ShuttleDfs, || explore(program, budget, || DfsScheduler::new(None, false)))
}

/// Runs random schedules.
pub(super) fn random(program: Program, budget: Duration) -> Measurement {
    Measurement::of(Tool::ShuttleRandom, || {
        // The seed is fixed so that runs can be compared.
        let run = explore(program, budget, || RandomScheduler::new_from_seed(1, SAMPLE));
        let end = if run.end == End::Finished { End::Sampled } else { run.end };
        Run { end, ..run }
    })
}

/// Runs random schedules as long as `budget` says.
pub(super) fn random_for(program: Program, budget: Duration) -> Run {
    explore(program, budget, || RandomScheduler::new_from_seed(1, usize::MAX))
}

/// Runs schedules of PCT with a depth of 3 as long as `budget` says.
pub(super) fn pct_for(program: Program, budget: Duration) -> Run {
    explore(program, budget, || PctScheduler::new_from_seed(1, 3, usize::MAX))
}

fn explore<S: Scheduler + 'static>(program: Program, budget: Duration, scheduler: fn() -> S) -> Run {
    peer::explore(budget, move |count| {
        let mut config = Config::new();
        config.max_time = Some(budget);
        config.failure_persistence = FailurePersistence::None;
        config.silence_warnings = true;
        Runner::new(scheduler(), config).run(move || {
            count();
            run(program);
        });
    })
}

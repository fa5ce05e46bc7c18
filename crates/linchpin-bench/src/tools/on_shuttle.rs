//! Shuttle's two schedulers: all schedules depth first, and random ones.

use std::time::Duration;

use shuttle::scheduler::{DfsScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, Runner};

use crate::measurement::{Measurement, Run, Tool};
use crate::programs::{Program, on_shuttle::run};
use crate::tools::peer;

/// Random schedules never end; a rate shows soon.
const SAMPLING: Duration = Duration::from_millis(500);

/// Explores all schedules.
pub(super) fn depth_first(program: Program, budget: Duration) -> Measurement {
    Measurement::of(Tool::ShuttleDfs, || {
        explore(program, budget, || DfsScheduler::new(None, false))
    })
}

/// Runs random schedules for a while.
pub(super) fn random(program: Program, budget: Duration) -> Measurement {
    let time = SAMPLING.min(budget);
    // The seed is fixed so that runs can be compared.
    Measurement::of(Tool::ShuttleRandom, || {
        explore(program, time, || RandomScheduler::new_from_seed(1, usize::MAX))
    })
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

//! An exploration from start to end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use linchpin_graph::Execution;
use linchpin_model::{Assumption, Bound, Coverage};

use crate::config::Config;
use crate::runtime::context::{Context, Mode, RunEnd};
use crate::runtime::lane::Lane;
use crate::violation::Violation;

/// What an exploration has established.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The first violation, in the order of exploration.
    pub violation: Option<Violation>,
    /// How much was looked at.
    pub coverage: Coverage,
    /// What was taken for granted.
    pub assumptions: Vec<Assumption>,
    /// Executions in which all threads ended.
    pub complete: u64,
    /// Executions that were given up since some thread waited.
    pub blocked: u64,
    /// How long it took.
    pub elapsed: Duration,
}

/// Explores `test`.
pub fn explore(config: &Config, test: &(dyn Fn() + Sync)) -> Exploration {
    explore_with(config, test, &|_| {})
}

/// Explores `test` and shows every complete execution to `observe`.
pub fn explore_with(
    config: &Config,
    test: &(dyn Fn() + Sync),
    observe: &(dyn Fn(&Execution) + Sync),
) -> Exploration {
    let start = Instant::now();
    let config = Arc::new(config.clone());
    let lane = Lane::acquire().expect("lane");
    // SAFETY: only the lifetime changes; the context does not outlive this function.
    let test: *const (dyn Fn() + Sync) = unsafe { std::mem::transmute(test as *const (dyn Fn() + Sync)) };
    let mut context = Context::new(config.clone(), lane, test);
    let mut result = Exploration {
        violation: None,
        coverage: Coverage::Complete,
        assumptions: Vec::new(),
        complete: 0,
        blocked: 0,
        elapsed: Duration::ZERO,
    };
    loop {
        match context.run(Mode::Grow) {
            RunEnd::Complete => {
                result.complete += 1;
                observe(context.explorer.execution());
            }
            RunEnd::Blocked => result.blocked += 1,
            RunEnd::Dead => {}
            RunEnd::TooManyEvents => {
                result.coverage = Coverage::Bounded(vec![Bound::EventsPerThread(config.max_events_per_thread)]);
            }
            RunEnd::Violation(violation) => {
                result.violation.get_or_insert(*violation);
                if !config.keep_going {
                    break;
                }
            }
        }
        if !context.explorer.advance() {
            break;
        }
    }
    context.into_lane().release();
    result.elapsed = start.elapsed();
    result
}

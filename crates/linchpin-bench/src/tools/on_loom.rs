//! Loom without bounds on preemptions, and with more branches than it has by default.

use std::time::Duration;

use crate::measurement::{Measurement, Run, Tool};
use crate::programs::{Program, on_loom::run};
use crate::tools::peer;

/// Loom looks at the clock once per so many executions.
const EXECUTIONS_PER_LOOK: usize = 50;

/// Ten times the default. Loom panics when one execution has more.
const MAX_BRANCHES: usize = 10_000;

/// Explores all that loom takes for different.
pub(super) fn measure(program: Program, budget: Duration) -> Measurement {
    Measurement::of(Tool::Loom, || explore(program, budget))
}

fn explore(program: Program, budget: Duration) -> Run {
    peer::explore(budget, move |count| {
        let mut builder = loom::model::Builder::new();
        builder.max_branches = MAX_BRANCHES;
        builder.max_permutations = None;
        builder.preemption_bound = None;
        builder.max_duration = Some(budget);
        builder.checkpoint_interval = EXECUTIONS_PER_LOOK;
        builder.check(move || {
            count();
            run(program);
        });
    })
}

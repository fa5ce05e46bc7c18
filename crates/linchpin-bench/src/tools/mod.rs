//! The tools that explore the programs, each with what makes it comparable.

mod on_linchpin;
mod on_loom;
mod on_shuttle;
mod peer;
mod sampling;

use std::time::Duration;

use crate::measurement::{Measurement, Tool};
use crate::programs::Program;

/// Lets a tool explore `program`, for no longer than `budget` if it can be told so.
pub(crate) fn measure(tool: Tool, program: Program, budget: Duration) -> Measurement {
    match tool {
        Tool::Linchpin => on_linchpin::every_iteration(program, budget),
        Tool::LinchpinReduced => on_linchpin::reduced(program, budget),
        Tool::Loom => on_loom::measure(program, budget),
        Tool::ShuttleDfs => on_shuttle::depth_first(program, budget),
        Tool::ShuttleRandom => on_shuttle::random(program, budget),
    }
}

pub(crate) use on_linchpin::{one_worker, run_of};
pub(crate) use sampling::{Sampler, schedules};

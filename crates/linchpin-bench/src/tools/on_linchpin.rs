//! Linchpin: C11, one worker, everything else at its default, as its users have it.

use std::time::Duration;

use linchpin::{Builder, Exploration, LoopReduction, MemoryModel};

use crate::measurement::{End, Measurement, Run, Tool};
use crate::programs::{Program, on_linchpin::run};

/// A single worker under C11 that explores every iteration of every loop.
pub(crate) fn one_worker() -> Builder {
    Builder::new().memory_model(MemoryModel::C11).workers(1).loops(LoopReduction::Off)
}

/// Explores every iteration of every loop.
pub(super) fn every_iteration(program: Program, budget: Duration) -> Measurement {
    let builder = one_worker().max_time(budget);
    Measurement::of(Tool::Linchpin, || run_of(&builder.explore(move || run(program))))
}

/// Leaves out iterations without effect; the time has the cross-check that tells which these are.
pub(super) fn reduced(program: Program, budget: Duration) -> Measurement {
    let builder = one_worker().loops(LoopReduction::CrossChecked).max_time(budget);
    Measurement::of(Tool::LinchpinReduced, || run_of(&builder.explore(move || run(program))))
}

/// An exploration as one among others.
pub(crate) fn run_of(exploration: &Exploration) -> Run {
    let end = match &exploration.violation {
        Some(violation) => End::Failed(format!("a {} was found", violation.kind.name())),
        None if exploration.coverage.is_complete() => End::Finished,
        None => End::Cut,
    };
    Run { complete: exploration.complete, blocked: exploration.blocked, end }
}

//! What a second worker is worth.

use std::time::Duration;

use serde::Serialize;

use crate::measurement::median;
use crate::programs::{Program, on_linchpin};
use crate::progress;
use crate::tools::one_worker;

/// The section's name.
pub(super) const NAME: &str = "two workers on M&S 2×2";

/// Medians of several explorations of M&S 2×2 without loop reduction.
#[derive(Debug, Serialize)]
pub(crate) struct Workers {
    /// With one worker.
    pub one_seconds: f64,
    /// With two.
    pub two_seconds: f64,
    /// How many times faster two are.
    pub speedup: f64,
    /// How many explorations each.
    pub repetitions: usize,
}

/// Explores in turn with one worker and with two, so that a noisy neighbour disturbs both.
pub(super) fn measure(quick: bool) -> Workers {
    progress::begin(NAME);
    // Enough to outlast a neighbour who is busy for seconds.
    let repetitions = if quick { 5 } else { 61 };
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for _ in 0..repetitions {
        one.push(time_with(1));
        two.push(time_with(2));
    }
    let (one, two) = (median(&mut one).as_secs_f64(), median(&mut two).as_secs_f64());
    Workers { one_seconds: one, two_seconds: two, speedup: one / two, repetitions }
}

fn time_with(workers: usize) -> Duration {
    let program = Program::MichaelScott { threads: 2, rounds: 2 };
    one_worker().workers(workers).explore(move || on_linchpin::run(program)).elapsed
}

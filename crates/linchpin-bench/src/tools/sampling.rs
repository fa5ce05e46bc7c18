//! Random schedules: linchpin's strategies and shuttle's schedulers, for a given time.

use std::time::{Duration, Instant};

use linchpin::{Builder, Sampling, Strategy};
use serde::Serialize;

use super::on_shuttle;
use crate::measurement::{End, Run};
use crate::programs::{Program, on_linchpin};

/// Who chooses schedules. The depth of PCT is 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Sampler {
    LinchpinRandom,
    ShuttleRandom,
    LinchpinPct,
    LinchpinDPct,
    ShuttlePct,
}

impl Sampler {
    pub const ALL: [Sampler; 5] = [
        Sampler::LinchpinRandom,
        Sampler::ShuttleRandom,
        Sampler::LinchpinPct,
        Sampler::LinchpinDPct,
        Sampler::ShuttlePct,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Sampler::LinchpinRandom => "linchpin random",
            Sampler::ShuttleRandom => "shuttle random",
            Sampler::LinchpinPct => "linchpin PCT",
            Sampler::LinchpinDPct => "linchpin D-PCT",
            Sampler::ShuttlePct => "shuttle PCT",
        }
    }
}

/// Runs `program` with random schedules for about `budget`, one at a time; returns how many per second.
///
/// # Panics
/// If the tool finds something: the programs are right.
pub(crate) fn schedules(sampler: Sampler, program: Program, budget: Duration) -> f64 {
    let begin = Instant::now();
    let run = match sampler {
        Sampler::LinchpinRandom => on_linchpin(Strategy::Random, program, budget),
        Sampler::LinchpinPct => on_linchpin(Strategy::Pct { depth: 3, steps: None }, program, budget),
        Sampler::LinchpinDPct => on_linchpin(Strategy::DPct { depth: 3, structures: None }, program, budget),
        Sampler::ShuttleRandom => on_shuttle::random_for(program, budget),
        Sampler::ShuttlePct => on_shuttle::pct_for(program, budget),
    };
    assert!(!matches!(run.end, End::Failed(_)), "{} on {program:?}: {:?}", sampler.name(), run.end);
    run.complete as f64 / begin.elapsed().as_secs_f64()
}

fn on_linchpin(strategy: Strategy, program: Program, budget: Duration) -> Run {
    let sampling = Sampling { strategy, runs: u64::MAX, seed: 1, ..Sampling::default() };
    let builder = Builder::new().workers(1).max_time(budget);
    let sampled = builder.sample(&sampling, move || on_linchpin::run(program));
    let end = match sampled.found {
        Some(found) => End::Failed(format!("a {} was found", found.violation.kind)),
        None => End::Sampled,
    };
    Run { complete: sampled.complete, blocked: sampled.cut + sampled.blocked, end }
}

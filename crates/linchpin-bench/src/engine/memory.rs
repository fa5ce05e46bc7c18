//! Does a long exploration need more memory than a short one?

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde::Serialize;

use crate::programs::{Program, on_linchpin};
use crate::progress;
use crate::resident::megabytes;
use crate::tools::one_worker;

/// The section's name.
pub(super) const NAME: &str = "memory over 10 million executions";

/// It allocates, retries and has revisits at all depths, and far more executions than are asked for.
const PROGRAM: (&str, Program) = ("Treiber 3×2", Program::Treiber { threads: 3, rounds: 2 });
const EXECUTIONS: u64 = 10_000_000;
const PAUSE: Duration = Duration::from_millis(50);

/// The resident memory of this process during a long exploration, in megabytes of 10⁶ bytes.
#[derive(Debug, Serialize)]
pub(crate) struct Memory {
    /// What was explored.
    pub program: &'static str,
    /// How many executions there were.
    pub executions: u64,
    /// How long it took.
    pub seconds: f64,
    /// Resident before the exploration.
    pub before_mb: f64,
    /// Resident after a tenth of the time.
    pub early_mb: f64,
    /// Resident at the end.
    pub late_mb: f64,
    /// The most that was ever resident, as the kernel says.
    pub peak_mb: f64,
}

impl Memory {
    /// Is what was resident at the end about what was resident after a tenth?
    pub fn is_flat(&self) -> bool {
        self.late_mb - self.early_mb < 1.0 + 0.05 * self.early_mb
    }
}

/// Explores while looking at the resident memory. Nothing if this system does not tell.
pub(super) fn measure() -> Option<Memory> {
    progress::begin(format_args!("{NAME}: {}", PROGRAM.0));
    let before_mb = megabytes("VmRSS:")?;
    let done = AtomicBool::new(false);
    let (exploration, samples) = thread::scope(|scope| {
        let sampler = scope.spawn(|| sample_until(&done));
        let builder = one_worker().max_executions(EXECUTIONS);
        let exploration = builder.explore(|| on_linchpin::run(PROGRAM.1));
        done.store(true, Ordering::Relaxed);
        (exploration, sampler.join().expect("the sampler does not panic"))
    });
    Some(Memory {
        program: PROGRAM.0,
        executions: exploration.complete + exploration.blocked,
        seconds: exploration.elapsed.as_secs_f64(),
        before_mb,
        early_mb: *samples.get(samples.len() / 10)?,
        late_mb: *samples.last()?,
        peak_mb: megabytes("VmHWM:")?,
    })
}

fn sample_until(done: &AtomicBool) -> Vec<f64> {
    let mut samples = Vec::new();
    while !done.load(Ordering::Relaxed) {
        samples.extend(megabytes("VmRSS:"));
        thread::sleep(PAUSE);
    }
    samples
}

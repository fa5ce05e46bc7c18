//! Many threads with one operation each on a Treiber stack: half of them push, half pop.

use std::sync::Arc;
use std::time::Duration;

use linchpin::{LoopReduction, thread};
use serde::Serialize;

use crate::measurement::{Measurement, Tool};
use crate::programs::on_linchpin::Stack;
use crate::progress;
use crate::tools::{one_worker, run_of};

use super::crowd_count;

/// The section's name.
pub(super) const NAME: &str = "Treiber crowd 4+4";
const PUSHERS: usize = 4;
const POPPERS: usize = 4;

/// The crowd, explored by so many workers.
#[derive(Debug, Serialize)]
pub(crate) struct Crowd {
    /// How many workers shared the exploration.
    pub workers: usize,
    /// How many complete executions there must be, of which none is another one with threads renamed.
    pub expected: u64,
    /// What came out.
    pub measurement: Measurement,
}

/// Explores the crowd, first with one worker, then with one per core.
pub(super) fn measure(budget: Duration) -> Vec<Crowd> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut numbers = vec![1, cores];
    numbers.dedup();
    numbers.into_iter().map(|workers| measure_with(workers, budget)).collect()
}

fn measure_with(workers: usize, budget: Duration) -> Crowd {
    progress::begin(format_args!("{NAME}, workers: {workers}"));
    let builder = one_worker().workers(workers).loops(LoopReduction::CrossChecked).symmetry(true).max_time(budget);
    let measurement = Measurement::of(Tool::LinchpinReduced, || run_of(&builder.explore(|| crowd(PUSHERS, POPPERS))));
    Crowd { workers, expected: crowd_count::classes(PUSHERS, POPPERS), measurement }
}

fn crowd(pushers: usize, poppers: usize) {
    let stack = Arc::new(Stack::new());
    let pushed = Arc::clone(&stack);
    let mut threads = thread::spawn_symmetric(pushers, move || pushed.push(1));
    threads.extend(thread::spawn_symmetric(poppers, move || {
        stack.pop();
    }));
    for thread in threads {
        thread.join().expect("no panic");
    }
}

impl Crowd {
    /// What linchpin got wrong.
    pub fn wrong(&self) -> Option<String> {
        let program = format!("{NAME}, workers: {}", self.workers);
        super::comparison::wrong(&program, &self.measurement, self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_crowds_have_as_many_executions_as_counted() {
        for (pushers, poppers) in [(1, 1), (1, 3), (2, 2), (3, 1), (3, 3)] {
            let builder = one_worker().loops(LoopReduction::CrossChecked);
            let exploration = builder.explore(move || crowd(pushers, poppers));
            assert_eq!(exploration.complete, crowd_count::classes(pushers, poppers), "{pushers}+{poppers}");
        }
    }
}

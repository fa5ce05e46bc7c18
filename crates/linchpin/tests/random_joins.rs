//! Random programs whose threads start others and wait for them have as many executions in whatever order they are started.
//!
//! That order decides which thread goes first when several can go on, and which is woken first when several wait for threads that have ended.
//! Nobody must be forgotten over that, nor the number of executions depend on it.

mod common;

use std::collections::VecDeque;

use common::MODELS;
use fastrand::Rng;
use linchpin::sync::Arc;
use linchpin::sync::atomic::AtomicU32;
use linchpin::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use linchpin::{Builder, LoopReduction, MemoryModel, thread};

/// What a thread does, to the first or the second of two numbers.
#[derive(Clone, Debug)]
enum Step {
    Store(usize, u32),
    Load(usize),
    Add(usize),
    /// Starts a thread that does this.
    Start(Vec<Step>),
    /// Waits for the thread that was started first among those that are left, if there is one.
    Join,
}

type Numbers = Arc<[AtomicU32; 2]>;

fn run(steps: &[Step], numbers: &Numbers) {
    let mut started = VecDeque::new();
    for step in steps {
        match step {
            Step::Store(number, value) => numbers[*number].store(*value, Release),
            Step::Load(number) => {
                numbers[*number].load(Acquire);
            }
            Step::Add(number) => {
                numbers[*number].fetch_add(1, AcqRel);
            }
            Step::Start(steps) => {
                let (steps, numbers) = (steps.clone(), numbers.clone());
                started.push_back(thread::spawn(move || run(&steps, &numbers)));
            }
            Step::Join => {
                if let Some(thread) = started.pop_front() {
                    thread.join().expect("no panic");
                }
            }
        }
    }
    // Whoever was not waited for goes on alone.
}

/// Steps of a thread that may start others, and these others, to this depth.
fn steps(random: &mut Rng, depth: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..random.usize(1..=3) {
        let number = random.usize(0..2);
        match random.u32(0..6) {
            0 => steps.push(Step::Store(number, random.u32(1..3))),
            1 => steps.push(Step::Load(number)),
            2 => steps.push(Step::Add(number)),
            _ if depth == 0 => {}
            3 => steps.push(Step::Start(self::steps(random, depth - 1))),
            _ => steps.extend([Step::Start(self::steps(random, depth - 1)), Step::Join]),
        }
    }
    if random.bool() {
        steps.push(Step::Join);
    }
    steps
}

/// How many executions there are if the threads are started in this order; `None` if there are many.
fn count(model: MemoryModel, workers: usize, threads: Vec<Vec<Step>>) -> Option<u64> {
    let builder = Builder::new().memory_model(model).loops(LoopReduction::Off).workers(workers);
    let builder = if workers == 1 { builder.max_executions(500) } else { builder };
    let exploration = builder.explore(move || {
        let numbers: Numbers = Arc::default();
        let start = |steps: &Vec<Step>| {
            let (steps, numbers) = (steps.clone(), numbers.clone());
            thread::spawn(move || run(&steps, &numbers))
        };
        let threads: Vec<_> = threads.iter().map(start).collect();
        for thread in threads {
            thread.join().expect("no panic");
        }
        numbers[0].load(Relaxed);
    });
    assert!(exploration.violation.is_none());
    assert_eq!(exploration.blocked, 0, "nobody waits for anything that does not come");
    exploration.coverage.is_complete().then_some(exploration.complete)
}

#[test]
fn the_order_in_which_threads_are_started_does_not_change_the_number_of_executions() {
    let programs: u64 = std::env::var("LINCHPIN_PROGRAMS").map_or(80, |programs| programs.parse().unwrap());
    let mut compared = 0;
    for seed in 0..programs {
        let mut random = Rng::with_seed(seed);
        let mut threads: Vec<Vec<Step>> = (0..random.usize(2..=3)).map(|_| steps(&mut random, 2)).collect();
        for model in MODELS {
            let expected = count(model, 1, threads.clone());
            if expected.is_some() {
                assert_eq!(count(model, 3, threads.clone()), expected, "seed {seed}, {model:?}, three workers");
            }
            for _ in 0..threads.len() {
                threads.rotate_left(1);
                assert_eq!(count(model, 1, threads.clone()), expected, "seed {seed}, {model:?}: {threads:?}");
                threads.swap(0, 1);
                assert_eq!(count(model, 1, threads.clone()), expected, "seed {seed}, {model:?}: {threads:?}");
                compared += 2 * u64::from(expected.is_some_and(|count| count > 1));
                threads.swap(0, 1);
            }
        }
    }
    assert!(compared > 4 * programs, "only {compared} comparisons say anything");
}

//! What one access costs, on top of everything that an execution costs anyway.
//!
//! The same program is run with few accesses and with many, by turns; what the many cost more, divided by how many more they
//! are, is the cost of one. *First* is an access that happens for the first time in an exploration and becomes an event, taken at two
//! lengths to see whether what has happened before matters; *again* is one that happens in every later execution, where only its value
//! is looked up; *sampled* is one of a random run, where there is no graph. Where two threads take turns at random, the cost of
//! changing over, at every other access, is part of it.

use std::array;
use std::time::Duration;

use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use linchpin::{Builder, Sampling, thread};
use serde::Serialize;

use crate::measurement::median;
use crate::progress;
use crate::tools::one_worker;

/// The section's name.
pub(super) const NAME: &str = "cost of an access";

/// Accesses of a long test.
const SHORT: Span = Span { few: 100, many: 1_000, repetitions: 31 };
/// Accesses of a test that is longer than any should be.
const LONG: Span = Span { few: 1_000, many: 9_000, repetitions: 15 };

/// Two numbers of accesses, and how often each is timed in a round.
struct Span {
    few: usize,
    many: usize,
    repetitions: usize,
}

/// Everything is timed in so many rounds: whoever else uses the machine does so for seconds on end, which is longer than one row takes, and
/// should not decide what any row says.
const ROUNDS: usize = 5;

/// So many threads store to one location in every order there is, to have executions in which all else happens again.
const WRITERS: usize = 5;

/// So many random runs are timed together.
const RUNS: u64 = 100;

/// The cost of one relaxed access.
#[derive(Debug, Serialize)]
pub(crate) struct AccessCost {
    /// Loads, stores, or both in turn.
    pub accesses: &'static str,
    /// How many locations take turns.
    pub locations: usize,
    /// Nanoseconds when it happens for the first time, after some hundred others.
    pub first_ns: f64,
    /// Nanoseconds when it happens for the first time, after some thousand others.
    pub first_after_many_ns: f64,
    /// Nanoseconds when it happens again.
    pub again_ns: f64,
    /// Nanoseconds in a random run.
    pub sampled_ns: f64,
    /// Nanoseconds in a random run with two threads that do the same.
    pub sampled_by_two_ns: f64,
}

#[derive(Clone, Copy)]
enum Mix {
    Loads,
    Stores,
    Both,
}

/// What was measured of one kind of accesses: how many nanoseconds one more of them takes.
#[derive(Default)]
struct Samples {
    /// In an exploration with a single execution, after some hundred others.
    first: Vec<f64>,
    /// In an exploration with a single execution, after some thousand others.
    first_after_many: Vec<f64>,
    /// In all executions of an exploration together, of which there are `executions`.
    all: Vec<f64>,
    executions: u64,
    /// In all random runs together.
    sampled: Vec<f64>,
    /// In all random runs together, with two threads.
    sampled_by_two: Vec<f64>,
}

/// Measures loads, stores and both on one location, and both on eight.
pub(super) fn measure() -> Vec<AccessCost> {
    let mut rows: [(_, _, Samples); 4] = [
        ("loads", 1, Samples::default()),
        ("stores", 1, Samples::default()),
        ("loads and stores", 1, Samples::default()),
        ("loads and stores", 8, Samples::default()),
    ];
    for round in 1..=ROUNDS {
        progress::begin(format_args!("{NAME}, {round} of {ROUNDS}"));
        let [loads, stores, both, both_on_eight] = rows.each_mut().map(|(.., samples)| samples);
        loads.add_round::<1>(Mix::Loads);
        stores.add_round::<1>(Mix::Stores);
        both.add_round::<1>(Mix::Both);
        both_on_eight.add_round::<8>(Mix::Both);
    }
    rows.into_iter().map(|(accesses, locations, samples)| samples.cost(accesses, locations)).collect()
}

impl Samples {
    fn add_round<const LOCATIONS: usize>(&mut self, mix: Mix) {
        let alone = |n| move || access(mix, n, &locations::<LOCATIONS>());
        let before_writers = |n| {
            move || {
                access(mix, n, &locations::<LOCATIONS>());
                write_in_every_order();
            }
        };
        let by_two = |n| {
            move || {
                let shared = Arc::new(locations::<LOCATIONS>());
                let other = shared.clone();
                let thread = thread::spawn(move || access(mix, n / 2, &other));
                access(mix, n / 2, &shared);
                thread.join().expect("no panic");
            }
        };
        SHORT.explore(alone, &mut self.first);
        LONG.explore(alone, &mut self.first_after_many);
        self.executions = LONG.explore(before_writers, &mut self.all);
        LONG.sample(alone, &mut self.sampled);
        LONG.sample(by_two, &mut self.sampled_by_two);
    }

    fn cost(mut self, accesses: &'static str, locations: usize) -> AccessCost {
        let first_after_many_ns = median(&mut self.first_after_many);
        AccessCost {
            accesses,
            locations,
            first_ns: median(&mut self.first),
            first_after_many_ns,
            again_ns: (median(&mut self.all) - first_after_many_ns) / (self.executions - 1) as f64,
            sampled_ns: median(&mut self.sampled) / RUNS as f64,
            sampled_by_two_ns: median(&mut self.sampled_by_two) / RUNS as f64,
        }
    }
}

impl Span {
    /// Adds what one access more costs all executions of a test together, and says how many executions that are.
    fn explore<T: Fn() + Send + Sync + Copy + 'static>(
        &self,
        test: impl Fn(usize) -> T,
        samples: &mut Vec<f64>,
    ) -> u64 {
        let builder = self.builder();
        let mut executions = 0;
        self.add_differences(samples, |accesses| {
            let exploration = builder.explore(test(accesses));
            executions = exploration.complete;
            exploration.elapsed
        });
        executions
    }

    /// Adds what one access more costs all random runs of a test together.
    fn sample<T: Fn() + Send + Sync + Copy + 'static>(&self, test: impl Fn(usize) -> T, samples: &mut Vec<f64>) {
        let builder = self.builder();
        let sampling = Sampling { runs: RUNS, ..Sampling::default() };
        self.add_differences(samples, |accesses| builder.sample(&sampling, test(accesses)).elapsed);
    }

    fn builder(&self) -> Builder {
        one_worker().max_events_per_thread(2 * self.many as u32)
    }

    /// Adds what one access more costs, given what so many take.
    fn add_differences(&self, samples: &mut Vec<f64>, mut time: impl FnMut(usize) -> Duration) {
        samples.extend((0..self.repetitions).map(|_| {
            let few = time(self.few).as_secs_f64();
            (time(self.many).as_secs_f64() - few) * 1e9 / (self.many - self.few) as f64
        }));
    }
}

fn locations<const LOCATIONS: usize>() -> [AtomicUsize; LOCATIONS] {
    array::from_fn(|_| AtomicUsize::new(0))
}

fn access<const LOCATIONS: usize>(mix: Mix, accesses: usize, locations: &[AtomicUsize; LOCATIONS]) {
    for number in 0..accesses {
        let location = &locations[number % LOCATIONS];
        let is_store = match mix {
            Mix::Loads => false,
            Mix::Stores => true,
            Mix::Both => (number / LOCATIONS).is_multiple_of(2),
        };
        if is_store {
            location.store(number, Relaxed);
        } else {
            location.load(Relaxed);
        }
    }
}

fn write_in_every_order() {
    let last = Arc::new(AtomicUsize::new(0));
    let start = |number| {
        let last = Arc::clone(&last);
        thread::spawn(move || last.store(number, Relaxed))
    };
    let threads: Vec<_> = (0..WRITERS).map(start).collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
}

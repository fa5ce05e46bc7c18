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

use crate::progress;
use crate::tools::one_worker;

/// The section's name.
pub(super) const NAME: &str = "cost of an access";

/// Accesses of a long test.
const SHORT: Span = Span { few: 100, many: 1_000, repetitions: 151 };
/// Accesses of a test that is longer than any should be.
const LONG: Span = Span { few: 1_000, many: 9_000, repetitions: 75 };

/// Two numbers of accesses, and how often each is timed.
struct Span {
    few: usize,
    many: usize,
    repetitions: usize,
}

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

/// Measures loads, stores and both on one location, and both on eight.
pub(super) fn measure() -> Vec<AccessCost> {
    progress::begin(NAME);
    vec![
        cost::<1>("loads", Mix::Loads),
        cost::<1>("stores", Mix::Stores),
        cost::<1>("loads and stores", Mix::Both),
        cost::<8>("loads and stores", Mix::Both),
    ]
}

fn cost<const LOCATIONS: usize>(accesses: &'static str, mix: Mix) -> AccessCost {
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
    let first_after_many = LONG.explored(alone).0;
    let (all, executions) = LONG.explored(before_writers);
    AccessCost {
        accesses,
        locations: LOCATIONS,
        first_ns: SHORT.explored(alone).0,
        first_after_many_ns: first_after_many,
        again_ns: (all - first_after_many) / (executions - 1) as f64,
        sampled_ns: LONG.sampled(alone),
        sampled_by_two_ns: LONG.sampled(by_two),
    }
}

impl Span {
    /// What one access more costs all executions of a test together, and how many executions that are.
    fn explored<T: Fn() + Send + Sync + Copy + 'static>(&self, test: impl Fn(usize) -> T) -> (f64, u64) {
        let builder = self.builder();
        let mut executions = 0;
        let cost = self.nanoseconds_of_one(|accesses| {
            let exploration = builder.explore(test(accesses));
            executions = exploration.complete;
            exploration.elapsed
        });
        (cost, executions)
    }

    /// What one access more costs a random run of a test.
    fn sampled<T: Fn() + Send + Sync + Copy + 'static>(&self, test: impl Fn(usize) -> T) -> f64 {
        let builder = self.builder();
        let sampling = Sampling { runs: RUNS, ..Sampling::default() };
        self.nanoseconds_of_one(|accesses| builder.sample(&sampling, test(accesses)).elapsed) / RUNS as f64
    }

    fn builder(&self) -> Builder {
        one_worker().max_events_per_thread(2 * self.many as u32)
    }

    /// What one access more costs, given what so many take.
    fn nanoseconds_of_one(&self, mut time: impl FnMut(usize) -> Duration) -> f64 {
        let mut differences: Vec<f64> = (0..self.repetitions)
            .map(|_| {
                let few = time(self.few).as_secs_f64();
                time(self.many).as_secs_f64() - few
            })
            .collect();
        differences.sort_by(f64::total_cmp);
        differences[differences.len() / 2] * 1e9 / (self.many - self.few) as f64
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

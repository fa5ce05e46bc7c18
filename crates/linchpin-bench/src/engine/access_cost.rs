//! What one access costs, on top of everything that an execution costs anyway.
//!
//! The same program is explored with few accesses and with many; what the many cost more, divided by how many more they
//! are, is the cost of one. *First* is an access that happens for the first time and becomes an event, taken at two lengths
//! to see whether what has happened before matters; *again* is one that happens in every later execution of an
//! exploration, where only its value is looked up.

use std::array;

use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use linchpin::thread;
use serde::Serialize;

use crate::measurement::median;
use crate::progress;
use crate::tools::one_worker;

/// The section's name.
pub(super) const NAME: &str = "cost of an access";

/// Accesses of a long test.
const SHORT: Span = Span { few: 100, many: 1_000, repetitions: 151 };
/// Accesses of a test that is longer than any should be.
const LONG: Span = Span { few: 1_000, many: 9_000, repetitions: 25 };

/// Two numbers of accesses, and how often each is timed.
struct Span {
    few: usize,
    many: usize,
    repetitions: usize,
}

/// So many threads store to one location in every order there is, to have executions in which all else happens again.
const WRITERS: usize = 5;

/// The cost of one relaxed access of a thread that nobody disturbs.
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
    let alone = |n| move || access::<LOCATIONS>(mix, n);
    let before_writers = |n| {
        move || {
            access::<LOCATIONS>(mix, n);
            write_in_every_order();
        }
    };
    let first_after_many = LONG.nanoseconds_of_one(alone).0;
    let (all, executions) = LONG.nanoseconds_of_one(before_writers);
    AccessCost {
        accesses,
        locations: LOCATIONS,
        first_ns: SHORT.nanoseconds_of_one(alone).0,
        first_after_many_ns: first_after_many,
        again_ns: (all - first_after_many) / (executions - 1) as f64,
    }
}

impl Span {
    /// What one access more costs all executions of a test together, and how many executions that are.
    fn nanoseconds_of_one<T: Fn() + Send + Sync + Copy + 'static>(&self, test: impl Fn(usize) -> T) -> (f64, u64) {
        let (few, _) = self.explore(test(self.few));
        let (many, executions) = self.explore(test(self.many));
        ((many - few) * 1e9 / (self.many - self.few) as f64, executions)
    }

    fn explore(&self, test: impl Fn() + Send + Sync + Copy + 'static) -> (f64, u64) {
        let builder = one_worker().max_events_per_thread(2 * self.many as u32);
        let mut executions = 0;
        let mut times = Vec::new();
        for _ in 0..self.repetitions {
            let exploration = builder.explore(test);
            executions = exploration.complete;
            times.push(exploration.elapsed);
        }
        (median(&mut times).as_secs_f64(), executions)
    }
}

fn access<const LOCATIONS: usize>(mix: Mix, accesses: usize) {
    let locations: [AtomicUsize; LOCATIONS] = array::from_fn(|_| AtomicUsize::new(0));
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

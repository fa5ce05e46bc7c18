//! What one access costs, on top of everything that an execution costs anyway.
//!
//! The same program is explored with few accesses and with many; what the many cost more, divided by how many more they
//! are, is the cost of one. *First* is an access that happens for the first time and becomes an event; *again* is one
//! that happens in every later execution of an exploration, where only its value is looked up.

use std::array;
use std::time::Duration;

use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use linchpin::thread;
use serde::Serialize;

use crate::measurement::median;
use crate::progress;
use crate::tools::one_worker;

/// The section's name.
pub(super) const NAME: &str = "cost of an access";

const FEW: usize = 1_000;
const MANY: usize = 9_000;
const REPETITIONS: usize = 25;
/// So many threads store to one location in every order there is, to have executions in which all else happens again.
const WRITERS: usize = 5;

/// The cost of one relaxed access of a thread that nobody disturbs.
#[derive(Debug, Serialize)]
pub(crate) struct AccessCost {
    /// Loads, stores, or both in turn.
    pub accesses: &'static str,
    /// How many locations take turns.
    pub locations: usize,
    /// Nanoseconds when it happens for the first time.
    pub first_ns: f64,
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
    let more = (MANY - FEW) as f64;
    let alone = |n| explore(move || access::<LOCATIONS>(mix, n));
    let before_writers = |n| {
        explore(move || {
            access::<LOCATIONS>(mix, n);
            write_in_every_order();
        })
    };
    let (few, many) = (alone(FEW), alone(MANY));
    let first = (many.seconds - few.seconds) / more;
    let (few, many) = (before_writers(FEW), before_writers(MANY));
    let again = ((many.seconds - few.seconds) / more - first) / (many.executions - 1) as f64;
    AccessCost {
        accesses,
        locations: LOCATIONS,
        first_ns: first * 1e9,
        again_ns: again * 1e9,
    }
}

struct Timed {
    seconds: f64,
    executions: u64,
}

fn explore(test: impl Fn() + Send + Sync + Clone + 'static) -> Timed {
    let builder = one_worker().max_events_per_thread(2 * MANY as u32);
    let mut executions = 0;
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..REPETITIONS {
        let exploration = builder.explore(test.clone());
        executions = exploration.complete;
        times.push(exploration.elapsed);
    }
    Timed {
        seconds: median(&mut times).as_secs_f64(),
        executions,
    }
}

fn access<const LOCATIONS: usize>(mix: Mix, accesses: usize) {
    let locations: [AtomicUsize; LOCATIONS] = array::from_fn(|_| AtomicUsize::new(0));
    for number in 0..accesses {
        let location = &locations[number % LOCATIONS];
        let is_store = match mix {
            Mix::Loads => false,
            Mix::Stores => true,
            Mix::Both => (number / LOCATIONS) % 2 == 0,
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

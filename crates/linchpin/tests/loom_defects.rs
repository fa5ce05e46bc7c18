//! What is known to go wrong in loom, or to be missing there, goes right here.

mod common;

use std::collections::BTreeSet;
use std::time::Duration;

use common::litmus::*;
use common::structures::stack;
use common::{MODELS, executions, in_threads, outcomes, outcomes_under, under};
use linchpin::MemoryModel::{C11, Sc};
use linchpin::sync::atomic::{AtomicBool, AtomicU32, Ordering, Ordering::*};
use linchpin::sync::{Arc, Mutex};
use linchpin::{Bound, Builder, Coverage, hint, thread};
use linchpin_engine::Config;

/// The outcome `weak` is there with the weaker `orders`, so that the test is able to show it, but not with SeqCst, nor
/// under SC.
#[track_caller]
fn is_forbidden_by_seq_cst<const N: usize>(
    weak: [u8; N],
    test: fn(Ordering, Ordering) -> [u8; N],
    orders: &[(Ordering, Ordering)],
) {
    for &(write, read) in orders {
        assert!(outcomes_under(C11, || test(write, read)).contains(&weak), "{write:?} {read:?}");
        assert!(!outcomes_under(Sc, || test(write, read)).contains(&weak), "{write:?} {read:?}");
    }
    assert!(!outcomes_under(C11, || test(SeqCst, SeqCst)).contains(&weak));
}

#[test]
fn seq_cst_keeps_loads_from_overtaking_stores() {
    is_forbidden_by_seq_cst([0, 0], store_buffering, &[(Relaxed, Relaxed), (Release, Acquire)]);
}

#[test]
fn seq_cst_makes_all_agree_on_the_order_of_writes() {
    is_forbidden_by_seq_cst([1, 0, 1, 0], independent_reads, &[(Relaxed, Relaxed), (Release, Acquire)]);
}

#[test]
fn seq_cst_orders_writes_to_two_locations() {
    let test = |write, _| two_plus_two_writes(write);
    is_forbidden_by_seq_cst([1, 1], test, &[(Relaxed, Relaxed), (Release, Acquire)]);
}

#[test]
fn seq_cst_keeps_a_load_from_overtaking_a_last_write() {
    is_forbidden_by_seq_cst([2, 0], write_then_read, &[(Relaxed, Relaxed), (Release, Acquire)]);
}

#[test]
fn a_swap_takes_its_place_right_after_what_it_read() {
    // If the swap found 0, the order of the values is 0, 2, 1; if it found 1, it is 0, 1, 2. Nobody sees an order go
    // backwards.
    let ascending = |found: u8, order: [u8; 3]| {
        let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
        pairs.map(|(first, second)| [found, order[first], order[second]])
    };
    let expected: BTreeSet<_> = [ascending(0, [0, 2, 1]), ascending(1, [0, 1, 2])].concat().into_iter().collect();
    for model in MODELS {
        assert_eq!(outcomes_under(model, store_swap_loads), expected);
    }
}

/// Whether an attempt that meets nobody succeeds.
fn lonely_attempt() -> [u8; 1] {
    let value = AtomicU32::new(0);
    [value.compare_exchange_weak(0, 1, AcqRel, Relaxed).is_ok().into()]
}

#[test]
fn weak_compare_exchanges_fail_spuriously_on_demand_only() {
    let asked = Config { spurious_failures: true, ..Config::default() };
    assert_eq!(outcomes(&asked, lonely_attempt), [[0], [1]].into());
    assert_eq!(outcomes(&Config::default(), lonely_attempt), [[1]].into());
}

#[test]
fn strong_compare_exchanges_never_fail_spuriously() {
    let asked = Config { spurious_failures: true, ..Config::default() };
    let test = || [AtomicU32::new(0).compare_exchange(0, 1, AcqRel, Relaxed).is_ok().into()];
    assert_eq!(outcomes(&asked, test), [[1]].into());
}

#[test]
fn eight_threads_are_not_too_many() {
    // Interchangeable threads have one execution up to their names; to tell eight apart takes 8! of them.
    let symmetric = || {
        let counter = Arc::new(AtomicU32::new(0));
        let threads = thread::spawn_symmetric(8, {
            let counter = Arc::clone(&counter);
            move || counter.fetch_add(1, Relaxed)
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(counter.load(Relaxed), 8);
    };
    let distinct = || {
        let counter = AtomicU32::new(0);
        in_threads(8, move |_| {
            counter.fetch_add(1, Relaxed);
        });
    };
    assert_eq!(executions(&Builder::new(), symmetric), 1);
    assert_eq!(executions(&Builder::new(), distinct), 40_320);
}

#[test]
fn many_threads_that_do_not_meet_have_one_execution() {
    let test = || in_threads(100, |number| AtomicU32::new(0).store(number as u32, SeqCst));
    assert_eq!(executions(&Builder::new(), test), 1);
}

static COUNTER: AtomicU32 = AtomicU32::new(3);
static TOTAL: Mutex<u32> = Mutex::new(7);

#[test]
fn statics_start_from_their_initial_value_in_each_execution() {
    let test = || {
        assert_eq!(COUNTER.load(Relaxed), 3);
        in_threads(3, |_| {
            COUNTER.fetch_add(1, Relaxed);
        });
        assert_eq!(COUNTER.load(Relaxed), 6);
    };
    for model in MODELS {
        assert_eq!(executions(&under(model), test), 6);
    }
    assert_eq!(COUNTER.load(Relaxed), 3, "nothing is left behind");
}

#[test]
fn what_a_static_mutex_guards_starts_from_its_initial_value_in_each_execution() {
    let test = || {
        in_threads(3, |_| *TOTAL.lock().unwrap() += 1);
        assert_eq!(*TOTAL.lock().unwrap(), 10);
    };
    assert_eq!(executions(&Builder::new(), test), 6);
    assert_eq!(*TOTAL.lock().unwrap(), 7, "nothing is left behind");
}

#[test]
fn spin_loops_come_to_an_end() {
    for hinted in [true, false] {
        let test = move || {
            let flag = Arc::new(AtomicBool::new(false));
            let other = Arc::clone(&flag);
            let thread = thread::spawn(move || other.store(true, Release));
            while !flag.load(Acquire) {
                if hinted {
                    hint::spin_loop();
                }
            }
            thread.join().unwrap();
        };
        assert_eq!(MODELS.map(|model| executions(&under(model), test)), [1, 1], "with a hint: {hinted}");
    }
}

#[test]
fn a_budget_that_runs_out_does_not_look_like_a_proof() {
    let by_number = Builder::new().max_executions(20).explore(stack(2, 2));
    assert_eq!(by_number.coverage, Coverage::Bounded(vec![Bound::Executions(20)]));

    let limit = Duration::from_millis(20);
    let by_time = Builder::new().max_time(limit).explore(stack(3, 3));
    assert_eq!(by_time.coverage, Coverage::Bounded(vec![Bound::Time(limit)]));

    for exploration in [by_number, by_time] {
        assert!(exploration.violation.is_none());
        assert!(!exploration.coverage.is_complete());
        let summary = linchpin::report::summary(&exploration);
        assert!(summary.contains("bounded"), "{summary}");
    }
}

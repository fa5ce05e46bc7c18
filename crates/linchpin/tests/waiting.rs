//! What waits, what gives up, and what only looks like one of them.

mod common;

use common::{executions, explore_outcomes, finding, in_threads};
use linchpin::sync::Arc;
use linchpin::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use linchpin::sync::atomic::{AtomicBool, AtomicU8};
use linchpin::{Builder, LoopReduction, hint, thread};
use linchpin_engine::Config;

#[test]
fn a_lock_that_swaps_until_it_finds_it_free_has_one_execution_per_order_of_its_holders() {
    let lock = || {
        let lock = AtomicBool::new(false);
        in_threads(3, move |_| {
            while lock.swap(true, Acquire) {
                hint::spin_loop();
            }
            lock.store(false, Release);
        });
    };
    assert_eq!(executions(&Builder::new(), lock), 6);
}

#[test]
fn a_lock_that_looks_before_it_swaps_again_is_explored_to_the_end() {
    executions(&Builder::new(), || {
        let lock = AtomicBool::new(false);
        in_threads(2, move |_| {
            while lock.swap(true, Acquire) {
                while lock.load(Relaxed) {
                    hint::spin_loop();
                }
            }
            lock.store(false, Release);
        });
    });
}

#[test]
fn who_gives_up_after_any_number_of_looks_is_seen_to_give_up() {
    for looks in [1, 2, 3, 4, 5, 9, 40] {
        let test = move || {
            let flag = Arc::new(AtomicBool::new(false));
            let other = flag.clone();
            let thread = thread::spawn(move || other.store(true, Release));
            let seen = (0..looks).any(|_| flag.load(Acquire));
            thread.join().unwrap();
            [u8::from(seen)]
        };
        let (exploration, outcomes) = explore_outcomes(&Config::default(), test);
        assert_eq!(outcomes, [[0], [1]].into(), "{looks} looks");
        assert!(exploration.coverage.is_complete());
    }
}

#[test]
fn a_loop_that_fails_an_assertion_when_it_gives_up_does_so() {
    let test = || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        thread::spawn(move || other.store(true, Release));
        assert!((0..4).any(|_| flag.load(Acquire)));
    };
    assert_eq!(finding(test), "panic");
}

#[test]
fn a_loop_that_failed_by_chance_is_no_livelock() {
    for hinted in [true, false] {
        executions(&Builder::new().spurious_failures(true), move || {
            let lock = AtomicBool::new(false);
            while lock.compare_exchange_weak(false, true, Acquire, Relaxed).is_err() {
                if hinted {
                    hint::spin_loop();
                }
            }
        });
    }
}

#[test]
fn a_loop_until_a_thread_is_finished_waits_for_its_end() {
    let test = || {
        let thread = thread::spawn(|| ());
        while !thread.is_finished() {
            hint::spin_loop();
        }
        thread.join().unwrap();
    };
    assert_eq!(executions(&Builder::new(), test), 1);
}

#[test]
fn a_budget_of_events_that_runs_out_is_no_livelock() {
    let many_loads = || {
        let x = AtomicU8::new(0);
        for _ in 0..20 {
            x.load(Relaxed);
        }
    };
    for loops in [LoopReduction::Off, LoopReduction::CrossChecked] {
        let exploration = Builder::new().loops(loops).max_events_per_thread(10).explore(many_loads);
        assert!(exploration.violation.is_none());
        assert!(!exploration.coverage.is_complete());
        let exploration = Builder::new().loops(loops).max_events_per_thread(25).explore(many_loads);
        assert!(exploration.violation.is_none());
        assert!(exploration.coverage.is_complete());
    }
}

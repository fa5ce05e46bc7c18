//! What waits, what gives up, and what only looks like one of them.

mod common;

use std::time::Duration;

use common::{executions, explore_outcomes, finding, in_threads};
use linchpin::sync::Arc;
use linchpin::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use linchpin::sync::atomic::{AtomicBool, AtomicU8};
use linchpin::{Builder, Exploration, LoopReduction, hint, thread};
use linchpin_engine::{Config, Replay};

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

fn name_of(exploration: &Exploration) -> Option<&'static str> {
    exploration.violation.as_ref().map(|violation| violation.kind.name())
}

/// A thread sets a flag that the main thread looks at, to do `then` if it is not set.
fn beside_a_store<T>(then: impl Fn(&AtomicBool) -> T) -> T {
    let flag = Arc::new(AtomicBool::new(false));
    let other = flag.clone();
    let thread = thread::spawn(move || other.store(true, Release));
    let result = then(&flag);
    thread.join().unwrap();
    result
}

fn hints() -> [fn(); 3] {
    [hint::spin_loop, thread::yield_now, || thread::sleep(Duration::from_millis(1))]
}

#[test]
fn a_hint_outside_a_loop_is_no_wait() {
    for hint in hints() {
        for loops in [LoopReduction::CrossChecked, LoopReduction::Off] {
            let exploration = Builder::new().loops(loops).explore(move || {
                let flag = AtomicBool::new(false);
                flag.load(Acquire);
                hint();
                flag.store(true, Release);
            });
            assert_eq!((name_of(&exploration), exploration.complete), (None, 1));
            assert!(exploration.assumptions.is_empty(), "{:?}", exploration.assumptions);
        }
    }
}

#[test]
fn what_is_done_after_a_hint_outside_a_loop_is_seen() {
    for hint in hints() {
        let test = move || {
            beside_a_store(|flag| {
                let first = flag.load(Acquire);
                if !first {
                    hint();
                }
                [u8::from(first), u8::from(flag.load(Acquire))]
            })
        };
        let (exploration, outcomes) = explore_outcomes(&Config::default(), test);
        assert_eq!(outcomes, [[0, 0], [0, 1], [1, 1]].into());
        assert!(exploration.coverage.is_complete() && exploration.assumptions.is_empty());
    }
}

#[test]
fn a_hint_after_which_something_is_found_changed_that_was_not_looked_at_before_is_no_livelock() {
    for hint in hints() {
        for loops in [LoopReduction::Off, LoopReduction::CrossChecked] {
            let config = Config { loops, ..Config::default() };
            let (exploration, outcomes) = explore_outcomes(&config, || {
                let shared = Arc::new([const { AtomicU8::new(0) }; 2]);
                let other = Arc::clone(&shared);
                let thread = thread::spawn(move || other[0].store(2, Relaxed));
                shared[0].store(1, Relaxed);
                let looked = shared[1].load(Relaxed);
                hint();
                let found = shared[0].load(Relaxed);
                thread.join().unwrap();
                [looked, found]
            });
            assert_eq!(name_of(&exploration), None, "{loops:?}");
            assert_eq!(outcomes, [[0, 1], [0, 2]].into(), "{loops:?}");
        }
    }
}

#[test]
fn who_gives_up_after_some_hints_is_seen_to_give_up() {
    for hint in hints() {
        for looks in [1, 3, 20] {
            let test = move || {
                beside_a_store(|flag| {
                    let is_set = |_| {
                        let is_set = flag.load(Acquire);
                        if !is_set {
                            hint();
                        }
                        is_set
                    };
                    [u8::from((0..looks).any(is_set))]
                })
            };
            let (exploration, outcomes) = explore_outcomes(&Config::default(), test);
            assert_eq!(outcomes, [[0], [1]].into(), "{looks} looks");
            assert!(exploration.coverage.is_complete());
        }
    }
}

#[test]
fn a_hint_in_a_loop_that_ends_only_by_a_change_is_a_wait() {
    for hint in hints() {
        let exploration = Builder::new().loops(LoopReduction::Off).explore(move || {
            beside_a_store(|flag| {
                while !flag.load(Acquire) {
                    hint();
                }
            });
        });
        assert_eq!((name_of(&exploration), exploration.complete, exploration.blocked), (None, 1, 1));
        assert_eq!(exploration.assumptions.len(), 1);
    }
}

#[test]
fn a_loop_with_a_hint_that_nobody_ends_is_a_livelock_all_the_same() {
    for hint in hints() {
        for loops in [LoopReduction::CrossChecked, LoopReduction::Off] {
            let exploration = Builder::new().loops(loops).explore(move || {
                let flag = AtomicBool::new(false);
                while !flag.load(Acquire) {
                    hint();
                }
            });
            assert_eq!(name_of(&exploration), Some("livelock"));
        }
    }
}

#[test]
fn a_failure_after_a_hint_is_replayed() {
    let test = || {
        beside_a_store(|flag| {
            if !flag.load(Acquire) {
                thread::yield_now();
                panic!("it was not set");
            }
        });
    };
    let config = Config::default();
    let exploration = linchpin_engine::explore(&config, &test);
    let violation = exploration.violation.expect("it fails");
    let replay = Replay::of(&violation, &config);
    let replayed = linchpin_engine::replay(&config, &replay, &test).expect("the test is the same");
    assert_eq!(replayed.map(|again| again.kind.name()), Some("panic"));
}

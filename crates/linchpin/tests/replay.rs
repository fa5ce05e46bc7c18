//! A violation's replay runs exactly its execution again.

use linchpin::cell::UnsafeCell;
use linchpin::sync::atomic::Ordering::{Relaxed, SeqCst};
use linchpin::sync::atomic::{AtomicBool, AtomicUsize};
use linchpin::sync::{Arc, Condvar, Mutex};
use linchpin::{Builder, MemoryModel, Replay, hint, report, thread};

/// Explores `test`, writes the replay, reads it again, runs it, and compares what people would see.
fn check(builder: &Builder, test: impl Fn() + Send + Sync + Copy + 'static) {
    let violation = builder.explore(test).violation.expect("a violation");
    let text = builder.replay_of(&violation).to_string();
    let replay: Replay = text.parse().expect("a replay");
    let again = match builder.replay(&replay, test) {
        Ok(again) => again.expect("the violation again"),
        Err(diverged) => panic!("{diverged}\n{text}{}", report::violation(&violation)),
    };
    assert_eq!(report::violation(&again), report::violation(&violation));
}

fn both(test: impl Fn() + Send + Sync + Copy + 'static) {
    check(&Builder::new(), test);
    check(&Builder::new().memory_model(MemoryModel::Sc), test);
}

#[test]
fn a_panic_that_takes_a_weak_execution() {
    check(&Builder::new(), || {
        let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (x2, y2) = (x.clone(), y.clone());
        let other = thread::spawn(move || {
            y2.store(1, Relaxed);
            x2.load(Relaxed)
        });
        x.store(1, Relaxed);
        let mine = y.load(Relaxed);
        assert_ne!(mine + other.join().unwrap(), 0);
    });
}

#[test]
fn a_lost_update_by_read_modify_writes_of_three_threads() {
    both(|| {
        let total = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..3)
            .map(|i| {
                let total = total.clone();
                thread::spawn(move || {
                    let seen = total.load(SeqCst);
                    total.fetch_add(i, SeqCst);
                    let _ = total.compare_exchange(seen, 9, SeqCst, SeqCst);
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_ne!(total.load(SeqCst), 9);
    });
}

#[test]
fn a_data_race() {
    struct Shared(UnsafeCell<u32>);
    // SAFETY: it is not, which the test shows.
    unsafe impl Sync for Shared {}
    both(|| {
        let shared = Arc::new(Shared(UnsafeCell::new(0)));
        let other = shared.clone();
        // SAFETY: as above.
        let thread = thread::spawn(move || other.0.with_mut(|value| unsafe { *value = 1 }));
        // SAFETY: as above.
        shared.0.with(|value| unsafe { *value });
        thread.join().unwrap();
    });
}

#[test]
fn a_deadlock_of_two_locks() {
    both(|| {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = locks.clone();
        let thread = thread::spawn(move || {
            let _second = other.1.lock();
            let _first = other.0.lock();
        });
        let _first = locks.0.lock();
        let _second = locks.1.lock();
        drop((_first, _second));
        thread.join().unwrap();
    });
}

#[test]
fn a_lost_wakeup_among_several_waiters() {
    both(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let mut ready = shared.0.lock().unwrap();
                    while *ready == 0 {
                        ready = shared.1.wait(ready).unwrap();
                    }
                })
            })
            .collect();
        *shared.0.lock().unwrap() = 1;
        shared.1.notify_one();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn livelocks_with_and_without_a_hint() {
    for hinted in [true, false] {
        let builder = Builder::new();
        let test = move || {
            let flag = AtomicBool::new(false);
            while !flag.load(Relaxed) {
                if hinted {
                    hint::spin_loop();
                }
            }
        };
        check(&builder, test);
    }
}

#[test]
fn a_spurious_failure() {
    check(&Builder::new().spurious_failures(true), || {
        let x = AtomicUsize::new(0);
        x.compare_exchange_weak(0, 1, Relaxed, Relaxed).expect("nobody else is there");
    });
}

#[test]
fn a_replay_that_does_not_fit_says_where() {
    let test = |swaps: bool| {
        move || {
            let x = AtomicUsize::new(0);
            if swaps {
                x.swap(1, Relaxed);
            } else {
                x.store(1, Relaxed);
            }
            panic!("always");
        }
    };
    let builder = Builder::new();
    let violation = builder.explore(test(false)).violation.expect("a violation");
    let diverged = builder.replay(&builder.replay_of(&violation), test(true)).expect_err("another test");
    assert_eq!(diverged.events, 0);
    assert!(diverged.expected.expect("an event").starts_with("Store of thread 0"));
    assert!(diverged.found.starts_with("Swap of thread 0"));
}

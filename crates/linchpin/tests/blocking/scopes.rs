//! Threads that borrow.

use linchpin::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use linchpin::sync::mpsc;
use linchpin::{hint, thread};

use crate::common::{MODELS, executions, finding, under};

#[test]
fn a_scope_waits_for_its_threads_and_for_theirs() {
    let test = || {
        let mut total = AtomicU32::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                total.fetch_add(1, Relaxed);
                scope.spawn(|| total.fetch_add(2, Relaxed));
            });
            scope.spawn(|| total.fetch_add(4, Relaxed)).join().unwrap();
        });
        assert_eq!(*total.get_mut(), 7);
    };
    // The second addition comes after the first, the third anywhere.
    assert_eq!(MODELS.map(|model| executions(&under(model), test)), [3, 3]);
}

#[test]
fn what_a_scope_borrows_mutably_comes_back_changed() {
    let test = || {
        let mut halves = [[0; 2]; 2];
        thread::scope(|scope| {
            for (number, half) in halves.iter_mut().enumerate() {
                scope.spawn(move || half.fill(number + 1));
            }
        });
        assert_eq!(halves, [[1, 1], [2, 2]]);
    };
    assert_eq!(MODELS.map(|model| executions(&under(model), test)), [1, 1]);
}

#[test]
fn a_scoped_thread_that_waits_for_what_comes_after_the_scope_is_a_deadlock() {
    let test = || {
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| receiver.into_iter().count());
        });
        sender.send(1).unwrap();
    };
    assert_eq!(finding(test), "deadlock");
}

#[test]
fn a_scoped_thread_that_spins_for_what_comes_after_the_scope_is_a_livelock() {
    let test = || {
        let flag = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !flag.load(Acquire) {
                    hint::spin_loop();
                }
            });
        });
        flag.store(true, Release);
    };
    assert_eq!(finding(test), "livelock");
}

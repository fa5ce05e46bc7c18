//! Barriers.

use linchpin::sync::atomic::{AtomicU32, Ordering::*};
use linchpin::sync::{Arc, Barrier};
use linchpin::thread;

use crate::common::{MODELS, Shared, executions, finding, in_threads, under};

#[test]
fn nobody_passes_a_barrier_before_all_are_there() {
    let test = || {
        let (barrier, arrived, led) = (Barrier::new(3), AtomicU32::new(0), AtomicU32::new(0));
        in_threads(3, move |_| {
            arrived.fetch_add(1, Relaxed);
            let is_leader = barrier.wait().is_leader();
            assert_eq!(arrived.load(Relaxed), 3);
            assert!(!is_leader || led.fetch_add(1, Relaxed) == 0, "one leads");
        });
    };
    // 3! orders of the increments times 3! orders of arrival: the one leaves the other open.
    assert_eq!(MODELS.map(|model| executions(&under(model), test)), [36, 36]);
}

#[test]
fn a_barrier_is_as_good_as_new_after_each_round() {
    // Each writes its own cell for the round and, after the barrier, reads the other's.
    let test = || {
        let barrier = Barrier::new(2);
        let board = [0, 1].map(|_| [(); 3].map(|()| Shared::new(0)));
        in_threads(2, move |me| {
            for (round, (mine, theirs)) in board[me].iter().zip(&board[1 - me]).enumerate() {
                mine.set(round);
                barrier.wait();
                assert_eq!(theirs.get(), round);
            }
        });
    };
    // In each of three rounds either comes first. If the last of a round is the first of the next, who waited may learn
    // from either of its arrivals that the round is over: 2 · (1 + 2) · (1 + 2).
    assert_eq!(MODELS.map(|model| executions(&under(model), test)), [18, 18]);
}

#[test]
fn a_barrier_with_too_few_parties_is_a_deadlock() {
    let test = || {
        let barrier = Arc::new(Barrier::new(3));
        let other = Arc::clone(&barrier);
        let thread = thread::spawn(move || other.wait().is_leader());
        barrier.wait();
        thread.join().unwrap();
    };
    assert_eq!(finding(test), "deadlock");
}

#[test]
fn a_barrier_orders_only_what_comes_before_it() {
    let test = || {
        let (barrier, cell) = (Barrier::new(2), Shared::new(0));
        in_threads(2, move |me| {
            if me == 0 {
                barrier.wait();
                cell.set(1);
            } else {
                barrier.wait();
                cell.get();
            }
        });
    };
    assert_eq!(finding(test), "data race");
}

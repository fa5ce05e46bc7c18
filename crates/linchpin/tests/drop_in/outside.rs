//! What was made before the exploration.

use linchpin::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use linchpin::sync::{Arc, Condvar, Mutex, mpsc};
use linchpin::{Builder, thread};

use crate::common::{executions, in_threads};

/// `workers` explore a test that uses atomics, a lock, and plain data in it, all of which were made before.
fn is_the_same_in_each_execution(workers: usize) {
    let outside = Arc::new((AtomicU32::new(5), Mutex::new(6)));
    let inside = Arc::clone(&outside);
    let test = move || {
        assert_eq!(inside.0.load(Relaxed), 5);
        let shared = Arc::clone(&inside);
        in_threads(3, move |_| {
            shared.0.fetch_add(1, Relaxed);
            *shared.1.lock().unwrap() += 1;
        });
        assert_eq!(inside.0.load(Relaxed), 8);
        assert_eq!(*inside.1.lock().unwrap(), 9);
    };
    // 3! orders of the additions and 3! orders of the critical sections.
    assert_eq!(executions(&Builder::new().workers(workers), test), 36);
    assert_eq!(outside.0.load(Relaxed), 5, "nothing is left behind");
    assert_eq!(*outside.1.lock().unwrap(), 6, "nothing is left behind");
}

#[test]
fn what_is_captured_starts_from_its_outside_value_in_each_execution() {
    is_the_same_in_each_execution(1);
}

#[test]
fn what_is_captured_is_not_shared_by_workers() {
    for _ in 0..5 {
        is_the_same_in_each_execution(3);
    }
}

#[test]
fn a_condition_variable_can_be_made_outside() {
    let outside = Arc::new((Mutex::new(()), Condvar::new(), AtomicBool::new(false)));
    let test = move || {
        let other = Arc::clone(&outside);
        let thread = thread::spawn(move || {
            let _guard = other.0.lock().unwrap();
            other.2.store(true, Relaxed);
            other.1.notify_all();
        });
        let mut guard = outside.0.lock().unwrap();
        while !outside.2.load(Relaxed) {
            guard = outside.1.wait(guard).unwrap();
        }
        drop(guard);
        thread.join().unwrap();
    };
    // The flag is seen at once, or after a wait.
    assert_eq!(executions(&Builder::new(), test), 2);
}

#[test]
fn outside_of_explorations_everything_just_works() {
    let (sender, receiver) = mpsc::channel();
    let value = AtomicU32::new(1);
    thread::scope(|scope| {
        scope.spawn(|| value.fetch_add(1, SeqCst));
        scope.spawn(move || sender.send(2).unwrap());
    });
    assert_eq!((value.into_inner(), receiver.recv()), (2, Ok(2)));
}

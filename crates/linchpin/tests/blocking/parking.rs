//! `park` and `unpark`.

use std::time::Duration;

use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicBool, AtomicU8, Ordering::*};
use linchpin::thread;

use crate::common::{MODELS, Shared, executions, finding, outcomes_under, under};

/// A thread parks until a flag is set; `signal` sets it and unparks the thread.
fn parking(signal: fn(&AtomicBool, &thread::Thread)) -> impl Fn() + Send + Sync + Copy + 'static {
    move || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let thread = thread::spawn(move || {
            while !other.load(Acquire) {
                thread::park();
            }
        });
        signal(&flag, thread.thread());
        thread.join().unwrap();
    }
}

#[test]
fn a_flag_and_an_unpark_wake_a_thread() {
    let test = parking(|flag, thread| {
        flag.store(true, Release);
        thread.unpark();
    });
    // The flag is seen at once, or after a sleep.
    assert_eq!(MODELS.map(|model| executions(&under(model), test)), [2, 2]);
}

#[test]
fn an_unpark_before_its_flag_may_be_in_vain() {
    let test = parking(|flag, thread| {
        thread.unpark();
        flag.store(true, Release);
    });
    assert_eq!(finding(test), "deadlock");
}

#[test]
fn a_flag_without_an_unpark_wakes_nobody() {
    assert_eq!(finding(parking(|flag, _| flag.store(true, Release))), "deadlock");
}

#[test]
fn a_token_is_kept_for_the_next_park_but_only_one() {
    let parks = |count| {
        move || {
            let me = thread::current();
            me.unpark();
            me.unpark();
            (0..count).for_each(|_| thread::park());
        }
    };
    for model in MODELS {
        assert_eq!(executions(&under(model), parks(1)), 1);
    }
    assert_eq!(finding(parks(2)), "deadlock");
}

#[test]
fn an_unpark_publishes_what_came_before_it() {
    let test = || {
        let (me, message) = (thread::current(), Arc::new(Shared::new(0)));
        let other = Arc::clone(&message);
        let thread = thread::spawn(move || {
            other.set(42);
            me.unpark();
        });
        thread::park();
        assert_eq!(message.get(), 42);
        thread.join().unwrap();
    };
    for model in MODELS {
        assert_eq!(executions(&under(model), test), 1);
    }
}

#[test]
fn a_park_with_a_timeout_may_return_without_its_token() {
    let test = || {
        let (me, value) = (thread::current(), Arc::new(AtomicU8::new(0)));
        let other = Arc::clone(&value);
        let thread = thread::spawn(move || {
            other.store(1, Relaxed);
            me.unpark();
        });
        thread::park_timeout(Duration::from_millis(1));
        let seen = value.load(Relaxed);
        thread.join().unwrap();
        [seen]
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[0], [1]].into());
    }
}

#[test]
fn who_drops_a_handle_last_comes_after_the_thread_that_parked() {
    let test = || {
        let parked = thread::spawn(thread::park);
        let handle = parked.thread().clone();
        drop(parked);
        let unparking = thread::spawn(move || {
            handle.unpark();
            // The other thread goes on here, and drops its own handle before this one is dropped.
            AtomicBool::new(false).load(Relaxed);
        });
        unparking.join().unwrap();
    };
    assert_eq!(MODELS.map(|model| executions(&under(model), test)), [1, 1]);
}

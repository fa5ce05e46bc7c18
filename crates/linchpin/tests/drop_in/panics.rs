//! Panics that are caught, and those that are not.

use std::panic::{AssertUnwindSafe, catch_unwind};

use linchpin::sync::atomic::{AtomicU32, Ordering::*};
use linchpin::sync::{Arc, Mutex, RwLock};
use linchpin::{Builder, ViolationKind, thread};

use crate::common::{finding, in_threads, violation};
use crate::explores;

#[test]
fn a_panic_that_the_test_catches_is_its_own_business() {
    explores(2, || {
        let counter = Arc::new(AtomicU32::new(0));
        in_threads(2, {
            let counter = Arc::clone(&counter);
            move |_| {
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    counter.fetch_add(1, Relaxed);
                    panic!("on purpose");
                }));
                let message = caught.expect_err("it panics");
                assert_eq!(message.downcast_ref(), Some(&"on purpose"));
            }
        });
        assert_eq!(counter.load(Relaxed), 2);
    });
}

#[test]
fn a_panic_after_one_that_was_caught_is_reported() {
    let violation = violation(&Builder::new(), || {
        let _ = catch_unwind(|| panic!("the first"));
        AtomicU32::new(0).store(1, Relaxed);
        panic!("the second");
    });
    let ViolationKind::Panic { message, .. } = violation.kind else { panic!("{:?}", violation.kind) };
    assert_eq!(message, "the second");
}

#[test]
fn a_panic_of_a_thread_is_a_violation_even_if_somebody_joins_it() {
    let test = || {
        let _ = thread::spawn(|| panic!("nobody cares")).join();
    };
    assert_eq!(finding(test), "panic");
}

#[test]
fn a_panic_poisons_what_it_leaves_locked() {
    explores(1, || {
        let (mutex, shared) = (Mutex::new(0), RwLock::new(0));
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let (_guard, _other) = (mutex.lock().unwrap(), shared.write().unwrap());
            panic!("on purpose");
        }));
        assert!(caught.is_err());
        assert!(mutex.is_poisoned() && shared.is_poisoned());
        *mutex.lock().expect_err("poisoned").into_inner() += 1;
        assert!(shared.read().is_err());
        mutex.clear_poison();
        assert_eq!(*mutex.lock().unwrap(), 1);
        assert!(shared.into_inner().is_err());
    });
}

#[test]
fn a_panic_while_reading_poisons_nothing() {
    explores(1, || {
        let shared = RwLock::new(0);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _guard = shared.read().unwrap();
            panic!("on purpose");
        }));
        assert!(caught.is_err() && !shared.is_poisoned());
        *shared.write().unwrap() += 1;
    });
}

//! What destructors do while a panic unwinds is part of the execution.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{executions, explore_outcomes, finding};
use linchpin::sync::atomic::AtomicU32;
use linchpin::sync::atomic::Ordering::{Acquire, Release};
use linchpin::sync::{Arc, Mutex};
use linchpin::{Builder, hint, thread};
use linchpin_engine::Config;

/// Sets a flag when it goes.
struct Sets(Arc<AtomicU32>);

impl Drop for Sets {
    fn drop(&mut self) {
        self.0.store(1, Release);
    }
}

#[test]
fn a_lock_that_a_caught_panic_poisons_is_poisoned_for_others_from_then_on() {
    let test = || {
        // An abandoned panic of an earlier run would still be counted here.
        assert!(!std::thread::panicking());
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _guard = other.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                panic!("caught by the test");
            }));
            assert!(caught.is_err());
        });
        let poisoned = lock.lock().is_err();
        thread.join().unwrap();
        assert!(lock.is_poisoned());
        [u8::from(poisoned)]
    };
    let (exploration, outcomes) = explore_outcomes(&Config::default(), test);
    assert_eq!(outcomes, [[0], [1]].into());
    assert!(exploration.coverage.is_complete());
}

#[test]
fn others_see_what_a_destructor_stores() {
    let test = || {
        let flag = Arc::new(AtomicU32::new(0));
        let other = flag.clone();
        let thread = thread::spawn(move || {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let _sets = Sets(other);
                panic!("caught by the test");
            }));
        });
        while flag.load(Acquire) == 0 {
            hint::spin_loop();
        }
        thread.join().unwrap();
    };
    assert_eq!(executions(&Builder::new(), test), 1);
}

#[test]
fn only_the_thread_that_unwinds_is_panicking() {
    struct Asks(Arc<AtomicU32>);
    impl Drop for Asks {
        fn drop(&mut self) {
            assert!(thread::panicking());
            // Lets others run while this thread is unwinding.
            self.0.store(1, Release);
            while self.0.load(Acquire) == 1 {
                hint::spin_loop();
            }
        }
    }
    let test = || {
        let flag = Arc::new(AtomicU32::new(0));
        let other = flag.clone();
        let thread = thread::spawn(move || {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let _asks = Asks(other);
                panic!("caught by the test");
            }));
            assert!(!thread::panicking());
        });
        while flag.load(Acquire) == 0 {
            hint::spin_loop();
        }
        assert!(!thread::panicking());
        flag.store(2, Release);
        thread.join().unwrap();
    };
    executions(&Builder::new(), test);
}

#[test]
fn a_panic_is_to_blame_for_what_its_destructors_run_into() {
    struct Waits(Arc<Mutex<()>>);
    impl Drop for Waits {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    let test = || {
        let lock = Arc::new(Mutex::new(()));
        let _waits = Waits(lock.clone());
        let _guard = std::mem::ManuallyDrop::new(lock.lock());
        panic!("the cause");
    };
    assert_eq!(finding(test), "panic");
}

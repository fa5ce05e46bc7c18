//! What people read when a test fails: one message for each kind of finding.

use std::time::Duration;

use linchpin::cell::UnsafeCell;
use linchpin::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering::*};
use linchpin::sync::{Arc, Condvar, Mutex};
use linchpin::{Builder, MemoryModel, hint, report, thread};

/// The report of the violation that there has to be.
fn message(builder: Builder, test: impl Fn() + Send + Sync + 'static) -> String {
    let exploration = builder.workers(1).explore(test);
    report::violation(&exploration.violation.expect("a violation"))
}

/// Memory that its users claim to synchronise.
struct Shared<T>(UnsafeCell<T>);

// SAFETY: the tests share it across threads on purpose; what comes of that is what they are about.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    #[track_caller]
    fn get(&self) -> T {
        // SAFETY: the pointer is valid; races are found before the access.
        self.0.with(|value| unsafe { *value })
    }

    #[track_caller]
    fn set(&self, new: T) {
        // SAFETY: as above.
        self.0.with_mut(|value| unsafe { *value = new });
    }
}

#[test]
fn a_failed_assertion_tells_the_interleaving() {
    let message = message(Builder::new(), || {
        let counter = Arc::new(AtomicU32::new(0));
        let increment = |counter: &AtomicU32| counter.store(counter.load(Acquire) + 1, Release);
        let other = counter.clone();
        let thread = thread::spawn(move || increment(&other));
        increment(&counter);
        thread.join().unwrap();
        assert_eq!(counter.load(Relaxed), 2, "an increment got lost");
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_failed_assertion_that_takes_weak_memory_says_so() {
    let message = message(Builder::new(), || {
        let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
        let other = flags.clone();
        let thread = thread::spawn(move || {
            other[0].store(true, Release);
            other[1].load(Acquire)
        });
        flags[1].store(true, Release);
        let mine = flags[0].load(Acquire);
        let theirs = thread.join().unwrap();
        assert!(mine || theirs, "both are in the critical section");
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_race_names_the_link_that_carries_no_order() {
    let message = message(Builder::new(), || {
        let text = Arc::new((Shared(UnsafeCell::new(0)), AtomicBool::new(false)));
        let sender = text.clone();
        let send = move || {
            sender.0.set(42);
            sender.1.store(true, Relaxed);
        };
        let thread = thread::Builder::new().name("sender".into()).spawn(send).unwrap();
        if text.1.load(Acquire) {
            text.0.get();
        }
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_race_between_strangers_asks_for_order() {
    let message = message(Builder::new().memory_model(MemoryModel::Sc), || {
        let cell = Arc::new(Shared(UnsafeCell::new(0)));
        let threads = [1, 2].map(|value| {
            let cell = cell.clone();
            thread::spawn(move || cell.set(value))
        });
        for thread in threads {
            thread.join().unwrap();
        }
    });
    insta::assert_snapshot!(message);
}

#[test]
fn unpublished_memory_names_store_and_load() {
    let message = message(Builder::new(), || {
        let head = Arc::new(AtomicPtr::<AtomicU32>::new(std::ptr::null_mut()));
        let other = head.clone();
        let thread = thread::spawn(move || {
            let node = Box::into_raw(Box::new(AtomicU32::new(7)));
            other.store(node, Relaxed);
        });
        // SAFETY: the node is never freed.
        if let Some(node) = unsafe { head.load(Acquire).as_ref() } {
            node.load(Relaxed);
        }
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_use_after_free_shows_the_free() {
    let message = message(Builder::new(), || {
        let node = Box::into_raw(Box::new(AtomicU32::new(7)));
        let head = Arc::new(AtomicPtr::new(node));
        let other = head.clone();
        let thread = thread::spawn(move || {
            // SAFETY: not safe at all: the node may have been freed.
            if let Some(node) = unsafe { other.load(Acquire).as_ref() } {
                node.load(Relaxed);
            }
        });
        let node = head.swap(std::ptr::null_mut(), AcqRel);
        // SAFETY: the swap has made this thread the owner (others may still have the pointer).
        drop(unsafe { Box::from_raw(node) });
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_double_free_names_both() {
    let message = message(Builder::new(), || {
        let node = Box::into_raw(Box::new(7));
        let head = Arc::new(AtomicPtr::new(node));
        let take = |head: &AtomicPtr<i32>| {
            let node = head.load(Acquire);
            head.store(std::ptr::null_mut(), Release);
            if !node.is_null() {
                // SAFETY: not safe at all: somebody else may have loaded it too.
                drop(unsafe { Box::from_raw(node) });
            }
        };
        let other = head.clone();
        let thread = thread::spawn(move || take(&other));
        take(&head);
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_leak_says_who_allocated() {
    let message = message(Builder::new().leaks(true), || {
        let slot = Arc::new(AtomicPtr::<u64>::new(std::ptr::null_mut()));
        let other = slot.clone();
        let thread = thread::spawn(move || other.store(Box::into_raw(Box::new(1)), Release));
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_deadlock_says_who_has_what() {
    let message = message(Builder::new(), || {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = locks.clone();
        let thread = thread::spawn(move || {
            let _second = other.1.lock().unwrap();
            let _first = other.0.lock().unwrap();
        });
        {
            let _first = locks.0.lock().unwrap();
            let _second = locks.1.lock().unwrap();
        }
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_lost_wake_up_is_a_deadlock() {
    let message = message(Builder::new(), || {
        let shared = Arc::new((Mutex::new(()), Condvar::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || other.1.notify_one());
        let guard = shared.0.lock().unwrap();
        drop(shared.1.wait(guard));
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_livelock_says_what_is_read_for_ever() {
    let message = message(Builder::new(), || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        let thread = thread::spawn(move || {
            while !other.load(Acquire) {
                hint::spin_loop();
            }
        });
        flag.store(false, Release);
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_test_that_remembers_is_not_deterministic() {
    let message = message(Builder::new(), || {
        static RUNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let value = Arc::new(AtomicU32::new(0));
        let other = value.clone();
        let run = RUNS.fetch_add(1, Relaxed);
        let thread = thread::spawn(move || other.store(run, Relaxed));
        value.load(Relaxed);
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message);
}

#[test]
fn a_thread_that_never_comes_back_is_named() {
    let builder = Builder::new().stuck_after(Duration::from_millis(200));
    let message = message(builder, || {
        let flag = Arc::new(AtomicBool::new(false));
        flag.load(Acquire);
        loop {
            std::hint::spin_loop();
        }
    });
    insta::assert_snapshot!(message);
}

#[test]
fn atomics_of_two_sizes_in_one_place_are_reported() {
    let message = message(Builder::new(), || {
        let wide = Arc::new(AtomicU32::new(0));
        let other = wide.clone();
        let thread = thread::spawn(move || other.store(1, Release));
        // SAFETY: the memory is there; that it is used in two sizes is the point.
        let narrow = unsafe { linchpin::sync::atomic::AtomicU8::from_ptr(wide.as_ptr().cast()) };
        narrow.load(Acquire);
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message);
}

#[test]
fn an_ordinary_test_after_a_violation_is_unaffected() {
    let exploration = Builder::new().explore(|| panic!("in an execution"));
    assert!(exploration.violation.is_some());

    let caught = std::panic::catch_unwind(|| panic!("in an ordinary test"));
    assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"in an ordinary test"));
    let numbers: Vec<Box<u32>> = (0..1000).map(Box::new).collect();
    let thread = thread::spawn(move || numbers.iter().map(|number| **number).sum::<u32>());
    assert_eq!(thread.join().unwrap(), 499_500);
    linchpin::model(|| assert_eq!(AtomicU32::new(1).fetch_add(1, SeqCst), 1));
}

//! Tests that fail, one for each kind of violation.

use std::time::Duration;

use linchpin::cell::UnsafeCell;
use linchpin::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering::*};
use linchpin::sync::{Arc, Mutex};
use linchpin::{Builder, Call, Execution, Hooks, Report, hint, thread};

use super::found;

/// Memory that its users claim to synchronise.
pub struct Shared<T>(pub UnsafeCell<T>);

// SAFETY: the tests share it across threads on purpose; what comes of that is what they are about.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    #[track_caller]
    pub fn get(&self) -> T {
        // SAFETY: the pointer is valid; races are found before the access.
        self.0.with(|value| unsafe { *value })
    }

    #[track_caller]
    pub fn set(&self, new: T) {
        // SAFETY: as above.
        self.0.with_mut(|value| unsafe { *value = new });
    }
}

pub fn a_failed_assertion_tells_the_interleaving() -> Report {
    found(Builder::new(), || {
        let counter = Arc::new(AtomicU32::new(0));
        let increment = |counter: &AtomicU32| counter.store(counter.load(Acquire) + 1, Release);
        let other = counter.clone();
        let thread = thread::spawn(move || increment(&other));
        increment(&counter);
        thread.join().unwrap();
        assert_eq!(counter.load(Relaxed), 2, "an increment got lost");
    })
}

pub fn a_race_names_the_link_that_carries_no_order() -> Report {
    found(Builder::new(), || {
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
    })
}

pub fn unpublished_memory_names_store_and_load() -> Report {
    found(Builder::new(), || {
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
    })
}

pub fn a_use_after_free_shows_the_free() -> Report {
    found(Builder::new(), || {
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
    })
}

pub fn a_double_free_names_both() -> Report {
    found(Builder::new(), || {
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
    })
}

pub fn a_leak_says_who_allocated() -> Report {
    found(Builder::new().leaks(true), || {
        let slot = Arc::new(AtomicPtr::<u64>::new(std::ptr::null_mut()));
        let other = slot.clone();
        let thread = thread::spawn(move || other.store(Box::into_raw(Box::new(1)), Release));
        thread.join().unwrap();
    })
}

pub fn a_deadlock_says_who_has_what() -> Report {
    found(Builder::new(), || {
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
    })
}

pub fn a_livelock_says_what_is_read_for_ever() -> Report {
    found(Builder::new(), || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        let thread = thread::spawn(move || {
            while !other.load(Acquire) {
                hint::spin_loop();
            }
        });
        flag.store(false, Release);
        thread.join().unwrap();
    })
}

pub fn a_test_that_remembers_is_not_deterministic() -> Report {
    found(Builder::new(), || {
        static RUNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let value = Arc::new(AtomicU32::new(0));
        let other = value.clone();
        let run = RUNS.fetch_add(1, Relaxed);
        let thread = thread::spawn(move || other.store(run, Relaxed));
        value.load(Relaxed);
        thread.join().unwrap();
    })
}

pub fn a_thread_that_never_comes_back_is_named() -> Report {
    let builder = Builder::new().stuck_after(Duration::from_millis(200));
    found(builder, || {
        let flag = Arc::new(AtomicBool::new(false));
        flag.load(Acquire);
        loop {
            std::hint::spin_loop();
        }
    })
}

pub fn atomics_of_two_sizes_in_one_place_are_reported() -> Report {
    found(Builder::new(), || {
        let wide = Arc::new(AtomicU32::new(0));
        let other = wide.clone();
        let thread = thread::spawn(move || other.store(1, Release));
        // SAFETY: the memory is there; that it is used in two sizes is the point.
        let narrow = unsafe { linchpin::sync::atomic::AtomicU8::from_ptr(wide.as_ptr().cast()) };
        narrow.load(Acquire);
        thread.join().unwrap();
    })
}

pub fn what_a_judge_rejects_is_told_in_its_words() -> Report {
    let judge = |execution: &Execution, _: &[Call]| {
        (execution.len() > 3).then(|| "more than three events\nThree are enough for anybody.".to_owned())
    };
    let test = || {
        let value = AtomicU32::new(0);
        (1..4).for_each(|new| value.store(new, Relaxed));
    };
    let exploration = Builder::new().workers(1).explore_with(test, Hooks { judge: &judge, ..Hooks::default() });
    Report::of(&exploration.violation.as_ref().expect("a violation").clone()).explored(&exploration)
}

pub fn a_crash_says_what_was_done_before() -> Report {
    found(Builder::new(), || {
        let published = Arc::new(AtomicPtr::new(std::ptr::null_mut::<[u32; 3]>()));
        let other = published.clone();
        let thread = thread::spawn(move || other.store(Box::leak(Box::new([1, 2, 3])), Release));
        let found = published.load(Acquire);
        // Volatile and beyond the first element, so that it is the hardware that notices.
        // SAFETY: there is none if the thread comes too late; that is the point.
        unsafe { (&raw const (*found)[2]).read_volatile() };
        thread.join().unwrap();
    })
}

pub fn a_test_that_keeps_more_and_more_is_told_what_to_do() -> Report {
    /// Each link is in the memory of another execution.
    struct Link(Option<Box<Link>>);
    static CHAIN: std::sync::Mutex<Link> = std::sync::Mutex::new(Link(None));
    found(Builder::new(), || {
        let value = Arc::new(AtomicU32::new(0));
        let other = value.clone();
        let thread = thread::spawn(move || other.store(1, Relaxed));
        let mut end = &mut *CHAIN.lock().unwrap();
        while end.0.is_some() {
            end = end.0.as_mut().expect("just seen");
        }
        end.0 = Some(Box::new(Link(None)));
        thread.join().unwrap();
    })
}

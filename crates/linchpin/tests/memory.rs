//! Blocks of memory: released too early, by whom, and data that outlives an execution.

use std::sync::atomic::Ordering;

use linchpin::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use linchpin::sync::atomic::{AtomicPtr, AtomicUsize, fence};
use linchpin::sync::{Arc, Mutex};
use linchpin::{Builder, Exploration, thread};

fn finding(exploration: &Exploration) -> Option<&'static str> {
    exploration.violation.as_ref().map(|violation| violation.kind.name())
}

/// A block with a reference count of its own, shared by two threads.
struct Counted {
    count: AtomicUsize,
    data: AtomicUsize,
}

fn use_and_release(counted: usize, order: Ordering, last_fence: bool) {
    let counted = counted as *mut Counted;
    // SAFETY: whether this is sound is what the tests ask.
    unsafe {
        (*counted).data.store(1, Relaxed);
        if (*counted).count.fetch_sub(1, order) == 1 {
            if last_fence {
                fence(Acquire);
            }
            drop(Box::from_raw(counted));
        }
    }
}

fn counted(order: Ordering, last_fence: bool) -> Exploration {
    Builder::new().explore(move || {
        let block = Box::new(Counted { count: AtomicUsize::new(2), data: AtomicUsize::new(0) });
        let block = Box::into_raw(block) as usize;
        let other = thread::spawn(move || use_and_release(block, order, last_fence));
        use_and_release(block, order, last_fence);
        other.join().unwrap();
    })
}

#[test]
fn a_relaxed_reference_count_does_not_protect_the_block() {
    assert_eq!(finding(&counted(Relaxed, false)), Some("use after free"));
    assert_eq!(finding(&counted(Release, false)), Some("use after free"));
}

#[test]
fn a_released_reference_count_that_the_last_owner_acquires_does() {
    assert_eq!(finding(&counted(AcqRel, false)), None);
    assert_eq!(finding(&counted(Release, true)), None);
}

#[test]
fn an_access_that_a_free_may_overtake_is_found_whichever_runs_first() {
    // The reader is the main thread, which runs first, or the other one.
    for reader_is_main in [true, false] {
        let exploration = Builder::new().explore(move || {
            let node = Box::into_raw(Box::new(AtomicUsize::new(1)));
            let head = Arc::new(AtomicPtr::new(node));
            let other = head.clone();
            let read = |head: &AtomicPtr<AtomicUsize>| {
                let node = head.load(Acquire);
                if !node.is_null() {
                    // SAFETY: that it is not is what the test is about.
                    unsafe { (*node).load(Relaxed) };
                }
            };
            let free = |head: &AtomicPtr<AtomicUsize>| {
                let node = head.swap(std::ptr::null_mut(), AcqRel);
                // SAFETY: as above.
                drop(unsafe { Box::from_raw(node) });
            };
            let thread = thread::spawn(move || if reader_is_main { free(&other) } else { read(&other) });
            if reader_is_main {
                read(&head)
            } else {
                free(&head)
            }
            thread.join().unwrap();
        });
        assert_eq!(finding(&exploration), Some("use after free"));
    }
}

#[test]
fn the_last_owner_of_an_arc_may_free_what_others_used() {
    let exploration = Builder::new().explore(|| {
        let shared = Arc::new(AtomicUsize::new(1));
        let other = shared.clone();
        // Nobody joins the thread: either may be the last owner.
        thread::spawn(move || other.load(Relaxed));
        shared.store(2, Relaxed);
    });
    assert_eq!(finding(&exploration), None);
    assert!(exploration.coverage.is_complete());
}

#[test]
fn names_of_threads_are_no_leak() {
    let exploration = Builder::new().leaks(true).explore(|| {
        let thread = thread::Builder::new().name("worker".into()).spawn(|| {}).unwrap();
        thread.join().unwrap();
    });
    assert_eq!(finding(&exploration), None);
}

#[test]
fn locations_are_told_apart_however_alike_their_addresses_are() {
    let exploration = Builder::new().explore(|| {
        // Kilobytes of them, so that all low bits of their addresses occur more than once, and with the same values.
        let atomics: Vec<AtomicUsize> = (0..500).map(|_| AtomicUsize::new(0)).collect();
        for round in 0..3 {
            for atomic in &atomics {
                assert_eq!(atomic.fetch_add(1, Relaxed), round);
                assert_eq!(atomic.load(Relaxed), round + 1);
            }
        }
    });
    assert_eq!((finding(&exploration), exploration.complete), (None, 1));
}

#[test]
fn every_execution_finds_statics_as_they_were_whatever_the_number_of_workers() {
    static LIST: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    static TOTAL: AtomicUsize = AtomicUsize::new(7);
    for workers in [1, 3] {
        let exploration = Builder::new().workers(workers).explore(|| {
            assert_eq!(TOTAL.load(Relaxed), 7);
            let push = |value| {
                LIST.lock().unwrap().push(value);
                TOTAL.fetch_add(1, Relaxed);
            };
            let threads: Vec<_> = (0..3).map(|value| thread::spawn(move || push(value))).collect();
            for thread in threads {
                thread.join().unwrap();
            }
            assert_eq!(LIST.lock().unwrap().len(), 3);
            assert_eq!(TOTAL.load(Relaxed), 10);
        });
        // Three orders of three lock holders, and the same for the counter; both independent.
        assert_eq!((finding(&exploration), exploration.complete), (None, 36));
    }
    assert_eq!(TOTAL.load(Relaxed), 7);
    assert!(LIST.lock().unwrap().is_empty());
}

#[test]
fn explorations_at_the_same_time_do_not_find_each_others_data_in_statics() {
    static LIST: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let explore = || {
        Builder::new().explore(|| {
            let push = |value| LIST.lock().unwrap().push(value);
            let threads: Vec<_> = (0..4).map(|value| thread::spawn(move || push(value))).collect();
            for thread in threads {
                thread.join().unwrap();
            }
            assert_eq!(LIST.lock().unwrap().len(), 4);
        })
    };
    std::thread::scope(|scope| {
        let explorations = [(); 8].map(|()| scope.spawn(explore));
        for exploration in explorations {
            let exploration = exploration.join().unwrap();
            assert_eq!((finding(&exploration), exploration.complete), (None, 24));
        }
    });
}

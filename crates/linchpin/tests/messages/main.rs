//! What people read when a test fails: one message at least for each kind of finding.

mod code;
mod objects;

use linchpin::cell::UnsafeCell;
use linchpin::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use linchpin::sync::{Arc, Condvar, Mutex};
use linchpin::{Builder, MemoryModel, Report, report, thread};
use linchpin_report::report::Kind;

use code::Shared;

/// The report of the violation that there has to be.
fn found(builder: Builder, test: impl Fn() + Send + Sync + 'static) -> Report {
    let exploration = builder.workers(1).explore(test);
    Report::of(exploration.violation.as_ref().expect("a violation")).explored(&exploration)
}

/// What people read, without what depends on when and where the test is run.
fn message(report: &Report) -> String {
    report::report(report, report::Style::default())
}

/// A test for each kind of finding, with a snapshot of what people read. A kind that has none does not compile.
macro_rules! one_for_each_kind {
    ($($kind:ident: $module:ident::$test:ident,)*) => {
        $(
            #[test]
            fn $test() {
                let report = $module::$test();
                assert_eq!(report.kind, Kind::$kind);
                insta::assert_snapshot!(message(&report));
            }
        )*

        const _: fn(Kind) = |kind| match kind {
            $(Kind::$kind => {})*
        };
    };
}

one_for_each_kind! {
    NotLinearizable: objects::what_no_order_explains_has_a_cause,
    Contract: objects::a_broken_contract_names_the_clause_and_the_calls,
    Rejected: code::what_a_judge_rejects_is_told_in_its_words,
    Panic: code::a_failed_assertion_tells_the_interleaving,
    DataRace: code::a_race_names_the_link_that_carries_no_order,
    UnpublishedMemory: code::unpublished_memory_names_store_and_load,
    UseAfterFree: code::a_use_after_free_shows_the_free,
    DoubleFree: code::a_double_free_names_both,
    Leak: code::a_leak_says_who_allocated,
    Deadlock: code::a_deadlock_says_who_has_what,
    Livelock: code::a_livelock_says_what_is_read_for_ever,
    Stuck: code::a_thread_that_never_comes_back_is_named,
    Crash: code::a_crash_says_what_was_done_before,
    NotDeterministic: code::a_test_that_remembers_is_not_deterministic,
    KeptMemory: code::a_test_that_keeps_more_and_more_is_told_what_to_do,
    MixedSize: code::atomics_of_two_sizes_in_one_place_are_reported,
    Disagreement: objects::a_disagreement_takes_one_thread,
    NothingToCheck: objects::bounds_that_no_client_is_within_are_no_success,
}

#[test]
fn an_object_that_remembers_is_no_basis_for_a_verdict() {
    let report = objects::an_object_that_remembers_is_no_basis_for_a_verdict();
    assert_eq!(report.kind, Kind::NotDeterministic);
    insta::assert_snapshot!(message(&report));
}

#[test]
fn a_failed_assertion_that_takes_weak_memory_says_so() {
    let report = found(Builder::new(), || {
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
    insta::assert_snapshot!(message(&report));
}

#[test]
fn an_exchange_that_fails_for_no_reason_says_so() {
    let report = found(Builder::new().spurious_failures(true), || {
        let lock = AtomicBool::new(false);
        assert!(lock.compare_exchange_weak(false, true, Acquire, Relaxed).is_ok(), "nobody else wants it");
    });
    insta::assert_snapshot!(message(&report));
}

#[test]
fn a_race_between_strangers_asks_for_order() {
    let report = found(Builder::new().memory_model(MemoryModel::Sc), || {
        let cell = Arc::new(Shared(UnsafeCell::new(0)));
        let threads = [1, 2].map(|value| {
            let cell = cell.clone();
            thread::spawn(move || cell.set(value))
        });
        for thread in threads {
            thread.join().unwrap();
        }
    });
    insta::assert_snapshot!(message(&report));
}

#[test]
fn a_lost_wake_up_is_a_deadlock() {
    let report = found(Builder::new(), || {
        let shared = Arc::new((Mutex::new(()), Condvar::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || other.1.notify_one());
        let guard = shared.0.lock().unwrap();
        drop(shared.1.wait(guard));
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message(&report));
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

#[test]
fn a_stack_overflow_says_how_large_the_stack_is() {
    fn descend(depth: u32) -> u32 {
        std::hint::black_box(if depth == u32::MAX { 0 } else { 1 + descend(depth + 1) })
    }
    let report = found(Builder::new(), || {
        let depth = Arc::new(AtomicU32::new(1));
        let other = depth.clone();
        let thread = thread::spawn(move || other.store(0, Release));
        if depth.load(Acquire) == 0 {
            descend(0);
        }
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message(&report));
}

#[test]
fn a_panic_that_cannot_unwind_says_so() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("there is no element left");
        }
    }
    let report = found(Builder::new(), || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        let thread = thread::spawn(move || other.store(true, Release));
        let panics = Panics;
        assert!(flag.load(Acquire), "it is not set");
        thread.join().unwrap();
        std::mem::forget(panics);
    });
    insta::assert_snapshot!(message(&report));
}

#[test]
fn an_abort_says_where_to_look() {
    let report = found(Builder::new(), || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        let thread = thread::spawn(move || {
            if !other.load(Acquire) {
                std::process::abort();
            }
        });
        flag.store(true, Release);
        thread.join().unwrap();
    });
    insta::assert_snapshot!(message(&report));
}

//! What the settings do, and what `check` makes of the answer.

use std::panic::catch_unwind;

use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicU32, Ordering::*};
use linchpin::{Bound, Builder, Coverage, LoopReduction, MemoryModel, ViolationKind, thread};

/// Store buffering: three executions under SC, a fourth under C11.
fn store_buffering() {
    let values = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let other = values.clone();
    let thread = thread::spawn(move || {
        other[0].store(1, Relaxed);
        other[1].load(Relaxed)
    });
    values[1].store(1, Relaxed);
    values[0].load(Relaxed);
    thread.join().unwrap();
}

#[test]
fn the_memory_model_decides_which_executions_there_are() {
    let count = |model| Builder::new().memory_model(model).check(store_buffering).complete;
    assert_eq!((count(MemoryModel::Sc), count(MemoryModel::C11)), (3, 4));
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_workers() {
    let counts = [1, 2, 4].map(|workers| Builder::new().workers(workers).check(store_buffering).complete);
    assert_eq!(counts, [4, 4, 4]);
}

#[test]
fn a_budget_that_runs_out_is_no_violation_and_no_proof() {
    let exploration = Builder::new().max_executions(2).check(store_buffering);
    assert_eq!(exploration.coverage, Coverage::Bounded(vec![Bound::Executions(2)]));
    assert_eq!(exploration.complete, 2);
}

#[test]
fn a_violation_makes_check_panic_with_the_report() {
    let panic = catch_unwind(|| Builder::new().check(|| panic!("no luck"))).expect_err("a violation");
    let report = panic.downcast::<String>().expect("a report");
    assert!(
        report.starts_with("panic: the main thread says \"no luck\" at crates/linchpin/tests/builder.rs:"),
        "{report}"
    );
}

#[test]
fn leaks_count_only_on_demand() {
    let leak = || std::mem::forget(Box::new(1));
    assert!(Builder::new().explore(leak).violation.is_none());
    let violation = Builder::new().leaks(true).explore(leak).violation.expect("a leak");
    assert!(matches!(violation.kind, ViolationKind::Leak { .. }));
}

#[test]
fn spurious_failures_are_explored_on_demand() {
    let test = || {
        let value = AtomicU32::new(0);
        let _ = value.compare_exchange_weak(0, 1, AcqRel, Relaxed);
    };
    assert_eq!(Builder::new().explore(test).complete, 1);
    assert_eq!(Builder::new().spurious_failures(true).explore(test).complete, 2);
}

#[test]
fn all_violations_are_counted_when_asked_to_keep_going() {
    let exploration = Builder::new().loops(LoopReduction::Off).keep_going(true).explore(|| {
        let value = Arc::new(AtomicU32::new(0));
        let other = value.clone();
        let thread = thread::spawn(move || other.store(1, Relaxed));
        let seen = value.load(Relaxed);
        thread.join().unwrap();
        panic!("saw {seen}");
    });
    assert_eq!(exploration.violations, 2);
}

#[test]
fn an_exploration_within_an_exploration_is_refused() {
    let violation = Builder::new().explore(|| linchpin::model(|| {})).violation.expect("a refusal");
    let ViolationKind::Panic { message, .. } = violation.kind else { panic!("{:?}", violation.kind) };
    assert!(message.contains("asked linchpin to explore another one"), "{message}");
}

#[test]
fn model_code_may_print() {
    linchpin::model(|| {
        println!("{}", "a line that is longer than the harness's buffer is at first ".repeat(40));
        thread::spawn(|| println!("and one of another thread")).join().unwrap();
    });
}

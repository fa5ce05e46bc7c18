//! What a test does outside its executions stays.

mod common;

use std::collections::BTreeMap;
use std::sync::{Arc as NativeArc, Mutex as NativeMutex};

use common::litmus::store_buffering;
use common::violation;
use linchpin::sync::atomic::{AtomicU8, Ordering::Relaxed};
use linchpin::{Builder, LoopReduction, Sampling, ViolationKind, outside};

/// How often there was which outcome.
type Counts = NativeArc<NativeMutex<BTreeMap<String, u32>>>;

/// Notes what store buffering gives, in many pieces of memory.
fn collect(counts: &Counts) -> impl Fn() + Send + Sync + 'static {
    let counts = counts.clone();
    move || {
        let [left, right] = store_buffering(Relaxed, Relaxed);
        outside(|| {
            let outcome = format!("{left} and {right}, {}", "again and again, ".repeat(100));
            *counts.lock().unwrap().entry(outcome).or_default() += 1;
        });
    }
}

#[test]
fn what_is_collected_in_all_executions_is_there_afterwards() {
    for workers in 1..=3 {
        let counts = Counts::default();
        let builder = Builder::new().loops(LoopReduction::Off).workers(workers);
        assert_eq!(builder.explore(collect(&counts)).complete, 4);
        let counts = counts.lock().unwrap();
        let all: Vec<(&str, u32)> = counts.iter().map(|(outcome, &count)| (&outcome[..7], count)).collect();
        let once = [("0 and 0", 1), ("0 and 1", 1), ("1 and 0", 1), ("1 and 1", 1)];
        // A part of an exploration that changes hands is run once more, without its end or with it.
        match workers {
            1 => assert_eq!(all, once),
            _ => assert_eq!(all.len(), once.len()),
        }
    }
}

#[test]
fn what_is_collected_in_samples_is_there_afterwards() {
    let counts = Counts::default();
    Builder::new().workers(1).sample(&Sampling { runs: 100, ..Sampling::default() }, collect(&counts));
    let total: u32 = counts.lock().unwrap().values().sum();
    assert_eq!(total, 100);
}

#[test]
fn a_panic_in_there_is_the_panic_of_its_thread() {
    let kind = violation(&Builder::new(), || outside(|| panic!("out of {}", "luck"))).kind;
    let ViolationKind::Panic { message, position, .. } = kind else { panic!("{kind}") };
    assert_eq!(message, "out of luck");
    assert!(position.starts_with("crates/linchpin/tests/outside.rs:"), "{position}");
    let next = || assert!(store_buffering(Relaxed, Relaxed).len() == 2);
    assert_eq!(Builder::new().explore(next).complete, 4);
}

#[test]
fn a_panic_in_there_may_be_caught() {
    let test = || {
        let caught = std::panic::catch_unwind(|| outside(|| panic!("never mind")));
        assert!(caught.is_err());
        store_buffering(Relaxed, Relaxed);
    };
    let exploration = Builder::new().explore(test);
    assert!(exploration.violation.is_none());
    assert_eq!(exploration.complete, 4);
}

#[test]
fn modelled_types_have_no_place_in_there() {
    let test = || {
        let number = AtomicU8::new(0);
        outside(|| number.store(1, Relaxed));
    };
    let kind = violation(&Builder::new(), test).kind;
    let ViolationKind::Panic { message, .. } = kind else { panic!("{kind}") };
    assert!(message.contains("must not use modelled types"), "{message}");
}

#[test]
fn outside_executions_there_is_nothing_to_step_out_of() {
    let number = AtomicU8::new(0);
    assert_eq!(outside(|| number.swap(1, Relaxed)), 0);
    assert_eq!(outside(|| outside(|| number.load(Relaxed))), 1);
}

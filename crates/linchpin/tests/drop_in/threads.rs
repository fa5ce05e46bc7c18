//! Names and handles of threads.

use std::panic::catch_unwind;
use std::sync::atomic::AtomicI64;

use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicU8, Ordering::*};
use linchpin::{Builder, thread};

use crate::common::{MODELS, outcomes_under, violation};
use crate::explores;

#[test]
fn threads_know_their_names_and_each_other() {
    explores(1, || {
        assert_eq!(thread::current().name(), Some("main"));
        let builder = thread::Builder::new().name("worker".into());
        let named = builder.spawn(|| (thread::current().name().map(str::to_owned), thread::current().id())).unwrap();
        let unnamed = thread::spawn(|| thread::current().name().map(str::to_owned));
        let id = named.thread().id();
        assert_eq!(named.thread().name(), Some("worker"));
        assert_ne!(id, thread::current().id());
        assert_ne!(id, unnamed.thread().id());
        assert_eq!(named.join().unwrap(), (Some("worker".to_owned()), id));
        assert_eq!(unnamed.join().unwrap(), None);
    });
}

#[test]
fn a_name_with_a_null_byte_is_refused() {
    explores(1, || {
        let start = || thread::Builder::new().name("a\0b".into()).spawn(|| ()).is_ok();
        let message = catch_unwind(start).expect_err("it panics");
        assert_eq!(message.downcast_ref(), Some(&"thread name may not contain interior null bytes"));
    });
}

#[test]
fn a_violation_knows_the_names_of_threads() {
    let violation = violation(&Builder::new(), || {
        let builder = thread::Builder::new().name("culprit".into());
        builder.spawn(|| panic!("caught")).unwrap().join().unwrap();
    });
    let names: Vec<_> = violation.names.iter().map(|(id, name)| (*id, name.as_str())).collect();
    assert_eq!(names, [(violation.thread, "culprit")]);
}

#[test]
fn a_thread_is_found_running_or_finished() {
    for model in MODELS {
        let seen = outcomes_under(model, || {
            let thread = thread::spawn(|| ());
            let finished = thread.is_finished();
            thread.join().unwrap();
            [finished.into()]
        });
        assert_eq!(seen, [[0], [1]].into());
    }
}

#[test]
fn a_thread_may_be_left_to_itself() {
    for model in MODELS {
        let seen = outcomes_under(model, || {
            let value = Arc::new(AtomicU8::new(0));
            let other = Arc::clone(&value);
            drop(thread::spawn(move || other.store(1, Relaxed)));
            [value.load(Relaxed)]
        });
        assert_eq!(seen, [[0], [1]].into());
    }
}

/// Counts those that were made and not dropped, and goes below zero with what is dropped twice.
struct Noted<'a>(&'a AtomicI64);

impl Noted<'_> {
    fn new(alive: &AtomicI64) -> Noted<'_> {
        alive.fetch_add(1, Relaxed);
        Noted(alive)
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Whatever becomes of a thread's handle as `after` says, the thread's result is dropped once and its memory is given back.
#[track_caller]
fn is_dropped_once(after: fn(thread::ScopedJoinHandle<'_, Noted<'_>>)) {
    let exploration = Builder::new().leaks(true).explore(move || {
        let alive = AtomicI64::new(0);
        thread::scope(|scope| after(scope.spawn(|| Noted::new(&alive))));
        assert_eq!(alive.load(Relaxed), 0);
    });
    assert!(exploration.violation.is_none(), "{:?}", exploration.violation);
}

#[test]
fn a_result_is_dropped_once_whoever_is_the_last_to_have_it() {
    is_dropped_once(|thread| drop(thread.join()));
    is_dropped_once(|thread| drop(thread));
    // The thread is found running or finished, and then nobody asks.
    is_dropped_once(|thread| drop((thread.is_finished(), thread)));
}

#[test]
fn a_result_goes_with_the_scope_it_borrows_from_even_if_handles_stay() {
    let exploration = Builder::new().leaks(true).explore(|| {
        let alive = AtomicI64::new(0);
        let handle = thread::scope(|scope| {
            let thread = scope.spawn(|| Noted::new(&alive));
            // Its result is there already, or not yet.
            thread.is_finished();
            thread.thread().clone()
        });
        assert_eq!(alive.load(Relaxed), 0);
        assert_ne!(handle.id(), thread::current().id());
    });
    assert!(exploration.violation.is_none(), "{:?}", exploration.violation);
}

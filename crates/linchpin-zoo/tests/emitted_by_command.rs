//! `[write(0, 2)] { write(1, 2) } || { read() }` as a client of `PairSnapshotFixed`: what its threads may see.
//!
//! Written by linchpin. It needs the standard library and what it imports; put it into `tests/`.
//!
//! - `cargo test` runs the client on native threads, many times. What it does not see may still happen.
//! - `cargo miri test` runs it a few times; with `MIRIFLAGS=-Zmiri-many-seeds` under many schedules.
//! - `cargo test --features linchpin` explores all of its executions as well. That takes linchpin as a dev-dependency, an object
//!   that is built on the types of linchpin-sync, and a feature of that name: `linchpin = []`.

#![allow(unexpected_cfgs, unused_variables, clippy::all)]

#[cfg(feature = "linchpin")]
use linchpin::thread;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
#[cfg(not(feature = "linchpin"))]
use std::thread;

const THREADS: usize = 2;

/// What the invocations return, in the order of the text, if they run one after another.
#[rustfmt::skip]
const ADMITTED: [&str; 2] = [
    "(), (), (2, 1)",
    "(), (), (2, 2)",
];

/// Runs the client once. Each thread calls `start` first.
fn client(start: impl Fn() + Sync) -> String {
    let object: linchpin_zoo::PairSnapshot<false> = Default::default();
    let r0 = object.write(linchpin_zoo::Cell::First, 2);
    let ((r1,), (r2,)) = thread::scope(|scope| {
        let thread0 = scope.spawn(|| {
            start();
            (object.write(linchpin_zoo::Cell::Second, 2),)
        });
        let thread1 = scope.spawn(|| {
            start();
            (object.read(),)
        });
        (thread0.join().unwrap(), thread1.join().unwrap())
    });
    format!("{r0:?}, {r1:?}, {r2:?}")
}

fn check(outcome: &str) {
    assert!(ADMITTED.contains(&outcome), "no order of the invocations returns {outcome}, but one of {ADMITTED:#?}");
}

#[test]
fn native_threads_see_nothing_else() {
    let rounds = if cfg!(miri) { 10 } else { 5_000 };
    for _ in 0..rounds {
        let missing = AtomicUsize::new(THREADS);
        let outcome = client(|| {
            missing.fetch_sub(1, SeqCst);
            let mut patience = 1_000;
            while missing.load(SeqCst) > 0 {
                if patience > 0 {
                    patience -= 1;
                    std::hint::spin_loop();
                } else {
                    std::thread::yield_now();
                }
            }
        });
        check(&outcome);
    }
}

#[test]
#[cfg(feature = "linchpin")]
fn no_execution_shows_anything_else() {
    linchpin::model(|| check(&client(|| ())));
}

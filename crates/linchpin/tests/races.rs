//! Data races: which accesses to plain memory are taken to race, and which are not.

mod common;

use common::{MODELS, executions, under, violation};
use linchpin::cell::UnsafeCell;
use linchpin::sync::Arc;
use linchpin::sync::atomic::AtomicU32;
use linchpin::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use linchpin::{hint, thread};

/// What threads share although the compiler would not let them.
struct Shared<T>(T);

// SAFETY: the tests share it across threads on purpose; accesses that race are found.
unsafe impl<T: Send> Sync for Shared<T> {}

/// Two threads: `first` and, in the main thread, `second`.
fn pair<T: Send + 'static>(make: fn() -> T, first: fn(&T), second: fn(&T)) -> impl Fn() + Send + Sync + Copy + 'static {
    move || {
        let shared = Arc::new(Shared(make()));
        let other = shared.clone();
        let thread = thread::spawn(move || first(&other.0));
        second(&shared.0);
        thread.join().unwrap();
    }
}

#[track_caller]
fn is_a_race(test: impl Fn() + Send + Sync + Copy + 'static) {
    for model in MODELS {
        assert_eq!(violation(&under(model), test).kind.name(), "data race", "{model:?}");
    }
}

#[track_caller]
fn is_fine(test: impl Fn() + Send + Sync + Copy + 'static) {
    for model in MODELS {
        executions(&under(model), test);
    }
}

/// A lock by spinning. Its content, if it has no size, is where the next field of whatever the lock is in begins.
#[repr(C)]
#[derive(Default)]
struct Lock<T> {
    is_taken: AtomicU32,
    content: UnsafeCell<T>,
}

impl<T> Lock<T> {
    fn with<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        while self.is_taken.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            hint::spin_loop();
        }
        let result = self.content.with_mut(f);
        self.is_taken.store(0, Release);
        result
    }
}

#[test]
fn what_has_no_size_races_with_nothing() {
    #[repr(C)]
    #[derive(Default)]
    struct Stats {
        lock: Lock<()>,
        calls: AtomicU32,
    }
    let call = |stats: &Stats| {
        stats.lock.with(|_| ());
        stats.calls.fetch_add(1, Relaxed);
    };
    let stats = Stats::default();
    assert_eq!(stats.lock.content.get().addr(), (&raw const stats.calls).addr());
    is_fine(pair(Stats::default, call, call));
}

#[test]
fn what_has_a_size_races_with_the_same_bytes() {
    is_a_race(pair(UnsafeCell::<u8>::default, |cell| cell.with_mut(|_| ()), |cell| cell.with(|_| ())));
}

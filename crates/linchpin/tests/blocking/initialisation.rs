//! What is made once.

use std::ptr;

use linchpin::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering, Ordering::*};
use linchpin::sync::{Arc, LazyLock, Mutex, Once, OnceLock};
use linchpin::thread;

use crate::common::{MODELS, Shared, executions, finding, in_threads, outcomes_under, under};

#[test]
fn once_is_once_and_all_see_it() {
    let test = || {
        let (once, calls, made) = (Once::new(), AtomicU32::new(0), Shared::new(0));
        in_threads(3, move |_| {
            once.call_once(|| {
                assert_eq!(calls.fetch_add(1, Relaxed), 0);
                made.set(7);
            });
            assert!(once.is_completed());
            assert_eq!(made.get(), 7);
        });
    };
    // One of three makes it. The others find that it is made, each for itself, so their order does not count.
    assert_eq!(MODELS.map(|model| executions(&under(model), test)), [3, 3]);
}

#[test]
fn either_thread_may_be_the_one_that_initialises() {
    let test = || {
        let value = Arc::new(OnceLock::new());
        let other = Arc::clone(&value);
        let thread = thread::spawn(move || *other.get_or_init(|| Box::new(1_u8)).as_ref());
        let mine = **value.get_or_init(|| Box::new(2));
        [mine, thread.join().unwrap()]
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[1, 1], [2, 2]].into());
    }
}

#[test]
fn a_value_is_seen_whole_or_not_at_all() {
    let test = || {
        let value: Arc<OnceLock<Box<AtomicU8>>> = Arc::default();
        let other = Arc::clone(&value);
        let thread = thread::spawn(move || other.set(Box::new(AtomicU8::new(5))).is_ok());
        let seen = value.get().map_or(0, |value| value.load(Relaxed));
        assert!(thread.join().unwrap());
        [seen]
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[0], [5]].into());
    }
}

static TABLE: LazyLock<Vec<u32>> = LazyLock::new(|| {
    MADE.fetch_add(1, Relaxed);
    vec![1, 2, 3]
});
static MADE: AtomicU32 = AtomicU32::new(0);

#[test]
fn a_lazy_static_is_made_once_in_each_execution() {
    let test = || {
        in_threads(2, |_| assert_eq!(TABLE.len(), 3));
        assert_eq!(MADE.load(Relaxed), 1);
    };
    assert_eq!(MODELS.map(|model| executions(&under(model), test)), [2, 2]);
    assert!(LazyLock::get(&TABLE).is_none(), "nothing is left behind");
}

#[test]
fn an_initialiser_that_needs_its_own_result_waits_for_itself() {
    let test = || {
        let value: OnceLock<u32> = OnceLock::new();
        value.get_or_init(|| *value.get_or_init(|| 1) + 1);
    };
    assert_eq!(finding(test), "deadlock");
}

#[test]
fn a_wait_for_what_nobody_makes_is_a_deadlock() {
    let value = || {
        let value = OnceLock::<u32>::new();
        value.wait();
    };
    assert_eq!(finding(value), "deadlock");
    assert_eq!(finding(|| Once::new().wait()), "deadlock");
}

/// A value behind a pointer that is looked at before and after taking a lock.
struct DoubleChecked {
    value: AtomicPtr<AtomicU32>,
    lock: Mutex<()>,
    look: Ordering,
}

impl DoubleChecked {
    fn get(&self) -> &AtomicU32 {
        let mut value = self.value.load(self.look);
        if value.is_null() {
            let _guard = self.lock.lock().unwrap();
            value = self.value.load(Relaxed);
            if value.is_null() {
                value = Box::into_raw(Box::new(AtomicU32::new(1)));
                self.value.store(value, Release);
            }
        }
        // SAFETY: the value is never freed.
        unsafe { &*value }
    }
}

/// Two threads that use a value of which either may be the maker.
fn double_checked(look: Ordering) -> impl Fn() + Send + Sync + Copy + 'static {
    move || {
        let value = DoubleChecked { value: AtomicPtr::new(ptr::null_mut()), lock: Mutex::new(()), look };
        in_threads(2, move |_| assert_eq!(value.get().load(Relaxed), 1));
    }
}

#[test]
fn double_checks_need_to_acquire() {
    // Whoever comes second sees the value at its first look or under the lock.
    assert_eq!(MODELS.map(|model| executions(&under(model), double_checked(Acquire))), [4, 4]);
    assert_eq!(finding(double_checked(Relaxed)), "access to unpublished memory");
}

#[test]
fn double_checks_of_a_flag_need_to_acquire() {
    let test = |look| {
        move || {
            let (is_made, lock, made) = (AtomicU8::new(0), Mutex::new(()), Shared::new(0));
            in_threads(2, move |_| {
                if is_made.load(look) == 0 {
                    let _guard = lock.lock().unwrap();
                    if is_made.load(Relaxed) == 0 {
                        made.set(7);
                        is_made.store(1, Release);
                    }
                }
                assert_eq!(made.get(), 7);
            });
        }
    };
    assert_eq!(MODELS.map(|model| executions(&under(model), test(Acquire))), [4, 4]);
    assert_eq!(finding(test(Relaxed)), "data race");
}

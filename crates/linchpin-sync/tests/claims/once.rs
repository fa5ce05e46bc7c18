use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use sync::atomic::{AtomicU32, Ordering::SeqCst};
use sync::{LazyLock, Once, OnceLock};

fn panics<R>(f: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

#[test]
fn all_callers_return_after_the_one_call() {
    static ONCE: Once = Once::new();
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let call = || {
        ONCE.call_once(|| {
            thread::yield_now();
            CALLS.fetch_add(1, SeqCst);
        });
        assert_eq!(CALLS.load(SeqCst), 1);
    };
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(call)).collect();
    ONCE.wait();
    assert!(ONCE.is_completed());
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_panic_poisons_a_once_until_a_call_is_forced() {
    let once = Once::new();
    assert!(!once.is_completed());
    assert!(panics(|| once.call_once(|| panic!("at first"))));
    assert!(panics(|| once.call_once(|| {})));
    assert!(panics(|| once.wait()));
    once.call_once_force(|state| assert!(state.is_poisoned()));
    once.call_once(|| panic!("not called"));
    once.wait_force();
    assert!(once.is_completed());
}

#[test]
fn a_value_is_made_once() {
    static VALUE: OnceLock<u32> = OnceLock::new();
    static MADE: AtomicU32 = AtomicU32::new(0);
    assert_eq!(VALUE.get(), None);
    let threads: Vec<_> = (0..4)
        .map(|_| thread::spawn(|| *VALUE.get_or_init(|| MADE.fetch_add(1, SeqCst) + 1)))
        .collect();
    assert_eq!(*VALUE.wait(), 1);
    threads
        .into_iter()
        .for_each(|thread| assert_eq!(thread.join().unwrap(), 1));
    assert_eq!(VALUE.set(7), Err(7));
}

#[test]
fn a_once_lock_forgets_attempts_that_panicked() {
    let lock = OnceLock::new();
    assert!(panics(|| *lock.get_or_init(|| -> u8 { panic!("at first") })));
    assert_eq!(format!("{lock:?}"), "OnceLock(<uninit>)");
    assert_eq!(lock.set(3), Ok(()));
    assert_eq!(format!("{lock:?}"), "OnceLock(3)");
}

#[test]
fn a_once_lock_owns_its_value() {
    let counted = Rc::new(());
    let mut lock = OnceLock::from(Rc::clone(&counted));
    assert!(lock.clone() == lock && Rc::strong_count(&counted) == 2);
    *lock.get_mut().unwrap() = Rc::clone(&counted);
    assert!(lock.take().is_some() && lock.get().is_none() && lock.get_mut().is_none());
    lock.set(Rc::clone(&counted)).unwrap();
    assert_eq!(Rc::strong_count(&counted), 2);
    drop(lock);
    assert_eq!(Rc::strong_count(&counted), 1);
    assert_eq!(OnceLock::from(4).into_inner(), Some(4));
    assert_eq!(OnceLock::<u8>::default().into_inner(), None);
}

#[test]
fn a_value_may_borrow_what_is_dropped_before_its_lock() {
    let lock = OnceLock::new();
    let text = String::from("text");
    lock.set(&text).unwrap();
    assert_eq!(*lock.wait(), "text");
}

#[test]
fn a_lazy_value_is_made_when_it_is_first_used() {
    static MADE: AtomicU32 = AtomicU32::new(0);
    static LAZY: LazyLock<String> = LazyLock::new(|| format!("made {} times", MADE.fetch_add(1, SeqCst) + 1));
    assert_eq!(format!("{LAZY:?}"), "LazyLock(<uninit>)");
    assert_eq!(MADE.load(SeqCst), 0);
    let threads: Vec<_> = (0..3).map(|_| thread::spawn(|| LAZY.len())).collect();
    threads
        .into_iter()
        .for_each(|thread| assert_eq!(thread.join().unwrap(), 12));
    assert_eq!(*LAZY, "made 1 times");
}

#[test]
fn a_lazy_lock_drops_its_closure_or_its_value() {
    struct Noted<'a>(&'a Cell<u32>);
    impl Drop for Noted<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let dropped = Cell::new(0);
    let noted = Noted(&dropped);
    drop(LazyLock::<_, _>::new(|| noted));
    assert_eq!(dropped.get(), 1);
    let noted = Noted(&dropped);
    let lazy = LazyLock::<_, _>::new(|| noted);
    let _ = LazyLock::force(&lazy);
    assert_eq!(dropped.get(), 1);
    drop(lazy);
    assert_eq!(dropped.get(), 2);
}

#[test]
fn a_panic_poisons_a_lazy_lock() {
    let lazy: LazyLock<u8, _> = LazyLock::new(|| panic!("at first"));
    assert!(panics(|| *LazyLock::force(&lazy)));
    assert!(panics(|| *LazyLock::force(&lazy)));
}

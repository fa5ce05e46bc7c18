use std::cell::{Cell, RefCell};

use sync::atomic::{AtomicU32, Ordering::SeqCst};

thread_local! {
    /// A variable with an initialiser for the compiler.
    static COUNT: Cell<u32> = const { Cell::new(1) };
    pub(crate) static NAMES: RefCell<Vec<&'static str>> = RefCell::new(vec!["first"]);
    static PLAIN: String = String::from("made lazily")
}

#[test]
fn each_thread_has_its_own_value() {
    COUNT.set(5);
    NAMES.with_borrow_mut(|names| names.push("second"));
    let elsewhere = thread::spawn(|| (COUNT.get(), NAMES.with_borrow(|names| names.len())));
    assert_eq!(elsewhere.join().unwrap(), (1, 1));
    assert_eq!((COUNT.replace(6), COUNT.take(), COUNT.get()), (5, 6, 0));
    assert_eq!(NAMES.replace(vec![]), ["first", "second"]);
    NAMES.set(vec!["third"]);
    assert_eq!(NAMES.take(), ["third"]);
    assert_eq!(PLAIN.with(String::len), 11);
}

/// Names that a macro might use for items of its own.
mod initialisers {
    use super::thread_local;

    const NATIVE: u32 = 7;

    fn init() -> u32 {
        5
    }

    thread_local! {
        pub static OF_A_FUNCTION: u32 = init();
        pub static OF_A_CONSTANT: u32 = const { NATIVE };
        pub static COERCED: Box<dyn Fn() -> u32> = Box::new(|| init() + NATIVE);
    }
}

#[test]
fn initialisers_see_the_names_of_their_surroundings() {
    assert_eq!(initialisers::OF_A_FUNCTION.with(|value| *value), 5);
    assert_eq!(initialisers::OF_A_CONSTANT.with(|value| *value), 7);
    assert_eq!(initialisers::COERCED.with(|value| value()), 12);
}

#[test]
fn setting_a_value_does_not_make_another_first() {
    thread_local!(static MADE: Cell<u32> = panic!("made"));
    thread_local!(
        static MADE_TOO: RefCell<u32> = panic!("made");
    );
    MADE.set(4);
    MADE_TOO.set(5);
    assert_eq!(MADE.get() + MADE_TOO.take(), 9);
}

#[test]
fn values_are_dropped_when_their_thread_ends() {
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    struct Noted;
    impl Drop for Noted {
        fn drop(&mut self) {
            assert!(NOTED.try_with(|_| ()).is_err());
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    thread_local!(static NOTED: Noted = const { Noted });
    thread::spawn(|| NOTED.with(|_| ())).join().unwrap();
    assert_eq!(DROPPED.load(SeqCst), 1);
}

#[test]
fn cells_change_behind_shared_references() {
    let cell = cell::Cell::new(1);
    cell.set(2);
    let unsafe_cell = cell::UnsafeCell::new(cell);
    // SAFETY: nobody else has access.
    assert_eq!(unsafe { &*unsafe_cell.get() }.get(), 2);
}

//! Thread-local variables.

use std::cell::{Cell, RefCell};
use std::panic::catch_unwind;

use linchpin::sync::atomic::{AtomicU32, Ordering::*};
use linchpin::{Builder, thread};

use crate::explores;

linchpin::thread_local! {
    static NUMBER: Cell<u32> = const { Cell::new(7) };
    static TEXT: RefCell<String> = RefCell::new(String::from("first"));
    static LAST_WILL: LastWill = const { LastWill };
}

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct LastWill;

impl Drop for LastWill {
    fn drop(&mut self) {
        assert!(LAST_WILL.try_with(|_| ()).is_err(), "it is on its way out");
        DROPPED.fetch_add(1, Relaxed);
    }
}

#[test]
fn each_thread_of_each_execution_has_its_own_locals() {
    explores(2, || {
        assert_eq!(NUMBER.get(), 7);
        NUMBER.set(8);
        TEXT.with_borrow_mut(|text| text.push_str(" of main"));
        let meeting = AtomicU32::new(0);
        thread::scope(|scope| {
            for number in 0..2 {
                let meeting = &meeting;
                scope.spawn(move || {
                    assert_eq!(NUMBER.replace(number), 7);
                    meeting.fetch_add(1, Relaxed);
                    assert_eq!(NUMBER.get(), number);
                    assert_eq!(TEXT.take(), "first");
                });
            }
        });
        assert_eq!(NUMBER.get(), 8);
        assert_eq!(TEXT.take(), "first of main");
    });
}

#[test]
fn locals_are_dropped_before_their_thread_is_joined() {
    explores(2, || {
        let threads = [(); 2].map(|()| thread::spawn(|| LAST_WILL.with(|_| ())));
        for thread in threads {
            thread.join().unwrap();
        }
        thread::spawn(|| ()).join().unwrap();
        assert_eq!(DROPPED.load(Relaxed), 2, "who has no local has none to drop");
    });
}

linchpin::thread_local! {
    static ASKS_AT_ITS_END: AsksAtItsEnd = const { AsksAtItsEnd };
    static OWNING: RefCell<String> = RefCell::new(String::from("owned"));
    static PLAIN: Cell<u32> = Cell::new(1);
}

static ASKED: AtomicU32 = AtomicU32::new(0);

struct AsksAtItsEnd;

impl Drop for AsksAtItsEnd {
    fn drop(&mut self) {
        assert!(OWNING.try_with(|_| ()).is_err(), "it has been dropped and is not made anew");
        assert!(catch_unwind(|| OWNING.take()).is_err());
        assert_eq!(PLAIN.get(), 2, "there was nothing to drop");
        ASKED.fetch_add(1, Relaxed);
    }
}

#[test]
fn locals_that_were_dropped_do_not_come_back_and_others_stay() {
    explores(1, || {
        let thread = thread::spawn(|| {
            ASKS_AT_ITS_END.with(|_| ());
            OWNING.set(String::from("set"));
            PLAIN.set(2);
        });
        thread.join().unwrap();
        assert_eq!(ASKED.load(Relaxed), 1);
    });
}

#[test]
fn a_local_that_is_first_used_at_the_end_of_its_thread_is_dropped_too() {
    struct Uses;
    impl Drop for Uses {
        fn drop(&mut self) {
            LAST_WILL.with(|_| ());
        }
    }
    linchpin::thread_local!(static USES: Uses = const { Uses });
    explores(1, || {
        thread::spawn(|| USES.with(|_| ())).join().unwrap();
        assert_eq!(DROPPED.load(Relaxed), 1);
    });
}

#[test]
fn a_thread_knows_itself_while_its_locals_are_dropped() {
    struct Parks;
    impl Drop for Parks {
        fn drop(&mut self) {
            thread::park();
        }
    }
    linchpin::thread_local!(static PARKS: Parks = const { Parks });
    explores(1, || {
        PARKS.with(|_| ());
        thread::current().unpark();
    });
}

#[test]
fn an_initialiser_that_asks_for_its_own_variable_has_the_last_word() {
    linchpin::thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
        static VALUE: (u32, Box<u32>) = {
            let outer = DEPTH.replace(1) == 0;
            let value = if outer { VALUE.with(|inner| inner.0) + 10 } else { 1 };
            (value, Box::new(value))
        };
    }
    explores(1, || {
        assert_eq!(VALUE.with(|value| value.0), 11);
        assert_eq!(VALUE.try_with(|value| *value.1), Ok(11));
    });
}

#[test]
fn locals_give_their_memory_back() {
    let exploration = Builder::new().leaks(true).explore(|| {
        let thread = thread::spawn(|| {
            ASKS_AT_ITS_END.with(|_| ());
            OWNING.set(String::from("set"));
            PLAIN.set(2);
        });
        thread.join().unwrap();
        assert_eq!(TEXT.take(), "first");
    });
    assert!(exploration.violation.is_none(), "{:?}", exploration.violation);
}

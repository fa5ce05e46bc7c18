//! Thread-local variables.

use std::cell::{Cell, RefCell};

use linchpin::sync::atomic::{AtomicU32, Ordering::*};
use linchpin::thread;

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

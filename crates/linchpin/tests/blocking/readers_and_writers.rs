//! Mutexes and readers-writer locks.

use std::mem::forget;

use linchpin::sync::atomic::{AtomicU8, Ordering::*};
use linchpin::sync::{Arc, Mutex, RwLock, RwLockWriteGuard};
use linchpin::thread;

use crate::common::{MODELS, executions, finding, in_threads, outcomes_under, under, violation};

#[test]
fn a_guard_that_is_forgotten_is_a_deadlock() {
    let with_mutex = || {
        let lock = Mutex::new(0);
        in_threads(2, move |_| forget(lock.lock()));
    };
    let with_writer = || {
        let lock = RwLock::new(0);
        in_threads(2, move |_| forget(lock.write()));
    };
    let with_reader = || {
        let lock = RwLock::new(0);
        forget(lock.read());
        drop(lock.write());
    };
    assert_eq!(finding(with_mutex), "deadlock");
    assert_eq!(finding(with_writer), "deadlock");
    assert_eq!(finding(with_reader), "deadlock");
}

#[test]
fn a_lock_taken_twice_by_one_thread_is_a_deadlock() {
    let test = || {
        let lock = Mutex::new(0);
        let _first = lock.lock();
        let _second = lock.lock();
    };
    assert_eq!(finding(test), "deadlock");
}

#[test]
fn locks_taken_in_opposite_orders_are_a_deadlock() {
    let test = || {
        let locks = [Mutex::new(0), Mutex::new(0)];
        in_threads(2, move |me| {
            let _mine = locks[me].lock().unwrap();
            let _other = locks[1 - me].lock().unwrap();
        });
    };
    for model in MODELS {
        assert_eq!(violation(&under(model), test).kind.name(), "deadlock");
    }
}

#[test]
fn a_mutex_is_found_free_or_taken() {
    let test = || {
        let lock = Arc::new(Mutex::new(0_u8));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || *other.lock().unwrap() = 1);
        let seen = lock.try_lock().map_or(2, |value| *value);
        thread.join().unwrap();
        [seen]
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[0], [1], [2]].into());
    }
}

#[test]
fn writers_have_a_readers_writer_lock_to_themselves() {
    let test = || {
        let lock = RwLock::new((0, 0));
        in_threads(3, move |me| {
            if me == 0 {
                let mut value = lock.write().unwrap();
                value.0 += 1;
                value.1 += 1;
            } else {
                let value = lock.read().unwrap();
                assert_eq!(value.0, value.1);
            }
        });
    };
    // Coming and going of two readers mix in 6 ways. In the 4 in which they overlap the writer comes before or after, in
    // the other 2 also in between: 4 · 2 + 2 · 3.
    assert_eq!(MODELS.map(|model| executions(&under(model), test)), [14, 14]);
}

#[test]
fn readers_share_a_readers_writer_lock() {
    let test = || {
        let shared = Arc::new((RwLock::new(()), AtomicU8::new(0)));
        let readers = [(); 2].map(|()| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let _guard = shared.0.read().unwrap();
                let others = shared.1.fetch_add(1, SeqCst);
                shared.1.fetch_sub(1, SeqCst);
                others
            })
        });
        let [first, second] = readers.map(|reader| reader.join().unwrap());
        [first.max(second)]
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[0], [1]].into());
    }
}

#[test]
fn a_reader_that_wants_to_write_waits_for_itself() {
    let test = || {
        let lock = RwLock::new(0);
        let value = lock.read().unwrap();
        *lock.write().unwrap() = *value + 1;
    };
    assert_eq!(finding(test), "deadlock");
}

#[test]
fn a_writer_that_becomes_a_reader_lets_readers_in_but_no_writer() {
    let test = || {
        let lock = RwLock::new(0);
        in_threads(3, move |me| {
            if me == 0 {
                assert!(*lock.read().unwrap() <= 2);
                return;
            }
            let mut value = lock.write().unwrap();
            *value += 1;
            let before = *value;
            let value = RwLockWriteGuard::downgrade(value);
            assert_eq!(*value, before);
        });
    };
    // For each of 2 orders of the writers, the reader comes and goes before both (1 way), or comes while the first reads
    // or after it and goes before the second comes (3 ways), or the same with the second (3 ways).
    assert_eq!(MODELS.map(|model| executions(&under(model), test)), [14, 14]);
}

//! Bounded buffers, and what goes wrong in them.

use std::collections::VecDeque;

use linchpin::sync::atomic::{AtomicBool, Ordering::*};
use linchpin::sync::{Arc, Condvar, Mutex};
use linchpin::{Builder, thread};

use crate::common::{MODELS, executions, finding, outcomes_under, under, violation};

/// A queue that blocks when it is full or empty.
struct Buffer {
    items: Mutex<VecDeque<u8>>,
    capacity: usize,
    has_room: Condvar,
    has_items: Condvar,
}

impl Buffer {
    fn new(capacity: usize) -> Self {
        let items = Mutex::new(VecDeque::new());
        Buffer { items, capacity, has_room: Condvar::new(), has_items: Condvar::new() }
    }

    fn put(&self, item: u8) {
        let is_full = |items: &mut VecDeque<u8>| items.len() == self.capacity;
        let mut items = self.has_room.wait_while(self.items.lock().unwrap(), is_full).unwrap();
        items.push_back(item);
        drop(items);
        self.has_items.notify_one();
    }

    fn take(&self) -> u8 {
        let mut items = self.items.lock().unwrap();
        while items.is_empty() {
            items = self.has_items.wait(items).unwrap();
        }
        let item = items.pop_front().expect("it is not empty");
        drop(items);
        self.has_room.notify_one();
        item
    }
}

#[test]
fn a_bounded_buffer_hands_over_everything_in_order() {
    let test = || {
        let buffer = Arc::new(Buffer::new(1));
        let producer = thread::spawn({
            let buffer = Arc::clone(&buffer);
            move || (1..=3).for_each(|item| buffer.put(item))
        });
        let taken = [buffer.take(), buffer.take(), buffer.take()];
        producer.join().unwrap();
        taken
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[1, 2, 3]].into());
    }
}

#[test]
fn a_bounded_buffer_serves_two_consumers_in_either_order() {
    let test = || {
        let buffer = Arc::new(Buffer::new(1));
        let consumers = [(); 2].map(|()| {
            let buffer = Arc::clone(&buffer);
            thread::spawn(move || buffer.take())
        });
        buffer.put(1);
        buffer.put(2);
        consumers.map(|consumer| consumer.join().unwrap())
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[1, 2], [2, 1]].into());
    }
}

#[test]
fn a_notification_that_comes_too_early_is_lost() {
    let test = || {
        let shared = Arc::new((Mutex::new(()), Condvar::new(), AtomicBool::new(false)));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            // Not under the lock: this may fall between the other's look and its wait.
            other.2.store(true, SeqCst);
            other.1.notify_one();
        });
        let mut guard = shared.0.lock().unwrap();
        while !shared.2.load(SeqCst) {
            guard = shared.1.wait(guard).unwrap();
        }
        drop(guard);
        thread.join().unwrap();
    };
    for model in MODELS {
        assert_eq!(violation(&under(model), test).kind.name(), "deadlock");
    }
}

#[test]
fn one_notification_is_not_enough_for_two() {
    let test = |notify: fn(&Condvar)| {
        move || {
            let shared = Arc::new((Mutex::new(false), Condvar::new()));
            let waiters = [(); 2].map(|()| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || drop(shared.1.wait_while(shared.0.lock().unwrap(), |ready| !*ready).unwrap()))
            });
            *shared.0.lock().unwrap() = true;
            notify(&shared.1);
            for waiter in waiters {
                waiter.join().unwrap();
            }
        }
    };
    assert_eq!(finding(test(Condvar::notify_one)), "deadlock");
    executions(&Builder::new(), test(Condvar::notify_all));
}

#[test]
fn who_is_woken_has_to_look_again() {
    let test = || {
        let shared = Arc::new((Mutex::new(0_u8), Condvar::new()));
        let consumers = [(); 2].map(|()| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut items = shared.0.lock().unwrap();
                // It takes a `while`: somebody else may have been quicker.
                if *items == 0 {
                    items = shared.1.wait(items).unwrap();
                }
                *items = items.checked_sub(1).expect("there is an item");
            })
        });
        for _ in 0..2 {
            *shared.0.lock().unwrap() += 1;
            shared.1.notify_all();
        }
        for consumer in consumers {
            consumer.join().unwrap();
        }
    };
    assert_eq!(finding(test), "panic");
}

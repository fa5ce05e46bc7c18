//! A queue for one producer and one consumer, with an event count for the consumer to sleep on (Vyukov).

use std::collections::VecDeque;

use linchpin::{Contract, Contracts, Watched, call, point};
use linchpin_sync::cell::UnsafeCell;
use linchpin_sync::sync::atomic::{AtomicU32, Ordering::*};
use linchpin_sync::sync::{Condvar, Mutex, PoisonError};

use super::link::{Link, leak};
use super::structure::{Structure, Test, parallel};

struct Node {
    data: u32,
    next: Link<Node>,
}

/// A queue for one producer and one consumer.
pub struct SpscQueue {
    /// The producer's.
    head: UnsafeCell<&'static Node>,
    /// The consumer's.
    tail: UnsafeCell<&'static Node>,
    items: EventCount,
}

// SAFETY: of the two cells one belongs to the producer and one to the consumer; accesses are watched.
unsafe impl Sync for SpscQueue {}

impl Default for SpscQueue {
    fn default() -> Self {
        let dummy = leak(Node { data: 0, next: Link::new(None) });
        SpscQueue { head: UnsafeCell::new(dummy), tail: UnsafeCell::new(dummy), items: EventCount::default() }
    }
}

impl SpscQueue {
    /// The producer adds a value.
    pub fn enqueue(&self, value: u32) {
        let node = leak(Node { data: value, next: Link::new(None) });
        // SAFETY: there is one producer.
        let head = self.head.with(|head| unsafe { *head });
        head.next.store(Some(node), Release); // #1
        point::define(true);
        // SAFETY: as above.
        self.head.with_mut(|head| unsafe { *head = node });
        self.items.signal();
    }

    /// The consumer takes the first value, and sleeps until there is one.
    pub fn dequeue(&self) -> u32 {
        loop {
            if let Some(value) = self.try_dequeue() {
                return value;
            }
            let seen = self.items.get();
            if let Some(value) = self.try_dequeue() {
                return value;
            }
            self.items.wait(seen);
        }
    }

    fn try_dequeue(&self) -> Option<u32> {
        // SAFETY: there is one consumer.
        let tail = self.tail.with(|tail| unsafe { *tail });
        let node = tail.next.load(Acquire); // #2
        point::clear_define(true);
        let node = node?;
        // SAFETY: as above.
        self.tail.with_mut(|tail| unsafe { *tail = node });
        Some(node.data)
    }
}

/// Somebody sleeps, or is about to.
const WAITS: u32 = 1 << 31;

/// Lets a thread sleep until something has happened since it looked.
#[derive(Default)]
struct EventCount {
    count: AtomicU32,
    sleepers: Mutex<u32>,
    alarm: Condvar,
}

impl EventCount {
    fn get(&self) -> u32 {
        self.count.fetch_or(WAITS, SeqCst) & !WAITS
    }

    fn signal(&self) {
        let seen = self.count.fetch_add(0, SeqCst);
        if seen & WAITS == 0 {
            return;
        }
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        // Who has seen the flag may clear it: one signal wakes all.
        let _ = self.count.compare_exchange(seen, (seen & !WAITS) + 1, Relaxed, Relaxed);
        *sleepers = 0;
        drop(sleepers);
        self.alarm.notify_all();
    }

    fn wait(&self, seen: u32) {
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        if self.count.load(SeqCst) & !WAITS == seen {
            *sleepers += 1;
            drop(self.alarm.wait(sleepers));
        }
    }
}

fn contract() -> Contracts {
    Contract::of::<SpscQueue>(VecDeque::<u32>::new)
        .operation("enqueue", |queue, call| queue.push_back(call.argument(0)))
        .operation("dequeue", |queue, _| queue.pop_front())
        .postcondition(|_, call| call.c_ret == call.s_ret)
        .into()
}

pub(super) fn structure() -> Structure {
    Structure {
        name: "SPSC Queue",
        source: include_str!("spsc_queue.rs"),
        file: file!(),
        contract,
        tests: &[Test { name: "{ enqueue(11) } || { dequeue() }", run: one_value }],
    }
}

fn one_value() {
    parallel(SpscQueue::default(), [|queue| call!(queue.enqueue(11)), dequeue]);
}

fn dequeue(queue: &Watched<SpscQueue>) {
    call!(queue.dequeue());
}

//! The queue lock of Mellor-Crummey and Scott.

use linchpin::{Contract, Contracts, Watched, call, point};
use linchpin_sync::hint;
use linchpin_sync::sync::atomic::{AtomicBool, Ordering::*};

use super::link::{Link, leak};
use super::structure::{Structure, Test, parallel};

struct Node {
    next: Link<Node>,
    gate: AtomicBool,
}

/// A lock whose waiting threads form a queue, each spinning on a word of its own. Every thread brings its place, which is
/// a number.
pub struct McsLock {
    tail: Link<Node>,
    places: Vec<&'static Node>,
}

impl McsLock {
    /// A free lock for so many threads.
    pub fn new(threads: usize) -> Self {
        let place = || leak(Node { next: Link::new(None), gate: AtomicBool::new(false) });
        McsLock { tail: Link::new(None), places: (0..threads).map(|_| place()).collect() }
    }

    /// Takes the lock.
    pub fn lock(&self, place: usize) {
        let me = self.places[place];
        me.next.store(None, Relaxed);
        me.gate.store(true, Relaxed);
        let before = self.tail.swap(Some(me), AcqRel); // #1 #2
        point::define(before.is_none());
        let Some(before) = before else { return };
        before.next.store(Some(me), Release); // #3
        loop {
            let is_closed = me.gate.load(Acquire); // #4
            point::clear_define(true);
            if !is_closed {
                return;
            }
            hint::spin_loop();
        }
    }

    /// Gives the lock to the next in the queue.
    pub fn unlock(&self, place: usize) {
        let me = self.places[place];
        let mut next = me.next.load(Acquire); // #5
        if next.is_none() {
            let is_last = self.tail.replace(Some(me), None, Release); // #6
            point::define(is_last);
            if is_last {
                return;
            }
            loop {
                next = me.next.load(Acquire); // #7
                if next.is_some() {
                    break;
                }
                hint::spin_loop();
            }
        }
        next.expect("somebody waits").gate.store(false, Release); // #8
        point::define(true);
    }
}

fn contract() -> Contracts {
    Contract::of::<McsLock>(|| false)
        .operation("lock", |is_held, _| *is_held = true)
        .precondition(|is_held, _| !is_held)
        .operation("unlock", |is_held, _| *is_held = false)
        .precondition(|is_held, _| *is_held)
        .into()
}

pub(super) fn structure() -> Structure {
    Structure {
        name: "MCS Lock",
        source: include_str!("mcs_lock.rs"),
        file: file!(),
        contract,
        tests: &[Test { name: "{ lock(); unlock(); lock(); unlock() } twice", run: two_threads }],
    }
}

fn two_threads() {
    parallel(McsLock::new(2), [|lock| twice(lock, 0), |lock| twice(lock, 1)]);
}

fn twice(lock: &Watched<McsLock>, place: usize) {
    for _ in 0..2 {
        call!(lock.lock(place));
        call!(lock.unlock(place));
    }
}

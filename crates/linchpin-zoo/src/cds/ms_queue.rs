//! The non-blocking queue of Michael and Scott, with counted pointers and nodes that are used again.

use std::collections::VecDeque;

use linchpin::{Contract, Contracts, Watched, call, point};
use linchpin_sync::cell::UnsafeCell;
use linchpin_sync::sync::atomic::{AtomicU64, Ordering::*};

use super::structure::{Structure, Test, parallel};

/// Index of a node, 0 for none, and a count that changes whenever the pointer does.
type Pointer = u64;

fn pointer(node: usize, count: u64) -> Pointer {
    (node as u64) << 32 | count & 0xffff_ffff
}

fn node_of(pointer: Pointer) -> usize {
    (pointer >> 32) as usize
}

/// The pointer after `old`, to this node.
fn after(old: Pointer, node: usize) -> Pointer {
    pointer(node, (old & 0xffff_ffff) + 1)
}

struct Node {
    value: UnsafeCell<u32>,
    next: AtomicU64,
}

/// Nodes that a thread may use.
const FREE_PER_THREAD: usize = 2;

/// The known bug in `enqueue`: it empties the new node's pointer relaxed.
pub(super) const ENQUEUES_RELAXED: u8 = 1;
/// The known bug in `dequeue`: it loads the tail relaxed.
pub(super) const DEQUEUES_RELAXED: u8 = 2;

/// A queue for threads that each bring a number. `VARIANT` is 0, or 1 or 2 for the known bugs.
pub struct MsQueue<const VARIANT: u8> {
    head: AtomicU64,
    tail: AtomicU64,
    nodes: Box<[Node]>,
    /// For each thread, its own.
    free: Box<[UnsafeCell<[usize; FREE_PER_THREAD]>]>,
}

// SAFETY: a node's value is written by who has the node to itself, and read through the queue; each free list belongs to a thread.
// Both are watched.
unsafe impl<const VARIANT: u8> Sync for MsQueue<VARIANT> {}

impl<const VARIANT: u8> MsQueue<VARIANT> {
    /// An empty queue for so many threads.
    pub fn new(threads: usize) -> Self {
        let node = |_| Node { value: UnsafeCell::new(0), next: AtomicU64::new(0) };
        let free = |thread| UnsafeCell::new([0, 1].map(|i| 2 + FREE_PER_THREAD * thread + i));
        MsQueue {
            head: AtomicU64::new(pointer(1, 0)),
            tail: AtomicU64::new(pointer(1, 0)),
            nodes: (0..2 + FREE_PER_THREAD * threads).map(node).collect(),
            free: (0..threads).map(free).collect(),
        }
    }

    fn allocate(&self, thread: usize) -> usize {
        self.free[thread].with_mut(|free| {
            // SAFETY: the list is the thread's own.
            let free = unsafe { &mut *free };
            let entry = free.iter_mut().find(|entry| **entry != 0).expect("the thread has a free node");
            std::mem::take(entry)
        })
    }

    fn give_back(&self, thread: usize, node: usize) {
        self.free[thread].with_mut(|free| {
            // SAFETY: the list is the thread's own.
            let free = unsafe { &mut *free };
            if let Some(entry) = free.iter_mut().find(|entry| **entry == 0) {
                *entry = node;
            }
        });
    }

    /// Adds a value at the end.
    pub fn enqueue(&self, thread: usize, value: u32) {
        let node = self.allocate(thread);
        // SAFETY: the node is the thread's own.
        self.nodes[node].value.with_mut(|place| unsafe { *place = value });
        let old = self.nodes[node].next.load(Relaxed);
        let order = if VARIANT == ENQUEUES_RELAXED { Relaxed } else { Release };
        self.nodes[node].next.store(old & 0xffff_ffff, order);
        let mut tail;
        loop {
            tail = self.tail.load(Acquire); // #1
            let last = &self.nodes[node_of(tail)];
            let next = last.next.load(Acquire); // #2
            if tail != self.tail.load(Relaxed) {
                continue;
            }
            if node_of(next) == 0 {
                let linked = last.next.compare_exchange(next, after(next, node), Release, Relaxed).is_ok(); // #3
                point::clear_define(linked);
                if linked {
                    break;
                }
            }
            let next = last.next.load(Acquire); // #4
            let _ = self.tail.compare_exchange(tail, after(tail, node_of(next)), Release, Relaxed); // #5
        }
        let _ = self.tail.compare_exchange(tail, after(tail, node), Release, Relaxed); // #6
    }

    /// Takes the first value, if it finds one.
    pub fn dequeue(&self, thread: usize) -> Option<u32> {
        loop {
            let head = self.head.load(Acquire); // #7
            let order = if VARIANT == DEQUEUES_RELAXED { Relaxed } else { Acquire };
            let tail = self.tail.load(order);
            let next = self.nodes[node_of(head)].next.load(Acquire); // #8
            point::clear_define(true);
            if head != self.head.load(Relaxed) {
                continue;
            }
            if node_of(head) == node_of(tail) {
                if node_of(next) == 0 {
                    return None;
                }
                let _ = self.tail.compare_exchange(tail, after(tail, node_of(next)), Release, Relaxed); // #9
                continue;
            }
            // SAFETY: the value was written before the node was linked; accesses are watched.
            let value = self.nodes[node_of(next)].value.with(|value| unsafe { *value });
            let taken = self.head.compare_exchange(head, after(head, node_of(next)), Release, Relaxed).is_ok(); // #10
            if taken {
                self.give_back(thread, node_of(head));
                return Some(value);
            }
        }
    }
}

fn contract<const VARIANT: u8>() -> Contracts {
    Contract::of::<MsQueue<VARIANT>>(VecDeque::<u32>::new)
        .operation("enqueue", |queue, call| queue.push_back(call.argument(1)))
        .operation("dequeue", |fifo, call| if call.c_ret.is_nil() { fifo.front().copied() } else { fifo.pop_front() })
        .postcondition(|_, call| call.c_ret.is_nil() || call.c_ret == call.s_ret)
        .justifying_postcondition(|_, call| !call.c_ret.is_nil() || call.s_ret.is_nil())
        .into()
}

pub(super) fn structure() -> Structure {
    of::<0>("M&S Queue")
}

pub(super) fn first_known_bug() -> Structure {
    of::<ENQUEUES_RELAXED>("M&S Queue, enqueue empties the node relaxed")
}

pub(super) fn second_known_bug() -> Structure {
    of::<DEQUEUES_RELAXED>("M&S Queue, dequeue loads the tail relaxed")
}

fn of<const VARIANT: u8>(name: &'static str) -> Structure {
    Structure {
        name,
        source: include_str!("ms_queue.rs"),
        file: file!(),
        contract: contract::<VARIANT>,
        tests: const {
            &[
                Test { name: "{ enqueue(1) } || { dequeue() }", run: one_each::<VARIANT> },
                Test { name: "{ enqueue(1) } || { enqueue(2) } || { dequeue() }", run: two_producers::<VARIANT> },
                Test { name: "{ enqueue(1); dequeue() } || { enqueue(2); dequeue() }", run: both::<VARIANT> },
                Test {
                    name: "{ enqueue(1); dequeue(); enqueue(2) } || { enqueue(2); dequeue() }",
                    run: reused::<VARIANT>,
                },
            ]
        },
    }
}

fn enqueue<const THREAD: usize, const VARIANT: u8>(queue: &Watched<MsQueue<VARIANT>>) {
    call!(queue.enqueue(THREAD, THREAD as u32 + 1));
}

fn dequeue<const THREAD: usize, const VARIANT: u8>(queue: &Watched<MsQueue<VARIANT>>) {
    call!(queue.dequeue(THREAD));
}

fn one_each<const VARIANT: u8>() {
    parallel(MsQueue::<VARIANT>::new(2), [enqueue::<0, VARIANT>, dequeue::<1, VARIANT>]);
}

fn two_producers<const VARIANT: u8>() {
    let threads = [enqueue::<0, VARIANT>, enqueue::<1, VARIANT>, dequeue::<2, VARIANT>];
    parallel(MsQueue::<VARIANT>::new(3), threads);
}

fn both<const VARIANT: u8>() {
    let first = |queue: &_| {
        enqueue::<0, VARIANT>(queue);
        dequeue::<0, VARIANT>(queue);
    };
    parallel(
        MsQueue::<VARIANT>::new(2),
        [first, |queue| {
            enqueue::<1, VARIANT>(queue);
            dequeue::<1, VARIANT>(queue);
        }],
    );
}

fn reused<const VARIANT: u8>() {
    let first = |queue: &Watched<_>| {
        enqueue::<0, VARIANT>(queue);
        dequeue::<0, VARIANT>(queue);
        call!(queue.enqueue(0, 2));
    };
    parallel(
        MsQueue::<VARIANT>::new(2),
        [first, |queue| {
            enqueue::<1, VARIANT>(queue);
            dequeue::<1, VARIANT>(queue);
        }],
    );
}

//! The text of the programs. Which threads and atomics these are is up to the module around.
//!
//! Nodes of stacks and queues are never freed: reclamation would be another program, and drown what is compared here.

mod faults;

use std::hint::black_box;
use std::ptr::null_mut;

use super::tool::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use super::tool::atomic::{AtomicPtr, AtomicUsize};
use super::tool::{Arc, Mutex, thread};
use crate::programs::{Program, Shape, Strength};

/// Runs `program` once.
pub(crate) fn run(program: Program) {
    match program {
        Program::Counter { threads } => counter(threads),
        Program::FetchAdd { threads, rounds } => fetch_add(threads, rounds),
        Program::Treiber { threads, rounds } => treiber(threads, rounds),
        Program::MichaelScott { threads, rounds } => michael_scott(threads, rounds),
        Program::Writers { threads } => writers(threads),
        Program::Lock { threads, rounds } => lock(threads, rounds),
        Program::Litmus(shape, strength) => litmus(shape, strength),
        Program::Faulty(fault) => faults::run(fault),
    }
}

/// Runs `body` in so many threads, each with its number, and waits for them.
fn in_threads(threads: usize, body: impl Fn(usize) + Send + Sync + 'static) {
    let body = Arc::new(body);
    let start = |number| {
        let body = Arc::clone(&body);
        thread::spawn(move || body(number))
    };
    let running: Vec<_> = (0..threads).map(start).collect();
    for thread in running {
        thread.join().expect("no panic");
    }
}

fn counter(threads: usize) {
    let count = Arc::new(AtomicUsize::new(0));
    let shared = Arc::clone(&count);
    in_threads(threads, move |_| {
        let mut seen = shared.load(Relaxed);
        while let Err(current) = shared.compare_exchange(seen, seen + 1, AcqRel, Relaxed) {
            seen = current;
        }
    });
    assert_eq!(count.load(Relaxed), threads);
}

fn fetch_add(threads: usize, rounds: usize) {
    let count = Arc::new(AtomicUsize::new(0));
    let shared = Arc::clone(&count);
    in_threads(threads, move |_| {
        for _ in 0..rounds {
            shared.fetch_add(1, Relaxed);
        }
    });
    assert_eq!(count.load(Relaxed), threads * rounds);
}

fn writers(threads: usize) {
    let last = Arc::new(AtomicUsize::new(0));
    let shared = Arc::clone(&last);
    in_threads(threads, move |number| shared.store(number + 1, Relaxed));
    assert_ne!(last.load(Relaxed), 0);
}

fn lock(threads: usize, rounds: usize) {
    let count = Arc::new(Mutex::new(0));
    let shared = Arc::clone(&count);
    in_threads(threads, move |_| {
        for _ in 0..rounds {
            *shared.lock().expect("not poisoned") += 1;
        }
    });
    assert_eq!(*count.lock().expect("not poisoned"), threads * rounds);
}

fn treiber(threads: usize, rounds: usize) {
    let stack = Stack::new();
    in_threads(threads, move |number| {
        for round in 0..rounds {
            stack.push(number * rounds + round);
            assert!(stack.pop().is_some(), "as many pushes as pops came before");
        }
    });
}

struct StackNode {
    value: usize,
    next: *mut StackNode,
}

/// Treiber's stack.
pub(crate) struct Stack {
    top: AtomicPtr<StackNode>,
}

// SAFETY: nodes are written before they are published, and never freed.
unsafe impl Send for Stack {}
// SAFETY: as above.
unsafe impl Sync for Stack {}

impl Stack {
    /// An empty stack.
    pub(crate) fn new() -> Self {
        Stack { top: AtomicPtr::new(null_mut()) }
    }

    /// Puts `value` on top.
    pub(crate) fn push(&self, value: usize) {
        let node = Box::into_raw(Box::new(StackNode { value, next: null_mut() }));
        let mut top = self.top.load(Relaxed);
        loop {
            // SAFETY: nobody else knows the node before the exchange succeeds.
            unsafe { (*node).next = top };
            match self.top.compare_exchange(top, node, Release, Relaxed) {
                Ok(_) => return,
                Err(current) => top = current,
            }
        }
    }

    /// Takes what is on top.
    pub(crate) fn pop(&self) -> Option<usize> {
        let mut top = self.top.load(Acquire);
        loop {
            // SAFETY: nodes are never freed, and the acquire load saw this one written.
            let node = unsafe { top.as_ref() }?;
            match self.top.compare_exchange(top, node.next, Acquire, Acquire) {
                Ok(_) => return Some(node.value),
                Err(current) => top = current,
            }
        }
    }
}

fn michael_scott(threads: usize, rounds: usize) {
    let queue = Queue::new();
    in_threads(threads, move |number| {
        for round in 0..rounds {
            queue.enqueue(number * rounds + round);
            black_box(queue.dequeue());
        }
    });
}

struct QueueNode {
    value: usize,
    next: AtomicPtr<QueueNode>,
}

impl QueueNode {
    fn leak(value: usize) -> *mut Self {
        Box::into_raw(Box::new(QueueNode { value, next: AtomicPtr::new(null_mut()) }))
    }
}

/// The queue of Michael and Scott.
struct Queue {
    head: AtomicPtr<QueueNode>,
    tail: AtomicPtr<QueueNode>,
}

// SAFETY: nodes are written before they are published, and never freed.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    fn new() -> Self {
        let dummy = QueueNode::leak(0);
        Queue { head: AtomicPtr::new(dummy), tail: AtomicPtr::new(dummy) }
    }

    fn enqueue(&self, value: usize) {
        let node = QueueNode::leak(value);
        loop {
            let tail = self.tail.load(Acquire);
            // SAFETY: the tail is never null, nodes are never freed, and the acquire load saw this one written.
            let link = unsafe { &(*tail).next };
            let next = link.load(Acquire);
            if !next.is_null() {
                self.advance_tail(tail, next);
            } else if link.compare_exchange(null_mut(), node, Release, Relaxed).is_ok() {
                return self.advance_tail(tail, node);
            }
        }
    }

    fn dequeue(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Acquire);
            let tail = self.tail.load(Acquire);
            // SAFETY: the head is never null, nodes are never freed, and the acquire load saw this one written.
            let next = unsafe { (*head).next.load(Acquire) };
            // SAFETY: as above, if there is a next one.
            match unsafe { next.as_ref() } {
                None if head == tail => return None,
                None => {}
                Some(_) if head == tail => self.advance_tail(tail, next),
                Some(node) if self.head.compare_exchange(head, next, Release, Relaxed).is_ok() => {
                    return Some(node.value);
                }
                Some(_) => {}
            }
        }
    }

    /// Whoever finds the tail lagging moves it on. If that fails somebody else has done it.
    fn advance_tail(&self, tail: *mut QueueNode, next: *mut QueueNode) {
        let _ = self.tail.compare_exchange(tail, next, Release, Relaxed);
    }
}

/// Two locations that start as zero.
#[derive(Clone)]
struct Two {
    x: Arc<AtomicUsize>,
    y: Arc<AtomicUsize>,
}

impl Two {
    fn new() -> Self {
        Two { x: Arc::new(AtomicUsize::new(0)), y: Arc::new(AtomicUsize::new(0)) }
    }

    /// Starts a thread that runs `body` on them.
    fn spawn<T: Send + 'static>(&self, body: impl FnOnce(&Two) -> T + Send + 'static) -> thread::JoinHandle<T> {
        let two = self.clone();
        thread::spawn(move || body(&two))
    }
}

fn litmus(shape: Shape, strength: Strength) {
    match shape {
        Shape::StoreBuffering => store_buffering(strength),
        Shape::MessagePassing => message_passing(strength),
        Shape::Iriw => iriw(strength),
        Shape::TwoPlusTwoWrites => two_plus_two_writes(strength),
        Shape::R => r(strength),
        Shape::LoadBuffering => load_buffering(strength),
        Shape::Swap => swap(strength),
    }
}

fn store_buffering(strength: Strength) {
    let (store, load) = (strength.store(), strength.load());
    let two = Two::new();
    let left = two.spawn(move |two| {
        two.x.store(1, store);
        two.y.load(load)
    });
    let right = two.spawn(move |two| {
        two.y.store(1, store);
        two.x.load(load)
    });
    black_box((left.join().expect("no panic"), right.join().expect("no panic")));
}

fn message_passing(strength: Strength) {
    let (store, load) = (strength.store(), strength.load());
    let two = Two::new();
    let sender = two.spawn(move |two| {
        two.x.store(1, Relaxed);
        two.y.store(1, store);
    });
    let receiver = two.spawn(move |two| (two.y.load(load), two.x.load(Relaxed)));
    sender.join().expect("no panic");
    black_box(receiver.join().expect("no panic"));
}

/// The first thread is one of the four: loom has five at most.
fn iriw(strength: Strength) {
    let (store, load) = (strength.store(), strength.load());
    let two = Two::new();
    let writer = two.spawn(move |two| two.x.store(1, store));
    let left = two.spawn(move |two| (two.x.load(load), two.y.load(load)));
    let right = two.spawn(move |two| (two.y.load(load), two.x.load(load)));
    two.y.store(1, store);
    writer.join().expect("no panic");
    black_box((left.join().expect("no panic"), right.join().expect("no panic")));
}

fn two_plus_two_writes(strength: Strength) {
    let store = strength.store();
    let two = Two::new();
    let left = two.spawn(move |two| {
        two.x.store(1, store);
        two.y.store(2, store);
    });
    let right = two.spawn(move |two| {
        two.y.store(1, store);
        two.x.store(2, store);
    });
    left.join().expect("no panic");
    right.join().expect("no panic");
    black_box((two.x.load(Relaxed), two.y.load(Relaxed)));
}

fn r(strength: Strength) {
    let (store, load) = (strength.store(), strength.load());
    let two = Two::new();
    let left = two.spawn(move |two| {
        two.x.store(1, store);
        two.y.store(1, store);
    });
    let right = two.spawn(move |two| {
        two.y.store(2, store);
        two.x.load(load)
    });
    left.join().expect("no panic");
    black_box((right.join().expect("no panic"), two.y.load(Relaxed)));
}

fn load_buffering(strength: Strength) {
    let (store, load) = (strength.store(), strength.load());
    let two = Two::new();
    let left = two.spawn(move |two| {
        let seen = two.x.load(load);
        two.y.store(1, store);
        seen
    });
    let right = two.spawn(move |two| {
        let seen = two.y.load(load);
        two.x.store(1, store);
        seen
    });
    black_box((left.join().expect("no panic"), right.join().expect("no panic")));
}

fn swap(strength: Strength) {
    let (store, load) = (strength.store(), strength.load());
    let two = Two::new();
    let writer = two.spawn(move |two| two.x.store(1, store));
    let swapper = two.spawn(move |two| two.x.swap(2, store));
    let reader = two.spawn(move |two| (two.x.load(load), two.x.load(load)));
    writer.join().expect("no panic");
    black_box((swapper.join().expect("no panic"), reader.join().expect("no panic")));
}

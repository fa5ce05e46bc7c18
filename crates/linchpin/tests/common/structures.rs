//! Lock-free structures that retry. Nodes are never freed.

use std::ptr;

use linchpin::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};

use super::in_threads;

/// Counts up by compare-exchange, going on with what a failed one found.
pub fn increment(counter: &AtomicU32) {
    let mut value = counter.load(Relaxed);
    while let Err(found) = counter.compare_exchange(value, value + 1, AcqRel, Relaxed) {
        value = found;
    }
}

/// Treiber's stack.
#[derive(Default)]
pub struct Stack {
    head: AtomicPtr<StackNode>,
}

struct StackNode {
    value: usize,
    next: *mut StackNode,
}

impl Stack {
    pub fn push(&self, value: usize) {
        let node = Box::into_raw(Box::new(StackNode { value, next: ptr::null_mut() }));
        let mut head = self.head.load(Relaxed);
        loop {
            // SAFETY: the node is this thread's own until it is published.
            unsafe { (*node).next = head };
            match self.head.compare_exchange(head, node, Release, Relaxed) {
                Ok(_) => return,
                Err(found) => head = found,
            }
        }
    }

    pub fn pop(&self) -> Option<usize> {
        let mut head = self.head.load(Acquire);
        loop {
            // SAFETY: nodes are never freed, and do not change once they are published.
            let node = unsafe { head.as_ref() }?;
            match self.head.compare_exchange(head, node.next, Acquire, Acquire) {
                Ok(_) => return Some(node.value),
                Err(found) => head = found,
            }
        }
    }
}

/// The queue of Michael and Scott.
pub struct Queue {
    head: AtomicPtr<QueueNode>,
    tail: AtomicPtr<QueueNode>,
}

struct QueueNode {
    value: usize,
    next: AtomicPtr<QueueNode>,
}

impl QueueNode {
    fn boxed(value: usize) -> *mut QueueNode {
        Box::into_raw(Box::new(QueueNode { value, next: AtomicPtr::default() }))
    }
}

impl Queue {
    pub fn new() -> Self {
        let dummy = QueueNode::boxed(0);
        Queue { head: AtomicPtr::new(dummy), tail: AtomicPtr::new(dummy) }
    }

    pub fn enqueue(&self, value: usize) {
        let node = QueueNode::boxed(value);
        loop {
            let tail = self.tail.load(Acquire);
            // SAFETY: nodes are never freed.
            let next = unsafe { &(*tail).next };
            let after = next.load(Acquire);
            if !after.is_null() {
                let _ = self.tail.compare_exchange(tail, after, Release, Relaxed);
            } else if next.compare_exchange(ptr::null_mut(), node, Release, Relaxed).is_ok() {
                let _ = self.tail.compare_exchange(tail, node, Release, Relaxed);
                return;
            }
        }
    }

    pub fn dequeue(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Acquire);
            let tail = self.tail.load(Acquire);
            // SAFETY: nodes are never freed.
            let next = unsafe { (*head).next.load(Acquire) };
            if head == tail {
                if next.is_null() {
                    return None;
                }
                let _ = self.tail.compare_exchange(tail, next, Release, Relaxed);
            } else if !next.is_null() {
                // SAFETY: as above.
                let value = unsafe { (*next).value };
                if self.head.compare_exchange(head, next, Release, Relaxed).is_ok() {
                    return Some(value);
                }
            }
        }
    }
}

/// `threads` threads, each of which pushes and pops `rounds` times.
pub fn stack(threads: usize, rounds: usize) -> impl Fn() + Send + Sync + Copy + 'static {
    move || {
        let stack = Stack::default();
        in_threads(threads, move |_| {
            for round in 0..rounds {
                stack.push(round);
                assert!(stack.pop().is_some(), "there are as many values as pops");
            }
        });
    }
}

/// `threads` threads, each of which enqueues and dequeues `rounds` times.
pub fn queue(threads: usize, rounds: usize) -> impl Fn() + Send + Sync + Copy + 'static {
    move || {
        let queue = Queue::new();
        in_threads(threads, move |_| {
            for round in 0..rounds {
                queue.enqueue(round);
                assert!(queue.dequeue().is_some(), "there are as many values as dequeues");
            }
        });
    }
}

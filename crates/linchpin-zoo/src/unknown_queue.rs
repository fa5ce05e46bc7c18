//! The queue of Michael and Scott, with a check less.

use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::atomic::{AtomicU32, AtomicUsize};

use crate::arena::{Arena, NULL};

/// What `head` and `tail` point to at first.
const DUMMY: usize = 1;

#[derive(Default)]
struct Node {
    item: AtomicU32,
    next: AtomicUsize,
}

/// A negative control: suspected of a fault that it does not have.
///
/// - From: Michael and Scott; `LockFreeQueue` of the CGVT artifact (`BUQueue`).
/// - Suspicion: `enqueue` does not look whether the last node that it has read is still the last (`CHECKED` is false).
/// - Clients: none shows anything. Nodes are not reused, so the exchange of the last node's successor fails if it is not the
///   last; the check saves work and is not needed.
pub struct UnknownQueue<const CHECKED: bool> {
    head: AtomicUsize,
    tail: AtomicUsize,
    nodes: Arena<Node>,
}

impl<const CHECKED: bool> UnknownQueue<CHECKED> {
    /// An empty queue.
    pub fn new() -> Self {
        UnknownQueue {
            head: AtomicUsize::new(DUMMY),
            tail: AtomicUsize::new(DUMMY),
            nodes: Arena::new([Node::default()]),
        }
    }

    /// Puts a value at the end.
    pub fn enqueue(&self, value: u32) {
        let node = self.nodes.allocate();
        self.nodes[node].item.store(value, SeqCst);
        loop {
            let last = self.tail.load(SeqCst);
            let next = self.nodes[last].next.load(SeqCst);
            if CHECKED && last != self.tail.load(SeqCst) {
                continue;
            }
            if next != NULL {
                let _ = self.tail.compare_exchange(last, next, SeqCst, SeqCst);
            } else if self.nodes[last].next.compare_exchange(NULL, node, SeqCst, SeqCst).is_ok() {
                let _ = self.tail.compare_exchange(last, node, SeqCst, SeqCst);
                return;
            }
        }
    }

    /// Takes the oldest value.
    pub fn dequeue(&self) -> Option<u32> {
        loop {
            let first = self.head.load(SeqCst);
            let last = self.tail.load(SeqCst);
            let next = self.nodes[first].next.load(SeqCst);
            if first != self.head.load(SeqCst) {
                continue;
            }
            if first == last {
                if next == NULL {
                    return None;
                }
                let _ = self.tail.compare_exchange(last, next, SeqCst, SeqCst);
            } else {
                let item = self.nodes[next].item.load(SeqCst);
                if self.head.compare_exchange(first, next, SeqCst, SeqCst).is_ok() {
                    return Some(item);
                }
            }
        }
    }
}

impl<const CHECKED: bool> Default for UnknownQueue<CHECKED> {
    fn default() -> Self {
        Self::new()
    }
}

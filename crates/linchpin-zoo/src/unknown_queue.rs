//! The queue of Michael and Scott, with a check less.

use linchpin_sync::sync::atomic::AtomicU32;
use linchpin_sync::sync::atomic::Ordering::SeqCst;

use crate::arena::{Arena, AtomicRef, Ref};

#[derive(Default)]
struct Node {
    item: AtomicU32,
    next: AtomicRef<Node>,
}

/// A negative control: suspected of a fault that it does not have.
///
/// - From: Michael and Scott; `LockFreeQueue` of the CGVT artifact (`BUQueue`).
/// - Suspicion: `enqueue` does not look whether the last node that it has read is still the last (`CHECKED` is false).
/// - Clients: none shows anything. Nodes are not reused, so the exchange of the last node's successor fails if it is not the
///   last; the check saves work and is not needed.
pub struct UnknownQueue<const CHECKED: bool> {
    head: AtomicRef<Node>,
    tail: AtomicRef<Node>,
    nodes: Arena<Node>,
}

impl<const CHECKED: bool> UnknownQueue<CHECKED> {
    /// An empty queue.
    pub fn new() -> Self {
        let nodes = Arena::new();
        let dummy = nodes.allocate(Node::default());
        UnknownQueue { head: AtomicRef::new(dummy), tail: AtomicRef::new(dummy), nodes }
    }

    /// Puts a value at the end.
    pub fn enqueue(&self, value: u32) {
        let node = self.nodes.allocate(Node::default());
        self.nodes[node].item.store(value, SeqCst);
        loop {
            let last = self.tail.load();
            let next = self.nodes[last].next.load();
            if CHECKED && last != self.tail.load() {
                continue;
            }
            if !next.is_null() {
                self.tail.replace(last, next);
            } else if self.nodes[last].next.replace(Ref::NULL, node) {
                self.tail.replace(last, node);
                return;
            }
        }
    }

    /// Takes the oldest value.
    pub fn dequeue(&self) -> Option<u32> {
        loop {
            let first = self.head.load();
            let last = self.tail.load();
            let next = self.nodes[first].next.load();
            if first != self.head.load() {
                continue;
            }
            if first == last {
                if next.is_null() {
                    return None;
                }
                self.tail.replace(last, next);
            } else {
                let item = self.nodes[next].item.load(SeqCst);
                if self.head.replace(first, next) {
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

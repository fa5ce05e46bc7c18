//! The optimistic queue of Ladan-Mozes and Shavit.

use linchpin_sync::sync::atomic::AtomicU32;
use linchpin_sync::sync::atomic::Ordering::SeqCst;

use crate::arena::{Arena, AtomicRef, Ref};

#[derive(Default)]
struct Node {
    item: AtomicU32,
    /// Towards the head; always right.
    next: AtomicRef<Node>,
    /// Towards the tail; a hint, which may be missing.
    prev: AtomicRef<Node>,
}

/// A queue whose list is linked from the tail to the head, with hints for the way back.
///
/// - From: Ladan-Mozes and Shavit; `OptimisticQueue` of the CGVT artifact (`OPQueue`).
/// - Fault: `poll` reads the item through `head` after it has moved `head`, when others may have moved it further.
/// - Client: `[offer(1); offer(2)] { poll } || { poll }`, in which both return 2 and 1 is lost.
/// - Fix: read the item of the node that `head` is moved to, before moving it.
pub struct OptimisticQueue<const FAULTY: bool> {
    head: AtomicRef<Node>,
    tail: AtomicRef<Node>,
    nodes: Arena<Node>,
}

impl<const FAULTY: bool> OptimisticQueue<FAULTY> {
    /// An empty queue.
    pub fn new() -> Self {
        let nodes = Arena::new();
        let dummy = nodes.allocate(Node::default());
        OptimisticQueue { head: AtomicRef::new(dummy), tail: AtomicRef::new(dummy), nodes }
    }

    /// Puts a value at the end.
    pub fn offer(&self, value: u32) {
        let node = self.nodes.allocate(Node::default());
        self.nodes[node].item.store(value, SeqCst);
        loop {
            let tail = self.tail.load();
            self.nodes[node].next.store(tail);
            if self.tail.replace(tail, node) {
                self.nodes[tail].prev.store(node);
                return;
            }
        }
    }

    /// Takes the oldest value.
    pub fn poll(&self) -> Option<u32> {
        loop {
            let head = self.head.load();
            let tail = self.tail.load();
            let first = self.nodes[head].prev.load();
            if head != self.head.load() {
                continue;
            }
            if head == tail {
                return None;
            }
            if first.is_null() {
                self.fix_hints(tail, head);
                continue;
            }
            let item = if FAULTY { None } else { Some(self.nodes[first].item.load(SeqCst)) };
            if self.head.replace(head, first) {
                self.nodes[head].next.store(Ref::NULL);
                self.nodes[head].prev.store(Ref::NULL);
                return item.or_else(|| Some(self.nodes[self.head.load()].item.load(SeqCst)));
            }
        }
    }

    /// Writes the hints on the way from `tail` to `head`, as long as `head` is the head.
    fn fix_hints(&self, tail: Ref<Node>, head: Ref<Node>) {
        let mut node = tail;
        while head == self.head.load() && node != head {
            let next = self.nodes[node].next.load();
            if next.is_null() {
                // The node was taken meanwhile, so the head has moved.
                return;
            }
            self.nodes[next].prev.store(node);
            node = next;
        }
    }
}

impl<const FAULTY: bool> Default for OptimisticQueue<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

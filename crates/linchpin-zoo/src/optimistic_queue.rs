//! The optimistic queue of Ladan-Mozes and Shavit.

use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::atomic::{AtomicU32, AtomicUsize};

use crate::arena::{Arena, NULL};

/// What `head` and `tail` point to at first.
const DUMMY: usize = 1;

#[derive(Default)]
struct Node {
    item: AtomicU32,
    /// Towards the head; always right.
    next: AtomicUsize,
    /// Towards the tail; a hint, which may be missing.
    prev: AtomicUsize,
}

/// A queue whose list is linked from the tail to the head, with hints for the way back.
///
/// - From: Ladan-Mozes and Shavit; `OptimisticQueue` of the CGVT artifact (`OPQueue`).
/// - Fault: `poll` reads the item through `head` after it has moved `head`, when others may have moved it further.
/// - Client: `[offer(1); offer(2)] { poll } || { poll }`, in which both return 2 and 1 is lost.
/// - Fix: read the item of the node that `head` is moved to, before moving it.
pub struct OptimisticQueue<const FAULTY: bool> {
    head: AtomicUsize,
    tail: AtomicUsize,
    nodes: Arena<Node>,
}

impl<const FAULTY: bool> OptimisticQueue<FAULTY> {
    /// An empty queue.
    pub fn new() -> Self {
        OptimisticQueue {
            head: AtomicUsize::new(DUMMY),
            tail: AtomicUsize::new(DUMMY),
            nodes: Arena::new([Node::default()]),
        }
    }

    /// Puts a value at the end.
    pub fn offer(&self, value: u32) {
        let node = self.nodes.allocate();
        self.nodes[node].item.store(value, SeqCst);
        loop {
            let tail = self.tail.load(SeqCst);
            self.nodes[node].next.store(tail, SeqCst);
            if self.tail.compare_exchange(tail, node, SeqCst, SeqCst).is_ok() {
                self.nodes[tail].prev.store(node, SeqCst);
                return;
            }
        }
    }

    /// Takes the oldest value.
    pub fn poll(&self) -> Option<u32> {
        loop {
            let head = self.head.load(SeqCst);
            let tail = self.tail.load(SeqCst);
            let first = self.nodes[head].prev.load(SeqCst);
            if head != self.head.load(SeqCst) {
                continue;
            }
            if head == tail {
                return None;
            }
            if first == NULL {
                self.fix_hints(tail, head);
                continue;
            }
            let item = if FAULTY { None } else { Some(self.nodes[first].item.load(SeqCst)) };
            if self.head.compare_exchange(head, first, SeqCst, SeqCst).is_ok() {
                self.nodes[head].next.store(NULL, SeqCst);
                self.nodes[head].prev.store(NULL, SeqCst);
                return item.or_else(|| Some(self.nodes[self.head.load(SeqCst)].item.load(SeqCst)));
            }
        }
    }

    /// Writes the hints on the way from `tail` to `head`, as long as `head` is the head.
    fn fix_hints(&self, tail: usize, head: usize) {
        let mut node = tail;
        while head == self.head.load(SeqCst) && node != head {
            let next = self.nodes[node].next.load(SeqCst);
            if next == NULL {
                // The node was taken meanwhile, so the head has moved.
                return;
            }
            self.nodes[next].prev.store(node, SeqCst);
            node = next;
        }
    }
}

impl<const FAULTY: bool> Default for OptimisticQueue<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

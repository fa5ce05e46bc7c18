//! A sorted linked list of nodes, for the lists that take a lock to change it.

use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};

use crate::arena::{Arena, NULL};

/// The node before all others.
pub(crate) const HEAD: usize = 1;
/// The node after all others.
pub(crate) const TAIL: usize = 2;

#[derive(Default)]
pub(crate) struct Node {
    pub key: AtomicU32,
    pub next: AtomicUsize,
    /// Used by the one list whose nodes can tell that they were removed.
    pub marked: AtomicBool,
}

impl Node {
    fn new(key: u32, next: usize) -> Node {
        Node { key: AtomicU32::new(key), next: AtomicUsize::new(next), marked: AtomicBool::new(false) }
    }
}

/// The nodes of one list, from [`HEAD`] to [`TAIL`].
pub(crate) struct SortedNodes(Arena<Node>);

impl SortedNodes {
    pub fn new() -> Self {
        SortedNodes(Arena::new([Node::new(0, TAIL), Node::new(u32::MAX, NULL)]))
    }

    /// The first node whose key is not less than this, and its predecessor.
    pub fn locate(&self, key: u32) -> (usize, usize) {
        let mut pred = HEAD;
        let mut curr = self.next(pred);
        while self.key(curr) < key {
            pred = curr;
            curr = self.next(pred);
        }
        (pred, curr)
    }

    /// How many nodes there are between [`HEAD`] and [`TAIL`].
    pub fn count(&self) -> u32 {
        let mut count = 0;
        let mut curr = self.next(HEAD);
        while curr != TAIL {
            count += 1;
            curr = self.next(curr);
        }
        count
    }

    /// Writes a new node between these two, whatever lies between them now.
    #[track_caller]
    pub fn splice(&self, pred: usize, key: u32, curr: usize) {
        let node = self.0.allocate();
        self.0[node].key.store(key, SeqCst);
        self.0[node].next.store(curr, SeqCst);
        self.link(pred, node);
    }

    /// Makes `next` follow `pred`.
    #[track_caller]
    pub fn link(&self, pred: usize, next: usize) {
        self.0[pred].next.store(next, SeqCst);
    }

    #[track_caller]
    pub fn key(&self, node: usize) -> u32 {
        self.0[node].key.load(SeqCst)
    }

    #[track_caller]
    pub fn next(&self, node: usize) -> usize {
        self.0[node].next.load(SeqCst)
    }

    #[track_caller]
    pub fn is_marked(&self, node: usize) -> bool {
        self.0[node].marked.load(SeqCst)
    }

    #[track_caller]
    pub fn mark(&self, node: usize) {
        self.0[node].marked.store(true, SeqCst);
    }
}

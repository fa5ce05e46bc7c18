//! A sorted linked list of nodes, for the lists that take a lock to change it.

use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::atomic::{AtomicBool, AtomicI32};

use crate::arena::{Arena, AtomicRef, Ref};

#[derive(Default)]
pub(crate) struct Node {
    key: AtomicI32,
    next: AtomicRef<Node>,
    /// Used by the one list whose nodes can tell that they were removed.
    marked: AtomicBool,
}

/// A list from a node before all others to one after them.
pub(crate) struct SortedNodes {
    head: Ref<Node>,
    tail: Ref<Node>,
    nodes: Arena<Node>,
}

impl SortedNodes {
    pub fn new() -> Self {
        let nodes = Arena::new();
        let new = |key, next| {
            nodes.allocate(Node {
                key: AtomicI32::new(key),
                next: AtomicRef::new(next),
                marked: AtomicBool::new(false),
            })
        };
        let tail = new(i32::MAX, Ref::NULL);
        let head = new(i32::MIN, tail);
        SortedNodes { head, tail, nodes }
    }

    /// The first node whose key is not less than this, and its predecessor.
    pub fn locate(&self, key: i32) -> (Ref<Node>, Ref<Node>) {
        let mut pred = self.head;
        let mut curr = self.next(pred);
        while self.key(curr) < key {
            pred = curr;
            curr = self.next(pred);
        }
        (pred, curr)
    }

    /// How many nodes there are between the first and the last.
    pub fn count(&self) -> u32 {
        let mut count = 0;
        let mut curr = self.next(self.head);
        while curr != self.tail {
            count += 1;
            curr = self.next(curr);
        }
        count
    }

    /// The node before all others.
    pub fn head(&self) -> Ref<Node> {
        self.head
    }

    /// A new node with this key, before `next`.
    #[track_caller]
    pub fn allocate(&self, key: i32, next: Ref<Node>) -> Ref<Node> {
        let node = self.nodes.allocate(Node::default());
        self.nodes[node].key.store(key, SeqCst);
        self.link(node, next);
        node
    }

    /// Writes a new node between these two, whatever lies between them now.
    #[track_caller]
    pub fn splice(&self, pred: Ref<Node>, key: i32, curr: Ref<Node>) {
        self.link(pred, self.allocate(key, curr));
    }

    /// Makes `next` follow `pred`.
    #[track_caller]
    pub fn link(&self, pred: Ref<Node>, next: Ref<Node>) {
        self.nodes[pred].next.store(next);
    }

    #[track_caller]
    pub fn key(&self, node: Ref<Node>) -> i32 {
        self.nodes[node].key.load(SeqCst)
    }

    #[track_caller]
    pub fn next(&self, node: Ref<Node>) -> Ref<Node> {
        self.nodes[node].next.load()
    }

    #[track_caller]
    pub fn is_marked(&self, node: Ref<Node>) -> bool {
        self.nodes[node].marked.load(SeqCst)
    }

    #[track_caller]
    pub fn mark(&self, node: Ref<Node>) {
        self.nodes[node].marked.store(true, SeqCst);
    }
}

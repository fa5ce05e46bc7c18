//! A sorted list with a lock per node, that looks for its place without locks and then looks whether it was right.

use linchpin_sync::sync::atomic::AtomicI32;
use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::{Mutex, MutexGuard};

use crate::arena::{Arena, AtomicRef, Ref};
use crate::labels::Source;

/// See [`paper_line`](crate::labels::paper_line).
pub(crate) const SOURCE: Source = Source { file: file!(), text: include_str!("optimistic_list.rs") };

#[derive(Default)]
struct Node {
    key: AtomicI32,
    next: AtomicRef<Node>,
    lock: Mutex<()>,
}

/// A set whose changes lock two neighbours and make sure that they still are.
///
/// - From: `OptimisticListSortedSetWaitFreeContains` of Synchrobench; the second library of the paper on root causes.
/// - Faults: the operation whose parameter is true makes sure *before* it takes the locks.
/// - Clients: table 1 of the paper, lines 10 to 18; the smallest are `{ add(0) } || { add(0) }` and
///   `[add(0)] { remove(0) } || { remove(0) }`.
/// - Fix: make sure under the locks.
///
/// Numbers at the end of a line are the paper's.
pub struct OptimisticList<const ADD: bool, const REMOVE: bool> {
    head: Ref<Node>,
    nodes: Arena<Node>,
}

impl<const ADD: bool, const REMOVE: bool> OptimisticList<ADD, REMOVE> {
    /// An empty set.
    pub fn new() -> Self {
        let nodes = Arena::new();
        let new = |key, next| {
            nodes.allocate(Node { key: AtomicI32::new(key), next: AtomicRef::new(next), lock: Mutex::default() })
        };
        let tail = new(i32::MAX, Ref::NULL);
        let head = new(i32::MIN, tail);
        OptimisticList { head, nodes }
    }

    #[track_caller]
    fn lock(&self, node: Ref<Node>) -> MutexGuard<'_, ()> {
        self.nodes[node].lock.lock().expect("nobody panics")
    }

    #[track_caller]
    fn key(&self, node: Ref<Node>) -> i32 {
        self.nodes[node].key.load(SeqCst)
    }

    #[track_caller]
    fn next(&self, node: Ref<Node>) -> Ref<Node> {
        self.nodes[node].next.load()
    }

    /// A new node with this key, before `next`.
    #[track_caller]
    fn allocate(&self, key: i32, next: Ref<Node>) -> Ref<Node> {
        let node = self.nodes.allocate(Node::default());
        self.nodes[node].key.store(key, SeqCst);
        self.nodes[node].next.store(next);
        node
    }

    /// Are these two in the list, one after the other? Accesses count at the line of the call.
    #[track_caller]
    fn validate(&self, pred: Ref<Node>, curr: Ref<Node>) -> bool {
        let mut node = self.head;
        while self.key(node) <= self.key(pred) {
            if node == pred {
                return self.next(pred) == curr;
            }
            node = self.next(node);
        }
        false
    }

    /// Adds a key; was it missing?
    pub fn add(&self, key: i32) -> bool {
        loop {
            let mut pred = self.head; // [42]
            let mut curr = self.next(pred); // [43]
            while self.key(curr) < key {
                // [44]
                pred = curr; // [45]
                curr = self.next(pred); // [46]
            }
            let validated_too_early = ADD.then(|| self.validate(pred, curr)); // [51]
            let _pred = self.lock(pred); // [48]
            let _curr = self.lock(curr); // [49]
            if validated_too_early.unwrap_or_else(|| self.validate(pred, curr)) {
                // [51]
                if self.key(curr) == key {
                    // [52]
                    return false; // [53]
                }
                let node = self.allocate(key, curr); // [55]
                self.nodes[pred].next.store(node); // [56]
                return true;
            }
        }
    }

    /// Removes a key; was it there?
    pub fn remove(&self, key: i32) -> bool {
        loop {
            let mut pred = self.head; // [69]
            let mut curr = self.next(pred); // [70]
            while self.key(curr) < key {
                // [71]
                pred = curr; // [72]
                curr = self.next(pred); // [73]
            }
            let validated_too_early = REMOVE.then(|| self.validate(pred, curr)); // [78]
            let _pred = self.lock(pred); // [75]
            let _curr = self.lock(curr); // [76]
            if validated_too_early.unwrap_or_else(|| self.validate(pred, curr)) {
                // [78]
                if self.key(curr) != key {
                    // [79]
                    return false; // [82]
                }
                self.nodes[pred].next.store(self.next(curr)); // [80]
                return true;
            }
        }
    }

    /// Is this key there? Needs neither locks nor a second look: a node that is being removed was there when this began.
    pub fn contains(&self, key: i32) -> bool {
        let mut curr = self.next(self.head);
        while self.key(curr) < key {
            curr = self.next(curr);
        }
        self.key(curr) == key
    }
}

impl<const ADD: bool, const REMOVE: bool> Default for OptimisticList<ADD, REMOVE> {
    fn default() -> Self {
        Self::new()
    }
}

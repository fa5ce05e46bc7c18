//! The lock-free list of Harris and Michael.

use linchpin_sync::sync::atomic::AtomicI32;
use linchpin_sync::sync::atomic::Ordering::SeqCst;

use crate::arena::{Arena, AtomicRef, Ref};

/// Its `next` is marked once the node is removed: successor and mark are one word, so that they change together.
#[derive(Default)]
pub(crate) struct Node {
    pub key: AtomicI32,
    pub next: AtomicRef<Node>,
}

impl Node {
    /// Marks if the successor is this one, and says whether it is. It does not say whether somebody else has marked, and
    /// it does nothing then, like `AtomicMarkableReference.attemptMark`.
    #[track_caller]
    pub fn attempt_mark(&self, expected: Ref<Node>) -> bool {
        let (succ, marked) = self.next.load_marked();
        succ == expected && (marked || self.mark(expected))
    }

    /// Marks if the successor is this one and nobody has marked; has it?
    #[track_caller]
    pub fn mark(&self, expected: Ref<Node>) -> bool {
        self.next.replace_marked(expected, (expected, true))
    }
}

/// A list from a node before all others to one after them.
pub(crate) struct MarkedNodes {
    pub head: Ref<Node>,
    pub nodes: Arena<Node>,
}

impl MarkedNodes {
    pub fn new() -> Self {
        let nodes = Arena::new();
        let tail = nodes.allocate(Node { key: AtomicI32::new(i32::MAX), next: AtomicRef::default() });
        let head = nodes.allocate(Node { key: AtomicI32::new(i32::MIN), next: AtomicRef::new(tail) });
        MarkedNodes { head, nodes }
    }

    /// A new node. Its successor is written before it is linked.
    pub fn allocate(&self, key: i32) -> Ref<Node> {
        let node = self.nodes.allocate(Node::default());
        self.nodes[node].key.store(key, SeqCst);
        node
    }

    /// The first node whose key is not less than this, and its predecessor, whether or not they are marked.
    pub fn locate(&self, key: i32) -> (Ref<Node>, Ref<Node>) {
        let mut pred = self.head;
        let mut curr = self.nodes[pred].next.load_marked().0;
        while self.nodes[curr].key.load(SeqCst) < key {
            pred = curr;
            curr = self.nodes[pred].next.load_marked().0;
        }
        (pred, curr)
    }
}

/// A set as a sorted list without locks: `remove` marks a node, then somebody unlinks it.
///
/// - From: the list of Harris and Michael as Herlihy and Shavit's book has it; `LFList` of the CGVT artifact.
/// - Fault: `remove` marks by an operation that succeeds if the successor is the expected one, even if somebody else has
///   marked before.
/// - Client: `[add(1)] { remove(1) } || { remove(1) }`, in which both succeed.
/// - Fix: exchange the unmarked link for the marked one.
pub struct LockFreeList<const FAULTY: bool> {
    list: MarkedNodes,
}

impl<const FAULTY: bool> LockFreeList<FAULTY> {
    /// An empty set.
    pub fn new() -> Self {
        LockFreeList { list: MarkedNodes::new() }
    }

    /// As [`MarkedNodes::locate`], but unlinks marked nodes on the way.
    fn find(&self, key: i32) -> (Ref<Node>, Ref<Node>) {
        let nodes = &self.list.nodes;
        'from_head: loop {
            let mut pred = self.list.head;
            let mut curr = nodes[pred].next.load_marked().0;
            loop {
                let (mut succ, mut marked) = nodes[curr].next.load_marked();
                while marked {
                    if !nodes[pred].next.replace(curr, succ) {
                        continue 'from_head;
                    }
                    curr = nodes[pred].next.load_marked().0;
                    (succ, marked) = nodes[curr].next.load_marked();
                }
                if nodes[curr].key.load(SeqCst) >= key {
                    return (pred, curr);
                }
                pred = curr;
                curr = succ;
            }
        }
    }

    /// Adds a key; was it missing?
    pub fn add(&self, key: i32) -> bool {
        let nodes = &self.list.nodes;
        let mut allocated = None;
        loop {
            let (pred, curr) = self.find(key);
            if nodes[curr].key.load(SeqCst) == key {
                return false;
            }
            let node = *allocated.get_or_insert_with(|| self.list.allocate(key));
            nodes[node].next.store(curr);
            if nodes[pred].next.replace(curr, node) {
                return true;
            }
        }
    }

    /// Removes a key; was it there?
    pub fn remove(&self, key: i32) -> bool {
        let nodes = &self.list.nodes;
        loop {
            let (pred, curr) = self.find(key);
            if nodes[curr].key.load(SeqCst) != key {
                return false;
            }
            let succ = nodes[curr].next.load_marked().0;
            let removed = if FAULTY { nodes[curr].attempt_mark(succ) } else { nodes[curr].mark(succ) };
            if removed {
                // Whoever finds the marked node unlinks it if this fails.
                nodes[pred].next.replace(curr, succ);
                return true;
            }
        }
    }

    /// Is this key there?
    pub fn contains(&self, key: i32) -> bool {
        let (_, curr) = self.list.locate(key);
        let node = &self.list.nodes[curr];
        node.key.load(SeqCst) == key && !node.next.load_marked().1
    }
}

impl<const FAULTY: bool> Default for LockFreeList<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

//! The lock-free list of Harris and Michael.

use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::atomic::{AtomicU32, AtomicUsize};

use crate::arena::{Arena, NULL};

/// The node before all others.
const HEAD: usize = 1;
/// The node after all others.
const TAIL: usize = 2;

/// A successor, and whether the node that has it is removed: both in one word, so that they change together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    pub node: usize,
    pub marked: bool,
}

impl Link {
    pub const fn to(node: usize) -> Link {
        Link { node, marked: false }
    }

    pub const fn marked(self) -> Link {
        Link { node: self.node, marked: true }
    }

    const fn word(self) -> usize {
        self.node << 1 | self.marked as usize
    }

    const fn of(word: usize) -> Link {
        Link { node: word >> 1, marked: word & 1 == 1 }
    }
}

/// The [`Link`] of a node.
#[derive(Default)]
pub(crate) struct AtomicLink(AtomicUsize);

impl AtomicLink {
    #[track_caller]
    pub fn load(&self) -> Link {
        Link::of(self.0.load(SeqCst))
    }

    #[track_caller]
    pub fn store(&self, link: Link) {
        self.0.store(link.word(), SeqCst);
    }

    /// Replaces `old` by `new`; was it `old`?
    #[track_caller]
    pub fn replace(&self, old: Link, new: Link) -> bool {
        self.0.compare_exchange(old.word(), new.word(), SeqCst, SeqCst).is_ok()
    }

    /// Marks if the successor is this one, and says whether it is. It does not say whether somebody else has marked, and
    /// it does nothing then, like `AtomicMarkableReference.attemptMark`.
    #[track_caller]
    pub fn attempt_mark(&self, node: usize) -> bool {
        let found = self.load();
        found.node == node && (found.marked || self.replace(Link::to(node), Link::to(node).marked()))
    }
}

#[derive(Default)]
pub(crate) struct Node {
    pub key: AtomicU32,
    pub next: AtomicLink,
}

impl Node {
    fn new(key: u32, next: usize) -> Node {
        Node { key: AtomicU32::new(key), next: AtomicLink(AtomicUsize::new(Link::to(next).word())) }
    }
}

/// The nodes of one list, from its head to its tail.
pub(crate) fn empty() -> Arena<Node> {
    Arena::new([Node::new(0, TAIL), Node::new(u32::MAX, NULL)])
}

/// A new node. Its successor is written before it is linked.
pub(crate) fn allocate(nodes: &Arena<Node>, key: u32) -> usize {
    let node = nodes.allocate();
    nodes[node].key.store(key, SeqCst);
    node
}

/// The first node whose key is not less than this, and its predecessor, whether or not they are marked.
pub(crate) fn locate(nodes: &Arena<Node>, key: u32) -> (usize, usize) {
    let mut pred = HEAD;
    let mut curr = nodes[pred].next.load().node;
    while nodes[curr].key.load(SeqCst) < key {
        pred = curr;
        curr = nodes[pred].next.load().node;
    }
    (pred, curr)
}

/// A set as a sorted list without locks: `remove` marks a node, then somebody unlinks it.
///
/// - From: the list of Harris and Michael as Herlihy and Shavit's book has it; `LFList` of the CGVT artifact.
/// - Fault: `remove` marks by an operation that succeeds if the successor is the expected one, even if somebody else has
///   marked before.
/// - Client: `[add(1)] { remove(1) } || { remove(1) }`, in which both succeed.
/// - Fix: exchange the unmarked link for the marked one.
pub struct LockFreeList<const FAULTY: bool> {
    nodes: Arena<Node>,
}

impl<const FAULTY: bool> LockFreeList<FAULTY> {
    /// An empty set.
    pub fn new() -> Self {
        LockFreeList { nodes: empty() }
    }

    /// As [`locate`], but unlinks marked nodes on the way.
    fn find(&self, key: u32) -> (usize, usize) {
        'from_head: loop {
            let mut pred = HEAD;
            let mut curr = self.nodes[pred].next.load().node;
            loop {
                let mut link = self.nodes[curr].next.load();
                while link.marked {
                    if !self.nodes[pred].next.replace(Link::to(curr), Link::to(link.node)) {
                        continue 'from_head;
                    }
                    curr = self.nodes[pred].next.load().node;
                    link = self.nodes[curr].next.load();
                }
                if self.nodes[curr].key.load(SeqCst) >= key {
                    return (pred, curr);
                }
                pred = curr;
                curr = link.node;
            }
        }
    }

    /// Adds a key; was it missing?
    pub fn add(&self, key: u32) -> bool {
        let mut allocated = None;
        loop {
            let (pred, curr) = self.find(key);
            if self.nodes[curr].key.load(SeqCst) == key {
                return false;
            }
            let node = *allocated.get_or_insert_with(|| allocate(&self.nodes, key));
            self.nodes[node].next.store(Link::to(curr));
            if self.nodes[pred].next.replace(Link::to(curr), Link::to(node)) {
                return true;
            }
        }
    }

    /// Removes a key; was it there?
    pub fn remove(&self, key: u32) -> bool {
        loop {
            let (pred, curr) = self.find(key);
            if self.nodes[curr].key.load(SeqCst) != key {
                return false;
            }
            let next = &self.nodes[curr].next;
            let succ = next.load().node;
            let removed =
                if FAULTY { next.attempt_mark(succ) } else { next.replace(Link::to(succ), Link::to(succ).marked()) };
            if removed {
                // Whoever finds the marked node unlinks it if this fails.
                self.nodes[pred].next.replace(Link::to(curr), Link::to(succ));
                return true;
            }
        }
    }

    /// Is this key there?
    pub fn contains(&self, key: u32) -> bool {
        let (_, curr) = locate(&self.nodes, key);
        self.nodes[curr].key.load(SeqCst) == key && !self.nodes[curr].next.load().marked
    }
}

impl<const FAULTY: bool> Default for LockFreeList<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

//! Four lists of which it was not known what is wrong with them.

use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::{Mutex, MutexGuard};

use crate::arena::Ref;
use crate::lock_free_list::MarkedNodes;
use crate::sorted_nodes::{Node, SortedNodes};

/// A set as a sorted list without locks, that looks at nodes without their marks.
///
/// - From: `BugUnknownList1` of the CGVT artifact (`BUList1`): [`LockFreeList`](crate::LockFreeList) with another way to find
///   nodes, which takes marked ones for good and never unlinks them.
/// - Faults: `remove` succeeds on nodes that are marked; a node that is marked, but could not be unlinked, is still found;
///   and `add` behind such a node retries for ever, since it expects it to be unmarked.
/// - Clients: `[add(1)] { remove(1) } || { remove(1) }`, in which both succeed; `[add(2)] { remove(2) } || { add(1) }
///   [contains(2)]`, in which 2 is still there; `[add(2)] { remove(2) } || { add(1) } [add(3)]`, which need not end.
/// - Fix: [`LockFreeList<false>`](crate::LockFreeList).
pub struct UnknownList1 {
    list: MarkedNodes,
}

impl UnknownList1 {
    /// An empty set.
    pub fn new() -> Self {
        UnknownList1 { list: MarkedNodes::new() }
    }

    /// Adds a key; was it missing?
    pub fn add(&self, key: i32) -> bool {
        let nodes = &self.list.nodes;
        let mut allocated = None;
        loop {
            let (pred, curr) = self.list.locate(key);
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
            let (pred, curr) = self.list.locate(key);
            if nodes[curr].key.load(SeqCst) != key {
                return false;
            }
            let succ = nodes[curr].next.load_marked().0;
            if nodes[curr].attempt_mark(succ) {
                nodes[pred].next.replace(curr, succ);
                return true;
            }
        }
    }

    /// Is this key there?
    pub fn contains(&self, key: i32) -> bool {
        let (_, curr) = self.list.locate(key);
        self.list.nodes[curr].key.load(SeqCst) == key
    }
}

impl Default for UnknownList1 {
    fn default() -> Self {
        Self::new()
    }
}

/// A set with one lock, that looks before it locks and removes nothing.
///
/// - From: `BugUnknownList2` of the CGVT artifact (`BUList2`).
/// - Faults: `add` and `remove` look for the place before they take the lock, and do not look again; `remove` links the
///   node to be removed where it is already.
/// - Clients: `{ add(1) } || { add(2) } [contains(1); contains(2)]` loses one; one thread that removes twice shows the other
///   fault, which nobody sees who takes the object's own sequential runs for its specification.
/// - Fix: [`SimpleList<false>`](crate::SimpleList).
pub struct UnknownList2 {
    list: LockedNodes,
}

impl UnknownList2 {
    /// An empty set.
    pub fn new() -> Self {
        UnknownList2 { list: LockedNodes::new() }
    }

    /// Adds a key; was it missing?
    pub fn add(&self, key: i32) -> bool {
        let (pred, curr) = self.list.nodes.locate(key);
        let _guard = self.list.lock();
        let is_new = self.list.nodes.key(curr) != key;
        if is_new {
            self.list.nodes.splice(pred, key, curr);
        }
        is_new
    }

    /// Removes a key; was it there?
    pub fn remove(&self, key: i32) -> bool {
        let (pred, curr) = self.list.nodes.locate(key);
        let _guard = self.list.lock();
        let is_there = self.list.nodes.key(curr) == key;
        if is_there {
            self.list.link_what_is_linked(pred);
        }
        is_there
    }

    /// Is this key there?
    pub fn contains(&self, key: i32) -> bool {
        self.list.contains(key)
    }
}

impl Default for UnknownList2 {
    fn default() -> Self {
        Self::new()
    }
}

/// A set with one lock, that looks before it locks, and gives up if it has to look again.
///
/// - From: `BugUnknownList3` of the CGVT artifact.
/// - Faults: `add` and `remove` return false if the place has changed before they had the lock; and `remove` removes nothing,
///   as in [`UnknownList2`].
/// - Client: `{ add(1) } || { add(2) }`, in which one returns false.
/// - Fix: [`SimpleList<false>`](crate::SimpleList), or to retry.
pub struct UnknownList3 {
    list: LockedNodes,
}

impl UnknownList3 {
    /// An empty set.
    pub fn new() -> Self {
        UnknownList3 { list: LockedNodes::new() }
    }

    /// Adds a key; was it missing?
    pub fn add(&self, key: i32) -> bool {
        let (pred, curr) = self.list.nodes.locate(key);
        let _guard = self.list.lock();
        let does_add = self.list.nodes.next(pred) == curr && self.list.nodes.key(curr) != key;
        if does_add {
            self.list.nodes.splice(pred, key, curr);
        }
        does_add
    }

    /// Removes a key; was it there?
    pub fn remove(&self, key: i32) -> bool {
        let (pred, curr) = self.list.nodes.locate(key);
        let _guard = self.list.lock();
        let does_remove = self.list.nodes.next(pred) == curr && self.list.nodes.key(curr) == key;
        if does_remove {
            self.list.link_what_is_linked(pred);
        }
        does_remove
    }

    /// Is this key there?
    pub fn contains(&self, key: i32) -> bool {
        self.list.contains(key)
    }
}

impl Default for UnknownList3 {
    fn default() -> Self {
        Self::new()
    }
}

/// A set with one lock, that looks before it locks, looks again, and retries; removed nodes are marked.
///
/// - From: `BugUnknownList4` of the CGVT artifact (`BUList3` of the paper): the rarest fault of all the lists.
/// - Fault: `remove` marks the node and reads its successor before it has the lock. An `add` behind the node that has just
///   seen it unmarked links a node which `remove` does not know of, and which is unlinked with the node.
/// - Client: `[add(1)] { remove(1) } || { add(2) } [contains(2)]`, in which 2 is lost.
/// - Fix: mark the node and read its successor under the lock, after the second look. And `add` does not take a marked node
///   for the key, which `contains` does not either: otherwise one says that the key is missing and then the other that it is there.
pub struct UnknownList4<const FAULTY: bool> {
    list: LockedNodes,
}

impl<const FAULTY: bool> UnknownList4<FAULTY> {
    /// An empty set.
    pub fn new() -> Self {
        UnknownList4 { list: LockedNodes::new() }
    }

    /// Are these still in the list, one after the other?
    fn is_valid(&self, pred: Ref<Node>, curr: Ref<Node>) -> bool {
        !self.list.nodes.is_marked(pred) && self.list.nodes.next(pred) == curr
    }

    /// Adds a key; was it missing?
    pub fn add(&self, key: i32) -> bool {
        loop {
            let (pred, curr) = self.list.nodes.locate(key);
            // A key that is marked is on its way out, and out of the list once this has the lock.
            if self.list.nodes.key(curr) == key && (FAULTY || !self.list.nodes.is_marked(curr)) {
                return false;
            }
            let guard = self.list.lock();
            if self.is_valid(pred, curr) {
                self.list.nodes.splice(pred, key, curr);
                return true;
            }
            drop(guard);
        }
    }

    /// Removes a key; was it there?
    pub fn remove(&self, key: i32) -> bool {
        loop {
            let (pred, curr) = self.list.nodes.locate(key);
            if self.list.nodes.key(curr) != key {
                return false;
            }
            let seen_too_early = FAULTY.then(|| self.mark(curr));
            let guard = self.list.lock();
            if self.is_valid(pred, curr) {
                let succ = seen_too_early.unwrap_or_else(|| self.mark(curr));
                self.list.nodes.link(pred, succ);
                return true;
            }
            drop(guard);
        }
    }

    /// Marks a node and returns its successor.
    #[track_caller]
    fn mark(&self, node: Ref<Node>) -> Ref<Node> {
        self.list.nodes.mark(node);
        self.list.nodes.next(node)
    }

    /// Is this key there?
    pub fn contains(&self, key: i32) -> bool {
        let (_, curr) = self.list.nodes.locate(key);
        self.list.nodes.key(curr) == key && !self.list.nodes.is_marked(curr)
    }
}

impl<const FAULTY: bool> Default for UnknownList4<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

/// A sorted list with a lock for those who want to change it.
struct LockedNodes {
    lock: Mutex<()>,
    nodes: SortedNodes,
}

impl LockedNodes {
    fn new() -> Self {
        LockedNodes { lock: Mutex::new(()), nodes: SortedNodes::new() }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().expect("nobody panics")
    }

    /// What two of the lists do to remove a node: nothing.
    #[track_caller]
    fn link_what_is_linked(&self, pred: Ref<Node>) {
        self.nodes.link(pred, self.nodes.next(pred));
    }

    fn contains(&self, key: i32) -> bool {
        let (_, curr) = self.nodes.locate(key);
        self.nodes.key(curr) == key
    }
}

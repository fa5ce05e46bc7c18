//! A search tree whose nodes are also in a list, in the order of their keys.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use linchpin_sync::hint;
use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::atomic::{AtomicBool, AtomicI32, AtomicU32};
use linchpin_sync::sync::{Mutex, MutexGuard};

use crate::arena::{Arena, AtomicRef, Ref};
use crate::labels::Source;

/// See [`paper_line`](crate::labels::paper_line).
pub(crate) const SOURCE: Source = Source { file: file!(), text: include_str!("logical_ordering_tree.rs") };

/// Its place in the list is protected by the lock of its predecessor, its place in the tree by that of its parent.
#[derive(Default)]
struct Node {
    key: AtomicI32,
    item: AtomicU32,
    /// False once it is out of the list.
    valid: AtomicBool,
    pred: AtomicRef<Node>,
    succ: AtomicRef<Node>,
    /// Protects `succ`, and `pred` of the successor.
    succ_lock: Mutex<()>,
    parent: AtomicRef<Node>,
    left: AtomicRef<Node>,
    right: AtomicRef<Node>,
    /// Protects `left` and `right`, and `parent` of both.
    tree_lock: Mutex<()>,
}

type Guard<'a> = MutexGuard<'a, ()>;

#[track_caller]
fn lock(mutex: &Mutex<()>) -> Guard<'_> {
    mutex.lock().expect("nobody panics")
}

/// A map as a search tree with a lock per node, in which the list decides what is there and the tree leads to it.
///
/// - From: the logical ordering of Drachsler, Vechev and Yahav, `LogicalOrderingAVL` of Synchrobench; the third library of the
///   paper on root causes.
/// - Faults: `put` (if `ADD`) and `remove` (if `REMOVE`) look whether the predecessor is valid before they lock it, and unlock it
///   as soon as they have its key. What they do to the list then, nobody protects.
/// - Clients: table 1 of the paper, lines 19 to 27; for example `{ put(1, 0); remove(1, 0) } || { remove(1, 0) }`, in which both
///   remove. Besides, a `put` whose place was taken since it looked waits for ever.
/// - Fix: keep the lock from before the first look to after the last change.
///
/// Numbers at the end of a line are the paper's. The original rebalances the tree. This one does not, and has no heights:
/// clients have two keys, with which nothing is ever rotated.
pub struct LogicalOrderingTree<const ADD: bool, const REMOVE: bool> {
    /// After all keys; the tree hangs at its left.
    root: Ref<Node>,
    nodes: Arena<Node>,
}

impl<const ADD: bool, const REMOVE: bool> LogicalOrderingTree<ADD, REMOVE> {
    /// An empty map.
    pub fn new() -> Self {
        let nodes = Arena::new();
        let new =
            |key| nodes.allocate(Node { key: AtomicI32::new(key), valid: AtomicBool::new(true), ..Node::default() });
        // The node before all keys is the root's parent and predecessor.
        let (first, root) = (new(i32::MIN), new(i32::MAX));
        nodes[first].right.store(root);
        nodes[first].succ.store(root);
        nodes[root].parent.store(first);
        nodes[root].pred.store(first);
        LogicalOrderingTree { root, nodes }
    }

    #[track_caller]
    fn key(&self, node: Ref<Node>) -> i32 {
        self.nodes[node].key.load(SeqCst)
    }

    /// Maps a key to a value, and returns what it was mapped to.
    pub fn put(&self, key: i32, value: u32) -> Option<u32> {
        loop {
            let mut node = self.root; // [250]
            let mut order = Less; // [252]
            while order != Equal {
                let child = match order {
                    Greater => self.nodes[node].right.load(), // [256]
                    _ => self.nodes[node].left.load(),        // [258]
                };
                if child.is_null() {
                    break; // [260]
                }
                node = child; // [261]
                order = key.cmp(&self.key(node)); // [262]
            }
            let pred = if order == Greater { node } else { self.nodes[node].pred.load() }; // [265]
            let seen_too_early = ADD.then(|| self.nodes[pred].valid.load(SeqCst)); // [267]
            let guard = lock(&self.nodes[pred].succ_lock); // [266]
            let valid = seen_too_early.unwrap_or_else(|| self.nodes[pred].valid.load(SeqCst)); // [267]
            let is_behind = valid && key > self.key(pred); // [268]
            let guard = Some(guard).filter(|_| !ADD);
            if is_behind {
                // [270]
                let succ = self.nodes[pred].succ.load(); // [271]
                let order = key.cmp(&self.key(succ)); // [272]
                if order == Equal {
                    // [275]
                    let old = self.nodes[succ].item.load(SeqCst); // [276]
                    self.nodes[succ].item.store(value, SeqCst); // [279]
                    return Some(old); // [282]
                }
                if order == Less {
                    let (parent, tree) = self.choose_parent(pred, succ, node); // [288]
                    let new = self.allocate(key, value, pred, succ, parent); // [289]
                    self.nodes[succ].pred.store(new); // [290]
                    self.nodes[pred].succ.store(new); // [291]
                    drop(guard); // [292]
                    self.insert_to_tree(parent, tree, new, parent == pred); // [293]
                    return None;
                }
            }
            drop(guard); // [298]
            self.wait_for_tree(key); // [298]
        }
    }

    /// Removes a key if it is mapped to this value; was it?
    pub fn remove(&self, key: i32, value: u32) -> bool {
        self.take(key, value).is_some()
    }

    /// Removes a key if it is mapped to this value, and returns what it was mapped to in the end.
    fn take(&self, key: i32, value: u32) -> Option<u32> {
        loop {
            let mut node = self.root; // [415]
            let mut order = Less; // [417]
            while order != Equal {
                let child = match order {
                    Greater => self.nodes[node].right.load(), // [421]
                    _ => self.nodes[node].left.load(),        // [423]
                };
                if child.is_null() {
                    break; // [425]
                }
                node = child; // [426]
                order = key.cmp(&self.key(node)); // [427]
            }
            let pred = if order == Greater { node } else { self.nodes[node].pred.load() }; // [430]
            let seen_too_early = REMOVE.then(|| self.nodes[pred].valid.load(SeqCst)); // [432]
            let guard = lock(&self.nodes[pred].succ_lock); // [431]
            let valid = seen_too_early.unwrap_or_else(|| self.nodes[pred].valid.load(SeqCst)); // [432]
            let is_behind = valid && key > self.key(pred); // [433]
            let guard = Some(guard).filter(|_| !REMOVE);
            if is_behind {
                // [435]
                let succ = self.nodes[pred].succ.load(); // [436]
                let order = key.cmp(&self.key(succ)); // [437]
                if order == Less || order == Equal && self.nodes[succ].item.load(SeqCst) != value {
                    // [440]
                    return None; // [442]
                }
                if order == Equal {
                    let succ_guard = lock(&self.nodes[succ].succ_lock); // [444]
                    let tree = self.acquire_tree_locks(succ); // [445]
                    let (parent, parent_guard) = self.lock_parent(succ); // [446]
                    self.nodes[succ].valid.store(false, SeqCst); // [447]
                    let item = self.nodes[succ].item.load(SeqCst); // [448]
                    let succ_succ = self.nodes[succ].succ.load(); // [449]
                    self.nodes[succ_succ].pred.store(pred); // [450]
                    self.nodes[pred].succ.store(succ_succ); // [451]
                    drop(succ_guard); // [452]
                    drop(guard); // [453]
                    self.remove_from_tree(succ, tree, parent); // [454]
                    drop(parent_guard);
                    return Some(item); // [455]
                }
            }
            drop(guard);
            self.wait_for_tree(key);
        }
    }

    /// What a key is mapped to. Takes no lock: from where the tree leads, the list leads further.
    pub fn get(&self, key: i32) -> Option<u32> {
        let (mut node, _) = self.descend(key);
        while self.key(node) > key {
            node = self.nodes[node].pred.load();
        }
        while self.key(node) < key {
            node = self.nodes[node].succ.load();
        }
        let is_there = self.key(node) == key && self.nodes[node].valid.load(SeqCst);
        is_there.then(|| self.nodes[node].item.load(SeqCst))
    }

    /// Where the tree leads for a key, and how the key compares with what is there.
    #[track_caller]
    fn descend(&self, key: i32) -> (Ref<Node>, Ordering) {
        let mut node = self.root;
        let mut order = Less;
        while order != Equal {
            let side = if order == Greater { &self.nodes[node].right } else { &self.nodes[node].left };
            let child = side.load();
            if child.is_null() {
                break;
            }
            node = child;
            order = key.cmp(&self.key(node));
        }
        (node, order)
    }

    /// Waits until the tree leads to a place that is the right one, as far as one can see without locks. It does not while somebody
    /// has changed the list and not yet the tree.
    #[track_caller]
    fn wait_for_tree(&self, key: i32) {
        loop {
            let (node, order) = self.descend(key);
            let pred = if order == Greater { node } else { self.nodes[node].pred.load() };
            let is_behind = self.nodes[pred].valid.load(SeqCst) && key > self.key(pred);
            if is_behind && key <= self.key(self.nodes[pred].succ.load()) {
                return;
            }
            hint::spin_loop();
        }
    }

    /// A new node between these two in the list.
    #[track_caller]
    fn allocate(&self, key: i32, item: u32, pred: Ref<Node>, succ: Ref<Node>, parent: Ref<Node>) -> Ref<Node> {
        let new = self.nodes.allocate(Node::default());
        let node = &self.nodes[new];
        node.key.store(key, SeqCst);
        node.item.store(item, SeqCst);
        node.valid.store(true, SeqCst);
        node.pred.store(pred);
        node.succ.store(succ);
        node.parent.store(parent);
        new
    }

    /// Locks the node at which a new one between `pred` and `succ` can be hung: the one of the two that has no child on that
    /// side. `first`, where the tree has led to, is tried first. A node that is out of the list, but not yet out of the tree, may
    /// be in both places; then this waits.
    #[track_caller]
    fn choose_parent(&self, pred: Ref<Node>, succ: Ref<Node>, first: Ref<Node>) -> (Ref<Node>, Guard<'_>) {
        let (right, left) = (&self.nodes[pred].right, &self.nodes[succ].left);
        let mut candidates = [(pred, right), (succ, left)];
        if first == succ {
            candidates.reverse();
        }
        loop {
            for (candidate, side) in candidates {
                let guard = lock(&self.nodes[candidate].tree_lock);
                if side.load().is_null() {
                    return (candidate, guard);
                }
            }
            while !right.load().is_null() && !left.load().is_null() {
                hint::spin_loop();
            }
        }
    }

    /// Hangs a node at its parent, and unlocks that.
    #[track_caller]
    fn insert_to_tree(&self, parent: Ref<Node>, _guard: Guard<'_>, new: Ref<Node>, is_right: bool) {
        let side = if is_right { &self.nodes[parent].right } else { &self.nodes[parent].left };
        side.store(new);
    }

    /// Locks a node's parent.
    #[track_caller]
    fn lock_parent(&self, node: Ref<Node>) -> (Ref<Node>, Guard<'_>) {
        loop {
            let parent = self.nodes[node].parent.load();
            let guard = lock(&self.nodes[parent].tree_lock);
            if self.nodes[node].parent.load() == parent && self.nodes[parent].valid.load(SeqCst) {
                return (parent, guard);
            }
            drop(guard);
            while self.nodes[node].parent.load() == parent && !self.nodes[parent].valid.load(SeqCst) {
                hint::spin_loop();
            }
        }
    }

    /// Locks what it takes to cut a node out of the tree, apart from its parent. Locks are taken upwards. On the way down they
    /// are only tried: if one is taken, all are given up, and this waits for that one.
    #[track_caller]
    fn acquire_tree_locks(&self, node: Ref<Node>) -> TreeLocks<'_> {
        loop {
            match self.try_tree_locks(node) {
                Ok(locks) => return locks,
                Err(taken) => drop(lock(&self.nodes[taken].tree_lock)),
            }
        }
    }

    /// The locks, or a node whose lock is taken, or was taken by mistake.
    #[track_caller]
    fn try_tree_locks(&self, node: Ref<Node>) -> Result<TreeLocks<'_>, Ref<Node>> {
        let try_lock = |node: Ref<Node>| self.nodes[node].tree_lock.try_lock().map_err(|_| node);
        let mut guards = vec![lock(&self.nodes[node].tree_lock)];
        let (left, right) = (self.nodes[node].left.load(), self.nodes[node].right.load());
        if left.is_null() || right.is_null() {
            let child = if left.is_null() { right } else { left };
            if !child.is_null() {
                guards.push(try_lock(child)?);
            }
            return Ok(TreeLocks { place: Place::Above(child), _guards: guards });
        }
        // Two children: the successor, which has no left child, takes the place.
        let successor = self.nodes[node].succ.load();
        let its_parent = self.nodes[successor].parent.load();
        if its_parent != node {
            guards.push(try_lock(its_parent)?);
            if self.nodes[successor].parent.load() != its_parent || !self.nodes[its_parent].valid.load(SeqCst) {
                return Err(its_parent);
            }
        }
        guards.push(try_lock(successor)?);
        let its_child = self.nodes[successor].right.load();
        if !its_child.is_null() {
            guards.push(try_lock(its_child)?);
        }
        Ok(TreeLocks { place: Place::Between { left, right, successor, its_parent, its_child }, _guards: guards })
    }

    /// Cuts a node out of the tree, and unlocks it and what is below.
    #[track_caller]
    fn remove_from_tree(&self, node: Ref<Node>, locks: TreeLocks<'_>, parent: Ref<Node>) {
        match locks.place {
            Place::Above(child) => self.replace_child(parent, node, child),
            Place::Between { left, right, successor, its_parent, its_child } => {
                if its_parent != node {
                    self.replace_child(its_parent, successor, its_child);
                    self.nodes[successor].right.store(right);
                    self.nodes[right].parent.store(successor);
                }
                self.nodes[successor].left.store(left);
                self.nodes[left].parent.store(successor);
                self.replace_child(parent, node, successor);
            }
        }
    }

    /// Hangs `new` at `parent`, where `old` is.
    #[track_caller]
    fn replace_child(&self, parent: Ref<Node>, old: Ref<Node>, new: Ref<Node>) {
        let is_left = self.nodes[parent].left.load() == old;
        let side = if is_left { &self.nodes[parent].left } else { &self.nodes[parent].right };
        side.store(new);
        if !new.is_null() {
            self.nodes[new].parent.store(parent);
        }
    }
}

/// A node is locked, with what is below it and changes when it is removed.
struct TreeLocks<'a> {
    place: Place,
    _guards: Vec<Guard<'a>>,
}

/// Where in the tree a node is.
enum Place {
    /// Above one child or none.
    Above(Ref<Node>),
    /// Above two. Its successor in the list is the leftmost on the right.
    Between { left: Ref<Node>, right: Ref<Node>, successor: Ref<Node>, its_parent: Ref<Node>, its_child: Ref<Node> },
}

impl<const ADD: bool, const REMOVE: bool> Default for LogicalOrderingTree<ADD, REMOVE> {
    fn default() -> Self {
        Self::new()
    }
}

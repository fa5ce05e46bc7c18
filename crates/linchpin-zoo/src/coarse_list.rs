//! A sorted list under one readers-writer lock, of which the faulty variants make too little use.

use linchpin_sync::sync::{RwLock, RwLockWriteGuard};

use crate::labels::Source;
use crate::sorted_nodes::SortedNodes;

/// See [`paper_line`](crate::labels::paper_line).
pub(crate) const SOURCE: Source = Source { file: file!(), text: include_str!("coarse_list.rs") };

/// A set whose changes are made under the writers' side of one lock.
///
/// - From: `RWLockCoarseGrainedListIntSet` of Synchrobench; the first library of the paper on root causes.
/// - Faults: the operation whose parameter is true looks for its place before it takes the lock, and does not look again. So
///   `add` adds to a list that has changed, and `remove` removes what was removed already, or with it what was added behind.
/// - Clients: table 1 of the paper, lines 1 to 9; the smallest is `{ remove(0) } || { add(0); remove(0) }` for `remove`, and
///   `{ add(0) } || { add(0) }` for `add`.
/// - Fix: look for the place under the lock.
///
/// Numbers at the end of a line are the paper's.
pub struct CoarseList<const ADD: bool, const REMOVE: bool> {
    lock: RwLock<()>,
    nodes: SortedNodes,
}

impl<const ADD: bool, const REMOVE: bool> CoarseList<ADD, REMOVE> {
    /// An empty set.
    pub fn new() -> Self {
        CoarseList { lock: RwLock::new(()), nodes: SortedNodes::new() }
    }

    #[track_caller]
    fn write(&self) -> RwLockWriteGuard<'_, ()> {
        self.lock.write().expect("nobody panics")
    }

    /// Adds a key; was it missing?
    pub fn add(&self, key: i32) -> bool {
        let guard = (!ADD).then(|| self.write()); // [24]
        let mut pred = self.nodes.head(); // [26]
        let mut curr = self.nodes.next(pred); // [27]
        while self.nodes.key(curr) < key {
            // [28]
            pred = curr; // [29]
            curr = self.nodes.next(pred); // [30]
        }
        let _guard = guard.unwrap_or_else(|| self.write());
        if self.nodes.key(curr) == key {
            // [32]
            return false; // [33]
        }
        self.nodes.splice(pred, key, curr); // [35]
        true // [36]
    }

    /// Removes a key; was it there?
    pub fn remove(&self, key: i32) -> bool {
        let guard = (!REMOVE).then(|| self.write()); // [45]
        let mut pred = self.nodes.head(); // [47]
        let mut curr = self.nodes.next(pred); // [48]
        while self.nodes.key(curr) < key {
            // [49]
            pred = curr; // [50]
            curr = self.nodes.next(pred); // [51]
        }
        let _guard = guard.unwrap_or_else(|| self.write());
        if self.nodes.key(curr) != key {
            // [53]
            return false; // [56]
        }
        self.nodes.link(pred, self.nodes.next(curr)); // [54]
        true
    }

    /// Is this key there?
    pub fn contains(&self, key: i32) -> bool {
        let _guard = self.lock.read().expect("nobody panics");
        let (_, curr) = self.nodes.locate(key);
        self.nodes.key(curr) == key
    }
}

impl<const ADD: bool, const REMOVE: bool> Default for CoarseList<ADD, REMOVE> {
    fn default() -> Self {
        Self::new()
    }
}

//! Sets as sorted lists with one lock, which some of their operations do without.

use linchpin_sync::sync::{Mutex, MutexGuard};

use crate::sorted_nodes::SortedNodes;

/// A set whose changes are made under one lock.
///
/// - From: `SimpleList` of the CGVT artifact (`CGList` of the paper).
/// - Fault: `add` looks for its place before it takes the lock, and does not look again.
/// - Clients: `{ add(1) } || { add(1) }` adds 1 twice; `[add(1)] { add(3) } || { add(4) } [contains(3); contains(4)]` loses one
///   of the two, which only the epilogue shows.
/// - Fix: look for the place under the lock.
pub struct SimpleList<const FAULTY: bool> {
    lock: Mutex<()>,
    nodes: SortedNodes,
}

impl<const FAULTY: bool> SimpleList<FAULTY> {
    /// An empty set.
    pub fn new() -> Self {
        SimpleList { lock: Mutex::new(()), nodes: SortedNodes::new() }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().expect("nobody panics")
    }

    /// Adds a key; was it missing?
    pub fn add(&self, key: i32) -> bool {
        let found_too_early = FAULTY.then(|| self.nodes.locate(key));
        let _guard = self.lock();
        let (pred, curr) = found_too_early.unwrap_or_else(|| self.nodes.locate(key));
        let is_new = self.nodes.key(curr) != key;
        if is_new {
            self.nodes.splice(pred, key, curr);
        }
        is_new
    }

    /// Removes a key; was it there?
    pub fn remove(&self, key: i32) -> bool {
        let _guard = self.lock();
        let (pred, curr) = self.nodes.locate(key);
        let is_there = self.nodes.key(curr) == key;
        if is_there {
            self.nodes.link(pred, self.nodes.next(curr));
        }
        is_there
    }

    /// Is this key there? Needs no lock: a node that is being removed was there when this began.
    pub fn contains(&self, key: i32) -> bool {
        let (_, curr) = self.nodes.locate(key);
        self.nodes.key(curr) == key
    }
}

impl<const FAULTY: bool> Default for SimpleList<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

/// A set whose changes are made under one lock, and that counts.
///
/// - From: `UnsafeSizeList` of the CGVT artifact (`CGListS`; `LinkedList` of FGVT).
/// - Fault: `size` counts without the lock, while nodes come and go.
/// - Client: `[add(1); add(5)] { remove(1); add(9) } || { size }` counts 3, although there are never more than 2.
/// - Fix: count under the lock.
pub struct SizeList<const FAULTY: bool> {
    list: SimpleList<false>,
}

impl<const FAULTY: bool> SizeList<FAULTY> {
    /// An empty set.
    pub fn new() -> Self {
        SizeList { list: SimpleList::new() }
    }

    /// Adds a key; was it missing?
    pub fn add(&self, key: i32) -> bool {
        self.list.add(key)
    }

    /// Removes a key; was it there?
    pub fn remove(&self, key: i32) -> bool {
        self.list.remove(key)
    }

    /// How many keys are there?
    pub fn size(&self) -> u32 {
        let _guard = (!FAULTY).then(|| self.list.lock());
        self.list.nodes.count()
    }
}

impl<const FAULTY: bool> Default for SizeList<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

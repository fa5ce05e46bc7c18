//! Treiber's stack: one that pops without looking whether it has, and one that recycles nodes.

use linchpin_sync::sync::Mutex;
use linchpin_sync::sync::atomic::AtomicU32;
use linchpin_sync::sync::atomic::Ordering::SeqCst;
use std::collections::VecDeque;

use crate::arena::{Arena, AtomicRef, Ref};

#[derive(Default)]
struct Node {
    item: AtomicU32,
    next: AtomicRef<Node>,
}

/// A stack as a linked list with a pointer to its top.
///
/// - From: `TBStack` of the CGVT artifact; without the fault, its `LFTreiberStack`.
/// - Fault: `pop` tries to swing `top` once and ignores whether that worked.
/// - Clients: `[push(1)] { pop } || { pop }` pops 1 twice, and so does `[push(1)] { pop } || { push(2) } [pop; pop]`.
/// - Fix: retry until the exchange succeeds.
pub struct TreiberStack<const FAULTY: bool> {
    top: AtomicRef<Node>,
    nodes: Arena<Node>,
}

impl<const FAULTY: bool> TreiberStack<FAULTY> {
    /// An empty stack.
    pub fn new() -> Self {
        TreiberStack { top: AtomicRef::default(), nodes: Arena::new() }
    }

    /// Puts a value on top.
    pub fn push(&self, value: u32) {
        let node = self.nodes.allocate(Node::default());
        self.nodes[node].item.store(value, SeqCst);
        loop {
            let old = self.top.load();
            self.nodes[node].next.store(old);
            if self.top.replace(old, node) {
                return;
            }
        }
    }

    /// Takes the value on top.
    pub fn pop(&self) -> Option<u32> {
        loop {
            let old = self.top.load();
            if old.is_null() {
                return None;
            }
            let next = self.nodes[old].next.load();
            let swung = self.top.replace(old, next);
            if swung || FAULTY {
                return Some(self.nodes[old].item.load(SeqCst));
            }
        }
    }
}

impl<const FAULTY: bool> Default for TreiberStack<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

/// The correct [`TreiberStack`], but popped nodes are used again: the ABA problem.
///
/// - From: what table I of the CGVT paper lists as `TreiberStack`, with clients of one and three operations.
/// - Fault: a `pop` that has read `top` and its `next` cannot tell that the node on top was popped, recycled and pushed
///   again; it swings `top` to a node that is free.
/// - Client: `[push(1); push(2)] { pop } || { pop; pop; push(3) } [pop; pop]`; the first `pop` resurrects 1. That takes the
///   node popped *first* to be recycled first (`OLDEST_FIRST`). With the node popped *last*, as most allocators have it,
///   this client is fine; that is luck and no fix.
/// - Fix: `top` has a version, which grows with every exchange.
pub struct RecyclingStack<const OLDEST_FIRST: bool, const FAULTY: bool> {
    top: AtomicRef<Node>,
    free: Mutex<VecDeque<Ref<Node>>>,
    nodes: Arena<Node>,
}

impl<const OLDEST_FIRST: bool, const FAULTY: bool> RecyclingStack<OLDEST_FIRST, FAULTY> {
    /// An empty stack.
    pub fn new() -> Self {
        RecyclingStack { top: AtomicRef::default(), free: Mutex::default(), nodes: Arena::new() }
    }

    /// A node that was popped, or else a new one.
    fn node(&self) -> Ref<Node> {
        let mut free = self.free.lock().expect("nobody panics");
        let popped = if OLDEST_FIRST { free.pop_front() } else { free.pop_back() };
        drop(free);
        popped.unwrap_or_else(|| self.nodes.allocate(Node::default()))
    }

    /// Swings `top` if it is what was seen, or in the faulty stack looks like it.
    #[track_caller]
    fn swing(&self, seen: (Ref<Node>, u16), new: Ref<Node>) -> bool {
        if FAULTY { self.top.replace(seen.0, new) } else { self.top.replace_versioned(seen, new) }
    }

    /// Puts a value on top.
    pub fn push(&self, value: u32) {
        let node = self.node();
        self.nodes[node].item.store(value, SeqCst);
        loop {
            let seen = self.top.load_versioned();
            self.nodes[node].next.store(seen.0);
            if self.swing(seen, node) {
                return;
            }
        }
    }

    /// Takes the value on top.
    pub fn pop(&self) -> Option<u32> {
        loop {
            let seen @ (old, _) = self.top.load_versioned();
            if old.is_null() {
                return None;
            }
            let next = self.nodes[old].next.load();
            if self.swing(seen, next) {
                let item = self.nodes[old].item.load(SeqCst);
                self.free.lock().expect("nobody panics").push_back(old);
                return Some(item);
            }
        }
    }
}

impl<const OLDEST_FIRST: bool, const FAULTY: bool> Default for RecyclingStack<OLDEST_FIRST, FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

//! Treiber's stack: one that pops without looking whether it has, and one that recycles nodes.

use linchpin_sync::sync::Mutex;
use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::atomic::{AtomicU32, AtomicUsize};
use std::collections::VecDeque;

use crate::arena::{Arena, NULL};

#[derive(Default)]
struct Node {
    item: AtomicU32,
    next: AtomicUsize,
}

/// A stack as a linked list with a pointer to its top.
///
/// - From: `TBStack` of the CGVT artifact; without the fault, its `LFTreiberStack`.
/// - Fault: `pop` tries to swing `top` once and ignores whether that worked.
/// - Clients: `[push(1)] { pop } || { pop }` pops 1 twice, and so does `[push(1)] { pop } || { push(2) } [pop; pop]`.
/// - Fix: retry until the exchange succeeds.
pub struct TreiberStack<const FAULTY: bool> {
    top: AtomicUsize,
    nodes: Arena<Node>,
}

impl<const FAULTY: bool> TreiberStack<FAULTY> {
    /// An empty stack.
    pub fn new() -> Self {
        TreiberStack { top: AtomicUsize::new(NULL), nodes: Arena::new([]) }
    }

    /// Puts a value on top.
    pub fn push(&self, value: u32) {
        let node = self.nodes.allocate();
        self.nodes[node].item.store(value, SeqCst);
        loop {
            let old = self.top.load(SeqCst);
            self.nodes[node].next.store(old, SeqCst);
            if self.top.compare_exchange(old, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    /// Takes the value on top.
    pub fn pop(&self) -> Option<u32> {
        loop {
            let old = self.top.load(SeqCst);
            if old == NULL {
                return None;
            }
            let next = self.nodes[old].next.load(SeqCst);
            let swung = self.top.compare_exchange(old, next, SeqCst, SeqCst).is_ok();
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
/// - Fix: do not reuse what somebody may hold, as [`TreiberStack`] does not, or give `top` a version.
pub struct RecyclingStack<const OLDEST_FIRST: bool> {
    top: AtomicUsize,
    free: Mutex<VecDeque<usize>>,
    nodes: Arena<Node>,
}

impl<const OLDEST_FIRST: bool> RecyclingStack<OLDEST_FIRST> {
    /// An empty stack.
    pub fn new() -> Self {
        RecyclingStack { top: AtomicUsize::new(NULL), free: Mutex::default(), nodes: Arena::new([]) }
    }

    /// A node that was popped, or else a new one.
    fn node(&self) -> usize {
        let mut free = self.free.lock().expect("nobody panics");
        let popped = if OLDEST_FIRST { free.pop_front() } else { free.pop_back() };
        drop(free);
        popped.unwrap_or_else(|| self.nodes.allocate())
    }

    /// Puts a value on top.
    pub fn push(&self, value: u32) {
        let node = self.node();
        self.nodes[node].item.store(value, SeqCst);
        loop {
            let old = self.top.load(SeqCst);
            self.nodes[node].next.store(old, SeqCst);
            if self.top.compare_exchange(old, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    /// Takes the value on top.
    pub fn pop(&self) -> Option<u32> {
        loop {
            let old = self.top.load(SeqCst);
            if old == NULL {
                return None;
            }
            let next = self.nodes[old].next.load(SeqCst);
            if self.top.compare_exchange(old, next, SeqCst, SeqCst).is_ok() {
                let item = self.nodes[old].item.load(SeqCst);
                self.free.lock().expect("nobody panics").push_back(old);
                return Some(item);
            }
        }
    }
}

impl<const OLDEST_FIRST: bool> Default for RecyclingStack<OLDEST_FIRST> {
    fn default() -> Self {
        Self::new()
    }
}

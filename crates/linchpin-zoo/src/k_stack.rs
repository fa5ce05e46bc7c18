//! A stack whose push looks at the top to see whether it has worked.

use linchpin_sync::sync::atomic::AtomicU32;
use linchpin_sync::sync::atomic::Ordering::SeqCst;

use crate::arena::{Arena, AtomicRef, Ref};

#[derive(Default)]
struct Node {
    item: AtomicU32,
    next: AtomicRef<Node>,
}

/// A stack as a linked list, whose `push` infers its success from what is on top afterwards.
///
/// - From: `KStack` of the CGVT artifact, where it has a single top.
/// - Fault: `push` ignores whether its exchange succeeded and goes on until the top's successor is what was the top. If
///   somebody else has pushed on the same node, a push that failed ends; if somebody has pushed on the new node, a push that
///   succeeded repeats, and the list becomes a cycle; if the new node was popped at once, it is pushed again. Two pushes
///   may keep each other going for ever.
/// - Clients: `{ push(1) } || { push(2) } [pop; pop; pop]`, and `{ push(1) } || { pop } [pop]`, in which 1 is popped twice.
/// - Fix: retry if and only if the exchange has failed.
///
/// The original fails with a null pointer when it looks at the top of an empty stack. Here null has no successor.
pub struct KStack<const FAULTY: bool> {
    top: AtomicRef<Node>,
    nodes: Arena<Node>,
}

impl<const FAULTY: bool> KStack<FAULTY> {
    /// An empty stack.
    pub fn new() -> Self {
        KStack { top: AtomicRef::default(), nodes: Arena::new() }
    }

    /// Puts a value on top.
    pub fn push(&self, value: u32) {
        let node = self.nodes.allocate(Node::default());
        self.nodes[node].item.store(value, SeqCst);
        loop {
            let old = self.top.load();
            self.nodes[node].next.store(old);
            let swung = self.top.replace(old, node);
            if if FAULTY { self.lies_on_top_of(old) } else { swung } {
                return;
            }
        }
    }

    /// Is this the second node?
    fn lies_on_top_of(&self, old: Ref<Node>) -> bool {
        let top = self.top.load();
        !top.is_null() && self.nodes[top].next.load() == old
    }

    /// Takes the value on top.
    pub fn pop(&self) -> Option<u32> {
        loop {
            let old = self.top.load();
            if old.is_null() {
                return None;
            }
            let next = self.nodes[old].next.load();
            if self.top.replace(old, next) {
                return Some(self.nodes[old].item.load(SeqCst));
            }
        }
    }
}

impl<const FAULTY: bool> Default for KStack<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

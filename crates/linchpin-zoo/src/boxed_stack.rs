//! Treiber's stack with nodes that are really freed.

use std::ptr;

use linchpin_sync::sync::atomic::AtomicPtr;
use linchpin_sync::sync::atomic::Ordering::SeqCst;

struct Node {
    item: u32,
    next: AtomicPtr<Node>,
}

/// The correct [`TreiberStack`](crate::TreiberStack), but a popped node is freed at once.
///
/// - From: what happens to Treiber's stack in a language without garbage collection.
/// - Faults: a `pop` that has read `top` reads the `next` of a node that somebody else may have freed. And if the allocator
///   gives that memory to the next `push`, `top` is what it was, `pop` cannot tell, and swings it to a node that is gone: the ABA
///   problem of [`RecyclingStack`](crate::RecyclingStack), with a real allocator.
/// - Clients: `[push(1)] { pop } || { pop }` reads freed memory. `[push(1); push(2)] { pop } || { pop; pop; push(3) } [pop; pop]`
///   needs freed addresses to be used again, the oldest first, and pops 1 twice.
/// - Fix: [`RecyclingStack`](crate::RecyclingStack) without the fault: nodes stay nodes, and `top` has a version. A version alone
///   would cure the second fault and not the first.
///
/// This type is unsound, on purpose. Run it where Linchpin owns the memory, not natively. What is on the stack when it is dropped is
/// leaked: once things have gone wrong, nobody knows whose it is.
#[derive(Default)]
pub struct BoxedStack {
    top: AtomicPtr<Node>,
}

impl BoxedStack {
    /// An empty stack.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a value on top.
    pub fn push(&self, value: u32) {
        let node = Box::into_raw(Box::new(Node { item: value, next: AtomicPtr::new(ptr::null_mut()) }));
        loop {
            let old = self.top.load(SeqCst);
            // SAFETY: nobody else has seen the node.
            unsafe { &*node }.next.store(old, SeqCst);
            if self.top.compare_exchange(old, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    /// Takes the value on top.
    pub fn pop(&self) -> Option<u32> {
        loop {
            let old = self.top.load(SeqCst);
            if old.is_null() {
                return None;
            }
            // SAFETY: none; this is the fault. The node may be freed.
            let next = unsafe { &*old }.next.load(SeqCst);
            if self.top.compare_exchange(old, next, SeqCst, SeqCst).is_ok() {
                // SAFETY: whoever has swung `top` away from a node owns it, as long as `top` was never swung to one that is gone.
                return Some(unsafe { Box::from_raw(old) }.item);
            }
        }
    }
}

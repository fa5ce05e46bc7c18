//! The stack of the demo.

use linchpin::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};

/// An empty slot.
const EMPTY: u32 = 0;

/// More slots than any client of the demo pushes items.
const SLOTS: usize = 16;

/// A stack in an array: `range` is one more than the last slot that was given out. Slot 0 is not used.
pub(super) struct Stack {
    range: AtomicUsize,
    items: [AtomicU32; SLOTS],
}

impl Stack {
    fn new() -> Self {
        Stack { range: AtomicUsize::new(1), items: [const { AtomicU32::new(EMPTY) }; SLOTS] }
    }

    fn push(&self, item: u32) {
        let slot = self.range.fetch_add(1, SeqCst);
        self.items[slot].store(item, SeqCst);
    }

    fn pop(&self) -> Option<u32> {
        let range = self.range.load(SeqCst);
        for slot in (1..range).rev() {
            let item = self.items[slot].load(SeqCst);
            self.items[slot].store(EMPTY, SeqCst);
            if item != EMPTY {
                return Some(item);
            }
        }
        None
    }

    fn pop_repaired(&self) -> Option<u32> {
        let range = self.range.load(SeqCst);
        for slot in (1..range).rev() {
            let item = self.items[slot].swap(EMPTY, SeqCst);
            if item != EMPTY {
                return Some(item);
            }
        }
        None
    }
}

linchpin::object! {
    /// The stack as it is.
    pub(super) Faulty: Stack = Stack::new();
    fn push(&self, item: u32);
    fn pop(&self) -> Option<u32>;
}

linchpin::object! {
    /// The stack with a `pop` that takes the item in one step.
    pub(super) Repaired: Stack = Stack::new();
    fn push(&self, item: u32);
    fn pop(&self) -> Option<u32> = Stack::pop_repaired;
}

//! The stack of the demo, and the client that breaks it.

use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use linchpin::thread;

/// An empty slot.
const EMPTY: u32 = 0;

/// A stack in an array: `range` is one more than the last slot that was given out. Slot 0 is not used.
pub(super) struct Stack {
    range: AtomicUsize,
    items: [AtomicU32; 4],
}

impl Stack {
    fn new() -> Self {
        Stack { range: AtomicUsize::new(1), items: [const { AtomicU32::new(EMPTY) }; 4] }
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

/// `{ push(1) } || { push(2); pop() } || { pop() }`: no element may be popped twice.
fn client(pop: fn(&Stack) -> Option<u32>) {
    let stack = Arc::new(Stack::new());
    let [first, second, third] = [stack.clone(), stack.clone(), stack];
    let pusher = thread::spawn(move || first.push(1));
    let both = thread::spawn(move || {
        second.push(2);
        pop(&second)
    });
    let popper = thread::spawn(move || pop(&third));
    pusher.join().unwrap();
    let popped = [both.join().unwrap(), popper.join().unwrap()];
    assert!(popped[0].is_none() || popped[0] != popped[1], "both pops return {popped:?}");
}

pub(super) fn faulty() {
    client(Stack::pop);
}

pub(super) fn repaired() {
    client(Stack::pop_repaired);
}

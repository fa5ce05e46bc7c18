//! A stack in an array, with a counter of the cells that are taken.

use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::atomic::{AtomicU32, AtomicUsize};

use crate::labels::Source;

/// See [`paper_line`](crate::labels::paper_line).
pub(crate) const SOURCE: Source = Source { file: file!(), text: include_str!("array_stack.rs") };

/// How many values can be pushed. Cells that nobody looks at cost nothing.
const CELLS: usize = 1_024;

/// A stack whose `push` takes the next cell of an array and whose `pop` looks for the last cell that is not empty.
///
/// - From: the running example of the paper on linearizability and root causes, after Afek et al.
/// - Fault: `pop` reads a cell and then empties it, in two steps.
/// - Clients: `{ push(1) } || { push(2); pop } || { pop }`, in which both pop 2; and the smaller `[push(1)] { pop } || { pop }`.
/// - Fix: read and empty the cell in one step, a swap.
///
/// Numbers at the end of a line are the paper's. In the paper the counter starts at 0 and `pop` stops at 1, which would lose the first value. Here both start at 1.
pub struct ArrayStack<const FAULTY: bool> {
    /// The first cell that has not been taken.
    range: AtomicUsize,
    /// Values; 0 in cells that are empty.
    items: [AtomicU32; CELLS],
}

impl<const FAULTY: bool> ArrayStack<FAULTY> {
    /// An empty stack.
    pub fn new() -> Self {
        ArrayStack { range: AtomicUsize::new(1), items: [const { AtomicU32::new(0) }; CELLS] }
    }

    /// Puts a value on top.
    ///
    /// # Panics
    /// If the array is full. Cells are not used again.
    pub fn push(&self, value: u32) {
        let cell = self.range.fetch_add(1, SeqCst); // [2]
        self.items[cell].store(value, SeqCst); // [3]
    }

    /// Takes the value on top.
    pub fn pop(&self) -> Option<u32> {
        let range = self.range.load(SeqCst); // [5]
        for cell in (1..range).rev() {
            let item = if FAULTY {
                let item = self.items[cell].load(SeqCst); // [8]
                self.items[cell].store(0, SeqCst); // [9]
                item
            } else {
                self.items[cell].swap(0, SeqCst)
            };
            if item != 0 {
                return Some(item);
            }
        }
        None
    }
}

impl<const FAULTY: bool> Default for ArrayStack<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

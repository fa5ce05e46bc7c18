//! The objects of these tests. Reports have line numbers of this file.

use linchpin::sync::Mutex;
use linchpin::sync::atomic::{AtomicU8, AtomicUsize, Ordering, Ordering::Relaxed, Ordering::SeqCst};

/// The stack of the root-cause paper's figure 1.
pub struct ArrayStack {
    range: AtomicUsize,
    items: [AtomicU8; 4],
}

impl ArrayStack {
    fn new() -> Self {
        ArrayStack { range: AtomicUsize::new(1), items: Default::default() }
    }

    fn push(&self, item: u8) {
        let cell = self.range.fetch_add(1, SeqCst);
        self.items[cell].store(item, SeqCst);
    }

    fn pop(&self) -> Option<u8> {
        for cell in (1..self.range.load(SeqCst)).rev() {
            let item = self.items[cell].load(SeqCst);
            self.items[cell].store(0, SeqCst);
            if item != 0 {
                return Some(item);
            }
        }
        None
    }
}

linchpin::object! {
    pub Stack: ArrayStack = ArrayStack::new();
    fn push(&self, item: u8);
    fn pop(&self) -> Option<u8>;
}

/// A counter whose value only the lock's holder sees.
#[derive(Default)]
pub struct Guarded(Mutex<u8>);

impl Guarded {
    fn increment(&self) -> u8 {
        let next = *self.0.lock().unwrap() + 1;
        *self.0.lock().unwrap() = next;
        next
    }
}

linchpin::object! {
    pub Counter: Guarded = Guarded::default();
    fn increment(&self) -> u8;
}

/// Two flags, of which whoever sets one looks at the other.
#[derive(Default)]
pub struct Flags([AtomicU8; 2]);

impl Flags {
    fn meet(&self, own: u8, order: Ordering) -> u8 {
        self.0[own as usize].store(1, order);
        self.0[1 - own as usize].load(order)
    }
}

linchpin::object! {
    pub Relaxedly: Flags = Flags::default();
    fn meet(&self, own: u8) -> u8 = |flags: &Flags, own| flags.meet(own, Relaxed);
}

/// A long operation that looks at two cells.
#[derive(Default)]
pub struct Cells([AtomicU8; 2]);

impl Cells {
    fn set(&self, cell: u8) {
        self.0[cell as usize].store(1, SeqCst);
    }

    fn look(&self) -> u8 {
        let first = self.0[0].load(SeqCst);
        first + 2 * self.0[1].load(SeqCst)
    }
}

linchpin::object! {
    pub Snapshot: Cells = Cells::default();
    fn set(&self, cell: u8);
    fn look(&self) -> u8;
}

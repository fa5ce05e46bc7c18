//! Two cells that are read together.

use linchpin_sync::sync::atomic::AtomicU32;
use linchpin_sync::sync::atomic::Ordering::SeqCst;

/// Two numbers, 1 at first, with a `read` that is to return both as they were at one time.
///
/// - From: `PairSnapshot` of the CGVT artifact and the FGVT paper.
/// - Fault: `read` takes the first number to be unchanged if it has the same value again (ABA).
/// - Client: `{ write(0, 2); write(1, 2); write(1, 1); write(0, 1) } || { read }` reads 1 and 2, which never were there
///   together. None of the four writes can be left out.
/// - Fix: each number carries a version that grows with every write.
pub struct PairSnapshot<const FAULTY: bool> {
    /// Numbers. The correct twin has their versions above them, in the upper bits.
    cells: [AtomicU32; 2],
}

/// What is added to a cell to make its version grow.
const VERSION: u32 = 1 << 16;

impl<const FAULTY: bool> PairSnapshot<FAULTY> {
    /// Two numbers that are 1.
    pub fn new() -> Self {
        PairSnapshot { cells: [AtomicU32::new(1), AtomicU32::new(1)] }
    }

    /// Writes the cell 0 or 1.
    pub fn write(&self, cell: usize, value: u32) {
        assert!(value < VERSION, "values have to leave room for versions");
        if FAULTY {
            self.cells[cell].store(value, SeqCst);
            return;
        }
        let mut old = self.cells[cell].load(SeqCst);
        while let Err(found) = self.cells[cell].compare_exchange(old, next_version(old, value), SeqCst, SeqCst) {
            old = found;
        }
    }

    /// Reads both cells.
    pub fn read(&self) -> (u32, u32) {
        loop {
            let first = self.cells[0].load(SeqCst);
            let second = self.cells[1].load(SeqCst);
            if first == self.cells[0].load(SeqCst) {
                return (first % VERSION, second % VERSION);
            }
        }
    }
}

fn next_version(old: u32, value: u32) -> u32 {
    (old - old % VERSION).wrapping_add(VERSION) + value
}

impl<const FAULTY: bool> Default for PairSnapshot<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

//! Two cells that are read together.

use linchpin::{Argument, Value};
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

/// One of the two, called 0 and 1 in clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// The one that is read first.
    First,
    /// The one that is read second.
    Second,
}

impl Argument for Cell {
    fn domain(most: usize) -> Vec<Value> {
        [0, 1].into_iter().take(most).map(Value::Integer).collect()
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value.as_integer()? {
            0 => Some(Cell::First),
            1 => Some(Cell::Second),
            _ => None,
        }
    }

    fn source(value: &Value) -> Option<String> {
        Self::from_value(value).map(|cell| format!("linchpin_zoo::Cell::{cell:?}"))
    }
}

/// What is added to a cell to make its version grow.
const VERSION: u32 = 1 << 16;

impl<const FAULTY: bool> PairSnapshot<FAULTY> {
    /// Two numbers that are 1.
    pub fn new() -> Self {
        PairSnapshot { cells: [AtomicU32::new(1), AtomicU32::new(1)] }
    }

    /// Writes one cell.
    pub fn write(&self, cell: Cell, value: u32) {
        let cell = &self.cells[cell as usize];
        assert!(value < VERSION, "values have to leave room for versions");
        if FAULTY {
            cell.store(value, SeqCst);
            return;
        }
        let mut old = cell.load(SeqCst);
        while let Err(found) = cell.compare_exchange(old, next_version(old, value), SeqCst, SeqCst) {
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

//! The frontier of a history whose order the caller gave.

use linchpin_model::OperationId;

use super::Frontier;

/// Which operations are in order, as a set of all of them: such histories come from small tests.
pub(crate) struct PartialOrder {
    /// How many operations that have to come before each one are not in order yet.
    waiting_for: Vec<u32>,
    after: Vec<Vec<u32>>,
    placed: Box<[u64]>,
    /// How many operations that returned are not in order yet.
    left: u32,
    returned: Vec<bool>,
}

impl PartialOrder {
    pub(crate) fn new(returned: Vec<bool>, pairs: &[(OperationId, OperationId)]) -> Self {
        let mut waiting_for = vec![0; returned.len()];
        let mut after = vec![Vec::new(); returned.len()];
        for &(a, b) in pairs {
            waiting_for[b.index()] += 1;
            after[a.index()].push(b.0);
        }
        let left = returned.iter().filter(|&&returned| returned).count() as u32;
        PartialOrder { waiting_for, after, placed: vec![0; returned.len().div_ceil(64)].into(), left, returned }
    }

    fn is_placed(&self, operation: u32) -> bool {
        self.placed[operation as usize / 64] >> (operation % 64) & 1 == 1
    }

    fn flip(&mut self, operation: u32) {
        self.placed[operation as usize / 64] ^= 1 << (operation % 64);
    }
}

impl Frontier for PartialOrder {
    type Key = Box<[u64]>;

    fn candidates(&mut self, next: &mut Vec<u32>) {
        let free = |&operation: &u32| self.waiting_for[operation as usize] == 0 && !self.is_placed(operation);
        next.extend((0..self.waiting_for.len() as u32).rev().filter(free));
    }

    fn place(&mut self, operation: u32) {
        self.flip(operation);
        self.left -= u32::from(self.returned[operation as usize]);
        for &later in &self.after[operation as usize] {
            self.waiting_for[later as usize] -= 1;
        }
    }

    fn take_back(&mut self, operation: u32, _before: &Self::Key) {
        self.flip(operation);
        self.left += u32::from(self.returned[operation as usize]);
        for &later in &self.after[operation as usize] {
            self.waiting_for[later as usize] += 1;
        }
    }

    fn key(&self) -> Self::Key {
        self.placed.clone()
    }

    fn key_bytes(&self) -> usize {
        self.placed.len() * 8
    }

    fn is_complete(&self) -> bool {
        self.left == 0
    }

    /// There are no returns in time.
    fn deadline(&self) -> u32 {
        0
    }

    /// There are no returns in time; the number of operations in order serves to tell which dead end was deepest.
    fn position(&self) -> u32 {
        self.placed.iter().map(|word| word.count_ones()).sum()
    }
}

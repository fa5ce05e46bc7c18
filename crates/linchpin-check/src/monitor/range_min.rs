//! The smallest of a range of ranks, while ranks are struck off.

use std::ops::Range;

/// A rank that has been struck off, or was never there.
const NONE: u32 = u32::MAX;

/// A tournament of distinct ranks.
pub(super) struct RangeMin {
    /// The children of `i` are `2i` and `2i + 1`; the leaves are the second half.
    tree: Vec<u32>,
}

impl RangeMin {
    pub(super) fn new(ranks: impl ExactSizeIterator<Item = u32>) -> Self {
        let leaves = ranks.len();
        let mut tree = vec![NONE; leaves];
        tree.extend(ranks);
        for i in (1..leaves).rev() {
            tree[i] = tree[2 * i].min(tree[2 * i + 1]);
        }
        RangeMin { tree }
    }

    /// The smallest rank that is left in a range of positions.
    pub(super) fn smallest(&self, range: &Range<usize>) -> Option<u32> {
        let leaves = self.tree.len() / 2;
        let (mut low, mut high) = (range.start + leaves, range.end + leaves);
        let mut smallest = NONE;
        while low < high {
            if low % 2 == 1 {
                smallest = smallest.min(self.tree[low]);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                smallest = smallest.min(self.tree[high]);
            }
            low /= 2;
            high /= 2;
        }
        (smallest != NONE).then_some(smallest)
    }

    /// Strikes off the rank at a position.
    pub(super) fn strike(&mut self, position: usize) {
        let mut at = position + self.tree.len() / 2;
        let struck = std::mem::replace(&mut self.tree[at], NONE);
        // Only where it was the smallest, something changes.
        while at > 1 && self.tree[at / 2] == struck {
            at /= 2;
            self.tree[at] = self.tree[2 * at].min(self.tree[2 * at + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_is_the_smallest_that_is_left() {
        let ranks = [3, 1, 4, 0, 5, 2];
        let mut tree = RangeMin::new(ranks.iter().copied());
        assert_eq!(tree.smallest(&(0..6)), Some(0));
        assert_eq!(tree.smallest(&(4..6)), Some(2));
        assert_eq!(tree.smallest(&(2..2)), None);
        tree.strike(3);
        assert_eq!(tree.smallest(&(2..6)), Some(2));
        tree.strike(2);
        assert_eq!(tree.smallest(&(2..4)), None);
    }

    #[test]
    fn nothing_is_left_of_nothing() {
        assert_eq!(RangeMin::new(std::iter::empty()).smallest(&(0..0)), None);
    }
}

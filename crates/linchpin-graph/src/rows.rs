//! Rows: sets of events that are closed under program order, as one counter per thread.
//!
//! A row says of each thread how many of its events are in the set. Rows live in one flat vector and are only ever
//! appended, in the order of the events that made them, so that taking an event back is a truncation. Events share
//! rows: a row is made only when an event learns something, and a thread's own past is left out of its rows because
//! every event knows that anyway.

use crate::event::ThreadId;

/// Counters come in groups of this many so that joins compile to vector instructions.
pub(crate) const LANES: usize = 4;

/// A row of [`Rows`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowId(pub(crate) u32);

impl RowId {
    /// The empty set.
    pub const EMPTY: RowId = RowId(0);
}

/// All rows of an execution.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Groups of counters per row, at least one: with as many counters as there are threads, or more.
    width: usize,
    /// Number of rows; kept, since a division per event would show.
    len: u32,
    groups: Vec<[u32; LANES]>,
}

impl Default for Rows {
    fn default() -> Self {
        Rows { width: 1, len: 1, groups: vec![[0; LANES]] }
    }
}

impl Rows {
    /// Number of rows.
    #[inline]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Forgets all rows from `len` on.
    #[inline]
    pub fn truncate(&mut self, len: u32) {
        self.len = len;
        self.groups.truncate(len as usize * self.width);
    }

    /// Becomes the first `len` rows of `other`, reusing its buffer.
    pub fn copy_first(&mut self, other: &Rows, len: u32) {
        self.width = other.width;
        self.len = len;
        self.groups.clear();
        self.groups.extend_from_slice(&other.groups[..len as usize * other.width]);
    }

    /// A new row equal to `row` of `other`, which has as many counters per row.
    #[inline]
    pub fn add_from(&mut self, other: &Rows, row: RowId) -> RowId {
        let start = other.start(row);
        self.groups.extend_from_slice(&other.groups[start..start + other.width]);
        self.len += 1;
        RowId(self.len - 1)
    }

    /// Makes room for `threads` threads.
    pub fn widen(&mut self, threads: usize) {
        if threads <= self.width * LANES {
            return;
        }
        let width = threads.div_ceil(LANES).max(self.width * 2);
        let mut groups = vec![[0; LANES]; self.len() as usize * width];
        for (new, old) in groups.chunks_exact_mut(width).zip(self.groups.chunks_exact(self.width)) {
            new[..self.width].copy_from_slice(old);
        }
        *self = Rows { width, len: self.len, groups };
    }

    /// Where `row` begins.
    #[inline]
    fn start(&self, row: RowId) -> usize {
        row.0 as usize * self.width
    }

    /// How many events of `thread` are in `row`.
    #[inline]
    pub fn count(&self, row: RowId, thread: ThreadId) -> u32 {
        self.groups.as_flattened()[self.start(row) * LANES + thread.at()]
    }

    /// The counters of `row`.
    #[inline]
    pub fn row(&self, row: RowId) -> &[u32] {
        let start = self.start(row);
        self.groups[start..start + self.width].as_flattened()
    }

    /// A new row equal to `row`.
    #[inline]
    pub fn copy(&mut self, row: RowId) -> RowId {
        self.union(row, row)
    }

    /// A new row with all of `left` and `right`.
    #[inline(always)]
    pub fn union(&mut self, left: RowId, right: RowId) -> RowId {
        match self.width {
            // Most tests have few threads, and this is done for most reads.
            1 => self.groups.push(maxima(self.groups[left.0 as usize], self.groups[right.0 as usize])),
            _ => self.push_union(left, right),
        }
        self.len += 1;
        RowId(self.len - 1)
    }

    /// A new row with all of `left` and `right`, and the first `count` events of `thread`.
    #[inline(always)]
    pub fn union_and(&mut self, left: RowId, right: RowId, thread: ThreadId, count: u32) -> RowId {
        if self.width == 1 {
            // All in registers: who stores four counters, changes one of them there and loads the four again waits for the memory.
            let more = std::array::from_fn(|lane| if lane as u32 == thread.0 { count } else { 0 });
            let both = maxima(self.groups[left.0 as usize], self.groups[right.0 as usize]);
            self.groups.push(maxima(both, more));
            self.len += 1;
            return RowId(self.len - 1);
        }
        let row = self.union(left, right);
        self.raise(row, thread, count);
        row
    }

    #[inline(never)]
    fn push_union(&mut self, left: RowId, right: RowId) {
        let (left, right) = (self.start(left), self.start(right));
        for group in 0..self.width {
            self.groups.push(maxima(self.groups[left + group], self.groups[right + group]));
        }
    }

    /// Adds the first `count` events of `thread` to `row`.
    #[inline]
    pub fn raise(&mut self, row: RowId, thread: ThreadId, count: u32) {
        let start = self.start(row);
        let counter = &mut self.groups.as_flattened_mut()[start * LANES + thread.at()];
        *counter = (*counter).max(count);
    }

    /// Adds all of `from` to `into`.
    #[inline]
    pub fn join(&mut self, into: RowId, from: RowId) {
        let (into, from) = (self.start(into), self.start(from));
        for group in 0..self.width {
            self.groups[into + group] = maxima(self.groups[into + group], self.groups[from + group]);
        }
    }

    /// Is all of `inner` in `outer`?
    #[inline]
    pub fn is_subset(&self, inner: RowId, outer: RowId) -> bool {
        inner == outer || self.row(inner).iter().zip(self.row(outer)).all(|(a, b)| a <= b)
    }
}

/// The greater one of each two counters.
#[inline]
fn maxima(left: [u32; LANES], right: [u32; LANES]) -> [u32; LANES] {
    std::array::from_fn(|lane| left[lane].max(right[lane]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_is_the_union_whatever_the_order_of_the_rows() {
        let mut rows = Rows::default();
        let a = rows.copy(RowId::EMPTY);
        rows.raise(a, ThreadId(0), 3);
        let b = rows.copy(RowId::EMPTY);
        rows.raise(b, ThreadId(1), 5);
        rows.raise(b, ThreadId(0), 1);
        rows.join(a, b);
        assert_eq!(&rows.row(a)[..2], [3, 5]);
        rows.join(b, a);
        assert_eq!(&rows.row(b)[..2], [3, 5]);
        assert!(rows.is_subset(a, b) && rows.is_subset(b, a));
    }

    #[test]
    fn what_a_row_learns_is_added_to_the_union_whatever_its_width() {
        for threads in [LANES as u32, 3 * LANES as u32] {
            let mut rows = Rows::default();
            rows.widen(threads as usize);
            for thread in (0..threads).map(ThreadId) {
                for count in [1, 4, 9] {
                    let a = rows.copy(RowId::EMPTY);
                    rows.raise(a, thread, 3);
                    rows.raise(a, ThreadId(1), 2);
                    let b = rows.copy(RowId::EMPTY);
                    rows.raise(b, ThreadId(0), 5);
                    let learned = rows.union_and(a, b, thread, count);
                    let expected = rows.union(a, b);
                    rows.raise(expected, thread, count);
                    assert_eq!(rows.row(learned), rows.row(expected));
                }
            }
        }
    }

    #[test]
    fn widening_keeps_every_counter() {
        let mut rows = Rows::default();
        let a = rows.copy(RowId::EMPTY);
        let last = ThreadId(LANES as u32 - 1);
        rows.raise(a, last, 9);
        rows.widen(20);
        assert_eq!(rows.count(a, last), 9);
        assert_eq!(rows.count(a, ThreadId(19)), 0);
        assert_eq!(rows.len(), 2);
    }
}

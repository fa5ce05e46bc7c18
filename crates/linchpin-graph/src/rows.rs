//! Rows: sets of events that are closed under program order, as one counter per thread.
//!
//! A row says of each thread how many of its events are in the set. Rows live in one flat vector and are only ever
//! appended, in the order of the events that made them, so that taking an event back is a truncation. Events share
//! rows: a row is made only when an event learns something, and a thread's own past is left out of its rows because
//! every event knows that anyway.

use crate::event::ThreadId;

/// Counters come in lanes of this many so that joins compile to vector instructions.
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
    /// Counters per row: a multiple of [`LANES`], at least the number of threads.
    stride: usize,
    /// Number of rows; kept, since a division per event would show.
    len: u32,
    counters: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        Rows { stride: LANES, len: 1, counters: vec![0; LANES] }
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
        self.counters.truncate(len as usize * self.stride);
    }

    /// Becomes the first `len` rows of `other`, reusing its buffer.
    pub fn copy_first(&mut self, other: &Rows, len: u32) {
        self.stride = other.stride;
        self.len = len;
        self.counters.clear();
        self.counters.extend_from_slice(&other.counters[..len as usize * other.stride]);
    }

    /// A new row equal to `row` of `other`, which has as many counters per row.
    #[inline]
    pub fn add_from(&mut self, other: &Rows, row: RowId) -> RowId {
        let start = row.0 as usize * other.stride;
        for lanes in (0..other.stride).step_by(LANES) {
            self.counters.extend_from_slice(&other.lanes(start + lanes));
        }
        self.len += 1;
        RowId(self.len - 1)
    }

    /// Makes room for `threads` threads.
    pub fn widen(&mut self, threads: usize) {
        if threads <= self.stride {
            return;
        }
        let stride = threads.next_multiple_of(LANES).max(self.stride * 2);
        let mut counters = vec![0; self.len() as usize * stride];
        for (new, old) in counters.chunks_exact_mut(stride).zip(self.counters.chunks_exact(self.stride)) {
            new[..self.stride].copy_from_slice(old);
        }
        *self = Rows { stride, len: self.len, counters };
    }

    /// How many events of `thread` are in `row`.
    #[inline]
    pub fn count(&self, row: RowId, thread: ThreadId) -> u32 {
        self.counters[row.0 as usize * self.stride + thread.at()]
    }

    /// The counters of `row`.
    #[inline]
    pub fn row(&self, row: RowId) -> &[u32] {
        let start = row.0 as usize * self.stride;
        &self.counters[start..start + self.stride]
    }

    /// A new row equal to `row`.
    #[inline]
    pub fn copy(&mut self, row: RowId) -> RowId {
        self.union(row, row)
    }

    /// A new row with all of `left` and `right`.
    #[inline(always)]
    pub fn union(&mut self, left: RowId, right: RowId) -> RowId {
        let (left, right) = (left.0 as usize * self.stride, right.0 as usize * self.stride);
        for lanes in (0..self.stride).step_by(LANES) {
            let left: [u32; LANES] = self.lanes(left + lanes);
            let right = self.lanes(right + lanes);
            self.counters.extend_from_slice(&std::array::from_fn::<u32, LANES, _>(|lane| left[lane].max(right[lane])));
        }
        self.len += 1;
        RowId(self.len - 1)
    }

    #[inline]
    fn lanes(&self, at: usize) -> [u32; LANES] {
        *self.counters[at..].first_chunk().expect("rows are made of whole lanes")
    }

    /// Adds the first `count` events of `thread` to `row`.
    #[inline]
    pub fn raise(&mut self, row: RowId, thread: ThreadId, count: u32) {
        let counter = &mut self.counters[row.0 as usize * self.stride + thread.at()];
        *counter = (*counter).max(count);
    }

    /// Adds all of `from` to `into`.
    #[inline]
    pub fn join(&mut self, into: RowId, from: RowId) {
        if into == from {
            return;
        }
        let (into, from) = (into.0 as usize * self.stride, from.0 as usize * self.stride);
        let (target, source) = if into < from {
            let (low, high) = self.counters.split_at_mut(from);
            (&mut low[into..into + self.stride], &high[..self.stride])
        } else {
            let (low, high) = self.counters.split_at_mut(into);
            (&mut high[..self.stride], &low[from..from + self.stride])
        };
        for (target, source) in target.chunks_exact_mut(LANES).zip(source.chunks_exact(LANES)) {
            for lane in 0..LANES {
                target[lane] = target[lane].max(source[lane]);
            }
        }
    }

    /// Is all of `inner` in `outer`?
    #[inline]
    pub fn is_subset(&self, inner: RowId, outer: RowId) -> bool {
        inner == outer || self.row(inner).iter().zip(self.row(outer)).all(|(a, b)| a <= b)
    }
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

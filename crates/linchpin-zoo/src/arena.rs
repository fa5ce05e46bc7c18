//! Nodes that are never freed, as under a garbage collector whose work nobody sees.

use std::ops::Index;

use linchpin_sync::sync::atomic::AtomicUsize;
use linchpin_sync::sync::atomic::Ordering::SeqCst;

/// The index that no node has.
pub(crate) const NULL: usize = 0;

/// How many nodes an object may have, [`NULL`] included: enough for any client that can be explored.
pub(crate) const CAPACITY: usize = 16;

/// Nodes by index. An index is given out once, so nothing is ever reused behind somebody's back.
pub(crate) struct Arena<N> {
    nodes: Box<[N]>,
    /// The first index that has not been given out.
    next: AtomicUsize,
}

impl<N: Default> Arena<N> {
    /// An arena in which `initial` nodes have the indices from 1 on.
    pub fn new(initial: impl IntoIterator<Item = N>) -> Self {
        let mut nodes = vec![N::default()];
        nodes.extend(initial);
        let next = AtomicUsize::new(nodes.len());
        nodes.resize_with(CAPACITY, N::default);
        Arena { nodes: nodes.into(), next }
    }

    /// The index of a node that nobody else has.
    ///
    /// # Panics
    /// If there is none left.
    pub fn allocate(&self) -> usize {
        let index = self.next.fetch_add(1, SeqCst);
        assert!(index < CAPACITY, "an object of the zoo has {CAPACITY} nodes, and this client needs more");
        index
    }
}

impl<N> Index<usize> for Arena<N> {
    type Output = N;

    fn index(&self, index: usize) -> &N {
        debug_assert_ne!(index, NULL, "null has no fields");
        &self.nodes[index]
    }
}

//! The boundary between what has been put in order and what has not.

use std::hash::Hash;

/// Which operations have been put in order. Operations are numbers from 0.
pub(crate) trait Frontier {
    /// The same set of operations has the same key, and the other way round.
    type Key: Clone + Eq + Hash;

    /// Adds to `next` the operations that may come next: everything that must come before them is in order. Those
    /// that should be tried first come last. Operations that may wait because another one is just as good are left
    /// out.
    fn candidates(&mut self, next: &mut Vec<u32>);

    /// Puts an operation in order.
    fn place(&mut self, operation: u32);

    /// Takes the operation out that was put in order last; `before` is the key of then.
    fn take_back(&mut self, operation: u32, before: &Self::Key);

    /// The set of operations in order, as a value.
    fn key(&self) -> Self::Key;

    /// How many bytes a key takes besides its own size.
    fn key_bytes(&self) -> usize;

    /// Are all operations in order that have to be?
    fn is_complete(&self) -> bool;

    /// The rank of the earliest return of an operation that is not in order.
    fn deadline(&self) -> u32;

    /// How far the search has come: the number of returns, in the order of time, up to which everything is in order.
    fn position(&self) -> u32;
}

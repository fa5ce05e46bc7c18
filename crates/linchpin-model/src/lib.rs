//! The vocabulary that all of Linchpin shares, as plain values.
//!
//! Nothing here runs, prints or keeps state: a stage of the pipeline takes such values and returns others.

mod coverage;
mod memory;

pub use coverage::{Assumption, Bound, Coverage};
pub use memory::{MemoryModel, Order};

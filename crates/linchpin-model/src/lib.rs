//! The vocabulary that all of Linchpin shares, as plain values.
//!
//! Nothing here runs, prints or keeps state: a stage of the pipeline takes such values and returns others.

mod coverage;
mod history;
mod memory;
mod specification;
mod value;

pub use coverage::{Assumption, Bound, Coverage};
pub use history::{History, Interval, Operation, OperationId, Time};
pub use memory::{MemoryModel, Order};
pub use specification::{Kind, Role, Specification};
pub use value::Value;

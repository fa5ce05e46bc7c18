//! The vocabulary that all of Linchpin shares, as plain values.
//!
//! Nothing here runs, prints or keeps state: a stage of the pipeline takes such values and returns others.

mod any_object;
mod argument;
mod client;
mod consistency;
mod coverage;
mod history;
mod memory;
mod object;
mod script;
mod source;
mod specification;
mod splitmix;
mod state;
mod value;

pub use any_object::{AnyInstance, AnyObject};
pub use argument::{Argument, Comparable};
pub use client::{Client, Invocation, Outcome};
pub use consistency::Consistency;
pub use coverage::{Assumption, Bound, Coverage};
pub use history::{History, Interval, Operation, OperationId, Time};
pub use memory::{MemoryModel, Order};
pub use object::{Object, ObjectArgument, ObjectOperation, SequentialRun};
pub use script::{Script, Step};
pub use source::{ObjectSource, OperationSource};
pub use specification::{Kind, Role, Specification};
pub use splitmix::SplitMix;
pub use state::State;
pub use value::Value;

//! Decides whether a [`History`](linchpin_model::History) is linearizable with respect to a
//! [`Specification`](linchpin_model::Specification), and says why or why not. For executions under a weak memory model there are
//! [`contracts`].

mod check;
pub mod contracts;
mod decide;
mod limits;
mod monitor;
mod numbers;
mod part;
mod prefix;
mod queue_pairs;
mod reduce;
mod search;
mod sentence;
pub mod specs;
mod verdict;
mod verify;

pub use check::{check, is_linearizable};
pub use limits::Limits;
pub use prefix::{Partial, partial_linearizations, prefix, witnesses_of_prefixes};
pub use verdict::{Contradiction, Evidence, Unknown, Verdict, Witness};
pub use verify::{Fault, verify};

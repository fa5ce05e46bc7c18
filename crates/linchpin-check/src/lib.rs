//! Decides whether a [`History`](linchpin_model::History) is linearizable with respect to a
//! [`Specification`](linchpin_model::Specification), and says why or why not.

mod limits;
mod monitor;
mod sentence;
mod verdict;

pub use limits::Limits;
pub use verdict::{Contradiction, Evidence, Unknown, Verdict, Witness};

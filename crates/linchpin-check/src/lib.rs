//! Decides whether a [`History`](linchpin_model::History) is linearizable with respect to a
//! [`Specification`](linchpin_model::Specification), and says why or why not.

mod check;
mod limits;
mod monitor;
pub mod specs;
mod verdict;

pub use check::{Fault, check, verify};
pub use limits::Limits;
pub use verdict::{Contradiction, Evidence, Unknown, Verdict, Witness};

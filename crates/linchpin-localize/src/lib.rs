//! From a failing client to the smallest one that fails, and to the lines that are to blame.
//!
//! Everything here is a function over plain values; whoever calls says how a client is decided.
//!
//! - [`minimize`]: the smallest client that still fails; [`one_against_one`] where that is not small enough; [`reading`] where several are.
//! - [`eliminate`]: which sections of the code would have to be atomic for the failing executions to be impossible, after
//!   "Root Causing Linearizability Violations" (Çirisci, Enea, Farzan, Mutluergil, CAV 2020).
//! - [`tree`]: at which points of an interleaving which thread's win decided between right and wrong, after "Interleaving-tree
//!   Based Fine-grained Linearizability Fault Localization" (Chen, Zhang, Wu, Zhang, SETTA 2018).

pub mod eliminate;
mod explanation;
mod minimize;
mod pairs;
mod reading;
mod sequential;
mod trace;
pub mod tree;

pub use explanation::{Explanation, Explored, Races, Ranking, Verification, Weak};
pub use minimize::{Answer, Effort, Minimum, Stage, minimize};
pub use pairs::{one_against_one, one_against_one_with_less};
pub use reading::{Reading, reading};
pub use sequential::{NotSequential, in_sequence};
pub use trace::{Access, Accesses, Marked, Operation, Place, Trace};

//! Contracts: what the operations of an object may return under a weak memory model.
//!
//! Source: Ou and Demsky, *Checking Concurrent Data Structures Under the C/C++11 Memory Model* (PPoPP 2017). An execution of
//! an object is a set of calls and an order r on them, which comes from the ordering points that the implementation
//! marks ([`CallOrder`]). The object conforms to its [`Contract`] if every valid sequential history, that is every order of
//! the calls that respects r, satisfies the preconditions and postconditions (Definitions 2, 5 and 6), and if every call
//! that may return several things is justified by some order of the calls before it in r, or by those concurrent with it
//! (Definitions 3 and 4). All that holds for admissible executions (Definition 1); the others are reported as such.
//!
//! Objects are checked one by one. By the paper's Theorem 1 nothing is lost by that: every history of the calls of one object
//! extends to one of all calls, and justifications look at one object only.
//!
//! Deviations. r is closed transitively, and a cycle in it, which several ordering points per call can make, is an error of
//! its own: the paper's tool sorts topologically and does not say. As in that tool, the calls of a justifying subhistory only
//! have their side effects; whether they are justified themselves is asked for each on its own, and so for all.

mod call;
mod check;
mod contract;
mod order;
mod set;
mod verdict;

pub use call::{Call, Observed};
pub use check::Histories;
pub use contract::Contract;
pub use order::CallOrder;
pub use set::Contracts;
pub use verdict::{Breach, Clause, Conformance, Inadmissible};

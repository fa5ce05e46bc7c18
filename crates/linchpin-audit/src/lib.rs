//! Memory orders on trial: [`audit`] weakens one at a time, [`weakest`] as many as possible, [`repair`] strengthens as few as it can.
//!
//! None of them knows what a test is. They are given the accesses that tests reach ([`Accesses`]) and a function that runs
//! the tests with other [`Orders`] and says what came of it ([`Trial`]).
//!
//! A verdict is about those tests: an order that they do not need may be needed by others.

mod access;
mod audit;
mod repair;
mod source;
mod strength;
mod trial;
mod weakest;

pub use access::{Access, Accesses, Half};
pub use audit::{Audit, Need, Row, audit};
pub use linchpin_engine::Orders;
pub use repair::{Repair, Repairs, repair};
pub use source::{Mention, mentions};
pub use strength::{cost_of, stronger, weaker};
pub use trial::{Failure, Trial};
pub use weakest::{Weakest, weakest};

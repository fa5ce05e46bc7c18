//! Which graphs the memory models admit.

mod agreed;
mod c11;
mod check;
mod relation;
pub(crate) mod sc;

pub use agreed::ScOrder;
pub use check::Inconsistency;

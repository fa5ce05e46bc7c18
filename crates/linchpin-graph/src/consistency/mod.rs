//! Which graphs the memory models admit.

mod c11;
mod check;
mod relation;
pub(crate) mod sc;

pub use check::Inconsistency;

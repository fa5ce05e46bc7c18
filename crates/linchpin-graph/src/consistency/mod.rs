//! Which graphs the memory models admit.

pub(crate) mod c11;
pub(crate) mod sc;

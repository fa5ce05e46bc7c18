//! The general decision: is there an order of the operations that the specification admits?
//!
//! A depth-first search over *configurations*: which operations have been put in order so far, and the state that
//! they leave behind (Wing and Gong 1993). A configuration that was met before leads nowhere new (Lowe 2017). What is
//! ours:
//!
//! - What has been put in order is remembered as a position and a mask over the operations that were open there, not
//!   as a set of all operations, and states are numbers: a configuration takes a few words ([`intervals`]).
//! - An operation that leaves every state as it is goes into the order as soon as its result fits. Nothing is lost:
//!   wherever it came later, it can come now.
//! - Of two operations that are called alike, return alike, and of which one neither was called nor returned later
//!   than the other, that one goes first. Nothing is lost: wherever they came the other way round, they can be
//!   swapped. So ten crashed writes of the same value are one choice, not 2^10.
//!
//! The search sees the specification only through [`steps`], and the order only through a [`Frontier`].

mod frontier;
mod intervals;
mod partial_order;
mod steps;
mod walk;

pub(crate) use frontier::Frontier;
pub(crate) use intervals::{Intervals, Layout, Mask, Span};
pub(crate) use partial_order::PartialOrder;
pub(crate) use steps::{Call, Steps, Transitions};
pub(crate) use walk::{Found, Keep, STATES_KEPT, Stuck, walk};

/// When a pending operation returns.
pub(crate) const NEVER: u32 = u32::MAX;

//! The programs that are explored: described once, written once, compiled against each tool.

mod catalogue;
pub(crate) mod on_linchpin;
pub(crate) mod on_loom;
pub(crate) mod on_shuttle;
mod program;

pub(crate) use catalogue::CATALOGUE;
pub(crate) use program::{Fault, Program, Shape, Strength};

//! The programs that are explored: described once, written once, compiled against each tool.

pub(crate) mod on_linchpin;
pub(crate) mod on_loom;
pub(crate) mod on_shuttle;
mod program;

pub(crate) use program::{Program, Shape, Strength};

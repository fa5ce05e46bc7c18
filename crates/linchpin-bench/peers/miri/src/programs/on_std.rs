//! The programs on std.

mod tool {
    pub(super) use std::sync::{Arc, Mutex, atomic};
    pub(super) use std::thread;
}

#[path = "../../../../src/programs/bodies.rs"]
mod bodies;

pub(crate) use bodies::run;

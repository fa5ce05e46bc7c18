//! The programs on linchpin.

mod tool {
    pub(super) use linchpin::sync::{Arc, Mutex, atomic};
    pub(super) use linchpin::thread;
}

#[allow(clippy::duplicate_mod, reason = "one text for three tools")]
#[path = "bodies.rs"]
mod bodies;

pub(crate) use bodies::{Stack, run};

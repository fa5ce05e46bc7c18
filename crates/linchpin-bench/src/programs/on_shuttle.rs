//! The programs on shuttle.

mod tool {
    pub(super) use shuttle::sync::{Arc, Mutex, atomic};
    pub(super) use shuttle::thread;
}

#[allow(clippy::duplicate_mod, reason = "one text for three tools")]
#[path = "bodies.rs"]
mod bodies;

pub(crate) use bodies::run;

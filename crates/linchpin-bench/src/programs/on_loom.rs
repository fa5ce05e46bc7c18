//! The programs on loom. With `std`'s `Arc`, of which loom explores nothing: its best case.

mod tool {
    pub(super) use std::sync::Arc;

    pub(super) use loom::sync::{Mutex, atomic};
    pub(super) use loom::thread;
}

#[allow(clippy::duplicate_mod, reason = "one text for three tools")]
#[path = "bodies.rs"]
mod bodies;

pub(crate) use bodies::run;

//! Code that was written for `std` works as it is.

#[path = "../common/mod.rs"]
mod common;

mod locals;
mod memory;
mod outside;
mod ownership;
mod panics;
mod threads;

use common::{MODELS, executions, under};

/// Explores under both models; there must be so many executions, all fine.
#[track_caller]
fn explores(expected: u64, test: impl Fn() + Send + Sync + Copy + 'static) {
    for model in MODELS {
        assert_eq!(executions(&under(model), test), expected, "{model:?}");
    }
}

//! Runs user code: model threads as coroutines, their memory, and the engine's side of every access.

mod access;
mod allocator;
pub(crate) mod alone;
mod blocks;
pub(crate) mod context;
mod crash;
mod divert;
mod end;
pub(crate) mod lane;
mod life;
mod memory;
pub(crate) mod outliving;
mod panics;
mod read;
mod rerun;
pub(crate) mod sample;
pub(crate) mod sampler;
mod schedule;
mod script;
mod switch;
pub(crate) mod thread;
mod turn;
pub(crate) mod watchdog;
mod write;

pub use allocator::Allocator;

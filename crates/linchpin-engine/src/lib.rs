//! The engine: runs a Rust test through every execution that a memory model allows, each exactly once.

mod config;
mod cross_check;
mod explore;
mod exploration;
mod loops;
pub mod rt;
mod runtime;
mod violation;

pub use config::{Config, Findings, LoopReduction};
#[doc(hidden)]
pub use config::Mutation;
pub use exploration::{Exploration, Hooks, Progress, explore, explore_with};
pub use runtime::Allocator;
pub use violation::{Violation, ViolationKind, WaitReason, Waiting};

//! The engine: runs a Rust test through every execution that a memory model allows, each exactly once; or through
//! some of them, at random.

mod call;
mod config;
mod cross_check;
mod exploration;
mod explore;
mod loops;
mod orders;
mod replay;
pub mod rt;
mod runtime;
mod sampling;
mod stack;
mod violation;

pub use call::{Call, Judge, Point, Target};
#[doc(hidden)]
pub use config::Mutation;
pub use config::{Config, Findings, LoopReduction};
pub use exploration::{Exploration, Hooks, Progress, explore, explore_with, replay, replay_with};
pub use orders::{Change, Orders, Place, has_order};
pub use replay::{Origin, ParseReplayError, Replay, ReplayDiverged};
pub use runtime::Allocator;
pub use sampling::{
    Found, Guide, Reuse, RunJudge, SURVEY, Sampled, Sampling, SamplingHooks, Strategy, Turn, TurnsHook, Unit, sample,
    sample_with,
};
pub use stack::{CallStack, Frame};
pub use violation::{Crash, Violation, ViolationKind, WaitReason, Waiting};

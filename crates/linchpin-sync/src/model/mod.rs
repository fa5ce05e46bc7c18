//! With the feature `model`: the types that reach the engine.
//!
//! Every type asks [`rt::active`](linchpin_engine::rt::active) where it stands. Atomics hold the atomic of `std` and
//! use it when they are not in an execution. All that blocks is built from [`word::Word`], which carries out the same
//! requests in an execution and outside; so the locks, channels and parking in this folder are written once, and
//! their tests outside executions test what executions run.
//!
//! An execution may be abandoned at any call of the engine, without unwinding. Nothing here therefore holds a lock of
//! `std` across such a call.

mod atomic;
mod barrier;
mod condvar;
mod handle;
mod hold;
mod lazy;
mod local;
mod mpsc;
mod mutex;
mod once;
mod owner;
mod rwlock;
mod scope;
mod spawn;
mod word;

pub mod hint;
pub mod sync;
pub mod thread;

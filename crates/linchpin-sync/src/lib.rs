//! A drop-in for `std`'s concurrency: import [`sync`], [`thread`], [`cell`], [`hint`] and [`thread_local!`] from here
//! instead of from `std`.
//!
//! - Without the feature `model` this is `std`: re-exports, no dependency, no cost. Added are only
//!   [`cell::UnsafeCell`] with its methods `with` and `with_mut`, `thread::spawn_symmetric`, and the functions of [`point`],
//!   which are empty.
//! - With the feature `model`, which the `linchpin` crate enables, the same names are types of this crate. Code that
//!   runs in an execution of the engine reaches the engine through them; code that runs anywhere else finds that they
//!   work as `std`'s do.
//!
//! What is modelled is plain memory: the types work in statics, have `const` constructors, and may be made outside an
//! execution and used inside. The engine puts their state back after each execution, and with it the value of a lock, a
//! [`OnceLock`](sync::OnceLock) or a [`LazyLock`](sync::LazyLock), and the messages in a channel. It does not put back what
//! such a value points to: a vector in a `static` [`Mutex`](sync::Mutex) has its length and its buffer again, even if an
//! execution made it grow or dropped it, but an element that one execution changes is seen by the next.
//!
//! Not modelled: `Arc` and `Weak` are `std`'s, so which thread drops the last reference is not explored; time does
//! not pass in an execution, so whatever has a timeout is explored both with and without it running out.

pub mod cell;
pub mod point;

#[cfg(feature = "model")]
mod model;
#[cfg(feature = "model")]
pub use model::{hint, sync, thread};

#[cfg(not(feature = "model"))]
mod production;
#[cfg(not(feature = "model"))]
pub use production::{hint, sync, thread};
#[cfg(not(feature = "model"))]
pub use std::thread_local;

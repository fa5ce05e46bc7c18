//! From a failing client to the smallest one that fails, and to the lines that are to blame.
//!
//! Everything here is a function over plain values; whoever calls says how a client is decided.

mod minimize;

pub use minimize::{Answer, Minimum, Stage, minimize};

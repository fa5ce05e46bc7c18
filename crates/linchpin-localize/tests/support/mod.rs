//! Random traces, and naive algorithms.
#![allow(dead_code, reason = "each test uses a part")]

pub mod naive;
pub mod random;

/// The file in which all accesses are.
pub const FILE: &str = "object.rs";

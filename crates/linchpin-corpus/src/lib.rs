//! What Linchpin's explorer is tested with: litmus tests as data, a brute-force oracle, and random programs.
//!
//! Development only: nothing that users depend on may depend on this crate. The oracle shares no code with the
//! explorer, so that one cannot repeat the other's mistakes.

pub mod program;
pub mod text;

pub mod canon;
mod relation;

pub mod axioms;
pub mod oracle;

pub mod litmus;
pub mod prng;
pub mod random;
pub mod shrink;

pub mod run;

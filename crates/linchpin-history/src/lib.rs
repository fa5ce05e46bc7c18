//! Recorded histories: what files hold, and what they are checked against.

pub mod generate;
pub mod models;
mod recording;

pub use recording::{Call, Conventions, FailedCas, Initial, Layout, Lines, Recording};

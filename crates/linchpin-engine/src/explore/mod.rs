//! Exploration: every consistent execution graph exactly once.

pub(crate) mod choice;
pub(crate) mod explorer;
pub(crate) mod tasks;
pub(crate) mod worker;

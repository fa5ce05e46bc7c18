//! Commands as they are typed, on the zoo.

mod audit;
mod command;
mod failures;
mod interrupted;
mod objects;
mod reports;
mod typed;

/// A client that pops twice what was pushed once.
const TWICE: &str = "[push(1)] { pop() } || { pop() }";

//! Everything that blocks explores to the end, without hints beyond `spin_loop()`; and for each way to block there is
//! a broken use whose violation is found.

#[path = "../common/mod.rs"]
mod common;

mod barriers;
mod channels;
mod condition_variables;
mod initialisation;
mod parking;
mod readers_and_writers;
mod scopes;
mod spin_locks;

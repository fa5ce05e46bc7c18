//! What was found, shown to a person: [`report`] is a finding as plain data, from which [`text`] is made; [`dot`] is for drawings of executions, [`timeline`] for pictures of recorded histories.
//!
//! A rendering is a function of the value that it renders: nothing here runs, reads files or asks for the terminal.
//!
//! An execution is shown as *acts*, one per row: what a person counts as one thing that a thread did. A
//! read-modify-write is one act, although the graph holds its two halves.

mod acts;
pub mod dot;
mod escape;
pub mod html;
mod names;
mod order;
mod phrase;
mod picture;
pub mod report;
pub mod sarif;
pub mod text;
pub mod timeline;

pub use report::Report;

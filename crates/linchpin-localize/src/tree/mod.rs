//! The interleaving tree of a client, labelled, and the races in it that decide between right and wrong.
//!
//! Every node is a point of some interleavings, every edge a step of one thread, every leaf the end of an interleaving, which is
//! right or wrong. A node whose leaves are all right is white, one whose leaves are all wrong is black, and others are grey in
//! several shades ([`Label`]). Where a grey node has a child that is white or black, the race between its threads
//! decides something. The sequences of such races on the way to a wrong end are what is looked for ([`Sequence`]).
//!
//! Nothing is run to build the tree. A thread's steps depend only on what it has read, so all executions of the client
//! together say what each thread does next whatever it reads ([`Program`]), and with that the client can be simulated. Nodes
//! are merged when threads, memory and history agree: then they have the same future and the same labels. So the tree is
//! a graph without cycles, and its leaves are counted, not visited.

mod bits;
mod build;
mod folded;
mod label;
mod program;
mod sequences;
mod uninterrupted;

pub use build::{Judge, Options, Tree};
pub use folded::{Branch, Folded, FoldedPoint, FoldedStep};
pub use label::Label;
pub use program::{Called, Program};
pub use sequences::{Choice, Race, Sequence};

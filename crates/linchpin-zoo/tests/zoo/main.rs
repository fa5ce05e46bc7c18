//! The zoo: what each object does in which client, and what every part of Linchpin makes of it.

mod causes;
mod cds;
mod check;
mod common;
mod deques;
mod hunt;
mod interleavings;
mod labels;
mod lists;
mod maps;
mod minimum;
mod queues;
mod registry;
mod snapshots;
mod stacks;
mod twins;

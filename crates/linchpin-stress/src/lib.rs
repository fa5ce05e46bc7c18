//! Clients of objects on native threads, millions of times: which outcomes are seen, how often, and whether an order of the
//! invocations explains them.
//!
//! The code under test is unmodified: no type of Linchpin is needed. What is not seen may still happen, so a clean result
//! is no proof; what is seen did happen, on this machine, with this compiler.
//!
//! As jcstress does it for Java: threads start once, go over many instances in a batch and meet at a barrier that spins, so
//! that a run costs what its operations cost. See [`stress`].

mod barrier;
mod catch;
mod cores;
mod counts;
mod crew;
mod options;
mod padded;
mod plan;
mod stressed;
mod table;
mod watch;
mod worker;

pub use crew::stress;
pub use options::{Hooks, Options, Progress};
pub use stressed::{Ended, Frequency, Panic, Place, Seen, Stressed, Stuck};

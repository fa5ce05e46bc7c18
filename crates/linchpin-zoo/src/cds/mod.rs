//! The ten structures of the paper on CDSSpec (Ou and Demsky, PPoPP 2017) and its blocking queue, with their memory orders, their
//! ordering points, their contracts and unit tests.
//!
//! Each module has one structure, written after the description of the original, with `contract()` and the tests that show what its
//! orders are for. A comment `#3` behind an access numbers the paper's injections: the access with its order weakened by one
//! step. An access of order `AcqRel` has two: the first takes the acquire half away, the second the release half.
//!
//! Nodes are allocated where the originals allocate them, so that a node that is seen before it is published shows, and are
//! never freed.

mod link;
mod structure;

mod blocking_queue;
mod chase_lev;
mod hash_table;
mod mcs_lock;
mod mpmc_queue;
mod ms_queue;
mod rcu;
mod rw_lock;
mod seq_lock;
mod spsc_queue;
mod ticket_lock;

pub use blocking_queue::{BlockingQueue, deterministic_contract};
pub use chase_lev::ChaseLevDeque;
pub use hash_table::HashTable;
pub use mcs_lock::McsLock;
pub use mpmc_queue::MpmcQueue;
pub use ms_queue::MsQueue;
pub use rcu::Rcu;
pub use rw_lock::RwLock;
pub use seq_lock::SeqLock;
pub use spsc_queue::SpscQueue;
pub use structure::{Structure, Test};
pub use ticket_lock::TicketLock;

/// The blocking queue of the paper's Figure 2.
pub fn blocking_queue() -> Structure {
    blocking_queue::structure()
}

/// The ten structures, in the order of the paper's Figures 7 and 8.
pub fn structures() -> Vec<Structure> {
    vec![
        chase_lev::structure(),
        spsc_queue::structure(),
        rcu::structure(),
        hash_table::structure(),
        mcs_lock::structure(),
        mpmc_queue::structure(),
        ms_queue::structure(),
        rw_lock::structure(),
        seq_lock::structure(),
        ticket_lock::structure(),
    ]
}

/// The three known bugs of the paper's section 6.4.1: structures with one order that is too weak.
pub fn known_bugs() -> Vec<Structure> {
    vec![chase_lev::known_bug(), ms_queue::first_known_bug(), ms_queue::second_known_bug()]
}

/// The deque as it was published, with an exchange that is stronger than it has to be.
pub fn overly_strong() -> Structure {
    chase_lev::published()
}

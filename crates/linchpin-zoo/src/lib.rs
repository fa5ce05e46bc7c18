//! Concurrent objects of the literature on linearizability, each with its fault and without.
//!
//! A type's parameter `FAULTY` chooses: `TreiberStack<true>` has the fault, `TreiberStack<false>` is its correct twin, and
//! the two share all other code. Where either of two operations may be faulty, there are two parameters, `ADD` and `REMOVE`. The
//! documentation of each type says where it is from, what is wrong, which client shows it and what the fix is. The tests
//! explore those clients and hold the outcomes against the sequential ones.
//!
//! [`objects`] describes all of them by [`linchpin::object!`], with their specifications. [`all`] lists them with what is known about
//! each:
//!
//! ```
//! use linchpin::{Builder, ClientTest, MemoryModel};
//! use linchpin_zoo::all;
//!
//! for entry in all().iter().filter(|entry| entry.specification == "queue" && entry.faulty) {
//!     let client = ClientTest::of(entry.object, entry.known[0].client)?;
//!     let exploration = client.with(Builder::new().memory_model(MemoryModel::Sc)).explore();
//!     assert!(exploration.violation.is_some(), "{}", entry.name);
//! }
//! # Ok::<(), linchpin::NotAClient>(())
//! ```
//!
//! The originals are Java or pseudo-code under sequential consistency and with garbage collection. So all accesses are
//! `SeqCst`, and nodes come from an arena per object that frees nothing as long as the object lives. Values are positive.

// Descriptions name types as others do, so that tests which are written from them can be used elsewhere.
extern crate self as linchpin_zoo;

pub mod cds;

mod arena;
pub mod labels;
pub mod objects;
mod registry;
mod sequential;
mod sorted_nodes;

mod array_stack;
mod boxed_stack;
mod coarse_list;
mod k_stack;
mod lock_free_list;
mod logical_ordering_tree;
mod optimistic_list;
mod optimistic_queue;
mod pair_snapshot;
mod simple_list;
mod snark_deque;
mod striped_map;
mod treiber_stack;
mod unknown_lists;
mod unknown_queue;

pub use array_stack::ArrayStack;
pub use boxed_stack::BoxedStack;
pub use coarse_list::CoarseList;
pub use k_stack::KStack;
pub use lock_free_list::LockFreeList;
pub use logical_ordering_tree::LogicalOrderingTree;
pub use optimistic_list::OptimisticList;
pub use optimistic_queue::OptimisticQueue;
pub use pair_snapshot::{Cell, PairSnapshot};
pub use registry::{Entry, Known, all, find};
pub use simple_list::{SimpleList, SizeList};
pub use snark_deque::SnarkDeque;
pub use striped_map::StripedMap;
pub use treiber_stack::{RecyclingStack, TreiberStack};
pub use unknown_lists::{UnknownList1, UnknownList2, UnknownList3, UnknownList4};
pub use unknown_queue::UnknownQueue;

//! A model checker for concurrent Rust: [`model`] runs a test through *every* execution that the memory model allows,
//! each exactly once, and says which one fails and why.
//!
//! # A first test
//!
//! Take threads, atomics and locks from [`sync`], [`thread`], [`cell`] and [`hint`] instead of from `std`. They have the
//! names and the behaviour of `std`'s, and work natively outside of explorations.
//!
//! ```
//! use linchpin::sync::Arc;
//! use linchpin::sync::atomic::{AtomicU32, Ordering::Relaxed};
//! use linchpin::thread;
//!
//! linchpin::model(|| {
//!     let counter = Arc::new(AtomicU32::new(0));
//!     let other = counter.clone();
//!     let thread = thread::spawn(move || other.fetch_add(1, Relaxed));
//!     counter.fetch_add(1, Relaxed);
//!     thread.join().unwrap();
//!     assert_eq!(counter.load(Relaxed), 2);
//! });
//! ```
//!
//! Had the increment been a load and a store, one execution would lose an update, and the test would fail with that
//! execution, row by row:
//!
//! ```should_panic
//! # use linchpin::sync::Arc;
//! # use linchpin::sync::atomic::{AtomicU32, Ordering::Relaxed};
//! # use linchpin::thread;
//! linchpin::model(|| {
//!     let counter = Arc::new(AtomicU32::new(0));
//!     let other = counter.clone();
//!     let thread = thread::spawn(move || other.store(other.load(Relaxed) + 1, Relaxed));
//!     counter.store(counter.load(Relaxed) + 1, Relaxed);
//!     thread.join().unwrap();
//!     assert_eq!(counter.load(Relaxed), 2);
//! });
//! ```
//!
//! # What is found
//!
//! Assertions that fail and other panics, data races, accesses to memory that was never published, uses after free,
//! double frees, deadlocks, livelocks and crashes, and on demand leaks. A [`Builder`] sets the memory model, what counts as a
//! violation, and budgets. Its [`explore`](Builder::explore) returns the answer as a value:
//!
//! ```
//! use linchpin::cell::UnsafeCell;
//! use linchpin::sync::Arc;
//! use linchpin::sync::atomic::{AtomicBool, Ordering::Relaxed};
//! use linchpin::{Builder, ViolationKind, thread};
//!
//! struct Message {
//!     text: UnsafeCell<u32>,
//!     is_ready: AtomicBool,
//! }
//! // SAFETY: the text is read only after the flag says so (which this test disproves).
//! unsafe impl Sync for Message {}
//!
//! let exploration = Builder::new().explore(|| {
//!     let message = Arc::new(Message { text: UnsafeCell::new(0), is_ready: AtomicBool::new(false) });
//!     let sender = message.clone();
//!     let thread = thread::spawn(move || {
//!         sender.text.with_mut(|text| unsafe { *text = 42 });
//!         sender.is_ready.store(true, Relaxed); // Release would be right
//!     });
//!     if message.is_ready.load(Relaxed) {
//!         message.text.with(|text| unsafe { *text });
//!     }
//!     thread.join().unwrap();
//! });
//! let violation = exploration.violation.unwrap();
//! assert!(matches!(violation.kind, ViolationKind::DataRace { .. }));
//! let report = linchpin::report::violation(&violation);
//! assert!(report.contains("Publish with Release, read with Acquire"));
//! ```
//!
//! # What a clean run establishes
//!
//! [`Exploration::coverage`] says it: [`Coverage::Complete`] means that no execution of this test under this memory model
//! violates anything that was looked for, given the listed [`assumptions`](Exploration::assumptions);
//! [`Coverage::Bounded`] names the budgets that cut the exploration short, and is no proof. Either way the statement is
//! about this test: threads and operations that it does not start are not covered.
//!
//! The test has to be deterministic but for the scheduling of its threads and for what they read: no randomness, no time,
//! no state that survives from one execution to the next. Shared state is best made inside the closure.
//!
//! # Objects and clients
//!
//! [`object!`] describes a data structure once. [`check`](check()) then generates clients of it, explores each and compares what they
//! return with all orders of the same calls; [`client`](client()) does that with one client that is given as text. A client can also
//! be [sampled](ClientTest::sample) or run on [native threads](ClientTest::stress), and [made smaller](ClientTest::shrink) if it
//! fails.
//!
//! # Sampling
//!
//! Where exploring everything takes too long, [`Builder::sample`] runs a test with some random schedules, under sequential
//! consistency: a uniform random walk, PCT or D-PCT ([`Strategy`]). Freed addresses may be handed out again
//! ([`Reuse`]), as ABA faults need. [`Builder::check_sampled`] is to it what `check` is to `explore`.
//!
//! # The allocator
//!
//! Model threads get their memory from arenas that repeat all addresses exactly. That takes a global allocator, which
//! this crate installs by its default feature `allocator`. A test binary with a global allocator of its own turns the
//! feature off and wraps its allocator instead:
//!
//! ```
//! # #[cfg(not(feature = "allocator"))]
//! #[global_allocator]
//! static ALLOCATOR: linchpin::Allocator<std::alloc::System> = linchpin::Allocator::new(std::alloc::System);
//! # fn main() {}
//! ```
//!
//! Without either, addresses would differ between executions, and explorations panic to say so.

#[cfg(feature = "allocator")]
mod allocator;
mod builder;
mod callers;
mod check;
mod client;
pub mod command;
mod contract;
mod explain;
mod hunt;
mod judge;
mod library;
mod maximality;
mod model;
mod native;
mod object;
mod outside;
mod random;
mod regression;
mod replay;
mod replay_file;
mod reports;
mod sampling;
mod settings;
mod shrink;
mod side_by_side;
mod suite;
mod trials;

pub use builder::Builder;
pub use check::{Check, Checked, Failure, check};
pub use client::{ClientTest, NotAClient, client};
#[doc(hidden)]
pub use command::serve::__register;
#[doc(hidden)]
pub use contract::__to_value;
pub use contract::{ContractCheck, ContractTest, Detection, Watched, contract};
pub use explain::cause_of_all;
pub use hunt::{Detected, Hunt, Hunted, Located, Phases, Scheduler, hunt};
pub use library::{Causes, Left};
/// What an audit, a search for weaker orders and a repair return; see [`Suite`].
pub use linchpin_audit as audit;
pub use linchpin_check::contracts::{Contract, Contracts, Histories};
pub use linchpin_engine::{
    Allocator, Call, Change, Crash, Exploration, Findings, Found, Guide, Hooks, Judge, LoopReduction, Orders, Origin,
    ParseReplayError, Place, Progress, Replay, ReplayDiverged, Reuse, RunJudge, Sampled, Sampling, SamplingHooks,
    Strategy, Unit, Violation, ViolationKind, WaitReason, Waiting,
};
pub use linchpin_generate::{
    Disagreement, Ended, Invalid, LeftOut, NotDeterministic, NotWritten, Options, Outcomes, ParseError,
};
pub use linchpin_graph::{Execution, Order, Verb};
pub use linchpin_localize as localize;
pub use linchpin_localize::Minimum;
pub use linchpin_model::{
    AnyObject, Argument, Assumption, Bound, Client, Comparable, Consistency, Coverage, Invocation, MemoryModel, Object,
    ObjectArgument, ObjectOperation, ObjectSource, OperationSource, Outcome, SequentialRun, State, Value,
};
/// Renderings as text; see [`dot`] for drawings.
pub use linchpin_report::text as report;
pub use linchpin_report::{Report, dot};
/// Clients on native threads; see [`ClientTest::stress`].
pub use linchpin_stress as stress;
pub use linchpin_sync::{cell, hint, point, sync, thread, thread_local};
pub use maximality::{Maximality, Promise};
pub use model::model;
#[doc(hidden)]
pub use object::{__Compared, __NotCompared, __Results, __Specified, __argument, __no_more, __refusal, __with_run};
pub use outside::outside;
pub use replay_file::{explain_command, replay_command};
pub use reports::{Kept, Reports};
pub use settings::{Settings, WrongSetting};
pub use shrink::Shrunk;
pub use suite::Suite;

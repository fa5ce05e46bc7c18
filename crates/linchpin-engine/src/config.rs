//! What an exploration is asked to do.

use std::time::Duration;

use linchpin_model::MemoryModel;

use crate::orders::Orders;

/// Which findings count as violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Findings {
    /// Unordered conflicting accesses, one of them plain.
    pub data_races: bool,
    /// Accesses to a block whose allocation does not happen before them.
    pub unpublished_memory: bool,
    /// Accesses to freed blocks, and blocks freed twice.
    pub use_after_free: bool,
    /// Blocks that are never freed.
    pub leaks: bool,
    /// Threads that wait for ever.
    pub deadlocks: bool,
}

impl Default for Findings {
    fn default() -> Self {
        Findings { data_races: true, unpublished_memory: true, use_after_free: true, leaks: false, deadlocks: true }
    }
}

/// How failed iterations of retry loops are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopReduction {
    /// Every iteration is explored.
    Off,
    /// Iterations that only read are not explored where sample executions show that leaving them out changes nothing;
    /// the loops for which that was assumed are listed with the result.
    CrossChecked,
    /// Iterations that only read are not explored, whatever they do besides. For measurements.
    Unchecked,
}

/// What an exploration is asked to do.
#[derive(Clone, Debug)]
pub struct Config {
    /// The memory model.
    pub model: MemoryModel,
    /// Stop after this many executions, complete and blocked ones. Uses one worker.
    pub max_executions: Option<u64>,
    /// Stop after this time.
    pub max_time: Option<Duration>,
    /// Cut an execution in which a thread wants more events than this.
    pub max_events_per_thread: u32,
    /// Number of workers; 0 for one per core.
    pub workers: usize,
    /// What counts as a violation.
    pub findings: Findings,
    /// Treatment of retry loops.
    pub loops: LoopReduction,
    /// Take `spin_loop()`, `yield_now()` and `sleep()` in a loop as a wait for a change of what was read (else they do nothing).
    pub spin_is_wait: bool,
    /// Explore only one of each set of executions that differ in the names of symmetric threads alone.
    pub symmetry: bool,
    /// Let `compare_exchange_weak` fail spuriously.
    pub spurious_failures: bool,
    /// Memory orders that differ from those in the source.
    pub orders: Orders,
    /// Note the call stack of each event: see [`Call::stacks`](crate::Call::stacks). That is slow.
    pub call_stacks: bool,
    /// Go on after a violation and count them all; the first is reported.
    pub keep_going: bool,
    /// A thread that does not come back to the engine for so long is reported as stuck.
    pub stuck_after: Duration,
    /// Test-only defects of the explorer: each must be caught by the differential tests.
    #[doc(hidden)]
    pub mutation: Option<Mutation>,
    /// Test-only: passes parts of the exploration on whether or not anybody waits for them, so that a single worker does all that several
    /// do.
    #[doc(hidden)]
    pub shares_always: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            model: MemoryModel::C11,
            max_executions: None,
            max_time: None,
            max_events_per_thread: 10_000,
            workers: 0,
            findings: Findings::default(),
            loops: LoopReduction::CrossChecked,
            spin_is_wait: true,
            symmetry: true,
            spurious_failures: false,
            orders: Orders::default(),
            call_stacks: false,
            keep_going: false,
            stuck_after: Duration::from_secs(10),
            mutation: None,
            shares_always: false,
        }
    }
}

/// Ways to break the explorer on purpose.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// Writes of read-modify-writes revisit nothing.
    RmwDoesNotRevisit,
    /// A read-modify-write never reads a write that another one has taken.
    RmwSkipsTaken,
    /// A failing compare-exchange never reads a write that a read-modify-write has taken.
    FailedCasSkipsTaken,
    /// The prefix of the revisiting write does not count as previous.
    PrevWithoutPrefix,
    /// A write that somebody has read still counts as maximal. The exploration may never end.
    ReadersDoNotCount,
    /// The revisiting write itself counts as previous.
    PrevCountsWrite,
    /// A read that was revisited once is never revisited again.
    FrozenRead,
    /// After a revisit the write takes only its last position.
    OnlyLastPosition,
    /// After a revisit the write's positions ignore what the read knows.
    BoundIgnoresRead,
    /// psc is never checked.
    NoPsc,
}

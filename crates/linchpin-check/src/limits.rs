//! How much a decision may cost, and whether it has cost that much yet.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::Unknown;

/// What a call of [`check`](crate::check) may spend. By default: as long as it takes, 4 GiB, all cores.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Give up after this time.
    pub time: Option<Duration>,
    /// Give up when the search would need more memory than this, in bytes.
    pub memory: usize,
    /// How many independent parts are decided at once; `None`: as many as there are cores.
    pub workers: Option<NonZeroUsize>,
    /// Give up when this becomes true: how a caller takes its question back.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time: None, memory: 4 << 30, workers: None, interrupt: None }
    }
}

/// The limits of one decision that is under way, shared by its workers.
pub(crate) struct Budget {
    deadline: Option<Instant>,
    memory: usize,
    used: AtomicUsize,
    interrupt: Option<Arc<AtomicBool>>,
    /// The return at which a part is known to fail, as a rank: what happens after it need not be decided any more.
    fails_by: AtomicU32,
}

/// Memory that is accounted for as long as this lives.
pub(crate) struct Account<'a> {
    budget: &'a Budget,
    taken: usize,
}

impl<'a> Account<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Account { budget, taken: 0 }
    }

    /// Accounts for so much more.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Unknown> {
        self.taken += bytes;
        let used = self.budget.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if used > self.budget.memory { Err(Unknown::MemoryLimit) } else { Ok(()) }
    }

    /// Accounts for so much in all, or for what it was if that was more.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> Result<(), Unknown> {
        self.take(bytes.saturating_sub(self.taken))
    }
}

impl Drop for Account<'_> {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.taken, Ordering::Relaxed);
    }
}

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Self {
        Budget {
            // A limit beyond what the clock can express is no limit.
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            memory: limits.memory,
            used: AtomicUsize::new(0),
            interrupt: limits.interrupt.clone(),
            fails_by: AtomicU32::new(u32::MAX),
        }
    }

    /// Notes that a part fails at the return of this rank. Is it the earliest so far?
    pub(crate) fn fails_at(&self, rank: u32) -> bool {
        self.fails_by.fetch_min(rank, Ordering::Relaxed) >= rank
    }

    /// The rank of the earliest return at which a part is known to fail.
    pub(crate) fn fails_by(&self) -> u32 {
        self.fails_by.load(Ordering::Relaxed)
    }

    /// Is there time left? Asks the clock: call it every few hundred steps, or every few milliseconds of work.
    pub(crate) fn check_time(&self) -> Result<(), Unknown> {
        self.check_time_for(Duration::ZERO)
    }

    /// Is there time left for a piece of work that cannot be interrupted and takes about so long?
    pub(crate) fn check_time_for(&self, work: Duration) -> Result<(), Unknown> {
        if self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            return Err(Unknown::Interrupted);
        }
        let Some(deadline) = self.deadline else { return Ok(()) };
        // Giving millions of states back takes time as well: some tenths of a second for a gigabyte.
        let giving_back = Duration::from_nanos(self.used.load(Ordering::Relaxed) as u64 / 4);
        if Instant::now() + work + giving_back >= deadline { Err(Unknown::TimeLimit) } else { Ok(()) }
    }

    /// Is there time left for one more entry in a table of this length and capacity? A full table is moved as a whole
    /// when it grows, which takes a while when it has millions of entries.
    pub(crate) fn check_time_to_grow(&self, length: usize, capacity: usize) -> Result<(), Unknown> {
        /// Roughly what it takes to move an entry.
        const NANOSECONDS: u64 = 40;
        if length < capacity {
            return Ok(());
        }
        self.check_time_for(Duration::from_nanos(length as u64 * NANOSECONDS))
    }
}

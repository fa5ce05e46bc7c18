//! How much a decision may cost, and whether it has cost that much yet.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
}

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Self {
        Budget {
            // A limit beyond what the clock can express is no limit.
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            memory: limits.memory,
            used: AtomicUsize::new(0),
            interrupt: limits.interrupt.clone(),
        }
    }

    /// Accounts for memory that the decision is about to keep; it is not given back before the decision ends, except
    /// through [`release`](Self::release).
    pub(crate) fn take(&self, bytes: usize) -> Result<(), Unknown> {
        if self.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > self.memory {
            return Err(Unknown::MemoryLimit);
        }
        Ok(())
    }

    /// Gives back what [`take`](Self::take) took.
    pub(crate) fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Is there time left? Asks the clock: call it every few hundred steps, or every few milliseconds of work.
    pub(crate) fn check_time(&self) -> Result<(), Unknown> {
        if self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            return Err(Unknown::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Unknown::TimeLimit);
        }
        Ok(())
    }
}

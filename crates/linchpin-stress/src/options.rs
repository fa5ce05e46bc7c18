//! How long, and who wants to know.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// When to stop.
///
/// ```
/// use linchpin_stress::Options;
///
/// let exactly = Options { max_runs: Some(1_000_000), max_time: None, ..Options::default() };
/// assert_eq!(Options::default().max_time, Some(std::time::Duration::from_secs(1)));
/// # let _ = exactly;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Stops after exactly so many runs. No limit by default.
    pub max_runs: Option<u64>,
    /// Stops after about so much time: runs that have begun come to their end. A second by default.
    pub max_time: Option<Duration>,
    /// An operation that does not return for so long never will, which ends everything. Ten seconds by default.
    pub stuck_after: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_runs: None, max_time: Some(Duration::from_secs(1)), stuck_after: Duration::from_secs(10) }
    }
}

/// Who wants to know what while it goes on.
#[derive(Clone, Copy)]
pub struct Hooks<'a> {
    /// Is told now and then how far it is, by the thread that called.
    pub progress: &'a dyn Fn(&Progress),
    /// Ends everything soon after it is set.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for Hooks<'_> {
    fn default() -> Self {
        Hooks { progress: &|_| {}, interrupt: None }
    }
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Runs that have come to their end and are counted.
    pub runs: u64,
    /// Those of them that panicked or had an outcome that is not admitted.
    pub forbidden: u64,
    /// Time since the start.
    pub elapsed: Duration,
}

//! Many clients explored on all cores, while somebody is told how far that is.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, thread};

/// So often somebody is told how far it is.
const OFTEN: Duration = Duration::from_millis(100);

/// How far a number of clients is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    /// So many are explored,
    pub clients: usize,
    /// of so many.
    pub all: usize,
    /// They, and those that are being explored, have so many executions so far.
    pub executions: u64,
    pub elapsed: Duration,
}

impl Done {
    /// Which share is done, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.all == 0 { 1.0 } else { self.clients as f64 / self.all as f64 }
    }
}

/// `12 of 500 clients, 3456 executions, 9000 per second`
impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.executions as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        write!(f, "{} of {} clients, {} executions, {rate:.0} per second", self.clients, self.all, self.executions)
    }
}

/// What is counted while clients are explored.
#[derive(Default)]
pub(crate) struct Tally {
    executions: AtomicU64,
}

impl Tally {
    /// A client that had `before` executions when it was counted last has `now`.
    pub fn count(&self, before: u64, now: u64) {
        self.executions.fetch_add(now.saturating_sub(before), Relaxed);
    }
}

/// Explores what has these numbers, on all cores, up to the first that fails. What is returned is what exploring one after
/// the other would return. `tell` is called by the caller's thread: at the beginning, at the end, and now and then.
pub(crate) fn side_by_side<R: Send>(
    numbers: &[usize],
    interrupt: &AtomicBool,
    is_failure: fn(&R) -> bool,
    explore: impl Fn(usize, &Tally) -> R + Sync,
    tell: &dyn Fn(&Done),
) -> BTreeMap<usize, R> {
    let start = Instant::now();
    let (next, done, tally) = (AtomicUsize::new(0), AtomicUsize::new(0), Tally::default());
    // Nothing from here on is of interest, since an earlier one has failed.
    let end = AtomicUsize::new(numbers.len());
    let results = Mutex::new(BTreeMap::new());
    let tell = || {
        tell(&Done {
            clients: done.load(Relaxed),
            all: numbers.len(),
            executions: tally.executions.load(Relaxed),
            elapsed: start.elapsed(),
        });
    };
    tell();
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let (at_work, caller) = (AtomicUsize::new(workers), thread::current());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                // Also if user code panics: the caller must not wait for ever.
                let _leaving = Leaving(|| {
                    at_work.fetch_sub(1, Relaxed);
                    caller.unpark();
                });
                loop {
                    let place = next.fetch_add(1, Relaxed);
                    if place >= end.load(Relaxed) || interrupt.load(Relaxed) {
                        break;
                    }
                    let result = explore(numbers[place], &tally);
                    if is_failure(&result) {
                        end.fetch_min(place + 1, Relaxed);
                    }
                    results.lock().unwrap_or_else(PoisonError::into_inner).insert(numbers[place], result);
                    done.fetch_add(1, Relaxed);
                }
            });
        }
        while at_work.load(Relaxed) > 0 {
            thread::park_timeout(OFTEN);
            tell();
        }
    });
    tell();
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.retain(|number, _| numbers[..end.load(Relaxed)].contains(number));
    results
}

/// Does something when it goes.
struct Leaving<F: FnMut()>(F);

impl<F: FnMut()> Drop for Leaving<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn what_is_told_begins_with_nothing_and_ends_with_all() {
        let told = RefCell::new(Vec::new());
        let numbers: Vec<usize> = (0..50).collect();
        let explore = |number: usize, tally: &Tally| {
            tally.count(0, number as u64);
            tally.count(number as u64, 2 * number as u64);
            number
        };
        let results = side_by_side(&numbers, &AtomicBool::new(false), |_| false, explore, &|done| {
            told.borrow_mut().push((done.clients, done.all, done.executions));
        });
        assert_eq!(results.len(), 50);
        let told = told.into_inner();
        assert_eq!((told.first(), told.last()), (Some(&(0, 50, 0)), Some(&(50, 50, 49 * 50))));
        assert!(told.is_sorted());
    }

    #[test]
    fn nothing_after_the_first_failure_counts() {
        let numbers: Vec<usize> = (0..50).map(|number| number * 2).collect();
        let results =
            side_by_side(&numbers, &AtomicBool::new(false), |&result| result >= 20, |number, _| number, &|_| {});
        assert_eq!(results.into_keys().collect::<Vec<_>>(), (0..=10).map(|number| number * 2).collect::<Vec<_>>());
    }

    #[test]
    fn who_interrupts_gets_what_is_there() {
        let interrupt = AtomicBool::new(false);
        let explore = |number: usize, _: &Tally| {
            interrupt.fetch_or(number == 3, Relaxed);
            while number > 3 && !interrupt.load(Relaxed) {
                thread::yield_now();
            }
        };
        assert!(side_by_side(&(0..1_000).collect::<Vec<_>>(), &interrupt, |_| false, explore, &|_| {}).len() < 1_000);
    }

    #[test]
    fn a_line_says_how_many_how_fast_and_a_share() {
        let done = Done { clients: 12, all: 48, executions: 3_000, elapsed: Duration::from_secs(2) };
        assert_eq!(done.to_string(), "12 of 48 clients, 3000 executions, 1500 per second");
        assert_eq!(done.share(), 0.25);
    }
}

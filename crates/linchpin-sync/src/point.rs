//! Ordering points: which atomic accesses order the calls of an object's operations among each other.
//!
//! A contract (`linchpin::Contract`) says what an object's operations may return, given the order of the calls. That order
//! comes from the accesses that the operations mark here: the compare-exchange that links a new node, the load that
//! finds the queue empty. Each function speaks of the access that the calling thread made last. Two calls are ordered when
//! happens-before, or the order of SC accesses, orders a point of the one before a point of the other. A call that marks
//! nothing is ordered by its whole extent.
//!
//! All functions take a condition and do nothing where it is false. Without the feature `model`, and outside of executions,
//! they are empty.
//!
//! ```
//! use linchpin_sync::point;
//! use linchpin_sync::sync::atomic::{AtomicU32, Ordering::*};
//!
//! fn take(count: &AtomicU32) -> bool {
//!     loop {
//!         let seen = count.load(Acquire);
//!         point::clear_define(seen == 0); // Found nothing: as of the last time round.
//!         if seen == 0 {
//!             return false;
//!         }
//!         let taken = count.compare_exchange(seen, seen - 1, AcqRel, Relaxed).is_ok();
//!         point::clear_define(taken);
//!         if taken {
//!             return true;
//!         }
//!     }
//! }
//! assert!(!take(&AtomicU32::new(0)));
//! ```

/// The last access is an ordering point.
#[inline]
pub fn define(condition: bool) {
    mark(condition, Mark::Define, "");
}

/// No access so far is an ordering point.
#[inline]
pub fn clear(condition: bool) {
    mark(condition, Mark::Clear, "");
}

/// The last access is an ordering point, and none before it is: for loops whose last round counts.
#[inline]
pub fn clear_define(condition: bool) {
    clear(condition);
    define(condition);
}

/// The last access may turn out to be an ordering point; [`check`] with the same label says so.
#[inline]
pub fn potential(label: &'static str, condition: bool) {
    mark(condition, Mark::Potential, label);
}

/// What was [`potential`] under this label is an ordering point.
#[inline]
pub fn check(label: &'static str, condition: bool) {
    mark(condition, Mark::Check, label);
}

enum Mark {
    Define,
    Clear,
    Potential,
    Check,
}

#[cfg(feature = "model")]
#[inline]
fn mark(condition: bool, mark: Mark, label: &'static str) {
    use linchpin_engine::{Point, rt};
    if condition && rt::active() {
        rt::mark(match mark {
            Mark::Define => Point::Define,
            Mark::Clear => Point::Clear,
            Mark::Potential => Point::Potential(label),
            Mark::Check => Point::Check(label),
        });
    }
}

#[cfg(not(feature = "model"))]
#[inline(always)]
fn mark(_: bool, _: Mark, _: &'static str) {}

//! The condition variable: a set of waiting threads in one word.
//!
//! A waiter takes a slot, puts the slot's bit into the set, unlocks the mutex, and waits until its bit is gone.
//! Notifying takes one bit out, any of those in the set at that time, or all. There are no spurious wake-ups.
//!
//! Slots are handed out by a second word. A slot must not be reused before its last owner has noticed that its bit is
//! gone, or the new owner's bit would be taken for the old one's; slots are therefore given back after the mutex is
//! locked again. Both ends lie inside the mutex, which keeps that word from adding executions to explore.
//!
//! As `std`'s, and unlike the mutex, notifying does not order what notifier and waiter do.

use std::fmt;
use std::panic::Location;
use std::sync::{LockResult, PoisonError};
use std::time::{Duration, Instant};

use linchpin_engine::rt;
use linchpin_graph::{NOT_CHOSEN, Order, Site, Step, StepFn, Verb};

use super::mutex::MutexGuard;
use super::word::{Ask, Word};

/// [`std::sync::Condvar`], modelled. At most 64 threads can wait at a time.
pub struct Condvar {
    /// The bits of those who wait.
    waiting: Word,
    /// The slots in use, a superset of `waiting`.
    slots: Word,
}

/// Did a wait with a timeout end by running out of time?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Was it the timeout?
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// Waits until the bits of `a` are gone.
const UNTIL_GONE: StepFn = |value, bits, _| if value & bits == 0 { Step::Return } else { Step::Wait };

/// Takes out one bit, chosen among those that are there.
const TAKE_ONE: StepFn = |value, _, choice| match value.count_ones() {
    0 => Step::Return,
    1 => Step::Write(0),
    several if choice == NOT_CHOSEN => Step::Choose(several),
    _ => Step::Write(without_nth_bit(value, choice)),
};

/// `bits` without the one that has `n` others below it.
fn without_nth_bit(bits: u64, n: u64) -> u64 {
    let above = (0..n).fold(bits, |rest, _| rest & rest.wrapping_sub(1));
    let lowest = above & above.wrapping_neg();
    bits & !lowest
}

impl Condvar {
    /// A condition variable that nobody waits for.
    #[inline]
    pub const fn new() -> Self {
        Condvar { waiting: Word::new(0), slots: Word::new(0) }
    }

    /// Unlocks the mutex, waits to be notified, and locks it again.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; the error holds the guard.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let site = Location::caller();
        let mutex = guard.mutex();
        let slot = self.enter(site);
        drop(guard);
        self.waiting.ask(Ask::acquire(Verb::Wait, UNTIL_GONE, site).with(slot, 0));
        let locked = mutex.lock_at(site);
        self.leave(slot, site);
        locked
    }

    /// Waits as long as `condition` holds.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; the error holds the guard.
    #[track_caller]
    pub fn wait_while<'a, T, F>(&self, mut guard: MutexGuard<'a, T>, mut condition: F) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As [`wait`](Self::wait), but not longer than `duration`. In an execution it may end at any time.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; the error holds the guard.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        duration: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let site = Location::caller();
        let mutex = guard.mutex();
        let slot = self.enter(site);
        drop(guard);
        let result = WaitTimeoutResult(!self.is_notified_within(duration, slot, site));
        let locked = mutex.lock_at(site);
        self.leave(slot, site);
        match locked {
            Ok(guard) => Ok((guard, result)),
            Err(error) => Err(PoisonError::new((error.into_inner(), result))),
        }
    }

    /// Waits as long as `condition` holds, but not longer than `duration`.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; the error holds the guard.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        duration: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let start = Instant::now();
        let mut result = WaitTimeoutResult(false);
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            if result.timed_out() {
                return Ok((guard, result));
            }
            let left = if rt::active() { duration } else { duration.saturating_sub(start.elapsed()) };
            (guard, result) = self.wait_timeout(guard, left)?;
        }
    }

    /// Wakes one of those who wait now, if anybody does; which one is left open.
    #[track_caller]
    pub fn notify_one(&self) {
        let site = Location::caller();
        self.waiting.ask(Ask::new(Verb::Notify, Order::Relaxed, TAKE_ONE, site).with(0, NOT_CHOSEN));
    }

    /// Wakes all who wait now.
    #[track_caller]
    pub fn notify_all(&self) {
        let step = |value, _, _| if value == 0 { Step::Return } else { Step::Write(0) };
        self.waiting.ask(Ask::new(Verb::Notify, Order::Relaxed, step, Location::caller()));
    }

    /// Takes the lowest free slot and puts its bit into the set. Returns the bit.
    fn enter(&self, site: Site) -> u64 {
        let take_lowest: StepFn = |value, _, _| match value {
            u64::MAX => Step::Wait,
            _ => Step::Write(value | (value + 1)),
        };
        let taken = self.slots.ask(Ask::new(Verb::Wait, Order::Relaxed, take_lowest, site)).value;
        let slot = !taken & (taken + 1);
        let add = |value, slot, _| Step::Write(value | slot);
        self.waiting.ask(Ask::new(Verb::Wait, Order::Relaxed, add, site).with(slot, 0));
        slot
    }

    /// Gives the slot back.
    fn leave(&self, slot: u64, site: Site) {
        let step: StepFn = |value, slot, _| Step::Write(value & !slot);
        self.slots.ask(Ask::new(Verb::Wait, Order::Relaxed, step, site).with(slot, 0));
    }

    /// Waits for a while, then takes the bit out of the set. Was it gone already, that is, was there a notification?
    ///
    /// In an execution the while is as long as it takes: taking the bit out comes before or after each notification,
    /// which already is every way in which a timeout can go, and nobody waits for ever.
    fn is_notified_within(&self, duration: Duration, slot: u64, site: Site) -> bool {
        if !rt::active() {
            let ask = Ask::acquire(Verb::Wait, UNTIL_GONE, site).with(slot, 0);
            match Instant::now().checked_add(duration) {
                Some(deadline) => self.waiting.ask_until(ask, deadline),
                None => Some(self.waiting.ask(ask)),
            };
        }
        let withdraw: StepFn = |value, slot, _| {
            if value & slot == 0 { Step::Return } else { Step::Write(value & !slot) }
        };
        !self.waiting.ask(Ask::acquire(Verb::Wait, withdraw, site).with(slot, 0)).wrote
    }
}

impl Default for Condvar {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_choice_takes_out_another_of_the_bits() {
        let answers: Vec<_> = (0..3).map(|choice| TAKE_ONE(0b1_0110, 0, choice)).collect();
        assert_eq!(answers, [Step::Write(0b1_0100), Step::Write(0b1_0010), Step::Write(0b0_0110)]);
    }

    #[test]
    fn taking_one_of_several_asks_for_a_choice() {
        assert_eq!(TAKE_ONE(0b111, 0, NOT_CHOSEN), Step::Choose(3));
        assert_eq!(TAKE_ONE(0b100, 0, NOT_CHOSEN), Step::Write(0));
        assert_eq!(TAKE_ONE(0, 0, NOT_CHOSEN), Step::Return);
    }

    #[test]
    fn the_lowest_free_slot_is_taken_and_given_back() {
        let condvar = Condvar::new();
        let site = Location::caller();
        assert_eq!([condvar.enter(site), condvar.enter(site), condvar.enter(site)], [1, 2, 4]);
        condvar.leave(2, site);
        assert_eq!(condvar.enter(site), 2);
    }
}

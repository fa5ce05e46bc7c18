//! The condition variable: a set of waiting threads in one word.
//!
//! A waiter takes a slot, puts the slot's bit into the set, unlocks the mutex, and waits until its bit is gone.
//! Notifying takes one bit out, any of those in the set at that time, or all. There are no spurious wake-ups while there
//! are slots: who finds none is woken by the next notification, whoever that is for.
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

/// [`std::sync::Condvar`], modelled. While 64 threads wait, others that wait as well may wake up spuriously, which `std`'s may do
/// at any time.
pub struct Condvar {
    /// The bits of those who wait.
    waiting: Word,
    /// The slots in use, a superset of `waiting`.
    slots: Word,
    /// How many notifications there were. Counted outside executions only, where more than a few threads may wait.
    notifications: Word,
}

/// Where a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the slot of this bit.
    Slot(u64),
    /// All slots are taken; so many notifications have been counted.
    Standing(u64),
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

/// Waits for another value than `a`.
const UNTIL_OTHER: StepFn = |value, known, _| if value == known { Step::Wait } else { Step::Return };

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
        Condvar { waiting: Word::new(0), slots: Word::new(0), notifications: Word::new(0) }
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
        let place = self.enter(site);
        drop(guard);
        let (word, ask) = self.until_notified(place, site);
        word.ask(ask);
        let locked = mutex.lock_at(site);
        self.leave(place, site);
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
        let place = self.enter(site);
        drop(guard);
        let result = WaitTimeoutResult(!self.is_notified_within(duration, place, site));
        let locked = mutex.lock_at(site);
        self.leave(place, site);
        match locked {
            Ok(guard) => Ok((guard, result)),
            Err(error) => Err(PoisonError::new((error.into_inner(), result))),
        }
    }

    /// As [`wait_timeout`](Self::wait_timeout), with `true` if the time did not run out.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; the error holds the guard.
    #[deprecated(note = "use wait_timeout instead")]
    #[track_caller]
    pub fn wait_timeout_ms<'a, T>(&self, guard: MutexGuard<'a, T>, ms: u32) -> LockResult<(MutexGuard<'a, T>, bool)> {
        match self.wait_timeout(guard, Duration::from_millis(ms.into())) {
            Ok((guard, result)) => Ok((guard, !result.timed_out())),
            Err(error) => {
                let (guard, result) = error.into_inner();
                Err(PoisonError::new((guard, !result.timed_out())))
            }
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
        self.count_notification(site);
    }

    /// Wakes all who wait now.
    #[track_caller]
    pub fn notify_all(&self) {
        let site = Location::caller();
        let step = |value, _, _| if value == 0 { Step::Return } else { Step::Write(0) };
        self.waiting.ask(Ask::new(Verb::Notify, Order::Relaxed, step, site));
        self.count_notification(site);
    }

    /// In an execution nobody counts: that would be one more event to explore for what hardly ever happens there.
    fn count_notification(&self, site: Site) {
        if !rt::active() {
            let step: StepFn = |count, _, _| Step::Write(count.wrapping_add(1));
            self.notifications.ask(Ask::new(Verb::Notify, Order::Relaxed, step, site));
        }
    }

    /// Takes the lowest free slot, if there is one, and puts its bit into the set.
    fn enter(&self, site: Site) -> Place {
        let take_lowest: StepFn = |value, _, _| match value {
            u64::MAX => Step::Return,
            _ => Step::Write(value | (value + 1)),
        };
        let taken = self.slots.ask(Ask::new(Verb::Wait, Order::Relaxed, take_lowest, site)).value;
        if taken == u64::MAX {
            return Place::Standing(self.notifications.load(site));
        }
        let slot = !taken & (taken + 1);
        let add = |value, slot, _| Step::Write(value | slot);
        self.waiting.ask(Ask::new(Verb::Wait, Order::Relaxed, add, site).with(slot, 0));
        Place::Slot(slot)
    }

    /// Gives the slot back.
    fn leave(&self, place: Place, site: Site) {
        if let Place::Slot(slot) = place {
            let step: StepFn = |value, slot, _| Step::Write(value & !slot);
            self.slots.ask(Ask::new(Verb::Wait, Order::Relaxed, step, site).with(slot, 0));
        }
    }

    /// What to ask, and of which word, to wait for a notification.
    fn until_notified(&self, place: Place, site: Site) -> (&Word, Ask) {
        let wait = |step| Ask::acquire(Verb::Wait, step, site);
        match place {
            Place::Slot(slot) => (&self.waiting, wait(UNTIL_GONE).with(slot, 0)),
            // Who was notified gives a slot back.
            Place::Standing(_) if rt::active() => (&self.slots, wait(UNTIL_OTHER).with(u64::MAX, 0)),
            // A slot that is given back may be taken again before anybody sees it, but a count does not come back.
            Place::Standing(count) => (&self.notifications, wait(UNTIL_OTHER).with(count, 0)),
        }
    }

    /// Waits for a while, then takes the bit out of the set. Was it gone already, that is, was there a notification?
    ///
    /// In an execution the while is as long as it takes: taking the bit out comes before or after each notification,
    /// which already is every way in which a timeout can go, and nobody waits for ever.
    fn is_notified_within(&self, duration: Duration, place: Place, site: Site) -> bool {
        let mut is_notified = false;
        if !rt::active() {
            let (word, ask) = self.until_notified(place, site);
            let answer = match Instant::now().checked_add(duration) {
                Some(deadline) => word.ask_until(ask, deadline),
                None => Some(word.ask(ask)),
            };
            is_notified = answer.is_some();
        }
        let Place::Slot(slot) = place else { return is_notified };
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
        let slots = [condvar.enter(site), condvar.enter(site), condvar.enter(site)];
        assert_eq!(slots, [1, 2, 4].map(Place::Slot));
        condvar.leave(Place::Slot(2), site);
        assert_eq!(condvar.enter(site), Place::Slot(2));
    }

    #[test]
    fn who_finds_no_slot_stands_until_somebody_is_notified() {
        let condvar = Condvar::new();
        let site = Location::caller();
        (0..64).for_each(|bit| assert_eq!(condvar.enter(site), Place::Slot(1 << bit)));
        let standing = condvar.enter(site);
        assert!(!condvar.is_notified_within(Duration::from_millis(5), standing, site));
        condvar.notify_one();
        assert!(condvar.is_notified_within(Duration::from_secs(60), standing, site));
        condvar.leave(standing, site);
        assert_eq!(condvar.slots.load(site), u64::MAX);
    }
}

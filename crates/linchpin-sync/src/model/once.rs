//! What is done once: [`Once`], and a value made once.
//!
//! The state is one word, which the engine puts back after each execution, as it does the place of the value. In a static the
//! value is then made anew in each.

use std::cell::UnsafeCell;
use std::fmt;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};

use linchpin_graph::{Order, Site, Step, StepFn, Verb};

use super::word::{Ask, Word, touch};

const NEW: u64 = 0;
const RUNNING: u64 = 1;
pub(crate) const DONE: u64 = 2;
const POISONED: u64 = 3;

/// Begins if nobody has, or if operand `a` is [`FORCES`] and who had has panicked; waits for who has.
const BEGIN: StepFn = |state, forces, _| match state {
    NEW => Step::Write(RUNNING),
    POISONED if forces == FORCES => Step::Write(RUNNING),
    RUNNING => Step::Wait,
    _ => Step::Return,
};

/// Waits until it is done, or if operand `a` is not [`FORCES`] until who tried has panicked.
const UNTIL_DONE: StepFn = |state, forces, _| match state {
    DONE => Step::Return,
    POISONED if forces != FORCES => Step::Return,
    _ => Step::Wait,
};

const FORCES: u64 = 1;

/// [`std::sync::Once`], modelled.
pub struct Once {
    state: Word,
}

/// Not done yet.
#[deprecated(note = "use `Once::new` instead")]
#[allow(clippy::declare_interior_mutable_const, reason = "each use is a `Once` of its own, as with `std`'s")]
pub const ONCE_INIT: Once = Once::new();

/// What the closure of [`Once::call_once_force`] is told.
pub struct OnceState {
    poisoned: bool,
}

impl OnceState {
    /// Has an earlier attempt panicked?
    #[inline]
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceState").field("poisoned", &self.poisoned).finish()
    }
}

/// An attempt under way. When dropped it tells the others how it ended.
struct Attempt<'a> {
    once: &'a Once,
    outcome: u64,
    site: Site,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        self.once.state.write(Verb::Unlock, Order::Release, self.outcome, self.site);
    }
}

impl Once {
    /// Not done yet.
    #[inline]
    #[expect(clippy::new_without_default, reason = "`std`'s has no default either")]
    pub const fn new() -> Self {
        Once { state: Word::new(NEW) }
    }

    /// Calls `f`, unless that has been done; returns when it has been.
    ///
    /// # Panics
    ///
    /// If an earlier `f` has panicked.
    #[track_caller]
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        let site = Location::caller();
        if self.call(0, |_| f(), site) == POISONED {
            panic!("Once instance has previously been poisoned");
        }
    }

    /// Calls `f`, unless that has been done; an earlier one that panicked does not count.
    #[track_caller]
    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, f: F) {
        self.call(FORCES, f, Location::caller());
    }

    /// Has it been done?
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        self.is_completed_at(Location::caller())
    }

    /// Waits until it has been done.
    ///
    /// # Panics
    ///
    /// If an attempt has panicked.
    #[track_caller]
    pub fn wait(&self) {
        let ask = Ask::acquire(Verb::Await, UNTIL_DONE, Location::caller());
        if self.state.ask(ask).value == POISONED {
            panic!("Once instance has previously been poisoned");
        }
    }

    /// Waits until it has been done; an attempt that panicked does not count.
    #[track_caller]
    pub fn wait_force(&self) {
        self.state.ask(Ask::acquire(Verb::Await, UNTIL_DONE, Location::caller()).with(FORCES, 0));
    }

    /// Calls `f` unless there is nothing to do. Returns the state that it found.
    pub(crate) fn call(&self, forces: u64, f: impl FnOnce(&OnceState), site: Site) -> u64 {
        let begun = self.state.ask(Ask::acquire(Verb::Lock, BEGIN, site).with(forces, 0));
        if begun.wrote {
            let mut attempt = Attempt { once: self, outcome: POISONED, site };
            f(&OnceState { poisoned: begun.value == POISONED });
            attempt.outcome = DONE;
            return DONE;
        }
        begun.value
    }

    pub(crate) fn is_completed_at(&self, site: Site) -> bool {
        self.state.load(site) == DONE
    }

    /// The state, for the only owner.
    pub(crate) fn progress(&mut self) -> Progress {
        match *self.state.get_mut() {
            NEW => Progress::New,
            DONE => Progress::Done,
            _ => Progress::Poisoned,
        }
    }
}

/// The state of a [`Once`] that nobody else can reach.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    New,
    Done,
    Poisoned,
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

/// [`std::sync::OnceLock`], modelled.
pub struct OnceLock<T> {
    once: Once,
    /// Holds a value if `once` is done. It drops itself: a `Drop` of the lock would not let the value borrow what is dropped
    /// before the lock, as `std`'s does.
    value: UnsafeCell<Option<T>>,
}

// SAFETY: the value can be moved out by whoever owns the lock.
unsafe impl<T: Send> Send for OnceLock<T> {}
// SAFETY: one thread's value is shared with the others, which may also drop it.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}
impl<T: UnwindSafe> UnwindSafe for OnceLock<T> {}
impl<T: UnwindSafe + RefUnwindSafe> RefUnwindSafe for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// Without a value.
    #[inline]
    pub const fn new() -> Self {
        OnceLock { once: Once::new(), value: UnsafeCell::new(None) }
    }

    /// The value, if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        self.get_at(Location::caller())
    }

    fn get_at(&self, site: Site) -> Option<&T> {
        // SAFETY: a value that was seen to be there stays.
        self.once.is_completed_at(site).then(|| unsafe { self.value_unchecked() })
    }

    /// The value, which nobody else can reach, if there is one.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    /// Waits until there is a value.
    #[track_caller]
    pub fn wait(&self) -> &T {
        self.once.wait_force();
        // SAFETY: the wait is over, so the value is there.
        unsafe { self.value_unchecked() }
    }

    /// Makes this the value, if there is none.
    ///
    /// # Errors
    ///
    /// If there is one; the error is `value`.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.once.call(FORCES, |_| self.fill(value.take().expect("a value is set once")), Location::caller());
        match value {
            None => Ok(()),
            Some(value) => Err(value),
        }
    }

    /// The value; made by `f` if there is none.
    #[track_caller]
    pub fn get_or_init<F: FnOnce() -> T>(&self, f: F) -> &T {
        self.once.call(FORCES, |_| self.fill(f()), Location::caller());
        // SAFETY: the call has seen or made the value.
        unsafe { self.value_unchecked() }
    }

    /// The value, if there is one.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// Takes the value out.
    pub fn take(&mut self) -> Option<T> {
        let value = self.value.get_mut().take()?;
        self.once = Once::new();
        Some(value)
    }

    /// Puts the value into its place. To be called by whoever initialises.
    fn fill(&self, value: T) {
        touch(&self.value);
        // SAFETY: only one thread initialises at a time, and no other looks at the place until it is done. It holds nothing.
        unsafe { self.value.get().write(Some(value)) };
    }

    /// # Safety
    ///
    /// The calling thread has seen that the value is there.
    unsafe fn value_unchecked(&self) -> &T {
        // SAFETY: the value is there and stays, as the caller says, so nobody writes.
        unsafe { &*self.value.get() }.as_ref().expect("a value that was seen to be there stays")
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> Self {
        OnceLock { once: Once { state: Word::new(DONE) }, value: UnsafeCell::new(Some(value)) }
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.get().cloned().map_or_else(Self::new, Self::from)
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_tuple("OnceLock");
        match self.get() {
            Some(value) => out.field(value),
            None => out.field(&format_args!("<uninit>")),
        };
        out.finish()
    }
}

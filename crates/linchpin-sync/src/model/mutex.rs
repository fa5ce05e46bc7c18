//! The mutex: its word is locked by a read-modify-write that waits until it finds it unlocked.

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use linchpin_graph::{Order, Site, Step, Verb};

use super::hold::{Hold, LOCKED, POISONED, clear_poison, is_poisoned};
use super::word::{Ask, Word, touch};

/// [`std::sync::Mutex`], modelled.
pub struct Mutex<T: ?Sized> {
    word: Word,
    data: UnsafeCell<T>,
}

// SAFETY: as for `std`'s: whoever can reach the mutex can get the data out of it, one thread at a time.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above; shared access is serialised by the lock, so `T` need not be `Sync`.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}
impl<T: ?Sized> UnwindSafe for Mutex<T> {}
impl<T: ?Sized> RefUnwindSafe for Mutex<T> {}

impl<T> Mutex<T> {
    /// An unlocked mutex around `data`.
    #[inline]
    pub const fn new(data: T) -> Self {
        Mutex { word: Word::new(0), data: UnsafeCell::new(data) }
    }

    /// The data.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; the error holds the data.
    pub fn into_inner(mut self) -> LockResult<T> {
        let poisoned = self.is_poisoned_mut();
        let data = self.data.into_inner();
        if poisoned { Err(PoisonError::new(data)) } else { Ok(data) }
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until the mutex is free and locks it.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; it is locked nevertheless, and the error holds the guard.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.lock_at(Location::caller())
    }

    pub(crate) fn lock_at(&self, site: Site) -> LockResult<MutexGuard<'_, T>> {
        let step = |value, _, _| {
            if value & LOCKED == 0 { Step::Write(value | LOCKED) } else { Step::Wait }
        };
        let taken = self.word.ask(Ask::new(Verb::Lock, Order::Acquire, step, site));
        self.guard(taken.value, site)
    }

    /// Locks the mutex if it is free.
    ///
    /// # Errors
    ///
    /// If it is not, or if the mutex is poisoned; in the latter case the error holds the guard.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let site = Location::caller();
        let step = |value, _, _| {
            if value & LOCKED == 0 { Step::Write(value | LOCKED) } else { Step::Return }
        };
        let taken = self.word.ask(Ask::new(Verb::TryLock, Order::Acquire, step, site));
        if !taken.wrote {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.guard(taken.value, site)?)
    }

    /// Has a thread panicked while it held the lock?
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        is_poisoned(&self.word, Location::caller())
    }

    /// Declares the data sound again.
    #[track_caller]
    pub fn clear_poison(&self) {
        clear_poison(&self.word, Location::caller());
    }

    /// The data, which nobody else can reach.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned; the error holds the reference.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let poisoned = self.is_poisoned_mut();
        let data = self.data.get_mut();
        if poisoned { Err(PoisonError::new(data)) } else { Ok(data) }
    }

    fn is_poisoned_mut(&mut self) -> bool {
        *self.word.get_mut() & POISONED != 0
    }

    /// The guard of a thread that has just locked the word and found `value` there.
    fn guard(&self, value: u64, site: Site) -> LockResult<MutexGuard<'_, T>> {
        touch(&self.data);
        let guard = MutexGuard { mutex: self, _hold: Hold::new(&self.word, value, site) };
        if value & POISONED == 0 { Ok(guard) } else { Err(PoisonError::new(guard)) }
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(data: T) -> Self {
        Self::new(data)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Mutex");
        match self.try_lock() {
            Ok(guard) => out.field("data", &&*guard),
            Err(TryLockError::Poisoned(error)) => out.field("data", &&**error.get_ref()),
            Err(TryLockError::WouldBlock) => out.field("data", &format_args!("<locked>")),
        };
        out.field("poisoned", &self.is_poisoned()).finish_non_exhaustive()
    }
}

/// A locked [`Mutex`]; unlocks it when dropped.
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    mutex: &'a Mutex<T>,
    _hold: Hold<'a>,
}

// SAFETY: a shared guard gives shared access to the data and nothing more.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The mutex that this guard has locked.
    pub(crate) fn mutex(&self) -> &'a Mutex<T> {
        self.mutex
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the lock is held, so only this guard leads to the data.
        unsafe { &*self.mutex.data.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held and the guard is borrowed exclusively.
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

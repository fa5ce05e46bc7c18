//! The readers-writer lock: the word of a mutex, with the number of readers above its two bits.
//!
//! Who comes first is left open: neither readers nor writers are preferred, so every order is explored.

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use linchpin_graph::{Order, Site, Step, StepFn, Verb};

use super::hold::{Hold, LOCKED, POISONED, clear_poison, is_poisoned};
use super::word::{Ask, Word, touch};

/// One reader.
const READER: u64 = 4;

/// Lets a reader in, if there is no writer; otherwise as operand `a` says.
const ENTER_SHARED: StepFn = |value, waits, _| match value & LOCKED {
    0 => Step::Write(value.wrapping_add(READER)),
    _ => wait_or_return(waits),
};

/// Lets a writer in, if there is nobody; otherwise as operand `a` says.
const ENTER: StepFn = |value, waits, _| match value & !POISONED {
    0 => Step::Write(value | LOCKED),
    _ => wait_or_return(waits),
};

/// Operand `a` of those who take no for an answer, and of those who do not.
const TRIES: u64 = 0;
const WAITS: u64 = 1;

fn wait_or_return(waits: u64) -> Step {
    if waits == WAITS { Step::Wait } else { Step::Return }
}

/// [`std::sync::RwLock`], modelled.
pub struct RwLock<T: ?Sized> {
    word: Word,
    data: UnsafeCell<T>,
}

// SAFETY: as for `std`'s: whoever can reach the lock can get the data out of it.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: as above; readers share the data between threads, hence `Sync`.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}
impl<T: ?Sized> UnwindSafe for RwLock<T> {}
impl<T: ?Sized> RefUnwindSafe for RwLock<T> {}

impl<T> RwLock<T> {
    /// An unlocked lock around `data`.
    #[inline]
    pub const fn new(data: T) -> Self {
        RwLock { word: Word::new(0), data: UnsafeCell::new(data) }
    }

    /// The data.
    ///
    /// # Errors
    ///
    /// If the lock is poisoned; the error holds the data.
    pub fn into_inner(mut self) -> LockResult<T> {
        let poisoned = *self.word.get_mut() & POISONED != 0;
        lock_result(poisoned, self.data.into_inner())
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until there is no writer and locks for reading.
    ///
    /// # Errors
    ///
    /// If the lock is poisoned; it is locked nevertheless, and the error holds the guard.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let site = Location::caller();
        let taken = self.word.ask(Ask::new(Verb::LockShared, Order::Acquire, ENTER_SHARED, site).with(WAITS, 0));
        self.read_guard(taken.value, site)
    }

    /// Locks for reading if there is no writer.
    ///
    /// # Errors
    ///
    /// If there is one, or if the lock is poisoned; in the latter case the error holds the guard.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let site = Location::caller();
        let taken = self.word.ask(Ask::new(Verb::TryLockShared, Order::Acquire, ENTER_SHARED, site).with(TRIES, 0));
        if !taken.wrote {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.read_guard(taken.value, site)?)
    }

    /// Waits until there is nobody and locks for writing.
    ///
    /// # Errors
    ///
    /// If the lock is poisoned; it is locked nevertheless, and the error holds the guard.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let site = Location::caller();
        let taken = self.word.ask(Ask::new(Verb::Lock, Order::Acquire, ENTER, site).with(WAITS, 0));
        self.write_guard(taken.value, site)
    }

    /// Locks for writing if there is nobody.
    ///
    /// # Errors
    ///
    /// If there is somebody, or if the lock is poisoned; in the latter case the error holds the guard.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let site = Location::caller();
        let taken = self.word.ask(Ask::new(Verb::TryLock, Order::Acquire, ENTER, site).with(TRIES, 0));
        if !taken.wrote {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.write_guard(taken.value, site)?)
    }

    /// Has a thread panicked while it held the lock for writing?
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
    /// If the lock is poisoned; the error holds the reference.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let poisoned = *self.word.get_mut() & POISONED != 0;
        lock_result(poisoned, self.data.get_mut())
    }

    fn read_guard(&self, value: u64, site: Site) -> LockResult<RwLockReadGuard<'_, T>> {
        touch(&self.data);
        lock_result(value & POISONED != 0, RwLockReadGuard::new(self, site))
    }

    fn write_guard(&self, value: u64, site: Site) -> LockResult<RwLockWriteGuard<'_, T>> {
        touch(&self.data);
        let guard = RwLockWriteGuard { lock: self, hold: Hold::new(&self.word, value, site) };
        lock_result(value & POISONED != 0, guard)
    }
}

fn lock_result<G>(poisoned: bool, guard: G) -> LockResult<G> {
    if poisoned { Err(PoisonError::new(guard)) } else { Ok(guard) }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(data: T) -> Self {
        Self::new(data)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("RwLock");
        match self.try_read() {
            Ok(guard) => out.field("data", &&*guard),
            Err(TryLockError::Poisoned(error)) => out.field("data", &&**error.get_ref()),
            Err(TryLockError::WouldBlock) => out.field("data", &format_args!("<locked>")),
        };
        out.field("poisoned", &self.is_poisoned()).finish_non_exhaustive()
    }
}

/// A [`RwLock`] locked for reading; unlocks it when dropped.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    /// A pointer, since with a reference to the lock a guard of `&'static str` could not be one of `&'a str`. It also sees to it that
    /// the thread that took the lock releases it: no `Send`.
    data: NonNull<T>,
    word: &'a Word,
    /// Where the lock was taken; its release is shown there too.
    site: Site,
}

// SAFETY: a shared guard gives shared access to the data and nothing more.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    /// The guard of a thread that has just locked `lock` for reading.
    fn new(lock: &'a RwLock<T>, site: Site) -> Self {
        // SAFETY: the address of a cell is not null.
        let data = unsafe { NonNull::new_unchecked(lock.data.get()) };
        RwLockReadGuard { data, word: &lock.word, site }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        let step: StepFn = |value, _, _| Step::Write(value.wrapping_sub(READER));
        self.word.ask(Ask::new(Verb::UnlockShared, Order::Release, step, self.site));
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the lock, and with it the data, outlives the guard; while there is a reader there is no writer.
        unsafe { self.data.as_ref() }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

/// A [`RwLock`] locked for writing; unlocks it when dropped.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    hold: Hold<'a>,
}

// SAFETY: a shared guard gives shared access to the data and nothing more.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Goes on as a reader, without letting another writer in between.
    pub fn downgrade(guard: Self) -> RwLockReadGuard<'a, T> {
        let site = guard.hold.downgrade(Verb::Unlock, READER);
        RwLockReadGuard::new(guard.lock, site)
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the lock is held for writing, so only this guard leads to the data.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held for writing and the guard is borrowed exclusively.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

//! A value made on first use.
//!
//! In a static the engine puts the state back after each execution, and the next execution makes the value anew. The
//! closure is therefore kept beside the value instead of in its place, and its memory outlives the call.

use std::cell::UnsafeCell;
use std::fmt;
use std::mem::{ManuallyDrop, MaybeUninit, needs_drop};
use std::ops::{Deref, DerefMut};
use std::panic::{Location, RefUnwindSafe, UnwindSafe};

use super::once::{Once, Progress};
use super::word::touch;

/// [`std::sync::LazyLock`], modelled.
///
/// One that is made outside the executions that use it needs a closure that owns nothing: a closure that owns values
/// can be called only once, not once in each execution.
pub struct LazyLock<T, F = fn() -> T> {
    once: Once,
    /// Holds a value if `once` is done.
    value: UnsafeCell<MaybeUninit<T>>,
    init: UnsafeCell<ManuallyDrop<F>>,
    /// `init` has been called, in this execution or in an earlier one.
    called: UnsafeCell<bool>,
}

// SAFETY: the fields behind cells are written only by the one thread that initialises; others read the value after.
unsafe impl<T: Send + Sync, F: Send> Sync for LazyLock<T, F> {}
impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}
impl<T: UnwindSafe + RefUnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value that `init` makes when it is first asked for.
    #[inline]
    pub const fn new(init: F) -> Self {
        LazyLock {
            once: Once::new(),
            value: UnsafeCell::new(MaybeUninit::uninit()),
            init: UnsafeCell::new(ManuallyDrop::new(init)),
            called: UnsafeCell::new(false),
        }
    }

    /// The value, made if need be.
    ///
    /// # Panics
    ///
    /// If making it panics, or did so earlier.
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        let initialise = |_: &_| {
            touch(&this.value);
            let init = this.take_init();
            // SAFETY: only one thread initialises, and no other looks at the value until it is done.
            unsafe { (*this.value.get()).write(init()) };
        };
        if this.once.call(0, initialise, Location::caller()) != super::once::DONE {
            poisoned();
        }
        // SAFETY: the call has seen or made the value.
        unsafe { this.value_unchecked() }
    }

    /// The value, made if need be, which nobody else can reach.
    ///
    /// # Panics
    ///
    /// If making it panics, or did so earlier.
    #[track_caller]
    pub fn force_mut(this: &mut Self) -> &mut T {
        Self::force(this);
        // SAFETY: the value is there.
        unsafe { this.value.get_mut().assume_init_mut() }
    }

    /// The closure, for its call. To be called by whoever initialises.
    fn take_init(&self) -> F {
        // SAFETY: only one thread initialises at a time and nobody else looks at these fields.
        unsafe {
            let called = self.called.get().replace(true);
            assert!(
                !called || !needs_drop::<F>(),
                "a LazyLock whose closure owns values was used in two executions: make it inside the execution"
            );
            // The closure is called for the first time, or may be copied since dropping it does nothing.
            ManuallyDrop::into_inner(self.init.get().read())
        }
    }
}

impl<T, F> LazyLock<T, F> {
    /// The value, if it has been made.
    #[track_caller]
    pub fn get(this: &Self) -> Option<&T> {
        // SAFETY: a value that was seen to be there stays.
        this.once.is_completed_at(Location::caller()).then(|| unsafe { this.value_unchecked() })
    }

    /// The value, which nobody else can reach, if it has been made.
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        match this.once.progress() {
            // SAFETY: the value is there.
            Progress::Done => Some(unsafe { this.value.get_mut().assume_init_mut() }),
            Progress::New | Progress::Poisoned => None,
        }
    }

    /// # Safety
    ///
    /// The calling thread has seen that the value is there.
    unsafe fn value_unchecked(&self) -> &T {
        // SAFETY: the value is there and stays, as the caller says.
        unsafe { (*self.value.get()).assume_init_ref() }
    }
}

#[cold]
#[track_caller]
fn poisoned() -> ! {
    panic!("LazyLock instance has previously been poisoned")
}

impl<T, F> Drop for LazyLock<T, F> {
    fn drop(&mut self) {
        if let Some(value) = Self::get_mut(self) {
            // SAFETY: nobody will look at the value again.
            unsafe { std::ptr::drop_in_place(value) };
        }
        if !*self.called.get_mut() {
            // SAFETY: the closure has not been moved out, and nobody will look at it again.
            unsafe { ManuallyDrop::drop(self.init.get_mut()) };
        }
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        Self::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        Self::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> Self {
        Self::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_tuple("LazyLock");
        match Self::get(self) {
            Some(value) => out.field(value),
            None => out.field(&format_args!("<uninit>")),
        };
        out.finish()
    }
}

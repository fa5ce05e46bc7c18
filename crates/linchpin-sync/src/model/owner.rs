//! Threads of executions: what is known of one, what it runs and what comes of it, in one block of memory that several own.
//!
//! A test starts and joins its threads in every execution, so what that takes is seen in how fast tests are. Threads of an execution take
//! turns on a single thread of the operating system: owners are counted without atomic instructions, each of which takes as long as a whole
//! access.

use std::cell::Cell;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;

use linchpin_engine::rt::Body;

use super::handle::{About, Thread};

/// What handles lead to: the beginning of a [`Work`], or the whole block where nothing else belongs to it.
#[repr(C)]
struct Counted {
    owners: Cell<usize>,
    /// Frees the whole block.
    free: unsafe fn(NonNull<Counted>),
    about: About,
}

/// A [`Counted`], and what came of the thread.
#[repr(C)]
struct Outcome<T> {
    counted: Counted,
    result: Cell<Option<T>>,
    /// Somebody may still ask for the result.
    is_wanted: Cell<bool>,
}

/// An [`Outcome`], and what the thread runs, until it has started.
#[repr(C)]
struct Work<F, T> {
    outcome: Outcome<T>,
    f: Cell<Option<F>>,
}

impl Counted {
    fn new<Block>(owners: usize, about: About) -> Self {
        Counted { owners: Cell::new(owners), free: drop_last_owner::<Block>, about }
    }
}

/// The engine finds this function on the stack, as it finds that of an `Arc`: who frees comes after all other owners, although the
/// memory model does not say so.
///
/// # Safety
///
/// The block is a box of a `Block`, and is not used again.
#[inline(never)]
unsafe fn drop_last_owner<Block>(block: NonNull<Counted>) {
    // SAFETY: as the caller says.
    drop(unsafe { Box::from_raw(block.cast::<Block>().as_ptr()) });
}

/// One of those who own what is known of a thread of the current execution.
pub(crate) struct Owner(NonNull<Counted>);

// SAFETY: threads of an execution are coroutines of one thread of the operating system, which nobody interrupts while they count, and what
// they own is memory of the execution, which is gone when that ends.
unsafe impl Send for Owner {}
// SAFETY: as above.
unsafe impl Sync for Owner {}

/// As with an `Arc`, since no panic comes between a change of the count and what it means.
impl UnwindSafe for Owner {}
impl RefUnwindSafe for Owner {}

impl Owner {
    /// The only owner of what is known of a thread that this module has not started.
    pub fn alone(about: About) -> Self {
        Owner(NonNull::from(Box::leak(Box::new(Counted::new::<Counted>(1, about)))))
    }

    /// What is known of the thread.
    pub fn about(&self) -> &About {
        // SAFETY: the block is there while it has an owner.
        unsafe { &self.0.as_ref().about }
    }

    /// Gives up this owner for a pointer.
    pub fn into_raw(self) -> *mut u8 {
        let pointer = self.0.as_ptr().cast();
        std::mem::forget(self);
        pointer
    }

    /// The owner that was given up for `pointer`.
    ///
    /// # Safety
    ///
    /// The pointer is one of [`Owner::into_raw`], or that of a [`started`] body, and is used for one owner only.
    pub unsafe fn from_raw(pointer: *mut u8) -> Self {
        // SAFETY: as the caller says; it is not null.
        Owner(unsafe { NonNull::new_unchecked(pointer.cast()) })
    }
}

impl Clone for Owner {
    fn clone(&self) -> Self {
        // SAFETY: the block is there while it has an owner.
        let owners = unsafe { &self.0.as_ref().owners };
        owners.set(owners.get() + 1);
        Owner(self.0)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: the block is there while it has an owner; nobody uses it after the last one.
        unsafe {
            let Counted { owners, free, .. } = self.0.as_ref();
            owners.set(owners.get() - 1);
            if owners.get() == 0 {
                free(self.0);
            }
        }
    }
}

/// Whoever may ask for what came of a thread.
pub(crate) struct Asker<T> {
    /// The thread's handle: one of the owners of the outcome.
    pub thread: Thread,
    outcome: NonNull<Outcome<T>>,
}

// SAFETY: as for `Owner`.
unsafe impl<T: Send> Send for Asker<T> {}
// SAFETY: as for `Owner`.
unsafe impl<T: Send> Sync for Asker<T> {}
impl<T> UnwindSafe for Asker<T> {}
impl<T> RefUnwindSafe for Asker<T> {}

/// A thread that runs `f` once the engine starts it: what asks for its result, and what the engine runs.
///
/// # Safety
///
/// What `f` and its result borrow outlives the thread and who asks for the result.
pub(crate) unsafe fn started<F: FnOnce() -> T, T>(key: usize, about: About, f: F) -> (Asker<T>, Body) {
    let counted = Counted::new::<Work<F, T>>(2, about);
    let outcome = Outcome { counted, result: Cell::new(None::<T>), is_wanted: Cell::new(true) };
    let work = NonNull::from(Box::leak(Box::new(Work { outcome, f: Cell::new(Some(f)) })));
    let asker = Asker { thread: Owner(work.cast()).into(), outcome: work.cast() };
    // SAFETY: the other owner is the body's; the functions are those of the block's type.
    let body = unsafe { Body::from_raw(key, work.as_ptr().cast(), run::<F, T>, release) };
    (asker, body)
}

/// # Safety
///
/// `work` is that of a [`started`] body of this type, and has an owner.
unsafe fn run<F: FnOnce() -> T, T>(work: *mut u8) {
    // SAFETY: as the caller says.
    let Work { outcome, f } = unsafe { &*work.cast::<Work<F, T>>() };
    let f = f.take().expect("the engine runs a thread once");
    let value = f();
    if outcome.is_wanted.get() {
        outcome.result.set(Some(value));
    }
}

/// Drops the owner that was given up for `pointer`.
///
/// # Safety
///
/// As for [`Owner::from_raw`].
pub(crate) unsafe fn release(pointer: *mut u8) {
    // SAFETY: as the caller says.
    drop(unsafe { Owner::from_raw(pointer) });
}

impl<T> Asker<T> {
    /// What came of the thread, if it has ended and nobody has taken it.
    pub fn take(&self) -> Option<T> {
        self.outcome().result.take()
    }

    fn outcome(&self) -> &Outcome<T> {
        // SAFETY: the block is there while it has an owner.
        unsafe { self.outcome.as_ref() }
    }
}

/// What nobody can ask for any more is not kept, even if others have handles of the thread: it may borrow.
impl<T> Drop for Asker<T> {
    fn drop(&mut self) {
        self.outcome().is_wanted.set(false);
        drop(self.take());
    }
}

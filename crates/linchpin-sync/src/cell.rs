//! [`std::cell`], with an [`UnsafeCell`] whose accesses can be watched for races.

use std::fmt;
use std::mem::ManuallyDrop;

pub use std::cell::*;

/// [`std::cell::UnsafeCell`] with two more methods: what is done to the content in [`with`](Self::with) and
/// [`with_mut`](Self::with_mut) is checked for data races in an execution of the engine. Without the feature `model`
/// they are the calls of their closures and nothing else.
///
/// All of the content counts as accessed, atomics in it included, and that for as long as the closure runs. Accesses
/// through [`get`](Self::get) are not watched.
#[repr(transparent)]
pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    /// A cell that holds `value`.
    #[inline]
    pub const fn new(value: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// The content.
    #[inline]
    pub const fn into_inner(self) -> T {
        let this = ManuallyDrop::new(self);
        // SAFETY: the cell has the layout of its content, which is moved out once, as the cell is not dropped.
        unsafe { (&raw const this).cast::<T>().read() }
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Hands a pointer to the content to `f`, which may read through it while it runs.
    #[inline]
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        self.watch(false, |content| f(content))
    }

    /// Hands a pointer to the content to `f`, which may read and write through it while it runs.
    #[inline]
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        self.watch(true, f)
    }

    /// A pointer to the content. What is done through it is not watched for races.
    #[inline]
    pub const fn get(&self) -> *mut T {
        self.0.get()
    }

    /// The content, which nobody else can reach.
    #[inline]
    pub const fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }

    /// A pointer to the content of the cell at `this`, for when there can be no reference to the cell.
    #[inline]
    pub const fn raw_get(this: *const Self) -> *mut T {
        this as *mut T
    }

    /// The cell whose content is `value`.
    #[inline]
    pub const fn from_mut(value: &mut T) -> &mut Self {
        // SAFETY: the cell has the layout of its content, and the reference is as exclusive as the one it came from.
        unsafe { &mut *(value as *mut T as *mut Self) }
    }

    /// Calls `f`, and tells the engine that the content is accessed meanwhile.
    ///
    /// If `f` panics, only the beginning counts: whether it got to the content after what else it did is not known.
    #[cfg(feature = "model")]
    #[inline]
    #[track_caller]
    fn watch<R>(&self, is_write: bool, f: impl FnOnce(*mut T) -> R) -> R {
        use linchpin_engine::rt;
        if !rt::active() {
            return f(self.0.get());
        }
        let site = std::panic::Location::caller();
        let access = rt::plain(self.0.get().addr(), size_of_val(self), is_write, site);
        let result = f(self.0.get());
        rt::plain_ends(access);
        result
    }

    #[cfg(not(feature = "model"))]
    #[inline(always)]
    fn watch<R>(&self, _is_write: bool, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

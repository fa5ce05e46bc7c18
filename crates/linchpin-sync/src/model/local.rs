//! Thread-local variables: per thread of an execution in one, `std`'s outside.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;

use linchpin_engine::rt;

/// Declares thread-local variables. See [`std::thread_local!`].
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = const $init:block $(; $($rest:tt)*)?) => {
        $crate::thread_local!(@declare [$(#[$attribute])*] [$vis] $name, $type, const $init);
        $($crate::thread_local!($($rest)*);)?
    };
    ($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = $init:expr $(; $($rest:tt)*)?) => {
        $crate::thread_local!(@declare [$(#[$attribute])*] [$vis] $name, $type, { $init });
        $($crate::thread_local!($($rest)*);)?
    };
    (@declare [$($attribute:tt)*] [$vis:vis] $name:ident, $type:ty, $($native:tt)*) => {
        $($attribute)*
        $vis static $name: $crate::thread::LocalKey<$type> = {
            // Items are visible to the initialiser, whatever macro they come from: this one has a name that nobody uses.
            ::std::thread_local! {
                static __LINCHPIN_NATIVE: $type = $($native)*;
            }
            $crate::thread::LocalKey::new(&__LINCHPIN_NATIVE, || -> $type { $($native)* })
        };
    };
}

/// [`std::thread::LocalKey`], modelled. Made by [`thread_local!`](crate::thread_local).
pub struct LocalKey<T: 'static> {
    native: &'static std::thread::LocalKey<T>,
    init: fn() -> T,
}

/// The variable is being destroyed, or was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already destroyed")
    }
}

impl Error for AccessError {}

/// How far a thread of an execution has come with a variable.
#[derive(Clone, Copy)]
enum State {
    /// It has not asked for the variable yet.
    New,
    /// The value lives here.
    Alive(*mut u8),
    /// The thread is ending and has dropped the value.
    Gone,
}

/// A value of a thread of an execution.
struct Kept<T> {
    value: T,
    state: *const Cell<State>,
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(native: &'static std::thread::LocalKey<T>, init: fn() -> T) -> Self {
        LocalKey { native, init }
    }

    /// Hands the calling thread's value, made if need be, to `f`.
    ///
    /// # Panics
    ///
    /// If the value was dropped already because the thread is ending.
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        expect_alive(self.try_with(f))
    }

    /// Hands the calling thread's value, made if need be, to `f`.
    ///
    /// # Errors
    ///
    /// If the value was dropped already because the thread is ending.
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        if !rt::active() {
            return self.native.try_with(f).map_err(|_| AccessError);
        }
        self.try_with_seed(None, |value, _| f(value))
    }

    /// As [`try_with`](Self::try_with) in an execution, but a value that has to be made is `seed` if there is one. A
    /// seed that was not used is handed on.
    fn try_with_seed<R>(
        &'static self,
        mut seed: Option<T>,
        f: impl FnOnce(&T, Option<T>) -> R,
    ) -> Result<R, AccessError> {
        let state = self.state();
        let place = match state.get() {
            State::Alive(place) => place,
            State::Gone => return Err(AccessError),
            // The value is made out here, since making it may call the engine in turn.
            State::New => self.keep(seed.take().unwrap_or_else(self.init), state),
        };
        // SAFETY: the value lives until the thread ends, and is only ever shared.
        let value = unsafe { &*place.cast::<T>() };
        Ok(f(value, seed))
    }

    /// The calling thread's state of this variable.
    fn state(&'static self) -> &'static Cell<State> {
        let mut make = || boxed(Cell::new(State::New));
        let state = rt::local(self.address(), &mut make).cast::<Cell<State>>();
        // SAFETY: the engine returns what was made for this key. It was made before the value and is dropped after it,
        // and no reference to it leaves this module.
        unsafe { &*state }
    }

    /// Hands `value` to the engine, to be dropped when the thread ends. Returns where it lives.
    fn keep(&'static self, value: T, state: &Cell<State>) -> *mut u8 {
        let mut kept = Some(Kept { value, state });
        let mut make = || boxed(kept.take().expect("the engine makes a value once"));
        // The state has the variable's address for a key; the address after it belongs to the variable as well.
        let kept = rt::local(self.address() + 1, &mut make).cast::<Kept<T>>();
        // SAFETY: the engine returns what was made for this key.
        let place = unsafe { (&raw mut (*kept).value).cast::<u8>() };
        state.set(State::Alive(place));
        place
    }

    fn address(&'static self) -> usize {
        (&raw const *self).addr()
    }
}

impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        // SAFETY: the state outlives the value, because what was made last is dropped first.
        unsafe { (*self.state).set(State::Gone) };
    }
}

/// The value as the engine keeps it, and how to drop it.
fn boxed<T>(value: T) -> (*mut u8, unsafe fn(*mut u8)) {
    /// # Safety
    ///
    /// `place` is a box of a `T`, and is not used again.
    unsafe fn drop_boxed<T>(place: *mut u8) {
        // SAFETY: as the caller says.
        drop(unsafe { Box::from_raw(place.cast::<T>()) });
    }
    (Box::into_raw(Box::new(value)).cast(), drop_boxed::<T>)
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Sets the value. One that was not made yet is not made for that.
    pub fn set(&'static self, value: T) {
        if !rt::active() {
            return self.native.set(value);
        }
        let replace = |cell: &Cell<T>, seed: Option<Cell<T>>| seed.map(|seed| cell.set(seed.into_inner()));
        expect_alive(self.try_with_seed(Some(Cell::new(value)), replace));
    }

    /// A copy of the value.
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes the value and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Sets the value and returns the old one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Borrows the value.
    pub fn with_borrow<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Borrows the value to change it.
    pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&mut T) -> R,
    {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Sets the value. One that was not made yet is not made for that.
    pub fn set(&'static self, value: T) {
        if !rt::active() {
            return self.native.set(value);
        }
        let replace = |cell: &RefCell<T>, seed: Option<RefCell<T>>| seed.map(|seed| cell.replace(seed.into_inner()));
        expect_alive(self.try_with_seed(Some(RefCell::new(value)), replace));
    }

    /// Takes the value and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Sets the value and returns the old one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

fn expect_alive<R>(result: Result<R, AccessError>) -> R {
    result.expect("cannot access a Thread Local Storage value during or after destruction")
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

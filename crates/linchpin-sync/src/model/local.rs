//! Thread-local variables: per thread of an execution in one, `std`'s outside.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::error::Error;
use std::fmt;
use std::mem::{MaybeUninit, needs_drop};

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
    /// There is a value.
    Alive,
    /// The thread is ending and has dropped the value.
    Gone,
}

/// A variable of a thread of an execution. It is there till the very end of the thread, so that nobody who asks for a value
/// that was dropped gets another one.
struct Variable<T> {
    state: Cell<State>,
    value: UnsafeCell<MaybeUninit<T>>,
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
        let variable = self.variable();
        match variable.state.get() {
            State::Alive => {}
            State::Gone => return Err(AccessError),
            State::New => variable.fill(seed.take().unwrap_or_else(self.init)),
        }
        // SAFETY: there is a value. It lives until the thread ends, and is only ever shared.
        let value = unsafe { (*variable.value.get()).assume_init_ref() };
        Ok(f(value, seed))
    }

    /// The calling thread's variable.
    fn variable(&'static self) -> &'static Variable<T> {
        let mut make = || {
            let value = UnsafeCell::new(MaybeUninit::uninit());
            boxed(Variable::<T> { state: Cell::new(State::New), value })
        };
        let variable = rt::local((&raw const *self).addr(), &mut make).cast();
        // SAFETY: the engine returns what was made for this key. It is dropped after all that could ask for it, and no
        // reference to it leaves this module.
        unsafe { &*variable }
    }
}

impl<T: 'static> Variable<T> {
    /// Gives the variable its value. If the initialiser has asked for the variable itself there is one already, which
    /// makes room as with `std`.
    fn fill(&self, value: T) {
        // SAFETY: nobody has a reference to a value that was there: the initialiser, which could have had one, has returned.
        let mut old = unsafe { self.value.get().replace(MaybeUninit::new(value)) };
        match self.state.replace(State::Alive) {
            // SAFETY: there was a value.
            State::Alive => unsafe { old.assume_init_drop() },
            // Without anything to drop the value stays as long as its memory.
            State::New | State::Gone if !needs_drop::<T>() => {}
            // SAFETY: the variable is there for all that comes before the end, where this is called once.
            State::New | State::Gone => unsafe { rt::before_end((&raw const *self).cast_mut().cast(), Self::end) },
        }
    }

    /// Drops the value.
    ///
    /// # Safety
    ///
    /// `this` is a variable with a value that nobody has a reference to.
    unsafe fn end(this: *mut u8) {
        // SAFETY: as the caller says.
        unsafe {
            let this = &*this.cast::<Self>();
            this.state.set(State::Gone);
            (*this.value.get()).assume_init_drop();
        }
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

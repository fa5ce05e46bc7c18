//! Atomics: the memory of `std`'s, accessed through the engine.
//!
//! Each type holds the atomic of `std` and nothing else. In an execution the engine reads a location's initial value
//! from that memory and keeps the newest value there; exclusive access (`get_mut`, `into_inner`, drop) therefore
//! needs no word with the engine.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{self as native, Ordering};

use linchpin_engine::rt::{self, Access, Taken};
use linchpin_graph::{Request, Site, Step, StepFn, Verb};

/// A value as the engine sees it: its bits, zero-extended.
trait Value: Copy {
    fn widen(self) -> u64;
    fn narrow(bits: u64) -> Self;
}

impl Value for bool {
    fn widen(self) -> u64 {
        u64::from(self)
    }

    fn narrow(bits: u64) -> Self {
        bits != 0
    }
}

impl<T> Value for *mut T {
    fn widen(self) -> u64 {
        self.expose_provenance() as u64
    }

    fn narrow(bits: u64) -> Self {
        std::ptr::with_exposed_provenance_mut(bits as usize)
    }
}

/// What an operation asks of the memory of `atomic`.
#[inline]
fn read<A>(atomic: &A, verb: Verb, orders: (Ordering, Ordering), step: StepFn, a: u64, b: u64, site: Site) -> Taken {
    let (order, failure) = (orders.0.into(), orders.1.into());
    rt::read(&Access {
        verb,
        address: address(atomic),
        size: size_of::<A>() as u8,
        request: Request { step, a, b, order, failure },
        site,
    })
}

#[inline]
fn address<A>(atomic: &A) -> usize {
    (&raw const *atomic).addr()
}

#[inline]
#[track_caller]
fn load<A, V: Value>(atomic: &A, order: Ordering, site: Site) -> V {
    match order {
        Ordering::Release => panic!("there is no such thing as a release load"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release load"),
        _ => V::narrow(rt::load(address(atomic), size_of::<A>() as u8, order.into(), site)),
    }
}

#[inline]
#[track_caller]
fn store<A, V: Value>(atomic: &A, value: V, order: Ordering, site: Site) {
    match order {
        Ordering::Acquire => panic!("there is no such thing as an acquire store"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release store"),
        _ => rt::write(Verb::Store, address(atomic), size_of::<A>() as u8, order.into(), value.widen(), site),
    }
}

/// A read-modify-write that always writes what `step` makes of the old value and `operand`.
#[inline]
fn modify<A, V: Value>(atomic: &A, verb: Verb, operand: V, order: Ordering, step: StepFn, site: Site) -> V {
    V::narrow(read(atomic, verb, (order, Ordering::Relaxed), step, operand.widen(), 0, site).value)
}

#[inline]
#[track_caller]
fn compare_exchange<A, V: Value>(
    atomic: &A,
    current: V,
    new: V,
    success: Ordering,
    failure: Ordering,
    site: Site,
) -> Result<V, V> {
    check_failure_order(failure);
    let step: StepFn = |value, current, new| {
        if value == current { Step::Write(new) } else { Step::Return }
    };
    let orders = (success, failure);
    let taken = read(atomic, Verb::CompareExchange, orders, step, current.widen(), new.widen(), site);
    let value = V::narrow(taken.value);
    if taken.wrote { Ok(value) } else { Err(value) }
}

#[inline]
#[track_caller]
fn compare_exchange_weak<A, V: Value>(
    atomic: &A,
    current: V,
    new: V,
    success: Ordering,
    failure: Ordering,
    site: Site,
) -> Result<V, V> {
    check_failure_order(failure);
    if let Some(step) = rt::spurious_failure(site) {
        let orders = (success, failure);
        let taken = read(atomic, Verb::CompareExchange, orders, step, current.widen(), new.widen(), site);
        return Err(V::narrow(taken.value));
    }
    compare_exchange(atomic, current, new, success, failure, site)
}

#[inline]
#[track_caller]
fn check_failure_order(order: Ordering) {
    match order {
        Ordering::Release => panic!("there is no such thing as a release failure ordering"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release failure ordering"),
        _ => {}
    }
}

/// The strongest order that a failed exchange can have beside `order`.
fn strongest_failure_order(order: Ordering) -> Ordering {
    match order {
        Ordering::Release => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Acquire,
        _ => order,
    }
}

/// What the atomics of all types have in common.
macro_rules! basics {
    ([$($parameter:ident)?] $name:ty, $native:ty, $value:ty) => {
        impl$(<$parameter>)? $name {
            /// An atomic of this initial value.
            #[inline]
            pub const fn new(value: $value) -> Self {
                Self { inner: <$native>::new(value) }
            }

            /// The atomic whose memory is at `pointer`.
            ///
            /// # Safety
            ///
            /// As for the method of the same name in `std`: the pointer is aligned and valid for `'a`, and nobody
            /// accesses the memory in a way that conflicts with atomic accesses.
            #[inline]
            pub const unsafe fn from_ptr<'a>(pointer: *mut $value) -> &'a Self {
                // SAFETY: the caller vouches for the memory, and the atomic has the layout of its value.
                unsafe { &*pointer.cast() }
            }

            /// The value, which nobody else can reach.
            #[inline]
            pub fn get_mut(&mut self) -> &mut $value {
                self.inner.get_mut()
            }

            /// The value.
            #[inline]
            pub const fn into_inner(self) -> $value {
                self.inner.into_inner()
            }

            /// A pointer to the memory.
            #[inline]
            pub const fn as_ptr(&self) -> *mut $value {
                self.inner.as_ptr()
            }

            /// Reads the value.
            ///
            /// # Panics
            ///
            /// If `order` is `Release` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                if !rt::active() {
                    return self.inner.load(order);
                }
                load(self, order, Location::caller())
            }

            /// Writes the value.
            ///
            /// # Panics
            ///
            /// If `order` is `Acquire` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                if !rt::active() {
                    return self.inner.store(value, order);
                }
                store(self, value, order, Location::caller());
            }

            /// Writes the value and returns the old one.
            #[inline]
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                if !rt::active() {
                    return self.inner.swap(value, order);
                }
                modify(self, Verb::Swap, value, order, |_, new, _| Step::Write(new), Location::caller())
            }

            /// Writes `new` if the value is `current`. Returns the old value, as an error if nothing was written.
            ///
            /// # Panics
            ///
            /// If `failure` is `Release` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if !rt::active() {
                    return self.inner.compare_exchange(current, new, success, failure);
                }
                compare_exchange(self, current, new, success, failure, Location::caller())
            }

            /// As [`compare_exchange`](Self::compare_exchange), but may fail although the value is `current`. In an
            /// execution it does so only if the engine is configured to explore spurious failures.
            ///
            /// # Panics
            ///
            /// If `failure` is `Release` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if !rt::active() {
                    return self.inner.compare_exchange_weak(current, new, success, failure);
                }
                compare_exchange_weak(self, current, new, success, failure, Location::caller())
            }

            /// Writes `new` if the value is `current`. Returns the old value.
            #[deprecated(note = "use compare_exchange or compare_exchange_weak instead")]
            #[inline]
            #[track_caller]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                match self.compare_exchange(current, new, order, strongest_failure_order(order)) {
                    Ok(old) | Err(old) => old,
                }
            }

            /// Replaces the value by what `f` makes of it, trying again when others interfere, until that succeeds or
            /// `f` declines. Returns the old value, as an error if `f` declined.
            #[inline]
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: F,
            ) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                let mut old = self.load(fetch_order);
                // Not the weak exchange: its spurious failures could be explored without end and would add nothing.
                while let Some(new) = f(old) {
                    match self.compare_exchange(old, new, set_order, fetch_order) {
                        Ok(old) => return Ok(old),
                        Err(newer) => old = newer,
                    }
                }
                Err(old)
            }

            /// As [`fetch_update`](Self::fetch_update).
            #[inline]
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.fetch_update(set_order, fetch_order, f)
            }

            /// Replaces the value by what `f` makes of it, trying again when others interfere. Returns the old value.
            #[inline]
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> $value,
            ) -> $value {
                match self.fetch_update(set_order, fetch_order, |old| Some(f(old))) {
                    Ok(old) | Err(old) => old,
                }
            }
        }

        impl$(<$parameter>)? From<$value> for $name {
            #[inline]
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl$(<$parameter>)? fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
            }
        }
    };
}

/// Methods that write a function of the old value and their argument, and return the old value.
macro_rules! fetch_methods {
    ($value:ty; $($(#[$doc:meta])* $method:ident, $verb:ident: $combine:expr;)*) => {$(
        $(#[$doc])*
        #[inline]
        #[track_caller]
        pub fn $method(&self, value: $value, order: Ordering) -> $value {
            if !rt::active() {
                return self.inner.$method(value, order);
            }
            let step: StepFn = |old, value, _| {
                let combine: fn($value, $value) -> $value = $combine;
                Step::Write(combine(Value::narrow(old), Value::narrow(value)).widen())
            };
            modify(self, Verb::$verb, value, order, step, Location::caller())
        }
    )*};
}

macro_rules! integer {
    ($name:ident, $value:ident, $unsigned:ident) => {
        #[doc = concat!("[`std::sync::atomic::", stringify!($name), "`], modelled.")]
        #[derive(Default)]
        #[repr(transparent)]
        pub struct $name {
            inner: native::$name,
        }

        impl Value for $value {
            fn widen(self) -> u64 {
                // Through the unsigned type, which is what extends by zeros instead of the sign.
                self as $unsigned as u64
            }

            fn narrow(bits: u64) -> Self {
                bits as $value
            }
        }

        basics!([] $name, native::$name, $value);

        impl $name {
            fetch_methods! { $value;
                /// Adds, wrapping around. Returns the old value.
                fetch_add, FetchAdd: |old, value| old.wrapping_add(value);
                /// Subtracts, wrapping around. Returns the old value.
                fetch_sub, FetchSub: |old, value| old.wrapping_sub(value);
                /// Writes the bitwise "and". Returns the old value.
                fetch_and, FetchAnd: |old, value| old & value;
                /// Writes the inverted bitwise "and". Returns the old value.
                fetch_nand, FetchNand: |old, value| !(old & value);
                /// Writes the bitwise "or". Returns the old value.
                fetch_or, FetchOr: |old, value| old | value;
                /// Writes the bitwise "exclusive or". Returns the old value.
                fetch_xor, FetchXor: |old, value| old ^ value;
                /// Writes the greater of the two. Returns the old value.
                fetch_max, FetchMax: |old, value| old.max(value);
                /// Writes the smaller of the two. Returns the old value.
                fetch_min, FetchMin: |old, value| old.min(value);
            }
        }
    };
}

integer!(AtomicI8, i8, u8);
integer!(AtomicI16, i16, u16);
integer!(AtomicI32, i32, u32);
integer!(AtomicI64, i64, u64);
integer!(AtomicIsize, isize, usize);
integer!(AtomicU8, u8, u8);
integer!(AtomicU16, u16, u16);
integer!(AtomicU32, u32, u32);
integer!(AtomicU64, u64, u64);
integer!(AtomicUsize, usize, usize);

/// [`std::sync::atomic::AtomicBool`], modelled.
#[derive(Default)]
#[repr(transparent)]
pub struct AtomicBool {
    inner: native::AtomicBool,
}

basics!([] AtomicBool, native::AtomicBool, bool);

impl AtomicBool {
    fetch_methods! { bool;
        /// Writes the logical "and". Returns the old value.
        fetch_and, FetchAnd: |old, value| old & value;
        /// Writes the inverted logical "and". Returns the old value.
        fetch_nand, FetchNand: |old, value| !(old & value);
        /// Writes the logical "or". Returns the old value.
        fetch_or, FetchOr: |old, value| old | value;
        /// Writes the logical "exclusive or". Returns the old value.
        fetch_xor, FetchXor: |old, value| old ^ value;
    }

    /// Inverts the value. Returns the old one.
    #[inline]
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

/// [`std::sync::atomic::AtomicPtr`], modelled.
///
/// In an execution pointers are exposed when written and made from their addresses when read.
#[repr(transparent)]
pub struct AtomicPtr<T> {
    inner: native::AtomicPtr<T>,
}

basics!([T] AtomicPtr<T>, native::AtomicPtr<T>, *mut T);

impl<T> AtomicPtr<T> {
    /// Moves the pointer on by so many elements, wrapping around. Returns the old one.
    #[inline]
    #[track_caller]
    pub fn fetch_ptr_add(&self, count: usize, order: Ordering) -> *mut T {
        self.fetch_byte_add(count.wrapping_mul(size_of::<T>()), order)
    }

    /// Moves the pointer back by so many elements, wrapping around. Returns the old one.
    #[inline]
    #[track_caller]
    pub fn fetch_ptr_sub(&self, count: usize, order: Ordering) -> *mut T {
        self.fetch_byte_sub(count.wrapping_mul(size_of::<T>()), order)
    }

    /// Moves the pointer on by so many bytes, wrapping around. Returns the old one.
    #[inline]
    #[track_caller]
    pub fn fetch_byte_add(&self, bytes: usize, order: Ordering) -> *mut T {
        let step: StepFn = |old, bytes, _| Step::Write((old as usize).wrapping_add(bytes as usize) as u64);
        self.modify_address(Verb::FetchAdd, bytes, order, step, Location::caller())
    }

    /// Moves the pointer back by so many bytes, wrapping around. Returns the old one.
    #[inline]
    #[track_caller]
    pub fn fetch_byte_sub(&self, bytes: usize, order: Ordering) -> *mut T {
        let step: StepFn = |old, bytes, _| Step::Write((old as usize).wrapping_sub(bytes as usize) as u64);
        self.modify_address(Verb::FetchSub, bytes, order, step, Location::caller())
    }

    /// Sets bits of the address. Returns the old pointer.
    #[inline]
    #[track_caller]
    pub fn fetch_or(&self, bits: usize, order: Ordering) -> *mut T {
        self.modify_address(Verb::FetchOr, bits, order, |old, bits, _| Step::Write(old | bits), Location::caller())
    }

    /// Keeps only these bits of the address. Returns the old pointer.
    #[inline]
    #[track_caller]
    pub fn fetch_and(&self, bits: usize, order: Ordering) -> *mut T {
        self.modify_address(Verb::FetchAnd, bits, order, |old, bits, _| Step::Write(old & bits), Location::caller())
    }

    /// Inverts bits of the address. Returns the old pointer.
    #[inline]
    #[track_caller]
    pub fn fetch_xor(&self, bits: usize, order: Ordering) -> *mut T {
        self.modify_address(Verb::FetchXor, bits, order, |old, bits, _| Step::Write(old ^ bits), Location::caller())
    }

    /// Applies `step`, which always writes, to the address.
    ///
    /// Outside executions this is a loop because `std` has these methods only since Rust 1.91.
    #[inline]
    fn modify_address(&self, verb: Verb, operand: usize, order: Ordering, step: StepFn, site: Site) -> *mut T {
        if rt::active() {
            let taken = read(self, verb, (order, Ordering::Relaxed), step, operand as u64, 0, site);
            return Value::narrow(taken.value);
        }
        let next = |old: *mut T| match step(old.addr() as u64, operand as u64, 0) {
            Step::Write(address) => Some(old.with_addr(address as usize)),
            _ => None,
        };
        match self.inner.fetch_update(order, Ordering::Relaxed, next) {
            Ok(old) | Err(old) => old,
        }
    }
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.load(Ordering::Relaxed), f)
    }
}

/// [`std::sync::atomic::fence`], modelled.
///
/// # Panics
///
/// If `order` is `Relaxed`.
#[inline]
#[track_caller]
pub fn fence(order: Ordering) {
    if !rt::active() {
        return native::fence(order);
    }
    if order == Ordering::Relaxed {
        panic!("there is no such thing as a relaxed fence");
    }
    rt::fence(order.into(), Location::caller());
}

/// The initial values that atomics had before they had constructors for constants.
macro_rules! initial {
    ($($constant:ident, $name:ident, $value:literal;)*) => {$(
        #[doc = concat!("An atomic of the initial value ", stringify!($value), ".")]
        #[deprecated(note = "use the type's `new` instead")]
        #[allow(clippy::declare_interior_mutable_const, reason = "each use is an atomic of its own, as with `std`'s")]
        pub const $constant: $name = $name::new($value);
    )*};
}

initial! {
    ATOMIC_BOOL_INIT, AtomicBool, false;
    ATOMIC_ISIZE_INIT, AtomicIsize, 0;
    ATOMIC_USIZE_INIT, AtomicUsize, 0;
}

/// The old name of [`hint::spin_loop`](crate::hint::spin_loop).
#[deprecated(note = "use hint::spin_loop instead")]
#[inline]
#[track_caller]
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}

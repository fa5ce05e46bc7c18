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
        $crate::thread_local!(@declare [$(#[$attribute])*] [$vis] $name, $type, const { const { $init } });
        $($crate::thread_local!($($rest)*);)?
    };
    ($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = $init:expr $(; $($rest:tt)*)?) => {
        $crate::thread_local!(@declare [$(#[$attribute])*] [$vis] $name, $type, { $init });
        $($crate::thread_local!($($rest)*);)?
    };
    (@declare [$($attribute:tt)*] [$vis:vis] $name:ident, $type:ty, $($native:tt)*) => {
        $($attribute)*
        $vis static $name: $crate::thread::LocalKey<$type> = {
            ::std::thread_local! {
                static NATIVE: $type = $($native)*;
            }
            fn init() -> $type {
                $($native)*
            }
            $crate::thread::LocalKey::new(&NATIVE, init)
        };
    };
}

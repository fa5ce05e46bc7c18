//! [`std::thread`], modelled, and threads that are alike.

use std::panic::Location;
use std::time::Duration;

use linchpin_engine::rt;

pub use std::thread::{Result, available_parallelism};

#[allow(deprecated, reason = "what `std` still has")]
pub use super::handle::park_timeout_ms;
pub use super::handle::{Thread, ThreadId, current, park, park_timeout};
pub use super::local::{AccessError, LocalKey};
pub use super::scope::{Scope, ScopedJoinHandle, scope};
pub use super::spawn::{Builder, JoinHandle, spawn, spawn_symmetric};

/// Lets others run. In an execution as [`hint::spin_loop`](crate::hint::spin_loop).
#[inline]
#[track_caller]
pub fn yield_now() {
    if rt::active() {
        rt::spin(Location::caller());
    } else {
        std::thread::yield_now();
    }
}

/// Sleeps. In an execution, where no time passes, as [`hint::spin_loop`](crate::hint::spin_loop).
#[inline]
#[track_caller]
pub fn sleep(duration: Duration) {
    if rt::active() {
        rt::spin(Location::caller());
    } else {
        std::thread::sleep(duration);
    }
}

/// [`sleep`] with milliseconds.
#[deprecated(note = "use sleep instead")]
#[inline]
#[track_caller]
pub fn sleep_ms(ms: u32) {
    sleep(Duration::from_millis(ms.into()));
}

/// Is the thread unwinding? See [`std::thread::panicking`].
pub fn panicking() -> bool {
    if rt::active() { rt::panicking() } else { std::thread::panicking() }
}

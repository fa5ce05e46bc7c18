//! [`std::hint`], with a [`spin_loop`] that waits.

use std::panic::Location;

use linchpin_engine::rt;

pub use std::hint::*;

/// Says that the caller spins. In an execution: that this iteration of its loop had no effect and that the next one
/// is worth running only after something it read has changed.
#[inline]
#[track_caller]
pub fn spin_loop() {
    if rt::active() {
        rt::spin(Location::caller());
    } else {
        std::hint::spin_loop();
    }
}

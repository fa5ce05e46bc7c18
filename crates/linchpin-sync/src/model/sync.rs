//! [`std::sync`], modelled. `Arc`, `Weak` and the errors are `std`'s own.

pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};

pub use super::barrier::{Barrier, BarrierWaitResult};
pub use super::condvar::{Condvar, WaitTimeoutResult};
pub use super::lazy::LazyLock;
pub use super::mutex::{Mutex, MutexGuard};
#[allow(deprecated, reason = "what `std` still has")]
pub use super::once::ONCE_INIT;
pub use super::once::{Once, OnceLock, OnceState};
pub use super::rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// [`std::sync::atomic`], modelled.
pub mod atomic {
    pub use std::sync::atomic::{Ordering, compiler_fence};

    pub use super::super::atomic::*;
}

/// [`std::sync::mpsc`], modelled. The errors are `std`'s own.
pub mod mpsc {
    pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

    pub use super::super::mpsc::{IntoIter, Iter, Receiver, Sender, SyncSender, TryIter, channel, sync_channel};
}

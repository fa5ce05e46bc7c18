//! Locks and semaphores.
//!
//! A lock that says that it was not taken was only tried, whatever its operation is called.

use linchpin_check::specs::{Mutex, MutexCall, RwLock, RwLockCall, Semaphore, SemaphoreCall};
use linchpin_model::Value;

use super::found::Found;
use super::table::{Entry, Reading, Starts, TableOf};
use super::{Description, OperationDescription};

const OR_FALSE: &str = "nothing, or whether it did it";
const WHETHER: &str = "true or false";

pub(super) static MUTEX: TableOf<Mutex> = TableOf {
    description: Description {
        name: "mutex",
        aliases: &["lock"],
        explanation: "a lock that one at a time can hold, for each key if there are keys",
        initially: "free",
    },
    starts: Starts::Empty,
    specification: |_| Mutex,
    operations: &[
        Entry {
            description: OperationDescription { names: &["acquire", "lock"], takes: "", gives: OR_FALSE },
            read: |found| lock(found, MutexCall::Acquire, MutexCall::TryAcquire),
        },
        Entry {
            description: OperationDescription { names: &["try_acquire", "try_lock"], takes: "", gives: WHETHER },
            read: |found| {
                found.no_argument()?;
                Ok((MutexCall::TryAcquire(found.key_or_nothing()), found.compared()?))
            },
        },
        Entry {
            description: OperationDescription { names: &["release", "unlock"], takes: "", gives: OR_FALSE },
            read: |found| lock(found, MutexCall::Release, MutexCall::TryRelease),
        },
    ],
};

/// An operation that waits unless it says that it did not succeed.
fn lock(found: &Found<'_>, waits: fn(Value) -> MutexCall, tries: fn(Value) -> MutexCall) -> Reading<Mutex> {
    found.no_argument()?;
    let succeeded = found.succeeded()?;
    let call = if succeeded == Some(false) { tries } else { waits };
    Ok((call(found.key_or_nothing()), succeeded))
}

pub(super) static RW_LOCK: TableOf<RwLock> = TableOf {
    description: Description {
        name: "rwlock",
        aliases: &["reader-writer-lock", "shared-mutex"],
        explanation: "a lock that several readers or one writer can hold, for each key if there are keys",
        initially: "free",
    },
    starts: Starts::Empty,
    specification: |_| RwLock,
    operations: &[
        Entry {
            description: OperationDescription {
                names: &["read_lock", "lock_read", "rlock", "lock_shared", "acquire_read"],
                takes: "",
                gives: OR_FALSE,
            },
            read: |found| rw_lock(found, RwLockCall::ReadLock, RwLockCall::TryReadLock),
        },
        Entry {
            description: OperationDescription {
                names: &["try_read_lock", "try_lock_read", "try_read", "try_rlock", "try_lock_shared"],
                takes: "",
                gives: WHETHER,
            },
            read: |found| {
                found.no_argument()?;
                Ok((RwLockCall::TryReadLock(found.key_or_nothing()), found.compared()?))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["read_unlock", "unlock_read", "runlock", "unlock_shared", "release_read"],
                takes: "",
                gives: OR_FALSE,
            },
            read: |found| rw_lock(found, RwLockCall::ReadUnlock, RwLockCall::ReadUnlock),
        },
        Entry {
            description: OperationDescription {
                names: &["write_lock", "lock_write", "wlock", "lock_exclusive", "acquire_write"],
                takes: "",
                gives: OR_FALSE,
            },
            read: |found| rw_lock(found, RwLockCall::WriteLock, RwLockCall::TryWriteLock),
        },
        Entry {
            description: OperationDescription {
                names: &["try_write_lock", "try_lock_write", "try_write", "try_wlock", "try_lock_exclusive"],
                takes: "",
                gives: WHETHER,
            },
            read: |found| {
                found.no_argument()?;
                Ok((RwLockCall::TryWriteLock(found.key_or_nothing()), found.compared()?))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["write_unlock", "unlock_write", "wunlock", "unlock_exclusive", "release_write"],
                takes: "",
                gives: OR_FALSE,
            },
            read: |found| rw_lock(found, RwLockCall::WriteUnlock, RwLockCall::WriteUnlock),
        },
    ],
};

fn rw_lock(found: &Found<'_>, waits: fn(Value) -> RwLockCall, tries: fn(Value) -> RwLockCall) -> Reading<RwLock> {
    found.no_argument()?;
    let succeeded = found.succeeded()?;
    let call = if succeeded == Some(false) { tries } else { waits };
    Ok((call(found.key_or_nothing()), succeeded))
}

const AMOUNT: &str = "a number of permits (1 if it is left out)";

pub(super) static SEMAPHORE: TableOf<Semaphore> = TableOf {
    description: Description {
        name: "semaphore",
        aliases: &["counting-semaphore"],
        explanation: "permits that are taken and given back",
        initially: "so many permits (permits)",
    },
    starts: Starts::Permits,
    specification: |permits| Semaphore { permits: permits.as_integer().unwrap_or(0).unsigned_abs() },
    operations: &[
        Entry {
            description: OperationDescription {
                names: &["acquire", "wait", "down", "p"],
                takes: AMOUNT,
                gives: OR_FALSE,
            },
            read: |found| {
                found.no_key()?;
                let succeeded = found.succeeded()?;
                let call = if succeeded == Some(false) { SemaphoreCall::TryAcquire } else { SemaphoreCall::Acquire };
                Ok((call(found.amount()?), succeeded))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["try_acquire", "try_wait", "try_down"],
                takes: AMOUNT,
                gives: WHETHER,
            },
            read: |found| {
                found.no_key()?;
                Ok((SemaphoreCall::TryAcquire(found.amount()?), found.compared()?))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["release", "signal", "post", "up", "v"],
                takes: AMOUNT,
                gives: "",
            },
            read: |found| {
                found.no_key()?;
                Ok((SemaphoreCall::Release(found.amount()?), found.done(true)?))
            },
        },
    ],
};

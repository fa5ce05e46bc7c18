//! The reader-writer spin lock of the Linux kernel.

use linchpin::{Contract, Contracts, Watched, call, point};
use linchpin_sync::hint;
use linchpin_sync::sync::atomic::{AtomicI32, Ordering::*};

use super::structure::{Structure, Test, parallel};

/// What a writer takes; a reader takes one.
const BIAS: i32 = 0x10_0000;

/// A lock for many readers or one writer.
pub struct RwLock {
    left: AtomicI32,
}

impl Default for RwLock {
    fn default() -> Self {
        RwLock { left: AtomicI32::new(BIAS) }
    }
}

impl RwLock {
    /// Waits until more than so much is left.
    fn wait_for(&self, more_than: i32) {
        while self.left.load(Relaxed) <= more_than {
            hint::spin_loop();
        }
    }

    /// Takes the lock for reading.
    pub fn read_lock(&self) {
        let mut before = self.left.fetch_sub(1, Acquire); // #1
        point::define(before > 0);
        while before <= 0 {
            self.left.fetch_add(1, Relaxed);
            self.wait_for(0);
            before = self.left.fetch_sub(1, Acquire); // #2
            point::define(before > 0);
        }
    }

    /// Takes the lock for writing.
    pub fn write_lock(&self) {
        let mut before = self.left.fetch_sub(BIAS, Acquire); // #3
        point::define(before == BIAS);
        while before != BIAS {
            self.left.fetch_add(BIAS, Relaxed);
            self.wait_for(BIAS - 1);
            before = self.left.fetch_sub(BIAS, Acquire); // #4
            point::define(before == BIAS);
        }
    }

    /// Takes the lock for reading, if that is possible at once.
    pub fn read_trylock(&self) -> bool {
        let before = self.left.fetch_sub(1, Acquire); // #5
        point::define(true);
        if before <= 0 {
            self.left.fetch_add(1, Relaxed);
        }
        before > 0
    }

    /// Takes the lock for writing, if that is possible at once. May fail because of another one who tries in vain.
    pub fn write_trylock(&self) -> bool {
        let before = self.left.fetch_sub(BIAS, Acquire); // #6
        point::define(true);
        if before != BIAS {
            self.left.fetch_add(BIAS, Relaxed);
        }
        before == BIAS
    }

    /// Gives up a lock for reading.
    pub fn read_unlock(&self) {
        self.left.fetch_add(1, Release); // #7
        point::define(true);
    }

    /// Gives up a lock for writing.
    pub fn write_unlock(&self) {
        self.left.fetch_add(BIAS, Release); // #8
        point::define(true);
    }
}

/// Who holds the lock.
#[derive(Clone, Default)]
struct Held {
    readers: u32,
    writer: bool,
}

fn contract() -> Contracts {
    Contract::of::<RwLock>(Held::default)
        .operation("read_lock", |held, _| held.readers += 1)
        .precondition(|held, _| !held.writer)
        .operation("write_lock", |held, _| held.writer = true)
        .precondition(|held, _| !held.writer && held.readers == 0)
        .operation("read_trylock", |held, call| held.readers += u32::from(*call.c_ret == true.into()))
        .precondition(|held, call| *call.c_ret == false.into() || !held.writer)
        .operation("write_trylock", |held, call| held.writer |= *call.c_ret == true.into())
        .precondition(|held, call| *call.c_ret == false.into() || !held.writer && held.readers == 0)
        .operation("read_unlock", |held, _| held.readers -= 1)
        .precondition(|held, _| held.readers > 0)
        .operation("write_unlock", |held, _| held.writer = false)
        .precondition(|held, _| held.writer)
        .into()
}

pub(super) fn structure() -> Structure {
    Structure {
        name: "Linux RW Lock",
        source: include_str!("rw_lock.rs"),
        file: file!(),
        contract,
        tests: &[
            Test { name: "{ write } || { read }", run: one_each },
            Test { name: "{ write } || { write }", run: two_writers },
            Test { name: "{ try to write } || { try to read }", run: try_one_each },
            Test { name: "{ try to write } || { try to write }", run: try_two_writers },
        ],
    }
}

fn write(lock: &Watched<RwLock>) {
    call!(lock.write_lock());
    call!(lock.write_unlock());
}

fn read(lock: &Watched<RwLock>) {
    call!(lock.read_lock());
    call!(lock.read_unlock());
}

fn try_to_write(lock: &Watched<RwLock>) {
    if call!(lock.write_trylock()) {
        call!(lock.write_unlock());
    }
}

fn try_to_read(lock: &Watched<RwLock>) {
    if call!(lock.read_trylock()) {
        call!(lock.read_unlock());
    }
}

fn one_each() {
    parallel(RwLock::default(), [write, read]);
}

fn two_writers() {
    parallel(RwLock::default(), [write, write]);
}

fn try_one_each() {
    parallel(RwLock::default(), [try_to_write, try_to_read]);
}

fn try_two_writers() {
    parallel(RwLock::default(), [try_to_write, try_to_write]);
}

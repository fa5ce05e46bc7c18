//! A sequence lock around two words.

use linchpin::{Comparable, Contract, Contracts, Watched, call, point};
use linchpin_sync::hint;
use linchpin_sync::sync::atomic::{AtomicU32, Ordering::*, fence};

use super::structure::{Structure, Test, parallel};

/// Two words that readers read without writing anything, and read again if a writer came in between.
#[derive(Default)]
pub struct SeqLock {
    /// Odd while somebody writes.
    sequence: AtomicU32,
    first: AtomicU32,
    second: AtomicU32,
}

impl SeqLock {
    /// Both words.
    pub fn read(&self) -> (u32, u32) {
        loop {
            let before = self.sequence.load(Acquire); // #1
            if before % 2 == 1 {
                hint::spin_loop();
                continue;
            }
            let data = (self.first.load(Relaxed), self.second.load(Relaxed));
            point::clear_define(true);
            fence(Acquire); // #2
            if self.sequence.load(Relaxed) == before {
                return data;
            }
        }
    }

    /// Writes both words.
    pub fn write(&self, first: u32, second: u32) {
        loop {
            let before = self.sequence.load(Acquire); // #3
            if before % 2 == 1 {
                hint::spin_loop();
                continue;
            }
            if self.sequence.compare_exchange(before, before + 1, Relaxed, Relaxed).is_ok() {
                break;
            }
        }
        fence(Release); // #4
        self.first.store(first, Relaxed);
        self.second.store(second, Relaxed);
        point::define(true);
        self.sequence.fetch_add(1, Release); // #5
    }
}

fn contract() -> Contracts {
    Contract::of::<SeqLock>(|| (0, 0))
        .passive("read")
        .justifying_precondition(|data: &(u32, u32), call| *call.c_ret == data.to_value())
        .operation("write", |data, call| *data = (call.argument(0), call.argument(1)))
        .into()
}

pub(super) fn structure() -> Structure {
    Structure {
        name: "Seqlock",
        source: include_str!("seq_lock.rs"),
        file: file!(),
        contract,
        tests: &[
            Test { name: "{ write(1, 2) } || { read() }", run: one_writer },
            Test { name: "{ write(1, 2) } || { write(3, 4) } || { read() }", run: two_writers },
        ],
    }
}

fn one_writer() {
    parallel(SeqLock::default(), [|lock| call!(lock.write(1, 2)), read]);
}

fn two_writers() {
    parallel(SeqLock::default(), [|lock| call!(lock.write(1, 2)), |lock| call!(lock.write(3, 4)), read]);
}

fn read(lock: &Watched<SeqLock>) {
    call!(lock.read());
}

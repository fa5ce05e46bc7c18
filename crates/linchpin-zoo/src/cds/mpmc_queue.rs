//! A bounded queue for many producers and consumers, with counters of 16 bits.

use linchpin::sync::Arc;
use linchpin::{Contract, Contracts, Watched, call, point};
use linchpin_sync::hint;
use linchpin_sync::sync::atomic::{AtomicU32, Ordering::*};

use super::structure::{Structure, Test, join, parallel, spawn};

/// A queue of slots that producers and consumers fill and empty in place. Which slot is whose is all that it keeps.
pub struct MpmcQueue {
    slots: u32,
    /// How many slots have been claimed: for reading in the upper half, for writing in the lower.
    claimed: AtomicU32,
    read: AtomicU32,
    written: AtomicU32,
}

fn split(claimed: u32) -> (u32, u32) {
    (claimed >> 16, claimed & 0xffff)
}

fn joined(reads: u32, writes: u32) -> u32 {
    (reads & 0xffff) << 16 | writes & 0xffff
}

fn wait_for(count: &AtomicU32, wanted: u32, load: impl Fn(&AtomicU32) -> u32) {
    while load(count) & 0xffff != wanted {
        hint::spin_loop();
    }
}

impl MpmcQueue {
    /// An empty queue of so many slots.
    pub fn new(slots: u32) -> Self {
        MpmcQueue { slots, claimed: AtomicU32::new(0), read: AtomicU32::new(0), written: AtomicU32::new(0) }
    }

    /// A slot to write to, unless the queue is full.
    pub fn write_prepare(&self) -> Option<u32> {
        let mut claimed = self.claimed.load(Acquire);
        let (reads, writes) = loop {
            let (reads, writes) = split(claimed);
            if writes == (reads + self.slots) & 0xffff {
                return None;
            }
            let new = joined(reads, writes + 1);
            match self.claimed.compare_exchange(claimed, new, AcqRel, Acquire) /* #5 #6 */ {
                Ok(_) => break (reads, writes),
                Err(newer) => claimed = newer,
            }
        };
        wait_for(&self.read, reads, |read| {
            let read = read.load(Acquire); // #7
            point::clear_define(true);
            read
        });
        Some(writes % self.slots)
    }

    /// What was prepared may be read.
    pub fn write_publish(&self, _slot: u32) {
        self.written.fetch_add(1, Release); // #8
        point::define(true);
    }

    /// A slot to read from, unless the queue is empty.
    pub fn read_fetch(&self) -> Option<u32> {
        let mut claimed = self.claimed.load(Acquire);
        let (reads, writes) = loop {
            let (reads, writes) = split(claimed);
            if writes == reads {
                return None;
            }
            let new = joined(reads + 1, writes);
            match self.claimed.compare_exchange(claimed, new, AcqRel, Acquire) /* #1 #2 */ {
                Ok(_) => break (reads, writes),
                Err(newer) => claimed = newer,
            }
        };
        wait_for(&self.written, writes, |written| {
            let written = written.load(Acquire); // #3
            point::clear_define(true);
            written
        });
        Some(reads % self.slots)
    }

    /// What was fetched may be written again.
    pub fn read_consume(&self, _slot: u32) {
        self.read.fetch_add(1, Release); // #4
        point::define(true);
    }
}

fn contract() -> Contracts {
    Contract::of::<MpmcQueue>(|| ())
        .operation("write_prepare")
        .operation("write_publish")
        .operation("read_fetch")
        .operation("read_consume")
        .admit("write_prepare", "write_publish", |prepare, publish| prepare.c_ret == publish.value(0))
        .admit("write_publish", "read_fetch", |publish, fetch| publish.value(0) == fetch.c_ret)
        .admit("read_fetch", "read_consume", |fetch, consume| fetch.c_ret == consume.value(0))
        .admit("read_consume", "write_prepare", |consume, prepare| consume.value(0) == prepare.c_ret)
        .into()
}

pub(super) fn structure() -> Structure {
    Structure {
        name: "MPMC Queue",
        source: include_str!("mpmc_queue.rs"),
        file: file!(),
        contract,
        tests: &[
            Test { name: "{ write } || { read }", run: from_empty },
            Test { name: "[write; write] { write } || { read }", run: from_full },
            Test { name: "[write] { write } || { read } || { read }", run: two_readers },
            Test { name: "{ write } || { write } || { read; read }", run: two_writers },
        ],
    }
}

fn write(queue: &Watched<MpmcQueue>) {
    if let Some(slot) = call!(queue.write_prepare()) {
        call!(queue.write_publish(slot));
    }
}

fn read(queue: &Watched<MpmcQueue>) {
    if let Some(slot) = call!(queue.read_fetch()) {
        call!(queue.read_consume(slot));
    }
}

fn from_empty() {
    parallel(MpmcQueue::new(2), [write, read]);
}

fn from_full() {
    let queue = Arc::new(Watched::new(MpmcQueue::new(2)));
    write(&queue);
    write(&queue);
    [spawn(&queue, write), spawn(&queue, read)].into_iter().for_each(join);
}

fn two_readers() {
    let queue = Arc::new(Watched::new(MpmcQueue::new(2)));
    write(&queue);
    [spawn(&queue, write), spawn(&queue, read), spawn(&queue, read)].into_iter().for_each(join);
}

fn two_writers() {
    parallel(
        MpmcQueue::new(2),
        [write, write, |queue| {
            read(queue);
            read(queue);
        }],
    );
}

//! A bounded queue for many producers and consumers, with counters of 16 bits.

use linchpin::sync::Arc;
use linchpin::{Contract, Contracts, Watched, call, point};
use linchpin_sync::hint;
use linchpin_sync::sync::atomic::{AtomicU32, Ordering::*};

use super::structure::{Structure, Test, join, parallel, spawn};

/// A queue of slots that producers and consumers fill and empty in place. Which slot is whose is all that it keeps.
///
/// The counters roll over, so a thread that sees an old count may take it for the one that it waits for. The paper's tests are
/// too small for that to happen to 16 bits, and so cannot tell what the orders of the exchanges are for. With counters of
/// one bit they can.
pub struct MpmcQueue {
    slots: u32,
    /// Counters are taken modulo a power of two; this is one less.
    mask: u32,
    /// How many slots have been claimed: for reading in the upper half, for writing in the lower.
    claimed: AtomicU32,
    read: AtomicU32,
    written: AtomicU32,
}

impl MpmcQueue {
    /// An empty queue of so many slots, with counters of so many bits: 16 in the original. What has been counted is
    /// known modulo a power of two only, which the orders of the exchanges protect against.
    pub fn new(slots: u32, bits: u32) -> Self {
        let counter = || AtomicU32::new(0);
        MpmcQueue { slots, mask: (1 << bits) - 1, claimed: counter(), read: counter(), written: counter() }
    }

    fn joined(&self, reads: u32, writes: u32) -> u32 {
        (reads & self.mask) << 16 | writes & self.mask
    }

    fn wait_until(&self, wanted: u32, load: impl Fn() -> u32) {
        while load() & self.mask != wanted {
            hint::spin_loop();
        }
    }

    /// A slot to write to, unless the queue is full.
    pub fn write_prepare(&self) -> Option<u32> {
        let mut claimed = self.claimed.load(Acquire);
        let (reads, writes) = loop {
            let (reads, writes) = (claimed >> 16, claimed & 0xffff);
            if writes == (reads + self.slots) & self.mask {
                return None;
            }
            let new = self.joined(reads, writes + 1);
            match self.claimed.compare_exchange(claimed, new, AcqRel, Acquire) /* #5 #6 */ {
                Ok(_) => break (reads, writes),
                Err(newer) => claimed = newer,
            }
        };
        self.wait_until(reads, || {
            let read = self.read.load(Acquire); // #7
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
            let (reads, writes) = (claimed >> 16, claimed & 0xffff);
            if writes == reads {
                return None;
            }
            let new = self.joined(reads + 1, writes);
            match self.claimed.compare_exchange(claimed, new, AcqRel, Acquire) /* #1 #2 */ {
                Ok(_) => break (reads, writes),
                Err(newer) => claimed = newer,
            }
        };
        self.wait_until(writes, || {
            let written = self.written.load(Acquire); // #3
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
        .passive("write_prepare")
        .passive("write_publish")
        .passive("read_fetch")
        .passive("read_consume")
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
            Test { name: "one bit: { write } || { write; write } || { read; read }", run: small_with_two_writers },
            Test {
                name: "one bit: [write] { read } || { write; write } || { read; read }",
                run: small_with_two_readers,
            },
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
    parallel(MpmcQueue::new(2, 16), [write, read]);
}

fn from_full() {
    let queue = Arc::new(Watched::new(MpmcQueue::new(2, 16)));
    write(&queue);
    write(&queue);
    [spawn(&queue, write), spawn(&queue, read)].into_iter().for_each(join);
}

fn two_readers() {
    let queue = Arc::new(Watched::new(MpmcQueue::new(2, 16)));
    write(&queue);
    [spawn(&queue, write), spawn(&queue, read), spawn(&queue, read)].into_iter().for_each(join);
}

fn two_writers() {
    parallel(
        MpmcQueue::new(2, 16),
        [write, write, |queue| {
            read(queue);
            read(queue);
        }],
    );
}

fn small_with_two_writers() {
    parallel(MpmcQueue::new(1, 1), [write, |queue| twice(queue, write), |queue| twice(queue, read)]);
}

fn small_with_two_readers() {
    let queue = Arc::new(Watched::new(MpmcQueue::new(1, 1)));
    write(&queue);
    let threads =
        [spawn(&queue, read), spawn(&queue, |queue| twice(queue, write)), spawn(&queue, |queue| twice(queue, read))];
    threads.into_iter().for_each(join);
}

fn twice(queue: &Watched<MpmcQueue>, body: fn(&Watched<MpmcQueue>)) {
    body(queue);
    body(queue);
}

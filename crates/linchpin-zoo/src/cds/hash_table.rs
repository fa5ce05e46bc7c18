//! The hash table of an early `java.util.concurrent.ConcurrentHashMap` (Lea).

use std::collections::BTreeMap;

use linchpin::Watched;
use linchpin::{Contract, Contracts, call, point};
use linchpin_sync::sync::atomic::{AtomicU32, Ordering::*};
use linchpin_sync::sync::{Arc, Mutex, PoisonError};

use super::link::{Link, leak};
use super::structure::{Structure, Test, join, parallel, spawn};

const BUCKETS: usize = 16;

struct Entry {
    key: u32,
    value: AtomicU32,
    next: Option<&'static Entry>,
}

/// A hash table: `put` locks a segment, `get` looks first and locks only if it finds nothing. Values are positive.
pub struct HashTable {
    heads: [Link<Entry>; BUCKETS],
    segments: [Mutex<()>; BUCKETS],
}

impl Default for HashTable {
    fn default() -> Self {
        HashTable { heads: [(); BUCKETS].map(|_| Link::new(None)), segments: Default::default() }
    }
}

fn find(mut entry: Option<&'static Entry>, key: u32) -> Option<&'static Entry> {
    while let Some(found) = entry.filter(|found| found.key != key) {
        entry = found.next;
    }
    entry
}

impl HashTable {
    /// The value of a key.
    pub fn get(&self, key: u32) -> Option<u32> {
        let bucket = key as usize % BUCKETS;
        let first = self.heads[bucket].load(Acquire); // #1
        if let Some(entry) = find(first, key) {
            let value = entry.value.load(SeqCst); // #2
            point::define(value != 0);
            if value != 0 {
                return Some(value);
            }
        }
        let _guard = self.segments[bucket].lock().unwrap_or_else(PoisonError::into_inner);
        point::define(true);
        let entry = find(self.heads[bucket].load(Relaxed), key)?;
        Some(entry.value.load(Relaxed))
    }

    /// Gives a key a value and returns the old one.
    pub fn put(&self, key: u32, value: u32) -> Option<u32> {
        let bucket = key as usize % BUCKETS;
        let _guard = self.segments[bucket].lock().unwrap_or_else(PoisonError::into_inner);
        let first = self.heads[bucket].load(Relaxed);
        if let Some(entry) = find(first, key) {
            let old = entry.value.load(Relaxed);
            entry.value.store(value, SeqCst); // #3
            point::define(true);
            return Some(old);
        }
        let entry = leak(Entry { key, value: AtomicU32::new(0), next: first });
        entry.value.store(value, Relaxed);
        point::define(true);
        self.heads[bucket].store(Some(entry), Release); // #4
        None
    }
}

fn contract() -> Contracts {
    Contract::of::<HashTable>(BTreeMap::<u32, u32>::new)
        .operation("get", |map, call| map.get(&call.argument(0)).copied())
        .postcondition(|_, call| call.c_ret == call.s_ret)
        .operation("put", |map, call| map.insert(call.argument(0), call.argument(1)))
        .postcondition(|_, call| call.c_ret == call.s_ret)
        .into()
}

pub(super) fn structure() -> Structure {
    Structure {
        name: "Lockfree Hashtable",
        source: include_str!("hash_table.rs"),
        file: file!(),
        contract,
        tests: &[
            Test { name: "[put(1, 1); put(2, 1)] { put(1, 10); get(2) } || { put(2, 30); get(1) }", run: known_keys },
            Test { name: "{ put(1, 10); get(2) } || { put(2, 30); get(1) }", run: new_keys },
        ],
    }
}

fn first_thread(table: &Watched<HashTable>) {
    call!(table.put(1, 10));
    call!(table.get(2));
}

fn second_thread(table: &Watched<HashTable>) {
    call!(table.put(2, 30));
    call!(table.get(1));
}

fn known_keys() {
    let table = Arc::new(Watched::new(HashTable::default()));
    call!(table.put(1, 1));
    call!(table.put(2, 1));
    let threads = [spawn(&table, first_thread), spawn(&table, second_thread)];
    threads.into_iter().for_each(join);
}

fn new_keys() {
    parallel(HashTable::default(), [first_thread, second_thread]);
}

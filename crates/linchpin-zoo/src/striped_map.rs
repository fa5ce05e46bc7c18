//! A hash map in segments, each with its own lock, and operations on all of them that lock nothing.

use std::fmt;

use linchpin_sync::sync::atomic::AtomicI32;
use linchpin_sync::sync::atomic::Ordering::SeqCst;
use linchpin_sync::sync::{Mutex, MutexGuard};

use crate::arena::{Arena, AtomicRef, Ref};

/// How many segments there are. Java's map has more; the clients of the paper have two keys.
const SEGMENTS: usize = 2;

#[derive(Default)]
struct Node {
    key: AtomicI32,
    value: AtomicI32,
    next: AtomicRef<Node>,
}

#[derive(Default)]
struct Segment {
    /// Held by those who change the chain.
    lock: Mutex<()>,
    first: AtomicRef<Node>,
    /// How many nodes there are, as far as those who have changed that have said so yet.
    count: AtomicI32,
}

/// A map shaped like Java's `ConcurrentHashMap`, as the Violat paper tests it.
///
/// `put`, `get` and `remove` work on one segment, and are atomic. All else goes through the segments one after another, while
/// others change them, on purpose. Two decisions make possible what figure 2 of the paper has seen in Java's map:
///
/// 1. *Segments are visited in order, one at a time*: key 0 is in the first, key 1 in the second. What comes to the first after the
///    visit and goes from the second before it was there all the time, and is not seen: `contains`, `contains_value`, `keys`,
///    `values`, `entries` and `to_string` miss the older of two changes and see the younger one, and `clear` clears one key before
///    and the other after something else.
/// 2. *Counting comes after unlocking*: a node is there before it is counted and gone before it is uncounted. So `is_empty` is true of
///    a map with a key that somebody has seen, and `size` is 2 with a single key, which was removed and put again.
///
/// | figure 2                                                       | forbidden outcome | decision |
/// | -------------------------------------------------------------- | ----------------- | -------- |
/// | `{ put(0,0); put(1,1); put(1,1) } \|\| { put(0,1); clear() }`        | N, N, N, N, ()    | 1        |
/// | `{ put(0,0); remove(1) } \|\| { put(1,0); contains(0) }`             | N, 0, N, F        | 1        |
/// | `{ get(1); contains_value(1) } \|\| { put(1,1); put(0,1); put(1,0) }` | 1, F, N, N, 1     | 1        |
/// | `{ put(0,1); put(1,0) } \|\| { values() }` (also `elements`)         | N, N, \[0\]         | 1        |
/// | `{ put(0,1); put(1,0) } \|\| { entries() }`                          | N, N, \[1=0\]       | 1        |
/// | `{ put(1,1) } \|\| { put(1,2); is_empty() }`                         | N, 1, T           | 2        |
/// | `{ put(0,1); put(1,1) } \|\| { keys() }` (also `keySet`)             | N, N, \[1\]         | 1        |
/// | `{ put(1,0); put(1,1); size() } \|\| { remove(1) }` (also `mappingCount`) | N, N, 2, 0   | 2        |
/// | `{ put(0,1); put(1,1) } \|\| { to_string() }`                        | N, N, 1=1         | 1        |
///
/// - Fix: one lock around everything.
///
/// `contains` is about values, as in Java, where it is an older name of `containsValue`. What lists keys, values or entries sorts
/// them, so that two lists of the same things are equal.
pub struct StripedMap<const FAULTY: bool> {
    /// The correct twin's lock around everything.
    all: Mutex<()>,
    segments: [Segment; SEGMENTS],
    nodes: Arena<Node>,
}

impl<const FAULTY: bool> StripedMap<FAULTY> {
    /// An empty map.
    pub fn new() -> Self {
        StripedMap { all: Mutex::default(), segments: Default::default(), nodes: Arena::new() }
    }

    /// What every operation of the correct twin begins with.
    #[track_caller]
    fn exclude_others(&self) -> Option<MutexGuard<'_, ()>> {
        (!FAULTY).then(|| lock(&self.all))
    }

    fn segment(&self, key: i32) -> &Segment {
        &self.segments[key.rem_euclid(SEGMENTS as i32) as usize]
    }

    /// The word that leads to the node with this key, or to null; and what it holds.
    fn find<'a>(&'a self, segment: &'a Segment, key: i32) -> (&'a AtomicRef<Node>, Ref<Node>) {
        let mut link = &segment.first;
        loop {
            let node = link.load();
            if node.is_null() || self.nodes[node].key.load(SeqCst) == key {
                return (link, node);
            }
            link = &self.nodes[node].next;
        }
    }

    /// Maps a key to a value, and returns what it was mapped to.
    pub fn put(&self, key: i32, value: i32) -> Option<i32> {
        let _guard = self.exclude_others();
        let segment = self.segment(key);
        let guard = lock(&segment.lock);
        let (link, node) = self.find(segment, key);
        if !node.is_null() {
            return Some(self.nodes[node].value.swap(value, SeqCst));
        }
        let new = self.nodes.allocate(Node::default());
        self.nodes[new].key.store(key, SeqCst);
        self.nodes[new].value.store(value, SeqCst);
        link.store(new);
        drop(guard);
        segment.count.fetch_add(1, SeqCst);
        None
    }

    /// What a key is mapped to.
    pub fn get(&self, key: i32) -> Option<i32> {
        let _guard = self.exclude_others();
        let (_, node) = self.find(self.segment(key), key);
        (!node.is_null()).then(|| self.nodes[node].value.load(SeqCst))
    }

    /// Removes a key, and returns what it was mapped to.
    pub fn remove(&self, key: i32) -> Option<i32> {
        let _guard = self.exclude_others();
        let segment = self.segment(key);
        let guard = lock(&segment.lock);
        let (link, node) = self.find(segment, key);
        if node.is_null() {
            return None;
        }
        let value = self.nodes[node].value.load(SeqCst);
        link.store(self.nodes[node].next.load());
        drop(guard);
        segment.count.fetch_sub(1, SeqCst);
        Some(value)
    }

    /// Removes all keys.
    pub fn clear(&self) {
        let _guard = self.exclude_others();
        for segment in &self.segments {
            let guard = lock(&segment.lock);
            let removed = self.chain(segment).count();
            if removed == 0 {
                continue;
            }
            segment.first.store(Ref::NULL);
            drop(guard);
            segment.count.fetch_sub(removed as i32, SeqCst);
        }
    }

    /// The nodes of one segment.
    fn chain<'a>(&'a self, segment: &'a Segment) -> impl Iterator<Item = &'a Node> {
        let mut link = &segment.first;
        std::iter::from_fn(move || {
            let node = link.load();
            (!node.is_null()).then(|| {
                let node = &self.nodes[node];
                link = &node.next;
                node
            })
        })
    }

    /// All nodes, one segment after another.
    fn traverse(&self) -> impl Iterator<Item = &Node> {
        self.segments.iter().flat_map(|segment| self.chain(segment))
    }

    /// The number of keys.
    pub fn size(&self) -> u32 {
        let _guard = self.exclude_others();
        self.counted()
    }

    /// Are there no keys?
    pub fn is_empty(&self) -> bool {
        let _guard = self.exclude_others();
        self.counted() == 0
    }

    /// The sum of the counts. One that was uncounted before it was counted may make it negative for a while.
    #[track_caller]
    fn counted(&self) -> u32 {
        let mut sum = 0;
        for segment in &self.segments {
            sum += segment.count.load(SeqCst);
        }
        u32::try_from(sum).unwrap_or(0)
    }

    /// Is some key mapped to this value?
    pub fn contains_value(&self, value: i32) -> bool {
        let _guard = self.exclude_others();
        self.traverse().any(|node| node.value.load(SeqCst) == value)
    }

    /// As [`contains_value`](Self::contains_value).
    pub fn contains(&self, value: i32) -> bool {
        self.contains_value(value)
    }

    /// All keys, sorted.
    pub fn keys(&self) -> Vec<i32> {
        let _guard = self.exclude_others();
        sorted(self.traverse().map(|node| node.key.load(SeqCst)))
    }

    /// All values, sorted.
    pub fn values(&self) -> Vec<i32> {
        let _guard = self.exclude_others();
        sorted(self.traverse().map(|node| node.value.load(SeqCst)))
    }

    /// All keys with their values, sorted.
    pub fn entries(&self) -> Vec<(i32, i32)> {
        let _guard = self.exclude_others();
        sorted(self.traverse().map(|node| (node.key.load(SeqCst), node.value.load(SeqCst))))
    }
}

/// As Java prints it: `{0=1, 1=1}`.
impl<const FAULTY: bool> fmt::Display for StripedMap<FAULTY> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<String> = self.entries().iter().map(|(key, value)| format!("{key}={value}")).collect();
        write!(f, "{{{}}}", entries.join(", "))
    }
}

#[track_caller]
fn lock(mutex: &Mutex<()>) -> MutexGuard<'_, ()> {
    mutex.lock().expect("nobody panics")
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort();
    items
}

impl<const FAULTY: bool> Default for StripedMap<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}

//! What the objects are supposed to be: the same operations, one after another, on collections of the standard library.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use crate::Cell;

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Set(BTreeSet<i32>);

impl Set {
    pub fn add(&mut self, key: i32) -> bool {
        self.0.insert(key)
    }

    pub fn remove(&mut self, key: i32) -> bool {
        self.0.remove(&key)
    }

    pub fn contains(&self, key: i32) -> bool {
        self.0.contains(&key)
    }

    pub fn size(&self) -> u32 {
        self.0.len() as u32
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Stack(Vec<u32>);

impl Stack {
    pub fn push(&mut self, value: u32) {
        self.0.push(value);
    }

    pub fn pop(&mut self) -> Option<u32> {
        self.0.pop()
    }
}

/// A deque, which is also a queue, under both names that queues go by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Deque(VecDeque<u32>);

impl Deque {
    pub fn push_left(&mut self, value: u32) {
        self.0.push_front(value);
    }

    pub fn push_right(&mut self, value: u32) {
        self.0.push_back(value);
    }

    pub fn pop_left(&mut self) -> Option<u32> {
        self.0.pop_front()
    }

    pub fn pop_right(&mut self) -> Option<u32> {
        self.0.pop_back()
    }

    pub fn offer(&mut self, value: u32) {
        self.push_right(value);
    }

    pub fn poll(&mut self) -> Option<u32> {
        self.pop_left()
    }

    pub fn enqueue(&mut self, value: u32) {
        self.push_right(value);
    }

    pub fn dequeue(&mut self) -> Option<u32> {
        self.pop_left()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Pair([u32; 2]);

impl Default for Pair {
    fn default() -> Self {
        Pair([1, 1])
    }
}

impl Pair {
    pub fn write(&mut self, cell: Cell, value: u32) {
        self.0[cell as usize] = value;
    }

    pub fn read(&self) -> (u32, u32) {
        self.0.into()
    }
}

/// A map whose `remove` takes the value, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct ItemMap(BTreeMap<i32, u32>);

impl ItemMap {
    pub fn put(&mut self, key: i32, value: u32) -> Option<u32> {
        self.0.insert(key, value)
    }

    pub fn remove(&mut self, key: i32, value: u32) -> bool {
        let is_there = self.get(key) == Some(value);
        if is_there {
            self.0.remove(&key);
        }
        is_there
    }

    pub fn get(&self, key: i32) -> Option<u32> {
        self.0.get(&key).copied()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Map(BTreeMap<i32, i32>);

impl Map {
    pub fn put(&mut self, key: i32, value: i32) -> Option<i32> {
        self.0.insert(key, value)
    }

    pub fn get(&self, key: i32) -> Option<i32> {
        self.0.get(&key).copied()
    }

    pub fn remove(&mut self, key: i32) -> Option<i32> {
        self.0.remove(&key)
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn contains(&self, value: i32) -> bool {
        self.contains_value(value)
    }

    pub fn contains_value(&self, value: i32) -> bool {
        self.0.values().any(|&other| other == value)
    }

    pub fn size(&self) -> u32 {
        self.0.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn keys(&self) -> Vec<i32> {
        self.0.keys().copied().collect()
    }

    pub fn values(&self) -> Vec<i32> {
        let mut values: Vec<i32> = self.0.values().copied().collect();
        values.sort();
        values
    }

    pub fn entries(&self) -> Vec<(i32, i32)> {
        self.0.iter().map(|(&key, &value)| (key, value)).collect()
    }
}

/// As Java's: `{1=2}`, where Rust has `{1: 2}`.
impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{:?}", self.0).replace(": ", "="))
    }
}

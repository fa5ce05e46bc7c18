//! Counters on `std`'s types. This file is a module of the test, and of the crate that the test makes.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Increments in two steps.
#[derive(Default)]
pub struct Racy(AtomicUsize);

impl Racy {
    pub fn add(&self, by: Option<usize>) -> usize {
        let new = self.0.load(SeqCst) + by.unwrap_or(1);
        // Even a single core gives the other thread time here.
        std::thread::yield_now();
        self.0.store(new, SeqCst);
        new
    }

    pub fn digits(&self) -> impl Iterator<Item = char> {
        self.0.load(SeqCst).to_string().into_bytes().into_iter().map(char::from)
    }
}

/// Increments in one step.
#[derive(Default)]
pub struct Atomic(AtomicUsize);

impl Atomic {
    pub fn add(&self, by: Option<usize>) -> usize {
        let by = by.unwrap_or(1);
        self.0.fetch_add(by, SeqCst) + by
    }

    pub fn digits(&self) -> impl Iterator<Item = char> {
        self.0.load(SeqCst).to_string().into_bytes().into_iter().map(char::from)
    }
}

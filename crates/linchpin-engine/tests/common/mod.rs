//! An atomic on the engine's own interface, for tests that need no front end.
#![allow(dead_code, reason = "each test uses a part")]

use std::panic::Location;
use std::sync::atomic::AtomicUsize;

use linchpin_engine::{Allocator, rt};
use linchpin_graph::{Order, Request, Step, StepFn, ThreadId, Verb};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new(std::alloc::System);

/// An integer in memory.
pub struct Atomic(AtomicUsize);

impl Atomic {
    pub const fn new(value: usize) -> Self {
        Atomic(AtomicUsize::new(value))
    }

    #[track_caller]
    fn access(&self, verb: Verb, order: Order, failure: Order, step: StepFn, a: usize, b: usize) -> rt::Taken {
        let address = &raw const self.0 as usize;
        let (a, b) = (a as u64, b as u64);
        rt::read(&rt::Access {
            verb,
            address,
            size: 8,
            request: Request { step, a, b, order, failure },
            site: Location::caller(),
        })
    }

    #[track_caller]
    pub fn load(&self, order: Order) -> usize {
        self.access(Verb::Load, order, order, |_, _, _| Step::Return, 0, 0).value as usize
    }

    #[track_caller]
    pub fn store(&self, value: usize, order: Order) {
        rt::write(Verb::Store, &raw const self.0 as usize, 8, order, value as u64, Location::caller());
    }

    #[track_caller]
    pub fn fetch_add(&self, by: usize, order: Order) -> usize {
        let add: StepFn = |value, by, _| Step::Write(value.wrapping_add(by));
        self.access(Verb::FetchAdd, order, order, add, by, 0).value as usize
    }

    #[track_caller]
    pub fn swap(&self, value: usize, order: Order) -> usize {
        self.access(Verb::Swap, order, order, |_, new, _| Step::Write(new), value, 0).value as usize
    }

    #[track_caller]
    pub fn compare_exchange(&self, expected: usize, new: usize, order: Order, failure: Order) -> Result<usize, usize> {
        let step: StepFn = |value, expected, new| {
            if value == expected { Step::Write(new) } else { Step::Return }
        };
        let taken = self.access(Verb::CompareExchange, order, failure, step, expected, new);
        if taken.wrote { Ok(taken.value as usize) } else { Err(taken.value as usize) }
    }
}

/// Starts a model thread.
#[track_caller]
pub fn spawn(body: impl FnOnce() + 'static) -> ThreadId {
    rt::spawn(rt::Body::new(body), None, Location::caller())
}

/// Waits for a model thread.
#[track_caller]
pub fn join(thread: ThreadId) {
    rt::join(thread, Location::caller());
}

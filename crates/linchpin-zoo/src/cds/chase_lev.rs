//! The work-stealing deque of Chase and Lev, in the C11 version of Lê, Pop, Cohen and Zappa Nardelli (PPoPP 2013), repaired.

use std::collections::VecDeque;

use linchpin::sync::Arc;
use linchpin::{Contract, Contracts, Watched, call, point};
use linchpin_sync::sync::atomic::{AtomicIsize, AtomicU32, Ordering::*, fence};

use super::link::{Link, leak};
use super::structure::{Structure, Test, join, spawn};

struct Array {
    slots: Box<[AtomicU32]>,
}

impl Array {
    fn new(size: usize) -> &'static Array {
        leak(Array { slots: (0..size).map(|_| AtomicU32::new(0)).collect() })
    }

    fn slot(&self, at: isize) -> &AtomicU32 {
        &self.slots[at as usize % self.slots.len()]
    }
}

/// The published version: the exchange in `take` is `SeqCst`, which is stronger than it has to be.
pub(super) const PUBLISHED: u8 = 1;
/// The known bug: `steal` loads the array relaxed, and may find that the one it gets has not been filled.
pub(super) const STEALS_RELAXED: u8 = 2;

/// A deque: its owner pushes and takes at one end, thieves steal from the other.
///
/// Compared with the publication, `push` loads the array again after it has grown. `VARIANT` is 0, 1 for the order of the
/// exchange in `take` as it was published, or 2 for the known bug in `steal`.
pub struct ChaseLevDeque<const VARIANT: u8> {
    top: AtomicIsize,
    bottom: AtomicIsize,
    array: Link<Array>,
}

impl<const VARIANT: u8> ChaseLevDeque<VARIANT> {
    /// An empty deque that has to grow when it gets more than `capacity` values.
    pub fn new(capacity: usize) -> Self {
        let array = Link::new(Some(Array::new(capacity)));
        ChaseLevDeque { top: AtomicIsize::new(0), bottom: AtomicIsize::new(0), array }
    }

    /// The owner's end: adds a value.
    pub fn push(&self, value: u32) {
        let bottom = self.bottom.load(Relaxed);
        let top = self.top.load(Acquire); // #3
        let mut array = self.array.load(Relaxed).expect("there is always an array");
        if bottom - top > array.slots.len() as isize - 1 {
            self.grow(array, top, bottom);
            array = self.array.load(Relaxed).expect("there is always an array");
        }
        array.slot(bottom).store(value, Relaxed);
        point::define(true);
        fence(Release); // #4
        self.bottom.store(bottom + 1, Relaxed);
    }

    fn grow(&self, old: &Array, top: isize, bottom: isize) {
        let new = Array::new(old.slots.len() * 2);
        for at in top..bottom {
            new.slot(at).store(old.slot(at).load(Relaxed), Relaxed);
        }
        self.array.store(Some(new), Release); // #2
    }

    /// The owner's end: takes a value.
    pub fn take(&self) -> Option<u32> {
        let bottom = self.bottom.load(Relaxed) - 1;
        let array = self.array.load(Relaxed).expect("there is always an array");
        self.bottom.store(bottom, Relaxed);
        fence(SeqCst); // #1
        let top = self.top.load(Relaxed);
        if top > bottom {
            self.bottom.store(bottom + 1, Relaxed);
            point::define(true);
            return None;
        }
        let value = array.slot(bottom).load(Relaxed);
        point::define(true);
        if top < bottom {
            return Some(value);
        }
        let order = if VARIANT == PUBLISHED { SeqCst } else { Relaxed };
        let taken = self.top.compare_exchange(top, top + 1, order, Relaxed).is_ok();
        self.bottom.store(bottom + 1, Relaxed);
        point::clear_define(true);
        taken.then_some(value)
    }

    /// The other end: steals a value. Finds nothing also when somebody else is quicker.
    pub fn steal(&self) -> Option<u32> {
        let top = self.top.load(Relaxed);
        fence(SeqCst); // #5
        let bottom = self.bottom.load(Acquire); // #6
        point::define(true);
        if top >= bottom {
            return None;
        }
        let order = if VARIANT == STEALS_RELAXED { Relaxed } else { Acquire };
        let array = self.array.load(order).expect("there is always an array");
        let value = array.slot(top).load(Relaxed);
        let stolen = self.top.compare_exchange(top, top + 1, SeqCst, Relaxed).is_ok(); // #7
        point::clear_define(true);
        stolen.then_some(value)
    }
}

fn contract<const VARIANT: u8>() -> Contracts {
    Contract::of::<ChaseLevDeque<VARIANT>>(VecDeque::<u32>::new)
        .admit("push", "push", |_, _| true)
        .admit("push", "take", |_, _| true)
        .admit("take", "take", |_, _| true)
        .operation("push", |deque, call| deque.push_back(call.argument(0)))
        .operation("take", |deque, call| if call.c_ret.is_nil() { None } else { deque.pop_back() })
        .justifying_precondition(|deque, call| {
            let is_stolen = |item: &u32| {
                call.concurrent().any(|other| other.is("steal") && *other.c_ret == i64::from(*item).into())
            };
            !call.c_ret.is_nil() || deque.iter().all(is_stolen)
        })
        .postcondition(|_, call| call.c_ret == call.s_ret)
        .operation("steal", |deque, call| if call.c_ret.is_nil() { None } else { deque.pop_front() })
        .postcondition(|_, call| call.c_ret == call.s_ret)
        .into()
}

pub(super) fn structure() -> Structure {
    of::<0>("Chase-Lev Deque")
}

pub(super) fn published() -> Structure {
    of::<PUBLISHED>("Chase-Lev Deque as published")
}

pub(super) fn known_bug() -> Structure {
    of::<STEALS_RELAXED>("Chase-Lev Deque, steal loads the array relaxed")
}

fn of<const VARIANT: u8>(name: &'static str) -> Structure {
    Structure {
        name,
        source: include_str!("chase_lev.rs"),
        file: file!(),
        contract: contract::<VARIANT>,
        tests: const {
            &[
                Test { name: "{ push(1..=3); take(); take() } || { steal(); steal() }", run: grows::<VARIANT> },
                Test {
                    name: "[push(1)] { push(2); take() } || { steal(); steal() } [take()]",
                    run: one_thief::<VARIANT>,
                },
                Test {
                    name: "[push(1)] { push(2); take() } || { steal() } || { steal() } [take()]",
                    run: two_thieves::<VARIANT>,
                },
            ]
        },
    }
}

fn grows<const VARIANT: u8>() {
    let deque = Arc::new(Watched::new(ChaseLevDeque::<VARIANT>::new(2)));
    let thief = spawn(&deque, steal_twice);
    for value in [1, 2, 4] {
        call!(deque.push(value));
    }
    call!(deque.take());
    call!(deque.take());
    join(thief);
}

fn one_thief<const VARIANT: u8>() {
    let deque = Arc::new(Watched::new(ChaseLevDeque::<VARIANT>::new(16)));
    call!(deque.push(1));
    let thief = spawn(&deque, steal_twice);
    call!(deque.push(2));
    call!(deque.take());
    join(thief);
    call!(deque.take());
}

fn two_thieves<const VARIANT: u8>() {
    let deque = Arc::new(Watched::new(ChaseLevDeque::<VARIANT>::new(16)));
    call!(deque.push(1));
    let thieves = [spawn(&deque, steal), spawn(&deque, steal)];
    call!(deque.push(2));
    call!(deque.take());
    thieves.into_iter().for_each(join);
    call!(deque.take());
}

fn steal<const VARIANT: u8>(deque: &Watched<ChaseLevDeque<VARIANT>>) {
    call!(deque.steal());
}

fn steal_twice<const VARIANT: u8>(deque: &Watched<ChaseLevDeque<VARIANT>>) {
    steal(deque);
    steal(deque);
}

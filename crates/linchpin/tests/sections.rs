//! Filtering executions by atomic sections leaves exactly those that there are when the sections are really atomic.
//!
//! The object's operations can be run with or without a lock that makes a section of them atomic. With it, every other access
//! takes the lock as well, so that nothing interrupts the section.

use std::collections::HashSet;

use linchpin::localize::eliminate::{Section, Sections, Traces, is_eliminated};
use linchpin::localize::{Accesses, Trace};
use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
use linchpin::sync::{Mutex, MutexGuard};
use linchpin::{Builder, MemoryModel, Object, client};

/// The operations have so many accesses.
const ACCESSES: u32 = 5;

/// `FIRST` and `LAST` are numbers of accesses from 1 on: what lies between them is atomic. 0: nothing is.
#[derive(Default)]
struct Cells<const FIRST: u32, const LAST: u32> {
    left: AtomicU8,
    right: AtomicU8,
    lock: Mutex<()>,
}

/// Holds the lock while an access is made, and from the first access of the section to the last.
struct Hold<'a, const FIRST: u32, const LAST: u32> {
    lock: &'a Mutex<()>,
    guard: Option<MutexGuard<'a, ()>>,
    /// Was the access before in the section?
    is_inside: bool,
}

impl<const FIRST: u32, const LAST: u32> Hold<'_, FIRST, LAST> {
    /// The access of this number comes.
    fn before(&mut self, access: u32) {
        let goes_on = self.is_inside && FIRST < access && access <= LAST;
        if FIRST > 0 && !goes_on {
            self.guard = None;
            self.guard = Some(self.lock.lock().unwrap());
        }
        self.is_inside = (FIRST..=LAST).contains(&access);
    }
}

impl<const FIRST: u32, const LAST: u32> Cells<FIRST, LAST> {
    fn hold(&self) -> Hold<'_, FIRST, LAST> {
        Hold { lock: &self.lock, guard: None, is_inside: false }
    }

    fn straight(&self, value: u8) -> u8 {
        let mut hold = self.hold();
        hold.before(1);
        let seen = self.left.load(SeqCst);
        hold.before(2);
        self.right.store(value, SeqCst);
        hold.before(3);
        let other = self.right.load(SeqCst);
        hold.before(4);
        self.left.store(value, SeqCst);
        hold.before(5);
        self.right.fetch_add(seen + other, SeqCst)
    }

    /// At most two passes through accesses 2 and 3.
    fn looping(&self, value: u8) -> u8 {
        let mut hold = self.hold();
        hold.before(1);
        let mut sum = self.left.load(SeqCst);
        for _ in 0..2 {
            hold.before(2);
            sum += self.right.load(SeqCst);
            if sum > 1 {
                break;
            }
            hold.before(3);
            self.left.store(value, SeqCst);
        }
        hold.before(4);
        self.right.store(value, SeqCst);
        hold.before(5);
        self.left.load(SeqCst) + sum
    }
}

macro_rules! objects {
    ($($name:ident: $first:literal $last:literal;)*) => {
        $(linchpin::object! {
            $name: Cells<$first, $last> = Cells::default();
            fn straight(&self, value: u8) -> u8;
            fn looping(&self, value: u8) -> u8;
        })*
    };
}

objects! {
    Free: 0 0;
    From1To2: 1 2;
    From1To3: 1 3;
    From1To5: 1 5;
    From2To3: 2 3;
    From2To4: 2 4;
    From3To4: 3 4;
    From4To5: 4 5;
}

fn traces<O: Object>(text: &str) -> Traces {
    client::<O>(text).with(Builder::new().memory_model(MemoryModel::Sc)).explore_traces(Accesses::Memory).traces
}

fn set(traces: &Traces) -> HashSet<Trace> {
    traces.classes().iter().map(|class| Trace::clone(&class.trace)).collect()
}

/// The lines of an operation's accesses.
fn lines(traces: &Traces, operation: &str) -> Vec<u32> {
    let all = traces.classes().iter().flat_map(|class| {
        let is_own =
            |access: &&linchpin::localize::Access| *class.trace.operations()[access.operation].name == *operation;
        class.trace.accesses().iter().filter(is_own).map(|access| access.place.line)
    });
    let mut lines: Vec<u32> = all.collect();
    lines.sort();
    lines.dedup();
    lines
}

/// Compares the executions of `O`, whose operations have an atomic section, with those of [`Free`] that filtering leaves.
fn check<O: Object>(first: usize, last: usize) {
    for text in
        ["{ straight(1) } || { straight(2) }", "{ looping(1) } || { straight(2) }", "{ looping(1) } || { looping(2) }"]
    {
        let free = traces::<Free>(text);
        let section = |operation: &str| {
            let lines = lines(&free, operation);
            assert_eq!(lines.len(), if lines.is_empty() { 0 } else { ACCESSES as usize });
            (!lines.is_empty()).then(|| Section::lines(operation, file!(), lines[first - 1], lines[last - 1]))
        };
        let sections: Sections = ["straight", "looping"].into_iter().filter_map(section).collect();
        let left: HashSet<Trace> = set(&free).into_iter().filter(|trace| !is_eliminated(trace, &sections)).collect();
        assert!(!left.is_empty() && left.len() < free.classes().len(), "{text} {sections}");
        assert_eq!(set(&traces::<O>(text)), left, "{text} {sections}");
    }
}

#[test]
fn filtering_leaves_what_is_possible_when_sections_are_uninterrupted() {
    check::<From1To2>(1, 2);
    check::<From1To3>(1, 3);
    check::<From1To5>(1, 5);
    check::<From2To3>(2, 3);
    check::<From2To4>(2, 4);
    check::<From3To4>(3, 4);
    check::<From4To5>(4, 5);
}

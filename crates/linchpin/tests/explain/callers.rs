//! Accesses in functions that an operation calls count at the operation's line that calls.

use std::collections::{BTreeMap, BTreeSet};

use linchpin::localize::eliminate::{Extent, Section};
use linchpin::localize::tree::Options;
use linchpin::localize::{Place, Verification};
use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
use linchpin::{Object, client, report};

use crate::sc;

/// A counter behind functions of which none has `#[track_caller]`.
#[derive(Default)]
pub struct Register(AtomicU8);

impl Register {
    fn get(&self) -> u8 {
        self.0.load(SeqCst) // get
    }

    fn set(&self, value: u8) {
        self.0.store(value, SeqCst) // set
    }

    fn increment(&self) -> u8 {
        let next = self.get() + 1; // calls get
        self.set(next); // calls set
        next
    }

    fn forward(&self) -> u8 {
        self.increment()
    }

    /// The same line of another function runs on behalf of two lines.
    fn twice(&self) -> u8 {
        let first = self.get(); // calls get first
        let second = self.get(); // calls get second
        first + 10 * second
    }

    fn mixed(&self) -> u8 {
        let next = self.0.load(SeqCst) + 1; // reads itself
        self.set(next); // calls set after that
        next
    }
}

linchpin::object! {
    pub Counter: Register = Register::default();
    fn increment(&self) -> u8;
    fn twice(&self) -> u8;
    fn mixed(&self) -> u8;
}

linchpin::object! {
    pub Forwarded: Register = Register::default();
    fn increment(&self) -> u8 = |register: &Register| register.forward();
}

/// The line of this file that ends with this comment.
fn line(comment: &str) -> u32 {
    let is_meant = |line: &str| line.ends_with(&format!("// {comment}"));
    let at = include_str!("callers.rs").lines().position(is_meant).expect("there is such a line");
    at as u32 + 1
}

fn place(comment: &str) -> Place {
    Place { file: file!(), line: line(comment) }
}

/// What has to be atomic for a client not to fail, which is verified in two ways.
#[track_caller]
fn check<O: Object>(text: &str, operation: &str, from: &str, to: &str, within: &[(&str, &str)]) {
    let client = client::<O>(text).with(sc());
    let explanation = client.explain();
    assert_eq!(explanation.verification(), Verification::Verified);
    let expected = [Section::lines(operation, file!(), line(from), line(to))];
    let sections = &explanation.cause.sections;
    assert_eq!(sections.iter().cloned().collect::<Vec<_>>(), expected);
    let mut expected: BTreeMap<Place, BTreeSet<Place>> = BTreeMap::new();
    for (caller, own) in within {
        expected.entry(place(caller)).or_default().insert(place(own));
    }
    assert_eq!(explanation.within, expected);
    let races = client.races_under(sections, explanation.explored.accesses, Options::default()).expect("it is small");
    assert_eq!(races.wrong, 0);
}

#[test]
fn a_section_is_between_lines_of_the_operation() {
    let within = [("calls get", "get"), ("calls set", "set")];
    check::<Counter>("{ increment() } || { increment() }", "increment", "calls get", "calls set", &within);
}

#[test]
fn functions_that_only_call_the_next_one_are_passed_by() {
    let within = [("calls get", "get"), ("calls set", "set")];
    check::<Forwarded>("{ increment() } || { increment() }", "increment", "calls get", "calls set", &within);
}

#[test]
fn one_line_that_runs_on_behalf_of_two_counts_at_each() {
    let within = [("calls get", "get"), ("calls set", "set"), ("calls get first", "get"), ("calls get second", "get")];
    check::<Counter>("{ twice() } || { increment() }", "twice", "calls get first", "calls get second", &within);
}

#[test]
fn own_accesses_of_an_operation_count_where_they_are() {
    let within = [("calls set after that", "set")];
    check::<Counter>("{ mixed() } || { mixed() }", "mixed", "reads itself", "calls set after that", &within);
}

#[test]
fn the_report_shows_where_the_accesses_are() {
    let explanation = client::<Counter>("{ increment() } || { increment() }").with(sc()).explain();
    assert!(explanation.cause.sections.iter().all(|section| section.extent != Extent::Whole));
    let text = report::explanation(&explanation);
    let told = |caller: &str, own: &str| format!("line {} does that at {}", line(caller), place(own));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&told("calls get", "get")) && words.contains(&told("calls set", "set")), "{text}");
}

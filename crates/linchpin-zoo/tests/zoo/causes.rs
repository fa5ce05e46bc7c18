//! What is said to be the cause of a fault is: if it is really atomic, nothing goes wrong.

use crate::common::sc;
use linchpin::localize::Verification;
use linchpin::localize::eliminate::Limits;
use linchpin::localize::tree::Options;
use linchpin::{AnyObject, ClientTest};
use linchpin_zoo::{Entry, all};

/// An object that may retry for ever, and after how many events of a thread that is cut.
const RETRIES: (&str, u32) = ("unknown-list-4", 60);

/// Each known client, and what is wrong with its explanation.
fn problems(entry: &Entry) -> Vec<String> {
    let limit = if entry.name == RETRIES.0 { RETRIES.1 } else { 10_000 };
    entry.known.iter().flat_map(|known| explain(entry.object, known.client, limit)).collect()
}

/// Explains a client; then runs it with the cause really atomic.
fn explain(object: AnyObject, text: &str, events: u32) -> Vec<String> {
    let test = ClientTest::of(object, text).unwrap().with(sc().deadlocks(false).max_events_per_thread(events));
    let explanation = test.explain_within(&Limits::default());
    let problem = |what: &str| vec![format!("{} {text}: {what}: {}", object.name(), explanation.cause.sections)];
    if test.client().threads.len() < 2 {
        return Vec::new();
    }
    let is_verified = match explanation.verification() {
        Verification::Verified => events > RETRIES.1,
        Verification::WithinBounds(_) => events == RETRIES.1,
        _ => false,
    };
    if !is_verified {
        return problem(&explanation.verification().to_string());
    }
    let accesses = explanation.explored.accesses;
    let full = test.races(Options::default()).expect("it is small");
    let repaired = test.races_under(&explanation.cause.sections, accesses, Options::default()).expect("it is smaller");
    match (full.wrong, repaired.wrong, repaired.right) {
        (0, ..) => problem("nothing goes wrong"),
        (_, 1.., _) => problem("something still goes wrong"),
        (.., 0) => problem("nothing is left"),
        _ => Vec::new(),
    }
}

#[test]
fn with_its_cause_really_atomic_no_client_of_the_zoo_fails() {
    let faulty = all().iter().filter(|entry| entry.faulty);
    let problems: Vec<String> = faulty.flat_map(problems).collect();
    assert!(problems.is_empty(), "{problems:#?}");
}

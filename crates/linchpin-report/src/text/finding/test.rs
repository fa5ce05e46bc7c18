//! What the test itself says, or does wrong.

use linchpin_engine::Violation;
use linchpin_graph::{EventId, LocationId, MemoryModel};

use super::{Staging, Tale, counted, length, nearby};
use crate::names::position;
use crate::picture::{Picture, Remark};
use crate::report::Sort;

pub(super) fn stage_panic(violation: &Violation, position: &str, after: u32) -> Staging {
    let thread = violation.thread;
    // Rows show lines without columns.
    let place = position.rsplit_once(':').map_or(position, |(line, _)| line).to_owned();
    let remark = Remark { thread, after, text: "panics".into(), place, mark: Some(1), sort: Sort::Remark };
    Staging { remarks: vec![remark], ..Staging::default() }
}

pub(super) fn tell_panic(violation: &Violation, picture: &Picture<'_>, message: &str, position: &str) -> Tale {
    let thread = picture.names.thread(violation.thread);
    let mut lines = message.lines();
    let first = lines.next().unwrap_or_default();
    let mut why = Vec::new();
    if lines.next().is_some() {
        let indented: Vec<String> = message.lines().map(|line| format!("    {line}")).collect();
        why.push(format!("In full:\n{}", indented.join("\n")));
    }
    let headline = format!("panic: {thread} says \"{first}\" at {position}");
    tell_wrong(violation, picture, headline, why)
}

/// A complete execution that somebody else has found wrong: the first line of what they say is the headline.
pub(super) fn tell_rejected(violation: &Violation, picture: &Picture<'_>, message: &str) -> Tale {
    let (headline, rest) = message.split_once('\n').unwrap_or((message, ""));
    let why = if rest.is_empty() { Vec::new() } else { vec![rest.to_owned()] };
    tell_wrong(violation, picture, format!("{}: {headline}", violation.kind), why)
}

/// Where to look when the test's result is wrong.
fn tell_wrong(violation: &Violation, picture: &Picture<'_>, headline: String, mut why: Vec<String>) -> Tale {
    let next = if picture.is_interleaving {
        "Read the rows from top to bottom: they are an interleaving, each read sees the last write above it. Find the \
         first row after which the test could no longer succeed."
            .to_owned()
    } else {
        "Find a read (←) that sees an older write than the test expects, and give it and the write that it should see \
         stronger orders. With `Builder::memory_model(MemoryModel::Sc)` you see whether weak memory is all there is to it."
            .to_owned()
    };
    if picture.is_interleaving && violation.execution.model() == MemoryModel::C11 {
        why.push("This takes no weak memory: a mere interleaving of the threads is enough.".to_owned());
    }
    Tale { headline, why, next: vec![next] }
}

pub(super) fn tell_not_deterministic(
    violation: &Violation,
    picture: &Picture<'_>,
    expected: Option<EventId>,
    found: &str,
) -> Tale {
    let thread = picture.names.thread(violation.thread);
    let before = match expected {
        Some(event) => {
            let position = position(picture.execution.event(event).site);
            format!("it did {} at {position} (1)", picture.phrase(event))
        }
        None => "it did nothing more".to_owned(),
    };
    Tale {
        headline: format!(
            "test is not deterministic: run again with the same inputs, {thread} did {found}, where {before} before"
        ),
        why: vec![
            "Linchpin runs the test again for every execution and counts on each thread to do the same when it reads the \
             same. The execution above is the one to be repeated. The test is at fault, or Linchpin misses something that \
             it depends on; nothing is said about the code under test."
                .to_owned(),
        ],
        next: vec![
            "Look for randomness, time, addresses that are compared or hashed, iteration over a `HashMap`, and input from \
             outside."
                .to_owned(),
            "Look for state that outlives an execution: statics, `std`'s atomics, locks and thread-locals instead of those \
             of `linchpin_sync`, values made outside the closure. Make what the test needs inside the closure."
                .to_owned(),
            "Look for a destructor that does such things when the last owner of an `Arc` goes: who that is depends on the \
             order in which Linchpin runs the threads. Let one thread own the last reference."
                .to_owned(),
        ],
    }
}

pub(super) fn stage_mixed_size(violation: &Violation, address: usize, size: u8) -> Staging {
    let (execution, thread) = (&violation.execution, violation.thread);
    let is_there = |event: &&EventId| {
        let location = execution.event(**event).location;
        location != LocationId::NONE && execution.location(location).address == address
    };
    let all: Vec<EventId> = (0..execution.len() as u32).map(EventId).collect();
    let after = length(execution, thread);
    let text = format!("accesses the same as {}", counted(size.into(), "byte"));
    let remark =
        Remark { thread, after, text, place: nearby(execution, thread, after), mark: Some(2), sort: Sort::Remark };
    Staging { remarks: vec![remark], ..Staging::marking(all.iter().rev().find(is_there).copied()) }
}

pub(super) fn tell_mixed_size(violation: &Violation, picture: &Picture<'_>, sizes: (u8, u8)) -> Tale {
    let size = |size: u8| counted(size.into(), "byte");
    Tale {
        headline: format!(
            "accesses of mixed size: {} accesses {} of memory that is accessed as {} elsewhere, unordered",
            picture.names.thread(violation.thread),
            size(sizes.1),
            size(sizes.0),
        ),
        why: vec![
            "Atomic accesses of different sizes to the same memory have no meaning in the memory model, and Linchpin does \
             not model them. (1) is the last access of the other size."
                .to_owned(),
        ],
        next: vec![
            "Use atomics of one size for the memory, or let the accesses of one size happen before those of the other."
                .to_owned(),
        ],
    }
}

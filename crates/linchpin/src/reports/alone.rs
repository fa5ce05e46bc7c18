//! What is wrong with an object before there is any concurrency.

use linchpin_generate::{Disagreement, Ended, NotDeterministic};
use linchpin_model::AnyObject;
use linchpin_report::Report;
use linchpin_report::report::Kind;

/// The object and its specification differ.
pub(crate) fn disagreement(object: AnyObject, found: &Disagreement) -> Report {
    of(
        object,
        Kind::Disagreement,
        &format!("the object and its specification disagree without any concurrency: {found}"),
        "One of the two is wrong; which, cannot be told from here. What threads do is not looked at before they agree.",
        &[
            "Run these invocations one after another in an ordinary test, and decide which of the two values is meant.",
            "Correct the other side: the object, or what stands after `spec =`.",
        ],
    )
}

/// The object does one thing now and another thing later.
pub(crate) fn not_deterministic(object: AnyObject, found: &NotDeterministic) -> Report {
    of(
        object,
        Kind::NotDeterministic,
        &found.to_string(),
        "What threads return is compared with what the same invocations return one after another. If that is not always the \
         same, nothing is right or wrong. The test is at fault; nothing is said about the code under test.",
        &[
            "Look for randomness, time, addresses that are compared or hashed, iteration over a `HashMap`, and input from \
             outside.",
            "Look for state that outlives an object: statics, or something that all objects share. `object!` makes a new \
             object for every execution.",
            "If any of several values is right, map the result to what they have in common.",
        ],
    )
}

/// There is not even a client.
pub(crate) fn no_clients(object: AnyObject, ended: Option<Ended>) -> Report {
    let (headline, why, next) = match ended {
        Some(Ended::Impossible) => (
            "no client is within the bounds",
            "A range is empty, or there are more threads than invocations.",
            "Let clients have at least as many invocations as threads, and at least one of each.",
        ),
        _ => (
            "there is no operation to invoke",
            "Clients are made of the operations that `object!` describes, and there is none of which all arguments have values.",
            "Describe operations: `fn push(&self, item: u8);`.",
        ),
    };
    let why = format!("{why} A check that has looked at nothing is no success.");
    of(object, Kind::NothingToCheck, headline, &why, &[next])
}

/// An operation panics.
pub(crate) fn panic(object: AnyObject, message: &str) -> Report {
    of(
        object,
        Kind::Panic,
        &format!("in one thread, {message}"),
        "No concurrency is needed for that.",
        &["Run the client's invocations one after another in an ordinary test."],
    )
}

fn of(object: AnyObject, kind: Kind, headline: &str, why: &str, next: &[&str]) -> Report {
    Report {
        object: Some(object.name().to_owned()),
        why: vec![why.to_owned()],
        next: next.iter().map(|&step| step.to_owned()).collect(),
        ..Report::told(kind, format!("{}: {headline}", object.name()))
    }
}

//! A first look at an object and its specification, before any concurrency: do they agree when the object is run
//! sequentially?

use std::fmt;

use linchpin_model::{AnyObject, Client, Invocation, ObjectOperation, Value};

use crate::rerun::specification;

/// A sequence of invocations for which an object, run sequentially, and its specification return different values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The invocations; the last one is the one about which they disagree. None of the others can be left out.
    pub invocations: Vec<Invocation>,
    /// What the object returned.
    pub returned: Value,
    /// What the specification returned.
    pub specified: Value,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (last, before) = self.invocations.split_last().expect("at least one invocation");
        let before: Vec<String> = before.iter().map(Invocation::to_string).collect();
        let after = if before.is_empty() { String::new() } else { format!(" after {}", before.join("; ")) };
        write!(
            f,
            "in one thread, {last}{after} returns {}, where the specification says {}",
            self.returned, self.specified
        )
    }
}

/// Runs a client's invocations on an object and on its specification, one after the other: in the order of the text, and
/// taking turns between the threads. Returns the shortest disagreement within that comes of leaving invocations out.
///
/// # Panics
/// When the client is not [valid](crate::validate).
pub fn disagreement(object: AnyObject, client: &Client) -> Option<Disagreement> {
    let text: Vec<Invocation> = client.invocations().cloned().collect();
    let longest = client.threads.iter().map(Vec::len).max().unwrap_or(0);
    let in_turns = (0..longest).flat_map(|round| client.threads.iter().filter_map(move |thread| thread.get(round)));
    let turns: Vec<Invocation> = client.setup.iter().chain(in_turns).chain(&client.epilogue).cloned().collect();
    let mut found = first_difference(object, &text).or_else(|| first_difference(object, &turns))?;
    let mut place = 0;
    while place + 1 < found.invocations.len() {
        let mut fewer = found.invocations.clone();
        fewer.remove(place);
        match first_difference(object, &fewer) {
            Some(smaller) => found = smaller,
            None => place += 1,
        }
    }
    Some(found)
}

/// The first invocation that returns something else than specified, with those before it.
fn first_difference(object: AnyObject, invocations: &[Invocation]) -> Option<Disagreement> {
    let (instance, operations) = (object.create(), object.operations());
    let mut specification = specification(object);
    for (place, invocation) in invocations.iter().enumerate() {
        let is_meant = |operation: &ObjectOperation| *operation.name == *invocation.operation;
        let position = operations.iter().position(is_meant).expect("the client is valid");
        let returned = object.invoke(&instance, position, &invocation.arguments);
        let specified = specification(invocation);
        if returned != specified {
            return Some(Disagreement { invocations: invocations[..=place].to_vec(), returned, specified });
        }
    }
    None
}

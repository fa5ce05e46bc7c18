//! Outcomes and real time: is there an order of the invocations that gives an outcome, and keeps what is known of when they
//! were called and returned?

use linchpin_model::{AnyObject, Client, Invocation, Outcome, Value};

use crate::outcomes::Places;
use crate::rerun::specification;

/// An order of a client's invocations that returns `outcome` when it is run on what `create` makes, and in which no
/// invocation comes before one that precedes it: `precedes(first, second)` says so of positions in the text. Within each
/// thread, and from setup to threads to epilogue, invocations precede each other anyway.
///
/// Only what returns the outcome's values so far is run any further.
///
/// ```
/// use linchpin_generate::{in_time, parse};
/// use linchpin_model::{Invocation, Outcome, Value};
///
/// let client = parse("{ write(1) } || { read() }").unwrap();
/// let register = || -> Box<dyn FnMut(&Invocation) -> Value> {
///     let mut state = Value::from(0);
///     Box::new(move |call| match call.arguments.first() {
///         Some(value) => { state = value.clone(); Value::Nil }
///         None => state.clone(),
///     })
/// };
/// let old = Outcome(vec![Value::Nil, Value::from(0)]);
/// assert_eq!(in_time(&client, &old, |_, _| false, register), Some(vec![1, 0]));
/// // The write had returned before the read was called.
/// assert_eq!(in_time(&client, &old, |first, second| (first, second) == (0, 1), register), None);
/// ```
pub fn in_time(
    client: &Client,
    outcome: &Outcome,
    precedes: impl Fn(usize, usize) -> bool,
    create: impl Fn() -> Box<dyn FnMut(&Invocation) -> Value>,
) -> Option<Vec<usize>> {
    let Places { setup, threads, epilogue } = Places::of(client);
    let invocations: Vec<&Invocation> = client.invocations().collect();
    let returns = |order: &[usize]| {
        let mut object = create();
        order.iter().all(|&place| outcome.0.get(place) == Some(&object(invocations[place])))
    };
    if !returns(&setup) {
        return None;
    }
    // Orders of the setup and some of the threads' invocations, the last one to be gone on with first.
    let mut pending = vec![setup.clone()];
    while let Some(order) = pending.pop() {
        let is_left = |place: &&usize| !order.contains(place);
        let heads: Vec<usize> = threads.iter().filter_map(|thread| thread.iter().find(is_left).copied()).collect();
        if heads.is_empty() {
            let order = [&order[..], &epilogue].concat();
            if returns(&order) {
                return Some(order);
            }
            continue;
        }
        let left: Vec<usize> = threads.iter().flatten().filter(is_left).copied().collect();
        for &head in heads.iter().rev() {
            let longer = [&order[..], &[head]].concat();
            if !left.iter().any(|&other| precedes(other, head)) && returns(&longer) {
                pending.push(longer);
            }
        }
    }
    None
}

/// As [`in_time`], on the specification of an object.
///
/// # Panics
/// When the client is not [valid](crate::validate).
pub fn in_time_by_object(
    object: AnyObject,
    client: &Client,
    outcome: &Outcome,
    precedes: impl Fn(usize, usize) -> bool,
) -> Option<Vec<usize>> {
    in_time(client, outcome, precedes, || specification(object))
}

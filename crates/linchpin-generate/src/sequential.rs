//! Admitted outcomes of an object whose state can be kept and compared.
//!
//! Shuffles that have run the same invocations and left the same state behind go on alike, so they go on together: what
//! is run is one invocation for each (how far each thread is, state), not one sequence for each shuffle.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use linchpin_model::{Client, Invocation, Value};

use crate::Outcomes;
use crate::outcomes::Places;

/// An object run sequentially, as a function from states to states.
pub trait Sequential {
    /// All that earlier invocations have left behind. Equal states must behave alike.
    type State: Clone + Eq + Hash;

    /// The state before the first invocation.
    fn initial(&self) -> Self::State;

    /// What an invocation leaves behind, and what it returns.
    fn apply(&self, state: &Self::State, invocation: &Invocation) -> (Self::State, Value);
}

/// All outcomes of a client of a sequential object.
///
/// ```
/// use linchpin_generate::{Sequential, admitted, parse};
/// use linchpin_model::{Invocation, Value};
///
/// /// `write(value)` and `read()`.
/// struct Register;
///
/// impl Sequential for Register {
///     type State = Value;
///     fn initial(&self) -> Value { Value::from(0) }
///     fn apply(&self, state: &Value, call: &Invocation) -> (Value, Value) {
///         match &*call.operation {
///             "write" => (call.arguments[0].clone(), Value::Nil),
///             _ => (state.clone(), state.clone()),
///         }
///     }
/// }
///
/// let client = parse("{ write(1); write(2) } || { read(); read() }").unwrap();
/// let outcomes = admitted(&client, &Register);
/// let texts: Vec<String> = outcomes.iter().map(|(outcome, _)| outcome.to_string()).collect();
/// assert_eq!(texts, [
///     "nil, nil, 0, 0", "nil, nil, 0, 1", "nil, nil, 0, 2", "nil, nil, 1, 1", "nil, nil, 1, 2", "nil, nil, 2, 2",
/// ]);
/// ```
pub fn admitted<S: Sequential>(client: &Client, object: &S) -> Outcomes {
    let invocations: Vec<&Invocation> = client.invocations().collect();
    let places = Places::of(client);

    let mut start = Node { done: vec![0; client.threads.len()], state: object.initial(), partials: BTreeMap::new() };
    start.partials.insert(vec![Value::Nil; invocations.len()], Vec::new());
    for &place in &places.setup {
        start = start.after(object, invocations[place], place, start.done.clone());
    }

    // Nodes that have run the same number of invocations make a layer. They stay in the order in which they were found,
    // so that the same client always has the same linearizations.
    let mut layer = vec![start];
    for _ in 0..places.threads.iter().map(Vec::len).sum() {
        let mut next: Vec<Node<S::State>> = Vec::new();
        let mut known: HashMap<(Vec<usize>, S::State), usize> = HashMap::new();
        for node in &layer {
            for (thread, thread_places) in places.threads.iter().enumerate() {
                let Some(&place) = thread_places.get(node.done[thread]) else { continue };
                let mut done = node.done.clone();
                done[thread] += 1;
                let new = node.after(object, invocations[place], place, done);
                let key = (new.done.clone(), new.state.clone());
                match known.get(&key) {
                    Some(&position) => next[position].join(new),
                    None => {
                        known.insert(key, next.len());
                        next.push(new);
                    }
                }
            }
        }
        layer = next;
    }

    let mut outcomes = Outcomes::none_yet(client);
    for mut node in layer {
        for &place in &places.epilogue {
            node = node.after(object, invocations[place], place, node.done.clone());
        }
        for (values, order) in node.partials {
            outcomes.add(values, &order);
        }
    }
    outcomes
}

/// Shuffles that go on alike.
struct Node<State> {
    /// How many invocations of each thread have run.
    done: Vec<usize>,
    state: State,
    /// What has been returned, with an order that returns it; nil where nothing has run.
    partials: BTreeMap<Vec<Value>, Vec<usize>>,
}

impl<State> Node<State> {
    /// The node after one more invocation.
    fn after<S: Sequential<State = State>>(
        &self,
        object: &S,
        invocation: &Invocation,
        place: usize,
        done: Vec<usize>,
    ) -> Node<State> {
        let (state, value) = object.apply(&self.state, invocation);
        let extend = |(values, order): (&Vec<Value>, &Vec<usize>)| {
            let mut values = values.clone();
            values[place] = value.clone();
            (values, [&order[..], &[place]].concat())
        };
        Node { done, state, partials: self.partials.iter().map(extend).collect() }
    }

    /// Takes over what the other node has returned and this one has not.
    fn join(&mut self, other: Node<State>) {
        for (values, order) in other.partials {
            self.partials.entry(values).or_insert(order);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::parse;

    struct Counter {
        applied: Cell<usize>,
    }

    impl Sequential for Counter {
        type State = i64;
        fn initial(&self) -> i64 {
            0
        }
        fn apply(&self, state: &i64, _: &Invocation) -> (i64, Value) {
            self.applied.set(self.applied.get() + 1);
            (state + 1, Value::Nil)
        }
    }

    #[test]
    fn what_is_shared_runs_once() {
        let client = parse("{ inc(); inc(); inc() } || { inc(); inc(); inc() }").unwrap();
        let counter = Counter { applied: Cell::new(0) };
        assert_eq!(admitted(&client, &counter).len(), 1);
        // A grid of 4 × 4 positions has 2 · 3 · 4 steps; the 20 shuffles have 20 · 6.
        assert_eq!(counter.applied.get(), 24);
    }
}

//! The outcomes that a client admits, each with an order of the invocations that gives it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use linchpin_model::{Client, Outcome, Value};

/// All outcomes of a client when its invocations run one after the other: the setup, the threads in every order that
/// keeps each thread's own, the epilogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcomes {
    client: Client,
    /// For each outcome the linearization that was found first.
    admitted: BTreeMap<Outcome, Vec<usize>>,
}

impl Outcomes {
    pub(crate) fn none_yet(client: &Client) -> Outcomes {
        Outcomes { client: client.clone(), admitted: BTreeMap::new() }
    }

    /// Adds what this order gave, unless another order has given it.
    pub(crate) fn add(&mut self, values: Vec<Value>, order: &[usize]) {
        if let Entry::Vacant(entry) = self.admitted.entry(Outcome(values)) {
            entry.insert(order.to_vec());
        }
    }

    /// The client whose outcomes these are.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Does some order of the invocations give this?
    pub fn contains(&self, outcome: &Outcome) -> bool {
        self.admitted.contains_key(outcome)
    }

    /// An order that gives this outcome: positions of all invocations in the text. `None`: there is no such order.
    pub fn linearization(&self, outcome: &Outcome) -> Option<&[usize]> {
        self.admitted.get(outcome).map(Vec::as_slice)
    }

    /// The outcomes from the smallest to the greatest, each with an order that gives it.
    pub fn iter(&self) -> impl Iterator<Item = (&Outcome, &[usize])> {
        self.admitted.iter().map(|(outcome, order)| (outcome, order.as_slice()))
    }

    /// How many different outcomes there are.
    pub fn len(&self) -> usize {
        self.admitted.len()
    }

    /// Are there none? Never so, as even a client without invocations has one outcome; but `len` wants a companion.
    pub fn is_empty(&self) -> bool {
        self.admitted.is_empty()
    }
}

/// Where the invocations of a client stand in the order of the text.
pub(crate) struct Places {
    pub setup: Vec<usize>,
    pub threads: Vec<Vec<usize>>,
    pub epilogue: Vec<usize>,
}

impl Places {
    pub fn of(client: &Client) -> Places {
        let mut next = 0;
        let mut take = |length: usize| -> Vec<usize> {
            next += length;
            (next - length..next).collect()
        };
        Places {
            setup: take(client.setup.len()),
            threads: client.threads.iter().map(|thread| take(thread.len())).collect(),
            epilogue: take(client.epilogue.len()),
        }
    }
}

//! Admitted outcomes of objects that promise less than atomicity for some operations.
//!
//! After Emmi and Enea, "Weak-consistency specification via visibility relaxation" (POPL 2019), with the levels that Violat
//! has: invocations are linearized as before, but each one runs on a part of what precedes it, the invocations that are
//! *visible* to it. Its level says what must be visible. With all invocations [`Complete`](Consistency::Complete), the
//! outcomes are those of [`admitted`](crate::admitted).
//!
//! Every choice of visible invocations is tried: exponential in the number of invocations that are not complete. Clients
//! as small as those that are generated are meant.

use std::collections::HashSet;

use linchpin_model::{Client, Consistency, Invocation, Value};

use crate::outcomes::Places;
use crate::{Outcomes, Sequential};

/// All outcomes of a client of a sequential object whose invocations have these levels of consistency.
///
/// # Panics
/// When the client has more than 64 invocations.
pub fn admitted_weakly<S: Sequential>(
    client: &Client,
    object: &S,
    level: impl Fn(&Invocation) -> Consistency,
) -> Outcomes {
    let invocations: Vec<&Invocation> = client.invocations().collect();
    assert!(invocations.len() <= 64, "sets of invocations have 64 bits");
    let levels: Vec<Consistency> = invocations.iter().map(|invocation| level(invocation)).collect();
    let mut search = Search {
        object,
        preceding: preceding(client),
        // Only these two levels ask what another invocation sees.
        sets_matter: levels.iter().any(|level| matches!(level, Consistency::Monotonic | Consistency::Causal)),
        levels,
        visible: vec![0; invocations.len()],
        values: vec![Value::Nil; invocations.len()],
        order: Vec::new(),
        invocations,
        outcomes: Outcomes::none_yet(client),
    };
    search.extend();
    search.outcomes
}

/// A set of positions in the text.
type Set = u64;

/// For each invocation those that precede it.
fn preceding(client: &Client) -> Vec<Set> {
    let Places { setup, threads, epilogue } = Places::of(client);
    let mut preceding = vec![0; client.len()];
    let mut run = |places: &[usize], mut before: Set| {
        for &place in places {
            preceding[place] = before;
            before |= 1 << place;
        }
        before
    };
    let before = run(&setup, 0);
    let after = threads.iter().fold(before, |after, thread| after | run(thread, before));
    run(&epilogue, after);
    preceding
}

struct Search<'a, S> {
    object: &'a S,
    invocations: Vec<&'a Invocation>,
    levels: Vec<Consistency>,
    preceding: Vec<Set>,
    sets_matter: bool,
    /// What is visible to each invocation in `order`.
    visible: Vec<Set>,
    /// What each invocation in `order` returned; nil for others.
    values: Vec<Value>,
    /// What has been linearized.
    order: Vec<usize>,
    outcomes: Outcomes,
}

impl<S: Sequential> Search<'_, S> {
    /// Linearizes every invocation that can be next, with everything that may be visible to it.
    fn extend(&mut self) {
        if self.order.len() == self.invocations.len() {
            return self.outcomes.add(self.values.clone(), &self.order);
        }
        let done: Set = self.order.iter().fold(0, |done, place| done | 1 << place);
        for place in 0..self.invocations.len() {
            if done >> place & 1 == 1 || self.preceding[place] & !done != 0 {
                continue;
            }
            let mut tried = HashSet::new();
            // All subsets of what is done, from all of it down to nothing.
            let mut visible = done;
            loop {
                if self.may_see(place, visible, done) {
                    let value = self.run(place, visible);
                    let set = if self.sets_matter { visible } else { 0 };
                    if tried.insert((value.clone(), set)) {
                        self.visible[place] = visible;
                        self.values[place] = value;
                        self.order.push(place);
                        self.extend();
                        self.order.pop();
                        self.values[place] = Value::Nil;
                    }
                }
                // A complete invocation sees everything; only the first set will do.
                if visible == 0 || self.levels[place] == Consistency::Complete {
                    break;
                }
                visible = (visible - 1) & done;
            }
        }
    }

    /// Does the invocation's level allow it to see just this?
    fn may_see(&self, place: usize, visible: Set, done: Set) -> bool {
        let level = self.levels[place];
        let union = |sets: &[Set], of: Set| members(of).fold(0, |union, member| union | sets[member]);
        let preceding = self.preceding[place];
        let demands = [
            (Consistency::Own, preceding),
            (Consistency::Monotonic, union(&self.visible, preceding)),
            (Consistency::Peer, union(&self.preceding, visible)),
            (Consistency::Causal, union(&self.visible, visible)),
            (Consistency::Complete, done),
        ];
        demands.iter().all(|&(demanding, set)| level < demanding || set & !visible == 0)
    }

    /// What an invocation returns after those that are visible to it, in the order of the linearization.
    fn run(&self, place: usize, visible: Set) -> Value {
        let mut state = self.object.initial();
        for &earlier in self.order.iter().filter(|&&earlier| visible >> earlier & 1 == 1) {
            state = self.object.apply(&state, self.invocations[earlier]).0;
        }
        self.object.apply(&state, self.invocations[place]).1
    }
}

fn members(set: Set) -> impl Iterator<Item = usize> {
    (0..64).filter(move |member| set >> member & 1 == 1)
}

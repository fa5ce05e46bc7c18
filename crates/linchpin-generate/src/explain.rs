//! Why an outcome is not admitted, as far as a sentence can say it: what comes closest.

use std::fmt;

use linchpin_model::{Client, Outcome};

use crate::Outcomes;
use crate::outcomes::Places;

/// So many of the closest outcomes appear in a message.
const SHOWN: usize = 3;

/// An outcome that is not admitted, with the admitted ones that differ from it in the fewest positions.
#[derive(Debug, Clone)]
pub struct Explanation<'a> {
    /// The outcome that is not admitted.
    pub outcome: &'a Outcome,
    /// Those that come closest: all differ in the same number of positions.
    pub nearest: Vec<Near<'a>>,
    client: &'a Client,
}

/// An admitted outcome that comes close to one that is not.
#[derive(Debug, Clone)]
pub struct Near<'a> {
    /// The admitted outcome.
    pub outcome: &'a Outcome,
    /// An order of the invocations that gives it: positions in the text.
    pub linearization: &'a [usize],
    /// The positions in which they differ.
    pub differing: Vec<usize>,
}

impl Outcomes {
    /// The admitted outcomes that come closest to one that is not. `None`: it is admitted.
    pub fn explain<'a>(&'a self, outcome: &'a Outcome) -> Option<Explanation<'a>> {
        if self.contains(outcome) {
            return None;
        }
        let near = |(admitted, linearization): (&'a Outcome, &'a [usize])| {
            let differing = (0..admitted.0.len().max(outcome.0.len()))
                .filter(|&position| admitted.0.get(position) != outcome.0.get(position))
                .collect();
            Near { outcome: admitted, linearization, differing }
        };
        let mut nearest: Vec<Near<'a>> = self.iter().map(near).collect();
        let fewest = nearest.iter().map(|near| near.differing.len()).min();
        nearest.retain(|near| Some(near.differing.len()) == fewest);
        Some(Explanation { outcome, nearest, client: self.client() })
    }
}

/// The outcome, and for some of the closest ones what would have to be different.
impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = self.client.len();
        let found = self.outcome.0.len();
        if expected != found {
            return write!(f, "an outcome of {found} values is none of a client of {expected} invocations");
        }
        write!(f, "no order of the invocations returns {}", self.outcome)?;
        for near in self.nearest.iter().take(SHOWN) {
            let differences: Vec<String> = near
                .differing
                .iter()
                .map(|&position| {
                    let (found, expected) = (&self.outcome.0[position], &near.outcome.0[position]);
                    format!("{} returned {found} instead of {expected}", name(self.client, position))
                })
                .collect();
            write!(f, "\n  {} for {}", differences.join(", "), self.sequence(near.linearization))?;
        }
        match self.nearest.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more that come as close"),
        }
    }
}

impl Explanation<'_> {
    fn sequence(&self, linearization: &[usize]) -> String {
        let invocations: Vec<String> = self.client.invocations().map(ToString::to_string).collect();
        let names: Vec<&str> = linearization.iter().map(|&position| invocations[position].as_str()).collect();
        names.join("; ")
    }
}

/// An invocation and where it stands: `pop() of thread 2`.
///
/// # Panics
/// When the client has no such position.
pub fn name(client: &Client, position: usize) -> String {
    let Places { setup, threads, .. } = Places::of(client);
    let part = if setup.contains(&position) {
        "the setup".to_owned()
    } else {
        match threads.iter().position(|thread| thread.contains(&position)) {
            Some(thread) => format!("thread {}", thread + 1),
            None => "the epilogue".to_owned(),
        }
    };
    let invocation = client.invocations().nth(position).expect("a position of the client");
    format!("{invocation} of {part}")
}

#[cfg(test)]
mod tests {
    use linchpin_model::{Invocation, Value};

    use super::*;
    use crate::{Sequential, admitted, parse};

    struct Stack;

    impl Sequential for Stack {
        type State = Vec<Value>;
        fn initial(&self) -> Vec<Value> {
            Vec::new()
        }
        fn apply(&self, state: &Vec<Value>, call: &Invocation) -> (Vec<Value>, Value) {
            let mut state = state.clone();
            let returned = match call.arguments.first() {
                Some(value) => {
                    state.push(value.clone());
                    Value::Nil
                }
                None => state.pop().unwrap_or_default(),
            };
            (state, returned)
        }
    }

    #[test]
    fn the_closest_outcomes_are_named_with_what_differs() {
        let client = parse("[push(1)] { pop() } || { pop() }").unwrap();
        let outcomes = admitted(&client, &Stack);
        let twice = Outcome(vec![Value::Nil, 1.into(), 1.into()]);
        assert_eq!(
            outcomes.explain(&twice).unwrap().to_string(),
            "no order of the invocations returns nil, 1, 1\n  \
             pop() of thread 1 returned 1 instead of nil for push(1); pop(); pop()\n  \
             pop() of thread 2 returned 1 instead of nil for push(1); pop(); pop()"
        );
    }

    #[test]
    fn what_is_admitted_needs_no_explanation_and_what_is_no_outcome_gets_another() {
        let client = parse("[push(1)] { pop() } || { } [pop()]").unwrap();
        let outcomes = admitted(&client, &Stack);
        assert!(outcomes.explain(&Outcome(vec![Value::Nil, 1.into(), Value::Nil])).is_none());
        let short = Outcome(vec![Value::Nil]);
        assert_eq!(
            outcomes.explain(&short).unwrap().to_string(),
            "an outcome of 1 values is none of a client of 3 invocations"
        );
    }

    #[test]
    fn of_many_outcomes_that_are_close_a_few_are_shown() {
        let client = parse("[push(1); push(2); push(3)] { pop() } || { pop() } || { pop() }").unwrap();
        let outcomes = admitted(&client, &Stack);
        let wrong =
            Outcome([Value::Nil, Value::Nil, Value::Nil].into_iter().chain([7.into(), 8.into(), 9.into()]).collect());
        let explanation = outcomes.explain(&wrong).unwrap();
        assert_eq!((explanation.nearest.len(), explanation.nearest[0].differing.clone()), (6, vec![3, 4, 5]));
        assert!(explanation.to_string().ends_with("\n  and 3 more that come as close"));
    }
}

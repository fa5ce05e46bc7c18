//! Sequential objects for checkers that know none: plain states, as their users would write them.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::hash::Hash;

use linchpin_history::{Call, Recording};
use linchpin_model::{Interval, Value};

use crate::histories::sample::Sample;

use super::Decided;

/// A sequential object.
pub(super) trait Object: Clone + Send + Sync + 'static {
    type State: Clone + Eq + Hash + Debug + Send + Sync;

    fn initial() -> Self::State;

    /// The state after an operation; `None` if it cannot have returned what it did.
    fn step(state: &Self::State, act: Act) -> Option<Self::State>;
}

/// What was done, and what was returned.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    Add(i64),
    Remove(Option<i64>),
    Write(i64),
    Read(Option<i64>),
    /// `None`: nobody knows whether it succeeded.
    CompareAndSet {
        expected: i64,
        new: i64,
        succeeded: Option<bool>,
    },
    /// Puts an element of a set in or takes it out, if it was not there or not away already.
    Switch {
        to: bool,
        switched: bool,
    },
    Contains(bool),
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub process: u64,
    /// Which part of the object it works on; always 0 if there are none.
    pub key: i64,
    pub act: Act,
    pub call: i64,
    /// [`Interval::NEVER`] if it did not return.
    pub ret: i64,
}

/// What is done with histories of an object whose type has been found.
pub(super) trait Asked {
    fn ask<O: Object>(self, histories: Vec<Vec<Operation>>) -> Decided;
}

/// Asks about the histories of a sample, in terms of the object that they are histories of.
pub(super) fn with_object(sample: &Sample, asked: impl Asked) -> Result<Decided, String> {
    let histories = sample.histories.iter().map(|(recording, _)| operations(recording)).collect::<Result<_, _>>()?;
    Ok(match sample.model.name() {
        "queue" => asked.ask::<Queue>(histories),
        "stack" => asked.ask::<Stack>(histories),
        "priority-queue" => asked.ask::<PriorityQueue>(histories),
        "set" => asked.ask::<SetKey>(histories),
        "register" | "kv" => asked.ask::<Register<true>>(histories),
        "cas-register" => asked.ask::<Register<false>>(histories),
        other => return Err(format!("no object for histories of a {other}")),
    })
}

/// The operations of a recording. Reads that did not return what they found are left out: they say nothing.
fn operations(recording: &Recording) -> Result<Vec<Operation>, String> {
    let intervals = recording.history.intervals().ok_or("the history is not one in real time")?;
    let mut operations = Vec::with_capacity(intervals.len());
    for (operation, &Interval { call, ret }) in recording.history.operations().iter().zip(intervals) {
        let Call { name, key, argument } = &operation.invocation;
        if &**name == "read" && operation.result.is_none() {
            continue;
        }
        let act = act(name, argument, operation.result.as_ref()).ok_or_else(|| format!("no meaning for {name}"))?;
        let key = key.as_ref().and_then(Value::as_integer).unwrap_or(0);
        operations.push(Operation { process: operation.process, key, act, call, ret });
    }
    Ok(operations)
}

fn act(name: &str, argument: &Value, result: Option<&Value>) -> Option<Act> {
    let number = || result.and_then(Value::as_integer);
    let truth = || result.and_then(Value::as_bool);
    Some(match name {
        "enq" | "push" | "insert" => Act::Add(argument.as_integer()?),
        "deq" | "pop" | "pop_max" => Act::Remove(number()),
        "put" | "write" => Act::Write(argument.as_integer()?),
        "get" | "read" => Act::Read(number()),
        "add" => Act::Switch { to: true, switched: truth()? },
        "remove" => Act::Switch { to: false, switched: truth()? },
        "contains" => Act::Contains(truth()?),
        "cas" => {
            let [expected, new] = argument.as_list()? else { return None };
            // Logs of events repeat the argument as the result of one that has succeeded.
            let succeeded = result.map(|result| result.as_bool().unwrap_or(true));
            Act::CompareAndSet { expected: expected.as_integer()?, new: new.as_integer()?, succeeded }
        }
        _ => return None,
    })
}

#[derive(Clone)]
struct Queue;

impl Object for Queue {
    type State = VecDeque<i64>;

    fn initial() -> Self::State {
        VecDeque::new()
    }

    fn step(state: &Self::State, act: Act) -> Option<Self::State> {
        match act {
            Act::Add(value) => {
                let mut next = state.clone();
                next.push_back(value);
                Some(next)
            }
            Act::Remove(value) if state.front().copied() == value => {
                let mut next = state.clone();
                next.pop_front();
                Some(next)
            }
            _ => None,
        }
    }
}

#[derive(Clone)]
struct Stack;

impl Object for Stack {
    type State = Vec<i64>;

    fn initial() -> Self::State {
        Vec::new()
    }

    fn step(state: &Self::State, act: Act) -> Option<Self::State> {
        match act {
            Act::Add(value) => Some([state, &[value][..]].concat()),
            Act::Remove(value) => removed_last(state, value),
            _ => None,
        }
    }
}

#[derive(Clone)]
struct PriorityQueue;

impl Object for PriorityQueue {
    /// Ascending.
    type State = Vec<i64>;

    fn initial() -> Self::State {
        Vec::new()
    }

    fn step(state: &Self::State, act: Act) -> Option<Self::State> {
        match act {
            Act::Add(value) => {
                let (smaller, greater) = state.split_at(state.partition_point(|other| *other < value));
                Some([smaller, &[value], greater].concat())
            }
            Act::Remove(value) => removed_last(state, value),
            _ => None,
        }
    }
}

/// Without the last element, if that is `value`; `None` is what is taken out of nothing.
fn removed_last(state: &[i64], value: Option<i64>) -> Option<Vec<i64>> {
    (state.last().copied() == value).then(|| state[..state.len().saturating_sub(1)].to_vec())
}

/// One key of a set: is it there?
#[derive(Clone)]
struct SetKey;

impl Object for SetKey {
    type State = bool;

    fn initial() -> bool {
        false
    }

    fn step(&state: &bool, act: Act) -> Option<bool> {
        match act {
            Act::Switch { to, switched } => ((state != to) == switched).then_some(to),
            Act::Contains(found) => (found == state).then_some(state),
            _ => None,
        }
    }
}

/// A register that holds 0 at first, or nothing.
#[derive(Clone)]
struct Register<const ZERO: bool>;

impl<const ZERO: bool> Object for Register<ZERO> {
    type State = Option<i64>;

    fn initial() -> Self::State {
        ZERO.then_some(0)
    }

    fn step(&state: &Self::State, act: Act) -> Option<Self::State> {
        match act {
            Act::Write(value) => Some(Some(value)),
            Act::Read(found) => (found == state).then_some(state),
            Act::CompareAndSet { expected, new, succeeded } => {
                let equal = state == Some(expected);
                succeeded.is_none_or(|succeeded| succeeded == equal).then_some(if equal { Some(new) } else { state })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compare_and_set_that_returned_its_argument_has_succeeded() {
        let argument = Value::List([3, 0].map(Value::Integer).into());
        let succeeded = |result: Option<&Value>| match act("cas", &argument, result) {
            Some(Act::CompareAndSet { expected: 3, new: 0, succeeded }) => succeeded,
            other => panic!("{other:?}"),
        };
        assert_eq!(succeeded(Some(&argument)), Some(true));
        assert_eq!(succeeded(Some(&Value::Bool(false))), Some(false));
        assert_eq!(succeeded(None), None);
    }
}

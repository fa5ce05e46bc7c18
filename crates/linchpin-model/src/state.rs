//! States of an object's specification, whatever their type.

use std::any::Any;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::{SequentialRun, Value};

/// A state of an object's specification: what earlier operations have left behind. Cheap to clone; equal states behave alike.
#[derive(Clone)]
pub struct State(Arc<dyn AnyState>);

impl State {
    /// A state that can be copied and compared, and what running an operation in it does.
    pub fn new<S>(state: S, run: fn(&mut S, usize, &[Value]) -> Value) -> State
    where
        S: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static,
    {
        State(Arc::new(Plain { state, run }))
    }

    /// The state of something that can only be made and run: it is known by what has run, and each step runs all of that again.
    pub fn of_runs(create: fn() -> SequentialRun) -> State {
        State(Arc::new(Runs { create, done: Vec::new() }))
    }

    /// The state after an operation, by its position, and what the operation returns.
    pub fn after(&self, operation: usize, arguments: &[Value]) -> (State, Value) {
        self.0.after(operation, arguments)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.0.is_same(&*other.0)
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.0.hashed());
    }
}

trait AnyState: fmt::Debug + Any + Send + Sync {
    fn after(&self, operation: usize, arguments: &[Value]) -> (State, Value);
    fn is_same(&self, other: &dyn AnyState) -> bool;
    fn hashed(&self) -> u64;
}

struct Plain<S> {
    state: S,
    run: fn(&mut S, usize, &[Value]) -> Value,
}

impl<S: fmt::Debug> fmt::Debug for Plain<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.fmt(f)
    }
}

impl<S: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> AnyState for Plain<S> {
    fn after(&self, operation: usize, arguments: &[Value]) -> (State, Value) {
        let mut state = self.state.clone();
        let value = (self.run)(&mut state, operation, arguments);
        (State::new(state, self.run), value)
    }

    fn is_same(&self, other: &dyn AnyState) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| other.state == self.state)
    }

    fn hashed(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.state.hash(&mut hasher);
        hasher.finish()
    }
}

struct Runs {
    create: fn() -> SequentialRun,
    /// Operations with their arguments.
    done: Vec<(usize, Vec<Value>)>,
}

impl fmt::Debug for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {} operations", self.done.len())
    }
}

impl AnyState for Runs {
    fn after(&self, operation: usize, arguments: &[Value]) -> (State, Value) {
        let mut run = (self.create)();
        for (operation, arguments) in &self.done {
            run(*operation, arguments);
        }
        let value = run(operation, arguments);
        let done = [&self.done[..], &[(operation, arguments.to_vec())]].concat();
        (State(Arc::new(Runs { create: self.create, done })), value)
    }

    fn is_same(&self, other: &dyn AnyState) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| other.done == self.done)
    }

    fn hashed(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.done.hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push_or_count(state: &mut Vec<usize>, operation: usize, _: &[Value]) -> Value {
        state.push(operation);
        state.sort_unstable();
        Value::from(state.len() as i64)
    }

    #[test]
    fn states_are_what_was_left_behind() {
        let start = State::new(Vec::new(), push_or_count);
        let one_two = start.after(1, &[]).0.after(2, &[]);
        let two_one = start.after(2, &[]).0.after(1, &[]);
        assert_eq!(one_two, two_one);
        assert_eq!(one_two.1, Value::from(2));
        assert_ne!(start, one_two.0);
    }

    #[test]
    fn what_can_only_be_run_is_known_by_what_has_run() {
        let start = State::of_runs(|| {
            let mut state = Vec::new();
            Box::new(move |operation, arguments| push_or_count(&mut state, operation, arguments))
        });
        let one_two = start.after(1, &[]).0.after(2, &[]);
        let two_one = start.after(2, &[]).0.after(1, &[]);
        assert_ne!(one_two.0, two_one.0);
        assert_eq!((one_two.1, two_one.1), (Value::from(2), Value::from(2)));
        assert_eq!(start.after(1, &[]).0, start.after(1, &[]).0);
    }
}

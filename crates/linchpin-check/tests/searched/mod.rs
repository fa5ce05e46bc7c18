//! Specifications that say less about themselves, so that histories are decided by the general search.

use linchpin_model::{Specification, Value};

/// A specification that keeps quiet about everything that could speed up a decision.
pub struct Plain<'a, S>(pub &'a S);

impl<S: Specification> Specification for Plain<'_, S> {
    type Invocation = S::Invocation;
    type Returned = S::Returned;
    type State = S::State;

    fn initial(&self) -> S::State {
        self.0.initial()
    }

    fn step(&self, state: &S::State, call: &S::Invocation, result: Option<&S::Returned>, next: &mut Vec<S::State>) {
        self.0.step(state, call, result, next);
    }
}

/// One that says what is independent and what only reads, but not what kind of object it is.
pub struct Searched<'a, S>(pub &'a S);

impl<S: Specification> Specification for Searched<'_, S> {
    type Invocation = S::Invocation;
    type Returned = S::Returned;
    type State = S::State;

    fn initial(&self) -> S::State {
        self.0.initial()
    }

    fn step(&self, state: &S::State, call: &S::Invocation, result: Option<&S::Returned>, next: &mut Vec<S::State>) {
        self.0.step(state, call, result, next);
    }

    fn part(&self, call: &S::Invocation) -> Option<Value> {
        self.0.part(call)
    }

    fn is_read_only(&self, call: &S::Invocation, result: Option<&S::Returned>) -> bool {
        self.0.is_read_only(call, result)
    }
}

//! A specification that says as much about itself as it is told to, so that histories are decided in different ways.
//!
//! One type for all of them: each type that is checked is compiled with the whole search, which takes its time.

use linchpin_model::{Kind, Role, Specification, Value};

/// What a specification says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// Everything that it knows: the fastest way that applies is taken.
    Everything,
    /// What is independent and what only reads, but not what kind of object it is: the search decides.
    NoKind,
    /// Nothing: the search decides, without help.
    Nothing,
}

pub struct Saying<'a, S>(pub Says, pub &'a S);

impl<S: Specification> Specification for Saying<'_, S> {
    type Invocation = S::Invocation;
    type Returned = S::Returned;
    type State = S::State;

    fn initial(&self) -> S::State {
        self.1.initial()
    }

    fn step(&self, state: &S::State, call: &S::Invocation, result: Option<&S::Returned>, next: &mut Vec<S::State>) {
        self.1.step(state, call, result, next);
    }

    fn part(&self, call: &S::Invocation) -> Option<Value> {
        if self.0 == Says::Nothing { None } else { self.1.part(call) }
    }

    fn is_read_only(&self, call: &S::Invocation, result: Option<&S::Returned>) -> bool {
        self.0 != Says::Nothing && self.1.is_read_only(call, result)
    }

    fn kind(&self) -> Option<Kind> {
        if self.0 == Says::Everything { self.1.kind() } else { None }
    }

    fn role(&self, call: &S::Invocation, result: Option<&S::Returned>) -> Option<Role> {
        self.1.role(call, result)
    }

    fn describe_state(&self, state: &S::State) -> String {
        self.1.describe_state(state)
    }
}

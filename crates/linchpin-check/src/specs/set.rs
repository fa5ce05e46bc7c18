//! A set of which every element is a bit of its own.

use linchpin_model::{Kind, Role, Specification, Value};

use super::{Cells, braced, sentence};

/// A set. Its operations return whether the element was added, was removed, is there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Set;

/// What a [`Set`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SetCall {
    /// Put an element in: `true` if it was not there.
    Add(Value),
    /// Take an element out: `true` if it was there.
    Remove(Value),
    /// Look for an element: `true` if it is there.
    Contains(Value),
}

impl Specification for Set {
    type Invocation = SetCall;
    type Returned = bool;
    type State = Cells<()>;

    fn initial(&self) -> Cells<()> {
        Cells::EMPTY
    }

    fn step(&self, state: &Cells<()>, call: &SetCall, result: Option<&bool>, next: &mut Vec<Cells<()>>) {
        let there = state.get(call.element()).is_some();
        let returns = match call {
            SetCall::Add(_) => !there,
            SetCall::Remove(_) | SetCall::Contains(_) => there,
        };
        if result.is_none_or(|result| *result == returns) {
            next.push(match call {
                SetCall::Add(element) if !there => state.with(element, ()),
                SetCall::Remove(element) if there => state.without(element),
                _ => state.clone(),
            });
        }
    }

    fn part(&self, call: &SetCall) -> Option<Value> {
        Some(call.element().clone())
    }

    fn is_read_only(&self, call: &SetCall, result: Option<&bool>) -> bool {
        matches!(call, SetCall::Contains(_)) || result == Some(&false)
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Bit { initial: false })
    }

    /// An addition or removal whose result is not known either switches or observes, so it has no role.
    fn role(&self, call: &SetCall, result: Option<&bool>) -> Option<Role> {
        match (call, result) {
            (SetCall::Add(_), Some(true)) => Some(Role::Switch { to: true }),
            (SetCall::Add(_), Some(false)) => Some(Role::Observe(true)),
            (SetCall::Remove(_), Some(true)) => Some(Role::Switch { to: false }),
            (SetCall::Remove(_), Some(false)) => Some(Role::Observe(false)),
            (SetCall::Contains(_), Some(there)) => Some(Role::Observe(*there)),
            (SetCall::Contains(_), None) => Some(Role::Nothing),
            (SetCall::Add(_) | SetCall::Remove(_), None) => None,
        }
    }

    fn describe(&self, call: &SetCall, result: Option<&bool>) -> String {
        let call = match call {
            SetCall::Add(element) => format!("add({element})"),
            SetCall::Remove(element) => format!("remove({element})"),
            SetCall::Contains(element) => format!("contains({element})"),
        };
        sentence(call, result)
    }

    fn describe_state(&self, state: &Cells<()>) -> String {
        braced(state.iter().map(|(key, ())| key.to_string()))
    }

    fn state_bytes(&self, state: &Cells<()>) -> usize {
        state.bytes()
    }
}

impl SetCall {
    /// The element it is about.
    pub fn element(&self) -> &Value {
        let (SetCall::Add(element) | SetCall::Remove(element) | SetCall::Contains(element)) = self;
        element
    }
}

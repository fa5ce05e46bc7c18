//! Last in, first out.

use linchpin_model::{Kind, Role, Specification, Value};

use super::{Tree, listed, sentence, taken};

/// A stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stack;

/// What a [`Stack`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StackCall {
    /// Put an element in.
    Push(Value),
    /// Take the youngest element out.
    Pop,
}

/// What the operations of a [`Stack`] return.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StackReturned {
    /// The element is in.
    Pushed,
    /// What was taken out; `None`: there was nothing.
    Popped(Option<Value>),
}

impl Specification for Stack {
    type Invocation = StackCall;
    type Returned = StackReturned;
    type State = Tree<Value>;

    fn initial(&self) -> Tree<Value> {
        Tree::EMPTY
    }

    fn step(&self, state: &Tree<Value>, call: &StackCall, result: Option<&StackReturned>, next: &mut Vec<Tree<Value>>) {
        use {StackCall as Call, StackReturned as Returned};
        match (call, result) {
            (Call::Push(element), None | Some(Returned::Pushed)) => next.push(state.push_back(element.clone())),
            (Call::Pop, None) => next.push(state.without_last()),
            (Call::Pop, Some(Returned::Popped(element))) if element.as_ref() == state.last() => {
                next.push(state.without_last());
            }
            _ => {}
        }
    }

    fn is_read_only(&self, _: &StackCall, result: Option<&StackReturned>) -> bool {
        result == Some(&StackReturned::Popped(None))
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Stack)
    }

    fn role(&self, call: &StackCall, result: Option<&StackReturned>) -> Option<Role> {
        use {StackCall as Call, StackReturned as Returned};
        match (call, result) {
            (Call::Push(element), None | Some(Returned::Pushed)) => Some(Role::Add(element.clone())),
            (Call::Pop, None) => Some(Role::RemoveUnknown),
            (Call::Pop, Some(Returned::Popped(Some(element)))) => Some(Role::Remove(element.clone())),
            (Call::Pop, Some(Returned::Popped(None))) => Some(Role::FindEmpty),
            _ => None,
        }
    }

    fn describe(&self, call: &StackCall, result: Option<&StackReturned>) -> String {
        let call = match call {
            StackCall::Push(element) => format!("push({element})"),
            StackCall::Pop => "pop()".into(),
        };
        match result {
            Some(StackReturned::Popped(element)) => sentence(call, Some(taken(element))),
            None | Some(StackReturned::Pushed) => call,
        }
    }

    fn describe_state(&self, state: &Tree<Value>) -> String {
        listed(state.iter())
    }

    fn state_bytes(&self, state: &Tree<Value>) -> usize {
        state.bytes()
    }
}

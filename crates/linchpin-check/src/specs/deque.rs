//! A queue with two ends.

use linchpin_model::{Specification, Value};

use super::{Tree, listed, sentence, taken};

/// A double-ended queue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Deque;

/// What a [`Deque`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DequeCall {
    /// Put an element in at the front.
    PushFront(Value),
    /// Put an element in at the back.
    PushBack(Value),
    /// Take the front element out.
    PopFront,
    /// Take the back element out.
    PopBack,
}

/// What the operations of a [`Deque`] return.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DequeReturned {
    /// The element is in.
    Pushed,
    /// What was taken out; `None`: there was nothing.
    Popped(Option<Value>),
}

impl Specification for Deque {
    type Invocation = DequeCall;
    type Returned = DequeReturned;
    type State = Tree<Value>;

    fn initial(&self) -> Tree<Value> {
        Tree::EMPTY
    }

    fn step(&self, state: &Tree<Value>, call: &DequeCall, result: Option<&DequeReturned>, next: &mut Vec<Tree<Value>>) {
        use {DequeCall as Call, DequeReturned as Returned};
        let gives = |element: Option<&Value>| match result {
            None => true,
            Some(Returned::Popped(popped)) => popped.as_ref() == element,
            Some(Returned::Pushed) => false,
        };
        let pushed = matches!(result, None | Some(Returned::Pushed));
        match call {
            Call::PushFront(element) if pushed => next.push(state.push_front(element.clone())),
            Call::PushBack(element) if pushed => next.push(state.push_back(element.clone())),
            Call::PopFront if gives(state.first()) => next.push(state.without_first()),
            Call::PopBack if gives(state.last()) => next.push(state.without_last()),
            _ => {}
        }
    }

    fn is_read_only(&self, _: &DequeCall, result: Option<&DequeReturned>) -> bool {
        result == Some(&DequeReturned::Popped(None))
    }

    fn describe(&self, call: &DequeCall, result: Option<&DequeReturned>) -> String {
        let call = match call {
            DequeCall::PushFront(element) => format!("push_front({element})"),
            DequeCall::PushBack(element) => format!("push_back({element})"),
            DequeCall::PopFront => "pop_front()".into(),
            DequeCall::PopBack => "pop_back()".into(),
        };
        match result {
            Some(DequeReturned::Popped(element)) => sentence(call, Some(taken(element))),
            None | Some(DequeReturned::Pushed) => call,
        }
    }

    fn describe_state(&self, state: &Tree<Value>) -> String {
        listed(state.iter())
    }

    fn state_bytes(&self, state: &Tree<Value>) -> usize {
        state.bytes()
    }
}

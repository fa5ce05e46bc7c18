//! First in, first out.

use linchpin_model::{Kind, Role, Specification, Value};

use super::{Tree, listed, sentence, taken};

/// A queue without a bound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Queue;

/// What a [`Queue`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum QueueCall {
    /// Put an element in.
    Enqueue(Value),
    /// Take the oldest element out.
    Dequeue,
}

/// What the operations of a [`Queue`] return.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum QueueReturned {
    /// The element is in.
    Enqueued,
    /// What was taken out; `None`: there was nothing.
    Dequeued(Option<Value>),
}

impl Specification for Queue {
    type Invocation = QueueCall;
    type Returned = QueueReturned;
    type State = Tree<Value>;

    fn initial(&self) -> Tree<Value> {
        Tree::EMPTY
    }

    fn step(&self, state: &Tree<Value>, call: &QueueCall, result: Option<&QueueReturned>, next: &mut Vec<Tree<Value>>) {
        use {QueueCall as Call, QueueReturned as Returned};
        match (call, result) {
            (Call::Enqueue(element), None | Some(Returned::Enqueued)) => next.push(state.push_back(element.clone())),
            (Call::Dequeue, None) => next.push(state.without_first()),
            (Call::Dequeue, Some(Returned::Dequeued(element))) if element.as_ref() == state.first() => {
                next.push(state.without_first());
            }
            _ => {}
        }
    }

    fn is_read_only(&self, _: &QueueCall, result: Option<&QueueReturned>) -> bool {
        result == Some(&QueueReturned::Dequeued(None))
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Queue)
    }

    fn role(&self, call: &QueueCall, result: Option<&QueueReturned>) -> Option<Role> {
        use {QueueCall as Call, QueueReturned as Returned};
        match (call, result) {
            (Call::Enqueue(element), None | Some(Returned::Enqueued)) => Some(Role::Add(element.clone())),
            (Call::Dequeue, None) => Some(Role::RemoveUnknown),
            (Call::Dequeue, Some(Returned::Dequeued(Some(element)))) => Some(Role::Remove(element.clone())),
            (Call::Dequeue, Some(Returned::Dequeued(None))) => Some(Role::FindEmpty),
            _ => None,
        }
    }

    fn describe(&self, call: &QueueCall, result: Option<&QueueReturned>) -> String {
        let call = match call {
            QueueCall::Enqueue(element) => format!("enq({element})"),
            QueueCall::Dequeue => "deq()".into(),
        };
        match result {
            Some(QueueReturned::Dequeued(element)) => sentence(call, Some(taken(element))),
            None | Some(QueueReturned::Enqueued) => call,
        }
    }

    fn describe_state(&self, state: &Tree<Value>) -> String {
        listed(state.iter())
    }

    fn state_bytes(&self, state: &Tree<Value>) -> usize {
        state.bytes()
    }
}

//! The greatest comes out first.

use linchpin_model::{Kind, Role, Specification, Value};

use super::{Tree, listed, sentence, taken};

/// A priority queue; elements that are equal are in it as often as they were put in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriorityQueue;

/// What a [`PriorityQueue`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PriorityQueueCall {
    /// Put an element in.
    Insert(Value),
    /// Take the greatest element out.
    PopMax,
}

/// What the operations of a [`PriorityQueue`] return.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PriorityQueueReturned {
    /// The element is in.
    Inserted,
    /// What was taken out; `None`: there was nothing.
    Popped(Option<Value>),
}

impl Specification for PriorityQueue {
    type Invocation = PriorityQueueCall;
    type Returned = PriorityQueueReturned;
    type State = Tree<Value>;

    fn initial(&self) -> Tree<Value> {
        Tree::EMPTY
    }

    fn step(
        &self,
        state: &Tree<Value>,
        call: &PriorityQueueCall,
        result: Option<&PriorityQueueReturned>,
        next: &mut Vec<Tree<Value>>,
    ) {
        use {PriorityQueueCall as Call, PriorityQueueReturned as Returned};
        match (call, result) {
            (Call::Insert(element), None | Some(Returned::Inserted)) => {
                // Behind its equals, which are the same anyway.
                let place = |other: &Value| other.cmp(element).then(std::cmp::Ordering::Less);
                next.push(state.insert(element.clone(), &place));
            }
            (Call::PopMax, None) => next.push(state.without_last()),
            (Call::PopMax, Some(Returned::Popped(element))) if element.as_ref() == state.last() => {
                next.push(state.without_last());
            }
            _ => {}
        }
    }

    fn is_read_only(&self, _: &PriorityQueueCall, result: Option<&PriorityQueueReturned>) -> bool {
        result == Some(&PriorityQueueReturned::Popped(None))
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::PriorityQueue)
    }

    fn role(&self, call: &PriorityQueueCall, result: Option<&PriorityQueueReturned>) -> Option<Role> {
        use {PriorityQueueCall as Call, PriorityQueueReturned as Returned};
        match (call, result) {
            (Call::Insert(element), None | Some(Returned::Inserted)) => Some(Role::Add(element.clone())),
            (Call::PopMax, None) => Some(Role::RemoveUnknown),
            (Call::PopMax, Some(Returned::Popped(Some(element)))) => Some(Role::Remove(element.clone())),
            (Call::PopMax, Some(Returned::Popped(None))) => Some(Role::FindEmpty),
            _ => None,
        }
    }

    fn describe(&self, call: &PriorityQueueCall, result: Option<&PriorityQueueReturned>) -> String {
        let call = match call {
            PriorityQueueCall::Insert(element) => format!("insert({element})"),
            PriorityQueueCall::PopMax => "pop_max()".into(),
        };
        match result {
            Some(PriorityQueueReturned::Popped(element)) => sentence(call, Some(taken(element))),
            None | Some(PriorityQueueReturned::Inserted) => call,
        }
    }

    fn describe_state(&self, state: &Tree<Value>) -> String {
        listed(state.iter())
    }

    fn state_bytes(&self, state: &Tree<Value>) -> usize {
        state.bytes()
    }
}

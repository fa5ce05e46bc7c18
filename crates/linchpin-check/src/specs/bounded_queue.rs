//! A queue with room for so many.

use linchpin_model::{Specification, Value};

use super::{Tree, listed, sentence, taken};

/// A queue that holds no more than its capacity.
///
/// An enqueue returns `false`, and does nothing, exactly when the queue is full. For one that waits instead, `true` is
/// all it can return: it takes effect at a moment at which there is room, or is still pending. Taking out of an empty
/// queue returns nothing; a dequeue that waits never does.
///
/// No kind: what the monitor of queues says of one without bounds would overlook that there was no room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundedQueue {
    /// How many elements there is room for.
    pub capacity: usize,
}

/// What a [`BoundedQueue`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BoundedQueueCall {
    /// Put an element in, if there is room.
    Enqueue(Value),
    /// Take the oldest element out.
    Dequeue,
}

/// What the operations of a [`BoundedQueue`] return.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BoundedQueueReturned {
    /// Was there room?
    Enqueued(bool),
    /// What was taken out; `None`: there was nothing.
    Dequeued(Option<Value>),
}

impl Specification for BoundedQueue {
    type Invocation = BoundedQueueCall;
    type Returned = BoundedQueueReturned;
    type State = Tree<Value>;

    fn initial(&self) -> Tree<Value> {
        Tree::EMPTY
    }

    fn step(
        &self,
        state: &Tree<Value>,
        call: &BoundedQueueCall,
        result: Option<&BoundedQueueReturned>,
        next: &mut Vec<Tree<Value>>,
    ) {
        use {BoundedQueueCall as Call, BoundedQueueReturned as Returned};
        let room = state.len() < self.capacity;
        match (call, result) {
            (Call::Enqueue(element), None | Some(Returned::Enqueued(true))) if room => {
                next.push(state.push_back(element.clone()));
            }
            (Call::Enqueue(_), None | Some(Returned::Enqueued(false))) if !room => next.push(state.clone()),
            (Call::Dequeue, None) => next.push(state.without_first()),
            (Call::Dequeue, Some(Returned::Dequeued(element))) if element.as_ref() == state.first() => {
                next.push(state.without_first());
            }
            _ => {}
        }
    }

    fn is_read_only(&self, _: &BoundedQueueCall, result: Option<&BoundedQueueReturned>) -> bool {
        use BoundedQueueReturned as Returned;
        matches!(result, Some(Returned::Enqueued(false) | Returned::Dequeued(None)))
    }

    fn describe(&self, call: &BoundedQueueCall, result: Option<&BoundedQueueReturned>) -> String {
        let call = match call {
            BoundedQueueCall::Enqueue(element) => format!("enq({element})"),
            BoundedQueueCall::Dequeue => "deq()".into(),
        };
        match result {
            None | Some(BoundedQueueReturned::Enqueued(true)) => call,
            Some(BoundedQueueReturned::Enqueued(false)) => sentence(call, Some("full")),
            Some(BoundedQueueReturned::Dequeued(element)) => sentence(call, Some(taken(element))),
        }
    }

    fn describe_state(&self, state: &Tree<Value>) -> String {
        listed(state.iter())
    }

    fn state_bytes(&self, state: &Tree<Value>) -> usize {
        state.bytes()
    }
}

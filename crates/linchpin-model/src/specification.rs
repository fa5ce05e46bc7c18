//! What a history is measured against: the object's sequential self.

use std::fmt::Debug;
use std::hash::Hash;

use crate::Value;

/// A sequential object: which results its operations may return in which state, and what they leave behind.
///
/// ```
/// use linchpin_model::Specification;
///
/// /// A counter with `increment` and `read`.
/// struct Counter;
///
/// #[derive(Debug, Clone, PartialEq, Eq, Hash)]
/// enum Call { Increment, Read }
///
/// impl Specification for Counter {
///     type Invocation = Call;
///     type Returned = Option<u64>;
///     type State = u64;
///
///     fn initial(&self) -> u64 { 0 }
///
///     fn step(&self, state: &u64, call: &Call, result: Option<&Option<u64>>, next: &mut Vec<u64>) {
///         match (call, result) {
///             (Call::Increment, _) => next.push(state + 1),
///             (Call::Read, None | Some(None)) => next.push(*state),
///             (Call::Read, Some(Some(read))) if read == state => next.push(*state),
///             (Call::Read, _) => {}
///         }
///     }
/// }
/// ```
pub trait Specification: Sync {
    /// An operation's name and arguments.
    type Invocation: Debug + Clone + Eq + Hash + Send + Sync;
    /// What an operation returns.
    type Returned: Debug + Clone + Eq + Hash + Send + Sync;
    /// All that earlier operations have left behind. Equal states must behave alike.
    type State: Debug + Clone + Eq + Hash;

    /// The state before the first operation.
    fn initial(&self) -> Self::State;

    /// Adds to `next` every state that `invocation` may leave behind when it is run in `state` and returns `result`:
    /// none if it cannot return that, one if the object is deterministic. `None` is a result that is not known: then
    /// every result counts.
    fn step(
        &self,
        state: &Self::State,
        invocation: &Self::Invocation,
        result: Option<&Self::Returned>,
        next: &mut Vec<Self::State>,
    );

    /// The independent part of the object that this invocation works on, such as a key of a map: invocations of
    /// different parts neither see nor disturb each other. `None`: the whole object.
    fn part(&self, invocation: &Self::Invocation) -> Option<Value> {
        let _ = invocation;
        None
    }

    /// Does this invocation leave *every* state as it is when it returns this result? (A failed insertion does.) Such
    /// operations cost the search nothing, and a contradiction without them is a contradiction with them.
    fn is_read_only(&self, invocation: &Self::Invocation, result: Option<&Self::Returned>) -> bool {
        let _ = (invocation, result);
        false
    }

    /// The well-known kind of object that each part of this one is, if it is one; then [`role`](Self::role) says what
    /// the operations do in its terms, and histories in which every operation has a role can be decided in n log n.
    fn kind(&self) -> Option<Kind> {
        None
    }

    /// What an invocation that returned this (`None`: not known) does in terms of the object's [`kind`](Self::kind).
    /// `None`: nothing that the kind knows.
    fn role(&self, invocation: &Self::Invocation, result: Option<&Self::Returned>) -> Option<Role> {
        let _ = (invocation, result);
        None
    }

    /// The operation as it appears in sentences: `deq() → 5`.
    fn describe(&self, invocation: &Self::Invocation, result: Option<&Self::Returned>) -> String {
        match result {
            Some(result) => format!("{invocation:?} → {result:?}"),
            None => format!("{invocation:?}"),
        }
    }

    /// The state as it appears in sentences: `[1, 2]`.
    fn describe_state(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    /// How much memory a state takes, roughly, heap included: what a memory limit counts.
    fn state_bytes(&self, state: &Self::State) -> usize {
        size_of_val(state)
    }
}

/// Kinds of objects whose histories have a fast decision procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Reads return the value written last.
    Register {
        /// What is read before the first write.
        initial: Value,
    },
    /// One bit that is switched and observed: membership of one key, whether a lock is held.
    Bit {
        /// The bit before the first operation.
        initial: bool,
    },
    /// First in, first out.
    Queue,
    /// Last in, first out.
    Stack,
    /// The greatest element comes out first.
    PriorityQueue,
}

/// What one operation does in terms of its object's [`Kind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Sets a register.
    Write(Value),
    /// Finds this value in a register.
    Read(Value),
    /// Switches a bit that was `!to`.
    Switch {
        /// What the bit is afterwards.
        to: bool,
    },
    /// Finds the bit as it is.
    Observe(bool),
    /// Puts an element into a queue, stack or priority queue.
    Add(Value),
    /// Takes this element out.
    Remove(Value),
    /// Takes an element out, or finds none: not known which. Only an operation whose result is unknown has this role.
    RemoveUnknown,
    /// Finds the collection empty.
    FindEmpty,
    /// Changes nothing and says nothing about the state: a read whose result is not known.
    Nothing,
}

//! Writing a contract down.

use linchpin_model::{Comparable, Value};

use super::call::Call;

type SideEffect<S> = Box<dyn Fn(&mut S, &Call<'_>) -> Value + Send + Sync>;
type Condition<S> = Box<dyn Fn(&S, &Call<'_>) -> bool + Send + Sync>;
type Guard = Box<dyn Fn(&Call<'_>, &Call<'_>) -> bool + Send + Sync>;

/// What the operations of an object may do and return: a sequential object with the state `S`, and clauses per operation.
///
/// Each clause belongs to the operation named last. The side effect changes the state and returns S_RET, what the sequential
/// object would have returned; the call's own result is C_RET. A clause that is left out holds.
///
/// The contract of a queue whose `deq` may return nothing, but only if some order of the calls that it must have seen
/// leaves the queue empty:
///
/// ```
/// use std::collections::VecDeque;
///
/// use linchpin_check::contracts::Contract;
/// # struct Queue;
///
/// let fifo = Contract::of::<Queue>(VecDeque::<u32>::new)
///     .operation("enq", |queue, call| queue.push_back(call.argument(0)))
///     .operation("deq", |queue, call| if call.c_ret.is_nil() { queue.front().copied() } else { queue.pop_front() })
///     .postcondition(|_, call| call.c_ret.is_nil() || call.c_ret == call.s_ret)
///     .justifying_postcondition(|_, call| !call.c_ret.is_nil() || call.s_ret.is_nil());
/// ```
///
/// Or one that is deterministic, and applies only to executions in which a `deq` that returns nothing is ordered with
/// every `enq`: leave out `c_ret.is_nil()` and the justification, and add
/// `.admit("deq", "enq", |deq, _| deq.c_ret.is_nil())`.
#[must_use = "a contract does nothing until an execution is held against it"]
pub struct Contract<S> {
    pub(super) kind: &'static str,
    pub(super) initial: Box<dyn Fn() -> S + Send + Sync>,
    pub(super) operations: Vec<Operation<S>>,
    pub(super) rules: Vec<Rule>,
}

/// The clauses of one operation.
pub(super) struct Operation<S> {
    pub name: &'static str,
    pub precondition: Option<Condition<S>>,
    pub justifying_precondition: Option<Condition<S>>,
    pub side_effect: Option<SideEffect<S>>,
    pub justifying_postcondition: Option<Condition<S>>,
    pub postcondition: Option<Condition<S>>,
}

/// Calls of `first` and `second` have to be ordered where the guard holds.
pub(super) struct Rule {
    pub first: &'static str,
    pub second: &'static str,
    pub guard: Guard,
}

impl<S: Clone + 'static> Contract<S> {
    /// A contract for objects of the type `T`, whose sequential state is this at first.
    pub fn of<T: ?Sized>(initial: impl Fn() -> S + Send + Sync + 'static) -> Self {
        let kind = std::any::type_name::<T>();
        Contract { kind, initial: Box::new(initial), operations: Vec::new(), rules: Vec::new() }
    }

    /// An operation: what it does to the sequential state, and what it returns there. The following clauses are about it.
    ///
    /// # Panics
    ///
    /// If the contract has the operation already.
    #[track_caller]
    pub fn operation<R: Comparable>(
        self,
        name: &'static str,
        side_effect: impl Fn(&mut S, &Call<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        self.with(name, Some(Box::new(move |state, call| side_effect(state, call).to_value())))
    }

    /// An operation that leaves the sequential state as it is. The following clauses are about it.
    ///
    /// # Panics
    ///
    /// If the contract has the operation already.
    #[track_caller]
    pub fn passive(self, name: &'static str) -> Self {
        self.with(name, None)
    }

    #[track_caller]
    fn with(mut self, name: &'static str, side_effect: Option<SideEffect<S>>) -> Self {
        assert!(self.find(name).is_none(), "the contract of {} has the operation {name} twice", self.kind);
        self.operations.push(Operation {
            name,
            precondition: None,
            justifying_precondition: None,
            side_effect,
            justifying_postcondition: None,
            postcondition: None,
        });
        self
    }

    /// What holds before the call in every valid sequential history.
    pub fn precondition(self, condition: impl Fn(&S, &Call<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.clause(|operation| &mut operation.precondition, boxed(condition))
    }

    /// What holds after the call in every valid sequential history.
    pub fn postcondition(self, condition: impl Fn(&S, &Call<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.clause(|operation| &mut operation.postcondition, boxed(condition))
    }

    /// What holds before the call in some justifying subhistory.
    pub fn justifying_precondition(self, condition: impl Fn(&S, &Call<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.clause(|operation| &mut operation.justifying_precondition, boxed(condition))
    }

    /// What holds after the call in some justifying subhistory; the same one in which the precondition holds.
    pub fn justifying_postcondition(self, condition: impl Fn(&S, &Call<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.clause(|operation| &mut operation.justifying_postcondition, boxed(condition))
    }

    /// Admits only executions in which calls of the one operation and calls of the other are ordered wherever `guard` holds for
    /// the two. An execution that is not admitted is not judged.
    pub fn admit(
        mut self,
        first: &'static str,
        second: &'static str,
        guard: impl Fn(&Call<'_>, &Call<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.rules.push(Rule { first, second, guard: Box::new(guard) });
        self
    }

    /// Sets a clause of the operation named last.
    #[track_caller]
    fn clause<C>(mut self, of: impl FnOnce(&mut Operation<S>) -> &mut Option<C>, clause: C) -> Self {
        let Some(operation) = self.operations.last_mut() else {
            panic!("a clause of the contract of {} stands before the first operation", self.kind)
        };
        let name = operation.name;
        let previous = of(operation).replace(clause);
        assert!(previous.is_none(), "the contract of {} has a clause of {name} twice", self.kind);
        self
    }

    /// An operation that a rule of admission names and the contract does not have.
    pub(super) fn unknown_in_rules(&self) -> Option<&'static str> {
        let names = self.rules.iter().flat_map(|rule| [rule.first, rule.second]);
        names.into_iter().find(|name| self.find(name).is_none())
    }

    pub(super) fn find(&self, operation: &str) -> Option<&Operation<S>> {
        self.operations.iter().find(|known| known.name == operation)
    }
}

fn boxed<S>(condition: impl Fn(&S, &Call<'_>) -> bool + Send + Sync + 'static) -> Condition<S> {
    Box::new(condition)
}

impl<S> std::fmt::Debug for Contract<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let operations: Vec<_> = self.operations.iter().map(|operation| operation.name).collect();
        f.debug_struct("Contract").field("kind", &self.kind).field("operations", &operations).finish_non_exhaustive()
    }
}

impl<S> Operation<S> {
    /// Does the contract let the operation return several things?
    pub fn needs_justification(&self) -> bool {
        self.justifying_precondition.is_some() || self.justifying_postcondition.is_some()
    }
}

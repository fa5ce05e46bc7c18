//! What was called, what it returned, and what came before what.

use std::fmt;

/// A moment of a recorded history. Only comparisons matter; intervals are closed, so an operation that is called at
/// the very time at which another returns overlaps it.
pub type Time = i64;

/// One call of an operation, and what is known about its return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation<I, R> {
    /// Who called it: a thread, a client, a process of a distributed system.
    pub process: u64,
    /// What was called: the operation's name and its arguments.
    pub invocation: I,
    /// What it returned. `None` when that is not known: the operation is pending, or its result was not recorded.
    pub result: Option<R>,
    /// Did it return? An operation that did not is *pending*: it may have taken effect at any time after its call, or
    /// never.
    pub returned: bool,
}

/// Operations with their order.
///
/// ```
/// use linchpin_model::{History, Operation};
/// let mut history = History::new();
/// let a = history.returned(0, "enq(1)", (), 1, 4);
/// let b = history.returned(1, "enq(2)", (), 2, 3);
/// let c = history.pending(1, "enq(3)", 5);
/// assert!(!history.precedes(a, b) && history.precedes(b, c));
/// # let _: &Operation<&str, ()> = &history[a];
/// ```
#[derive(Debug, Clone)]
pub struct History<I, R> {
    operations: Vec<Operation<I, R>>,
    order: Order,
}

/// The position of an operation in its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub u32);

/// Which operations come before which.
#[derive(Debug, Clone)]
enum Order {
    /// One that returned before another was called comes before it.
    RealTime(Vec<Interval>),
    /// What the caller says (happens-before); closed under transitivity by whoever reads it.
    Explicit(Vec<(OperationId, OperationId)>),
}

/// When an operation was called and when it returned; a pending one returns at the end of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The time of the call.
    pub call: Time,
    /// The time of the return, [`Interval::NEVER`] for a pending operation.
    pub ret: Time,
}

impl Interval {
    /// When a pending operation returns.
    pub const NEVER: Time = Time::MAX;
}

impl<I, R> History<I, R> {
    /// A history in real time, still empty.
    pub fn new() -> Self {
        History { operations: Vec::new(), order: Order::RealTime(Vec::new()) }
    }

    /// A history whose order the caller knows: for each pair, the first comes before the second. What the pairs imply
    /// is added; what neither says is concurrent.
    ///
    /// # Panics
    /// When a pair names an operation that is not there, when an operation would come before itself, or when a pending
    /// operation, which may never take effect, comes before another.
    pub fn ordered(operations: Vec<Operation<I, R>>, pairs: Vec<(OperationId, OperationId)>) -> Self {
        let inside = |id: OperationId| id.index() < operations.len();
        assert!(pairs.iter().all(|&(a, b)| inside(a) && inside(b)), "a pair names an operation that is not there");
        assert!(pairs.iter().all(|&(a, _)| operations[a.index()].returned), "a pending operation comes before another");
        assert!(is_acyclic(operations.len(), &pairs), "an operation comes before itself");
        History { operations, order: Order::Explicit(pairs) }
    }

    /// Adds an operation that returned.
    ///
    /// # Panics
    /// When it returns before it is called, or the history has an order of its own.
    pub fn returned(&mut self, process: u64, invocation: I, result: R, call: Time, ret: Time) -> OperationId {
        self.push(Operation { process, invocation, result: Some(result), returned: true }, Interval { call, ret })
    }

    /// Adds an operation that never returned.
    ///
    /// # Panics
    /// When the history has an order of its own.
    pub fn pending(&mut self, process: u64, invocation: I, call: Time) -> OperationId {
        let operation = Operation { process, invocation, result: None, returned: false };
        self.push(operation, Interval { call, ret: Interval::NEVER })
    }

    /// Adds an operation as it is.
    ///
    /// # Panics
    /// When it returns before it is called, when a pending one has a return or a returned one has none, or when the
    /// history has an order of its own.
    pub fn push(&mut self, operation: Operation<I, R>, interval: Interval) -> OperationId {
        assert!(interval.call <= interval.ret, "an operation returns before it is called");
        assert_eq!(operation.returned, interval.ret != Interval::NEVER, "only pending operations never return");
        let Order::RealTime(intervals) = &mut self.order else { panic!("the history has an order of its own") };
        intervals.push(interval);
        self.operations.push(operation);
        OperationId(self.operations.len() as u32 - 1)
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// All operations, by their ids.
    pub fn operations(&self) -> &[Operation<I, R>] {
        &self.operations
    }

    /// Every operation's id.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = OperationId> + use<I, R> {
        (0..self.operations.len() as u32).map(OperationId)
    }

    /// The intervals, by the operations' ids, unless the order is explicit.
    pub fn intervals(&self) -> Option<&[Interval]> {
        match &self.order {
            Order::RealTime(intervals) => Some(intervals),
            Order::Explicit(_) => None,
        }
    }

    /// The pairs of an explicit order, as they were given.
    pub fn pairs(&self) -> Option<&[(OperationId, OperationId)]> {
        match &self.order {
            Order::RealTime(_) => None,
            Order::Explicit(pairs) => Some(pairs),
        }
    }

    /// Does `a` come before `b`? In an explicit order only the pairs that were given are looked at.
    pub fn precedes(&self, a: OperationId, b: OperationId) -> bool {
        match &self.order {
            Order::RealTime(intervals) => intervals[a.index()].ret < intervals[b.index()].call,
            Order::Explicit(pairs) => pairs.contains(&(a, b)),
        }
    }

    /// The same operations and order with other invocations and results, or the first error.
    pub fn try_map<J, S, E>(
        &self,
        mut f: impl FnMut(OperationId, &Operation<I, R>) -> Result<(J, Option<S>), E>,
    ) -> Result<History<J, S>, E> {
        let mut operations = Vec::with_capacity(self.len());
        for (id, operation) in self.ids().zip(&self.operations) {
            let (invocation, result) = f(id, operation)?;
            let Operation { process, returned, .. } = *operation;
            operations.push(Operation { process, invocation, result, returned });
        }
        Ok(History { operations, order: self.order.clone() })
    }

    /// Only the operations that `keep` says, with their order; and which operation each of them was.
    ///
    /// Operations of an explicit order stay ordered through those that go.
    pub fn restricted(&self, mut keep: impl FnMut(OperationId) -> bool) -> (History<I, R>, Vec<OperationId>)
    where
        I: Clone,
        R: Clone,
    {
        let kept: Vec<OperationId> = self.ids().filter(|&id| keep(id)).collect();
        let operations = kept.iter().map(|id| self[*id].clone()).collect();
        let order = match &self.order {
            Order::RealTime(intervals) => Order::RealTime(kept.iter().map(|id| intervals[id.index()]).collect()),
            Order::Explicit(_) => Order::Explicit(self.pairs_between(&kept)),
        };
        (History { operations, order }, kept)
    }

    /// The pairs among `kept`, renumbered, that the explicit pairs imply.
    fn pairs_between(&self, kept: &[OperationId]) -> Vec<(OperationId, OperationId)> {
        let mut after = vec![Vec::new(); self.len()];
        for &(a, b) in self.pairs().unwrap_or_default() {
            after[a.index()].push(b);
        }
        let mut number = vec![None; self.len()];
        for (new, old) in kept.iter().enumerate() {
            number[old.index()] = Some(OperationId(new as u32));
        }
        let mut pairs = Vec::new();
        for (new, &start) in kept.iter().enumerate() {
            let mut seen = vec![false; self.len()];
            let mut open = after[start.index()].clone();
            while let Some(next) = open.pop() {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    match number[next.index()] {
                        Some(end) => pairs.push((OperationId(new as u32), end)),
                        None => open.extend(&after[next.index()]),
                    }
                }
            }
        }
        pairs
    }
}

/// Can everything be put in an order that the pairs allow?
fn is_acyclic(operations: usize, pairs: &[(OperationId, OperationId)]) -> bool {
    let mut after = vec![Vec::new(); operations];
    let mut waiting_for = vec![0; operations];
    for &(a, b) in pairs {
        after[a.index()].push(b.index());
        waiting_for[b.index()] += 1;
    }
    let mut free: Vec<usize> = (0..operations).filter(|&i| waiting_for[i] == 0).collect();
    let mut placed = 0;
    while let Some(next) = free.pop() {
        placed += 1;
        for &later in &after[next] {
            waiting_for[later] -= 1;
            if waiting_for[later] == 0 {
                free.push(later);
            }
        }
    }
    placed == operations
}

impl<I, R> Default for History<I, R> {
    fn default() -> Self {
        History::new()
    }
}

impl<I, R> std::ops::Index<OperationId> for History<I, R> {
    type Output = Operation<I, R>;

    fn index(&self, id: OperationId) -> &Operation<I, R> {
        &self.operations[id.index()]
    }
}

impl OperationId {
    /// As an index into [`History::operations`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

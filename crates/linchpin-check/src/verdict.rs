//! What is said about a history, and the evidence for it.

use linchpin_model::{OperationId, Value};

/// Whether a history is linearizable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is: this order explains every result.
    Linearizable(Witness),
    /// It is not: no order does.
    Violation(Evidence),
    /// Not decided within the limits.
    Unknown(Unknown),
}

/// An order of operations that explains what all of them returned. [`verify`](crate::verify) checks it, with no part
/// of what found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// Every operation that returned, and those of the pending ones that took effect.
    pub order: Vec<OperationId>,
}

/// Why no order explains a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The part of the object (the key) in which the contradiction is, where the specification has parts.
    pub part: Option<Value>,
    /// The history up to the return of this operation is the shortest failing prefix: no order explains the results
    /// of what has returned by then, even if those that are still open take effect with the results they return
    /// later, or not at all. `None` for a history with an explicit order, which has no prefixes.
    ///
    /// Of an object with parts, this is said of the part. It is also the first part to fail, unless another could not
    /// be decided within the limits.
    pub fails_at: Option<OperationId>,
    /// What contradicts what.
    pub contradiction: Contradiction,
    /// The contradiction in words.
    pub sentence: String,
}

/// Operations that cannot all have returned what they did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contradiction {
    /// An element was taken out that nothing had put in.
    NeverAdded {
        /// The operation that took it.
        remove: OperationId,
    },
    /// An element was taken out more often than it was put in.
    RemovedTwice {
        /// The one operation that put it in.
        add: OperationId,
        /// The operations that took it out.
        removes: [OperationId; 2],
    },
    /// An element was taken out before the operation that put it in was called.
    RemovedBeforeAdded {
        /// The operation that put it in.
        add: OperationId,
        /// The operation that took it out.
        remove: OperationId,
    },
    /// Of two elements of a queue, the one that was put in first came out last, or not at all.
    QueueOrder {
        /// What put the first one in: it returned before `second_add` was called.
        first_add: OperationId,
        /// What put the second one in.
        second_add: OperationId,
        /// What took the second one out: it returned before `first_remove` was called.
        second_remove: OperationId,
        /// What took the first one out, if anything did.
        first_remove: Option<OperationId>,
    },
    /// A collection was found empty although, at every moment of that operation, one of these was in it.
    NeverEmpty {
        /// The operation that found nothing.
        empty: OperationId,
        /// Elements that were certainly there, one after another without a gap: what put each in, what took it out.
        cover: Vec<(OperationId, Option<OperationId>)>,
    },
    /// A priority queue gave an element although, at every moment of that operation, a greater one was in it.
    HigherPriority {
        /// What put the element in.
        add: OperationId,
        /// What took it out.
        remove: OperationId,
        /// Greater elements that were certainly there, one after another without a gap.
        cover: Vec<(OperationId, Option<OperationId>)>,
    },
    /// No order of these elements of a stack lets each come out before all that lay below it.
    StackOrder {
        /// What put each in, what took it out.
        elements: Vec<(OperationId, Option<OperationId>)>,
    },
    /// A value was read that nothing had written.
    NeverWritten {
        /// The operation that read it.
        read: OperationId,
    },
    /// A value was read before the operation that wrote it was called.
    ReadBeforeWrite {
        /// The operation that wrote the value.
        write: OperationId,
        /// The operation that read it.
        read: OperationId,
    },
    /// Each of two values of a register would have to be there before the other.
    Clusters {
        /// What wrote the one (nothing, if it is the initial value) and the reads that pin it.
        first: Vec<OperationId>,
        /// The same of the other.
        second: Vec<OperationId>,
    },
    /// Whatever order the operations before it are given, this one cannot return what it did.
    Stuck {
        /// The operation that cannot.
        operation: OperationId,
        /// The operations that suffice: without any one of those that only read, there would be an order.
        operations: Vec<OperationId>,
        /// The states, as text, that the object can have been in before the first of them; empty for its initial
        /// state.
        since: Vec<String>,
        /// The states, as text, that the object can have been in when the operation returned.
        states: Vec<String>,
    },
}

/// Why a history was not decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The time was up.
    TimeLimit,
    /// The search needed more memory than it was given.
    MemoryLimit,
    /// The caller took its question back.
    Interrupted,
}

impl Contradiction {
    /// The same with other names for the operations.
    pub(crate) fn map(self, f: impl Fn(OperationId) -> OperationId) -> Contradiction {
        let pairs = |pairs: Vec<(OperationId, Option<OperationId>)>| {
            pairs.into_iter().map(|(add, remove)| (f(add), remove.map(&f))).collect::<Vec<_>>()
        };
        let all = |ids: Vec<OperationId>| ids.into_iter().map(&f).collect::<Vec<_>>();
        match self {
            Contradiction::NeverAdded { remove } => Contradiction::NeverAdded { remove: f(remove) },
            Contradiction::RemovedTwice { add, removes } => {
                Contradiction::RemovedTwice { add: f(add), removes: removes.map(&f) }
            }
            Contradiction::RemovedBeforeAdded { add, remove } => {
                Contradiction::RemovedBeforeAdded { add: f(add), remove: f(remove) }
            }
            Contradiction::QueueOrder { first_add, second_add, second_remove, first_remove } => {
                Contradiction::QueueOrder {
                    first_add: f(first_add),
                    second_add: f(second_add),
                    second_remove: f(second_remove),
                    first_remove: first_remove.map(&f),
                }
            }
            Contradiction::NeverEmpty { empty, cover } => {
                Contradiction::NeverEmpty { empty: f(empty), cover: pairs(cover) }
            }
            Contradiction::HigherPriority { add, remove, cover } => {
                Contradiction::HigherPriority { add: f(add), remove: f(remove), cover: pairs(cover) }
            }
            Contradiction::StackOrder { elements } => Contradiction::StackOrder { elements: pairs(elements) },
            Contradiction::NeverWritten { read } => Contradiction::NeverWritten { read: f(read) },
            Contradiction::ReadBeforeWrite { write, read } => {
                Contradiction::ReadBeforeWrite { write: f(write), read: f(read) }
            }
            Contradiction::Clusters { first, second } => {
                Contradiction::Clusters { first: all(first), second: all(second) }
            }
            Contradiction::Stuck { operation, operations, since, states } => {
                Contradiction::Stuck { operation: f(operation), operations: all(operations), since, states }
            }
        }
    }

    /// Every operation that takes part, each once, by id.
    pub fn operations(&self) -> Vec<OperationId> {
        let pairs = |pairs: &[(OperationId, Option<OperationId>)]| {
            pairs.iter().flat_map(|&(add, remove)| [Some(add), remove]).flatten().collect::<Vec<_>>()
        };
        let mut operations = match self {
            Contradiction::NeverAdded { remove } => vec![*remove],
            Contradiction::RemovedTwice { add, removes } => vec![*add, removes[0], removes[1]],
            Contradiction::RemovedBeforeAdded { add, remove } => vec![*add, *remove],
            Contradiction::QueueOrder { first_add, second_add, second_remove, first_remove } => {
                [Some(*first_add), Some(*second_add), Some(*second_remove), *first_remove]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Contradiction::NeverEmpty { empty, cover } => [vec![*empty], pairs(cover)].concat(),
            Contradiction::HigherPriority { add, remove, cover } => [vec![*add, *remove], pairs(cover)].concat(),
            Contradiction::StackOrder { elements } => pairs(elements),
            Contradiction::NeverWritten { read } => vec![*read],
            Contradiction::ReadBeforeWrite { write, read } => vec![*write, *read],
            Contradiction::Clusters { first, second } => [first.clone(), second.clone()].concat(),
            Contradiction::Stuck { operations, .. } => operations.clone(),
        };
        operations.sort_unstable();
        operations.dedup();
        operations
    }
}

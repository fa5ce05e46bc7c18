//! Queues and their relatives.

use linchpin_check::specs::{
    BoundedQueue, BoundedQueueCall, BoundedQueueReturned, Deque, DequeCall, DequeReturned, PriorityQueue,
    PriorityQueueCall, PriorityQueueReturned, Queue, QueueCall, QueueReturned, Stack, StackCall, StackReturned,
};

use super::found::Found;
use super::table::{Entry, Reading, Starts, TableOf};
use super::{Description, OperationDescription};

const ENQUEUE: &[&str] = &["enq", "enqueue", "push", "offer", "add", "send", "put"];
const DEQUEUE: OperationDescription = OperationDescription {
    names: &["deq", "dequeue", "pop", "poll", "remove", "recv", "receive", "take"],
    takes: "",
    gives: "an element, or null when it is empty",
};

pub(super) static QUEUE: TableOf<Queue> = TableOf {
    description: Description {
        name: "queue",
        aliases: &["fifo", "fifo-queue", "channel"],
        explanation: "first in, first out",
        initially: "empty",
    },
    starts: Starts::Empty,
    specification: |_| Queue,
    operations: &[
        Entry {
            description: OperationDescription { names: ENQUEUE, takes: "an element", gives: "" },
            read: |found| {
                found.no_key()?;
                Ok((QueueCall::Enqueue(found.element()?), found.done(QueueReturned::Enqueued)?))
            },
        },
        Entry {
            description: DEQUEUE,
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                Ok((QueueCall::Dequeue, found.maybe().map(QueueReturned::Dequeued)))
            },
        },
    ],
};

pub(super) static BOUNDED_QUEUE: TableOf<BoundedQueue> = TableOf {
    description: Description {
        name: "bounded-queue",
        aliases: &["bounded-channel", "ring-buffer", "array-queue"],
        explanation: "a queue with room for so many (capacity): to enqueue into a full one returns false, or waits",
        initially: "empty",
    },
    starts: Starts::Capacity,
    specification: |capacity| BoundedQueue {
        capacity: usize::try_from(capacity.as_integer().unwrap_or(0)).unwrap_or(usize::MAX),
    },
    operations: &[
        Entry {
            description: OperationDescription {
                names: &[
                    "enq",
                    "enqueue",
                    "push",
                    "offer",
                    "add",
                    "send",
                    "put",
                    "try_enqueue",
                    "try_push",
                    "try_send",
                ],
                takes: "an element",
                gives: "false when it is full, else true or null",
            },
            read: |found| {
                found.no_key()?;
                let enqueued = found.succeeded()?.map(BoundedQueueReturned::Enqueued);
                Ok((BoundedQueueCall::Enqueue(found.element()?), enqueued))
            },
        },
        Entry {
            description: DEQUEUE,
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                Ok((BoundedQueueCall::Dequeue, found.maybe().map(BoundedQueueReturned::Dequeued)))
            },
        },
    ],
};

pub(super) static STACK: TableOf<Stack> = TableOf {
    description: Description {
        name: "stack",
        aliases: &["lifo"],
        explanation: "last in, first out",
        initially: "empty",
    },
    starts: Starts::Empty,
    specification: |_| Stack,
    operations: &[
        Entry {
            description: OperationDescription { names: &["push", "add", "put"], takes: "an element", gives: "" },
            read: |found| {
                found.no_key()?;
                Ok((StackCall::Push(found.element()?), found.done(StackReturned::Pushed)?))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["pop", "remove", "take"],
                takes: "",
                gives: "an element, or null when it is empty",
            },
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                Ok((StackCall::Pop, found.maybe().map(StackReturned::Popped)))
            },
        },
    ],
};

pub(super) static DEQUE: TableOf<Deque> = TableOf {
    description: Description {
        name: "deque",
        aliases: &["double-ended-queue"],
        explanation: "a queue with two ends",
        initially: "empty",
    },
    starts: Starts::Empty,
    specification: |_| Deque,
    operations: &[
        Entry {
            description: OperationDescription {
                names: &["push_front", "add_first", "offer_first", "push_left", "append_left"],
                takes: "an element",
                gives: "",
            },
            read: |found| {
                found.no_key()?;
                Ok((DequeCall::PushFront(found.element()?), found.done(DequeReturned::Pushed)?))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["push_back", "add_last", "offer_last", "push_right", "append"],
                takes: "an element",
                gives: "",
            },
            read: |found| {
                found.no_key()?;
                Ok((DequeCall::PushBack(found.element()?), found.done(DequeReturned::Pushed)?))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["pop_front", "remove_first", "poll_first", "pop_left"],
                takes: "",
                gives: "an element, or null when it is empty",
            },
            read: |found| popped(found, DequeCall::PopFront),
        },
        Entry {
            description: OperationDescription {
                names: &["pop_back", "remove_last", "poll_last", "pop_right"],
                takes: "",
                gives: "an element, or null when it is empty",
            },
            read: |found| popped(found, DequeCall::PopBack),
        },
    ],
};

fn popped(found: &Found<'_>, call: DequeCall) -> Reading<Deque> {
    found.no_key()?;
    found.no_argument()?;
    Ok((call, found.maybe().map(DequeReturned::Popped)))
}

pub(super) static PRIORITY_QUEUE: TableOf<PriorityQueue> = TableOf {
    description: Description {
        name: "priority-queue",
        aliases: &["pq", "heap", "max-heap"],
        explanation: "the greatest comes out first",
        initially: "empty",
    },
    starts: Starts::Empty,
    specification: |_| PriorityQueue,
    operations: &[
        Entry {
            description: OperationDescription {
                names: &["insert", "add", "push", "enq", "enqueue", "put"],
                takes: "an element",
                gives: "",
            },
            read: |found| {
                found.no_key()?;
                Ok((PriorityQueueCall::Insert(found.element()?), found.done(PriorityQueueReturned::Inserted)?))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["pop_max", "delete_max", "remove_max", "extract_max", "pop", "deq", "dequeue"],
                takes: "",
                gives: "the greatest element, or null when it is empty",
            },
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                Ok((PriorityQueueCall::PopMax, found.maybe().map(PriorityQueueReturned::Popped)))
            },
        },
    ],
};

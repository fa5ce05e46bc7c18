//! The blocking queue of the paper's Figures 2 and 6.

use std::collections::VecDeque;

use linchpin::{Contract, Contracts, Watched, call, point};
use linchpin_sync::hint;
use linchpin_sync::sync::atomic::Ordering::*;

use super::link::{Link, leak};
use super::structure::{Structure, Test, parallel};

struct Node {
    data: u32,
    next: Link<Node>,
}

/// A queue whose `enq` waits for others that are half done, and whose `deq` may find nothing although something is there.
pub struct BlockingQueue {
    tail: Link<Node>,
    head: Link<Node>,
}

impl Default for BlockingQueue {
    fn default() -> Self {
        let dummy = leak(Node { data: 0, next: Link::new(None) });
        BlockingQueue { tail: Link::new(Some(dummy)), head: Link::new(Some(dummy)) }
    }
}

impl BlockingQueue {
    /// Adds a value at the end.
    pub fn enq(&self, value: u32) {
        let node = leak(Node { data: value, next: Link::new(None) });
        loop {
            let tail = self.tail.load(Acquire).expect("there is a dummy");
            if tail.next.replace(None, Some(node), Release) {
                point::define(true);
                self.tail.store(Some(node), Release);
                return;
            }
            hint::spin_loop();
        }
    }

    /// Takes the first value, if it finds one.
    pub fn deq(&self) -> Option<u32> {
        loop {
            let head = self.head.load(Acquire).expect("there is a dummy");
            let next = head.next.load(Acquire);
            point::clear_define(true);
            let node = next?;
            if self.head.replace(Some(head), Some(node), Release) {
                return Some(node.data);
            }
        }
    }
}

/// The paper's Figure 6: `deq` may find nothing, if some order of what it must have seen leaves nothing.
pub(super) fn contract() -> Contracts {
    Contract::of::<BlockingQueue>(VecDeque::<u32>::new)
        .operation("enq", |queue, call| queue.push_back(call.argument(0)))
        .operation("deq", |queue, call| if call.c_ret.is_nil() { queue.front().copied() } else { queue.pop_front() })
        .postcondition(|_, call| call.c_ret.is_nil() || call.c_ret == call.s_ret)
        .justifying_postcondition(|_, call| !call.c_ret.is_nil() || call.s_ret.is_nil())
        .into()
}

/// The paper's section 4.1: a sequential queue, for executions in which a `deq` that finds nothing is ordered with every `enq`.
pub fn deterministic_contract() -> Contracts {
    Contract::of::<BlockingQueue>(VecDeque::<u32>::new)
        .admit("deq", "enq", |deq, _| deq.c_ret.is_nil())
        .operation("enq", |queue, call| queue.push_back(call.argument(0)))
        .operation("deq", |queue, _| queue.pop_front())
        .postcondition(|_, call| call.c_ret == call.s_ret)
        .into()
}

pub(super) fn structure() -> Structure {
    Structure {
        name: "Blocking Queue",
        source: include_str!("blocking_queue.rs"),
        file: file!(),
        contract,
        tests: &[Test { name: "{ enq(1) } || { enq(2) } || { deq() }", run: two_producers }],
    }
}

fn two_producers() {
    parallel(BlockingQueue::default(), [|queue| call!(queue.enq(1)), |queue| call!(queue.enq(2)), dequeue]);
}

fn dequeue(queue: &Watched<BlockingQueue>) {
    call!(queue.deq());
}

//! Faulty programs: each asserts what some of its executions refute.
//!
//! The objects are those of the zoo that need the fewest lines, each with a client that shows the fault. Clients assert
//! outcomes, since that is all that tools without a notion of linearizability can look at.

use std::array;

use super::super::tool::atomic::AtomicUsize;
use super::super::tool::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use super::super::tool::{Arc, thread};
use super::{Stack, Two};
use crate::programs::Fault;

/// Runs the program once.
pub(super) fn run(fault: Fault) {
    match fault {
        Fault::StoreBuffering => store_buffering(),
        Fault::MessagePassing => message_passing(),
        Fault::UncheckedPop => unchecked_pop(),
        Fault::ArrayStack => array_stack(),
        Fault::PairSnapshot => pair_snapshot(),
        Fault::RecycledNode => recycled_node(),
    }
}

/// Starts a thread that runs `body` on what is shared.
fn spawn<S: Send + Sync + 'static, T: Send + 'static>(
    shared: &Arc<S>,
    body: impl FnOnce(&S) -> T + Send + 'static,
) -> thread::JoinHandle<T> {
    let shared = Arc::clone(shared);
    thread::spawn(move || body(&shared))
}

fn store_buffering() {
    let two = Two::new();
    let left = two.spawn(|two| {
        two.x.store(1, Relaxed);
        two.y.load(Relaxed)
    });
    let right = two.spawn(|two| {
        two.y.store(1, Relaxed);
        two.x.load(Relaxed)
    });
    let seen = (left.join().expect("no panic"), right.join().expect("no panic"));
    assert_ne!(seen, (0, 0), "neither thread sees the other's store");
}

fn message_passing() {
    let two = Two::new();
    let sender = two.spawn(|two| {
        two.x.store(1, Relaxed);
        two.y.store(1, Relaxed);
    });
    let receiver = two.spawn(|two| (two.y.load(Acquire), two.x.load(Relaxed)));
    sender.join().expect("no panic");
    assert_ne!(receiver.join().expect("no panic"), (1, 0), "the flag is seen, and the data is not");
}

/// # Panics
/// If a value is there twice.
fn assert_popped_once(popped: &[Option<usize>]) {
    for (i, value) in popped.iter().enumerate() {
        assert!(value.is_none() || !popped[..i].contains(value), "{value:?} is popped twice");
    }
}

impl Stack {
    /// The fault: whether the exchange has worked does not matter.
    fn pop_unchecked(&self) -> Option<usize> {
        let top = self.top.load(Acquire);
        // SAFETY: nodes are never freed, and the acquire load saw this one written.
        let node = unsafe { top.as_ref() }?;
        let _ = self.top.compare_exchange(top, node.next, Release, Relaxed);
        Some(node.value)
    }
}

/// `[push(1)] { pop() } || { pop() }`.
fn unchecked_pop() {
    let stack = Arc::new(Stack::new());
    stack.push(1);
    let threads = [(); 2].map(|()| spawn(&stack, Stack::pop_unchecked));
    assert_popped_once(&threads.map(|thread| thread.join().expect("no panic")));
}

/// Cells of which 0 are empty, and how many have been taken.
struct ArrayStack {
    taken: AtomicUsize,
    cells: [AtomicUsize; 2],
}

impl ArrayStack {
    fn push(&self, value: usize) {
        let cell = self.taken.fetch_add(1, SeqCst);
        self.cells[cell].store(value, SeqCst);
    }

    fn pop(&self) -> Option<usize> {
        let taken = self.taken.load(SeqCst);
        self.cells[..taken].iter().rev().find_map(|cell| {
            // The fault: a swap would be right.
            let value = cell.load(SeqCst);
            cell.store(0, SeqCst);
            (value != 0).then_some(value)
        })
    }
}

/// `{ push(1) } || { push(2); pop() } || { pop() }`.
fn array_stack() {
    let stack = Arc::new(ArrayStack { taken: AtomicUsize::new(0), cells: array::from_fn(|_| AtomicUsize::new(0)) });
    let pusher = spawn(&stack, |stack| stack.push(1));
    let both = spawn(&stack, |stack| {
        stack.push(2);
        stack.pop()
    });
    let popper = spawn(&stack, ArrayStack::pop);
    pusher.join().expect("no panic");
    assert_popped_once(&[both.join().expect("no panic"), popper.join().expect("no panic")]);
}

/// `{ write(0, 2); write(1, 2); write(1, 1); write(0, 1) } || { read() }`, where both cells hold 1 at first.
fn pair_snapshot() {
    let pair = Arc::new([AtomicUsize::new(1), AtomicUsize::new(1)]);
    let writer = spawn(&pair, |[first, second]| {
        first.store(2, SeqCst);
        second.store(2, SeqCst);
        second.store(1, SeqCst);
        first.store(1, SeqCst);
    });
    let reader = spawn(&pair, |[first, second]| {
        loop {
            let read = (first.load(SeqCst), second.load(SeqCst));
            // The fault: the first may have been changed and changed back.
            if first.load(SeqCst) == read.0 {
                return read;
            }
        }
    });
    writer.join().expect("no panic");
    assert_ne!(reader.join().expect("no panic"), (1, 2), "these never were there together");
}

/// Treiber's stack of nodes in an array. Null is the number of nodes.
struct RecyclingStack {
    top: AtomicUsize,
    nodes: [Node; 2],
}

struct Node {
    value: AtomicUsize,
    next: AtomicUsize,
}

const NULL: usize = 2;

impl RecyclingStack {
    fn push(&self, node: usize, value: usize) {
        self.nodes[node].value.store(value, SeqCst);
        loop {
            let top = self.top.load(SeqCst);
            self.nodes[node].next.store(top, SeqCst);
            if self.top.compare_exchange(top, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    /// The node on top and its value. The fault: the node may be on top again, with another successor.
    fn pop(&self) -> Option<(usize, usize)> {
        loop {
            let top = self.top.load(SeqCst);
            let node = self.nodes.get(top)?;
            let (value, next) = (node.value.load(SeqCst), node.next.load(SeqCst));
            if self.top.compare_exchange(top, next, SeqCst, SeqCst).is_ok() {
                return Some((top, value));
            }
        }
    }

    fn pop_value(&self) -> Option<usize> {
        self.pop().map(|(_, value)| value)
    }
}

/// `[push(1); push(2)] { pop() } || { pop(); pop(); push(3) } [pop(); pop()]`: 3 takes the node of 2, if that is at hand.
fn recycled_node() {
    let node = |_| Node { value: AtomicUsize::new(0), next: AtomicUsize::new(NULL) };
    let stack = Arc::new(RecyclingStack { top: AtomicUsize::new(NULL), nodes: array::from_fn(node) });
    stack.push(0, 1);
    stack.push(1, 2);
    let popper = spawn(&stack, RecyclingStack::pop_value);
    let recycler = spawn(&stack, |stack| {
        let first = stack.pop();
        let second = stack.pop_value();
        if let Some((node, _)) = first {
            stack.push(node, 3);
        }
        [first.map(|(_, value)| value), second]
    });
    let popped = popper.join().expect("no panic");
    let [first, second] = recycler.join().expect("no panic");
    assert_popped_once(&[popped, first, second, stack.pop_value(), stack.pop_value()]);
}

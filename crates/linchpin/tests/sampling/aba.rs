//! The ABA fault of Treiber's stack when nodes are freed: a pop looks at the top and what is below it, and meanwhile the top is
//! popped and freed, what was below is popped too, and a push gets the very memory of the old top.

use linchpin::cell::UnsafeCell;
use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicPtr, Ordering::SeqCst};
use linchpin::{Builder, Coverage, Findings, MemoryModel, Reuse, Sampling, thread};

struct Node {
    value: UnsafeCell<u8>,
    next: AtomicPtr<Node>,
}

struct Stack {
    top: AtomicPtr<Node>,
}

impl Stack {
    fn new() -> Self {
        Stack { top: AtomicPtr::default() }
    }

    fn push(&self, value: u8) {
        let node = Box::into_raw(Box::new(Node { value: UnsafeCell::new(value), next: AtomicPtr::default() }));
        loop {
            let top = self.top.load(SeqCst);
            // SAFETY: nobody else knows the node yet.
            unsafe { (*node).next.store(top, SeqCst) };
            if self.top.compare_exchange(top, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    /// Frees the node at once, though others may be looking at it.
    fn pop(&self) -> Option<u8> {
        loop {
            let top = self.top.load(SeqCst);
            if top.is_null() {
                return None;
            }
            // SAFETY: memory stays readable while a test runs; what is there is the question.
            let next = unsafe { (*top).next.load(SeqCst) };
            if self.top.compare_exchange(top, next, SeqCst, SeqCst).is_ok() {
                // SAFETY: as above.
                let value = unsafe { (*top).value.with(|value| *value) };
                // SAFETY: not twice, if the stack is right.
                unsafe { drop(Box::from_raw(top)) };
                return Some(value);
            }
        }
    }
}

/// Everything that was pushed is popped once: `[push(1); push(2)] { pop() } || { pop(); push(3) } || { pop() }`.
fn test() {
    let stack = Arc::new(Stack::new());
    stack.push(1);
    stack.push(2);
    let run = |body: fn(&Stack) -> Option<u8>| {
        let stack = stack.clone();
        thread::spawn(move || body(&stack))
    };
    let threads = [run(Stack::pop), run(|stack| (stack.pop(), stack.push(3)).0), run(Stack::pop)];
    let mut popped: Vec<u8> = threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect();
    // What is left; a broken stack may be endless.
    popped.extend((0..4).map_while(|_| stack.pop()));
    popped.sort();
    assert_eq!(popped, [1, 2, 3]);
}

/// Uses after free give the fault away before it does its work; they are not asked for here.
fn builder() -> Builder {
    Builder::new().memory_model(MemoryModel::Sc).findings(Findings {
        deadlocks: true,
        leaks: false,
        use_after_free: false,
        unpublished_memory: false,
        data_races: false,
    })
}

fn sampling(reuse: Reuse) -> Sampling {
    Sampling { runs: 20_000, seed: 9, reuse, ..Sampling::default() }
}

#[test]
fn is_found_where_freed_memory_is_used_again() {
    for reuse in [Reuse::Lifo, Reuse::Fifo] {
        let found = builder().sample(&sampling(reuse), test).found.expect("the fault");
        assert_eq!(found.violation.kind.name(), "panic");
        let again = builder().replay(&found.replay, test).expect("the test has not changed");
        assert_eq!(again.expect("the fault").kind.name(), "panic");
        let report = linchpin::report::violation(&found.violation);
        assert!(report.contains("at the address that C had before"), "{report}");
    }
}

#[test]
fn is_not_there_where_it_is_not() {
    assert!(builder().sample(&sampling(Reuse::Never), test).found.is_none());
    let exploration = builder().explore(test);
    assert!(exploration.violation.is_none() && exploration.coverage == Coverage::Complete, "{exploration:?}");
}

#[test]
fn shows_as_a_use_after_free_in_any_case() {
    for reuse in [Reuse::Never, Reuse::Lifo, Reuse::Fifo] {
        let found = builder().use_after_free(true).sample(&sampling(reuse), test).found.expect("the fault");
        assert_eq!(found.violation.kind.name(), "use after free", "{reuse:?}");
    }
}

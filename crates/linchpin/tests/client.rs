//! Clients of objects, explored and compared with what the object does sequentially.

use linchpin::sync::Mutex;
use linchpin::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use linchpin::{Coverage, ViolationKind, client};

/// A stack in an array: `pop` looks at a slot and empties it, in two steps if it is faulty, by a swap if not.
struct ArrayStack<const FAULTY: bool> {
    top: AtomicUsize,
    slots: [AtomicUsize; 4],
}

impl<const FAULTY: bool> Default for ArrayStack<FAULTY> {
    fn default() -> Self {
        ArrayStack { top: AtomicUsize::new(0), slots: Default::default() }
    }
}

impl<const FAULTY: bool> ArrayStack<FAULTY> {
    fn push(&self, item: usize) {
        let slot = self.top.fetch_add(1, SeqCst);
        self.slots[slot].store(item, SeqCst);
    }

    fn pop(&self) -> Option<usize> {
        for slot in self.slots[..self.top.load(SeqCst)].iter().rev() {
            let item = if FAULTY {
                let item = slot.load(SeqCst);
                slot.store(0, SeqCst);
                item
            } else {
                slot.swap(0, SeqCst)
            };
            if item != 0 {
                return Some(item);
            }
        }
        None
    }
}

linchpin::object! {
    Faulty: ArrayStack<true> = ArrayStack::default();
    fn push(&self, item: usize);
    fn pop(&self) -> Option<usize>;
}

linchpin::object! {
    Repaired: ArrayStack<false> = ArrayStack::default();
    fn push(&self, item: usize);
    fn pop(&self) -> Option<usize>;
}

#[test]
fn an_element_that_is_popped_twice_is_an_outcome_that_no_order_explains() {
    let exploration = client::<Faulty>("[push(1)] { pop() } || { pop() }").explore();
    let Some(violation) = &exploration.violation else { panic!("nothing found: {exploration:?}") };
    let ViolationKind::Panic { message, .. } = &violation.kind else { panic!("{:?}", violation.kind) };
    insta::assert_snapshot!(message, @"
    [push(1)] { pop() } || { pop() }: no order of the invocations returns nil, 1, 1
      pop() of thread 1 returned 1 instead of nil for push(1); pop(); pop()
      pop() of thread 2 returned 1 instead of nil for push(1); pop(); pop()
    ");
}

#[test]
fn the_repaired_stack_has_only_outcomes_that_an_order_explains() {
    let exploration = client::<Repaired>("[push(1)] { pop() } || { pop() }").explore();
    assert!(exploration.violation.is_none(), "{exploration:?}");
    assert_eq!(exploration.coverage, Coverage::Complete);
}

#[test]
fn admitted_outcomes_are_those_of_all_shuffles() {
    let outcomes = client::<Repaired>("{ push(1); pop() } || { push(2) } [pop()]").admitted();
    let outcomes: Vec<String> = outcomes.iter().map(|(outcome, _)| outcome.to_string()).collect();
    // The first pop finds 1 unless the other push comes between it and the first push; the last pop finds the rest.
    assert_eq!(outcomes, ["nil, 1, nil, 2", "nil, 2, nil, 1"]);
}

#[test]
#[should_panic(expected = "Faulty")]
fn an_operation_that_the_object_does_not_have_is_named() {
    let _ = client::<Faulty>("{ peek() }");
}

#[derive(Default)]
struct Counter(Mutex<u8>);

impl Counter {
    fn increment(&self) -> u8 {
        let mut count = self.0.lock().unwrap();
        *count += 1;
        *count
    }
}

linchpin::object! {
    LockedCounter: Counter = Counter::default();
    fn increment(&self) -> u8;
}

#[test]
fn run_explores_and_says_what_it_did() {
    let exploration = client::<LockedCounter>("{ increment() } || { increment() } || { increment() }").run();
    assert_eq!(exploration.coverage, Coverage::Complete);
    assert_eq!(exploration.complete, 6);
}

//! Clients of objects, explored and compared with what the object does sequentially.

use linchpin::sync::Mutex;
use linchpin::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use linchpin::{Builder, Coverage, MemoryModel, ViolationKind, client};

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
    let ViolationKind::Rejected { message } = &violation.kind else { panic!("{:?}", violation.kind) };
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

/// A register in two places, which a write reaches one after the other.
#[derive(Default)]
struct TwoPlaces(AtomicUsize, AtomicUsize);

linchpin::object! {
    Register: TwoPlaces = TwoPlaces::default();
    fn write(&self, value: usize) = |register: &TwoPlaces, value| {
        register.0.store(value, SeqCst);
        register.1.store(value, SeqCst);
    };
    #[read_only] fn here(&self) -> usize = |register: &TwoPlaces| register.0.load(SeqCst);
    #[read_only] fn there(&self) -> usize = |register: &TwoPlaces| register.1.load(SeqCst);
}

#[test]
fn what_only_real_time_forbids_is_found_too() {
    for model in [MemoryModel::Sc, MemoryModel::C11] {
        let test = client::<Register>("{ write(1) } || { here() } || { there() }");
        // Each outcome is that of some order.
        assert_eq!(test.admitted().len(), 4);
        let exploration = test.with(Builder::new().memory_model(model)).explore();
        let Some(violation) = &exploration.violation else { panic!("nothing found: {exploration:?}") };
        let ViolationKind::Rejected { message } = &violation.kind else { panic!("{:?}", violation.kind) };
        assert_eq!(
            message,
            "{ write(1) } || { here() } || { there() }: no order of the invocations that keeps real time returns nil, 1, 0\n  \
             here() of thread 2 had returned before there() of thread 3 was called\n  \
             without that, there() of thread 3; write(1) of thread 1; here() of thread 2 would explain it"
        );
    }
}

#[test]
fn nothing_is_wrong_if_the_writer_has_returned_before_or_nobody_looks_twice() {
    for text in
        ["[write(1)] { here() } || { there() }", "{ write(1) } || { here() }", "{ write(1) } || { there(); here() }"]
    {
        let exploration = client::<Register>(text).explore();
        assert!(exploration.violation.is_none(), "{text}: {exploration:?}");
    }
}

#[test]
#[should_panic(expected = "└ returns 1")]
fn the_report_shows_where_operations_begin_and_end() {
    client::<Faulty>("[push(1)] { pop() } || { pop() }").run();
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

#[test]
fn clients_can_be_shared_among_threads_whatever_the_object_is() {
    fn is_shared(_: &(impl Send + Sync)) {}
    is_shared(&client::<Repaired>("{ push(1) }"));
}

/// A door through which three at a time do not pass. Whoever comes is counted often enough that nobody can look at all ways in which two come.
#[derive(Default)]
struct Door {
    visitors: AtomicUsize,
    inside: AtomicUsize,
}

impl Door {
    fn pass(&self) -> bool {
        for _ in 0..20 {
            self.visitors.fetch_add(1, SeqCst);
        }
        let is_full = self.inside.fetch_add(1, SeqCst) == 2;
        self.inside.fetch_sub(1, SeqCst);
        is_full
    }
}

linchpin::object! {
    NarrowDoor: Door = Door::default();
    fn pass(&self) -> bool;
}

#[test]
fn a_known_failure_does_not_wait_for_smaller_clients_that_have_no_end() {
    let shrunk = client::<NarrowDoor>("{ pass() } || { pass() } || { pass() }").shrink().unwrap();
    assert_eq!(shrunk.minimum.client.to_string(), "{ pass() } || { pass() } || { pass() }");
    assert!(!shrunk.minimum.is_proven && !shrunk.minimum.is_interrupted);
}

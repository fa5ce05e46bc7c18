//! What is said about why a client fails.

use linchpin::localize::eliminate::{Limits, Section, repair};
use linchpin::localize::{Accesses, Verification};
use linchpin::sync::Mutex;
use linchpin::sync::atomic::{AtomicU8, AtomicUsize, Ordering, Ordering::Relaxed, Ordering::SeqCst};
use linchpin::{Builder, MemoryModel, client, report};

fn sc() -> Builder {
    Builder::new().memory_model(MemoryModel::Sc)
}

/// The stack of the root-cause paper's figure 1.
struct ArrayStack {
    range: AtomicUsize,
    items: [AtomicU8; 4],
}

impl ArrayStack {
    fn new() -> Self {
        ArrayStack { range: AtomicUsize::new(1), items: Default::default() }
    }

    fn push(&self, item: u8) {
        let cell = self.range.fetch_add(1, SeqCst);
        self.items[cell].store(item, SeqCst);
    }

    fn pop(&self) -> Option<u8> {
        for cell in (1..self.range.load(SeqCst)).rev() {
            let item = self.items[cell].load(SeqCst);
            self.items[cell].store(0, SeqCst);
            if item != 0 {
                return Some(item);
            }
        }
        None
    }
}

linchpin::object! {
    Stack: ArrayStack = ArrayStack::new();
    fn push(&self, item: u8);
    fn pop(&self) -> Option<u8>;
}

#[test]
fn the_cause_of_figure_1_is_pop_and_push_comes_second() {
    let explanation = client::<Stack>("{ push(1) } || { push(2); pop() } || { pop() }").with(sc()).explain();
    assert_eq!(explanation.verification(), Verification::Verified);
    insta::assert_snapshot!(report::explanation(&explanation));
}

#[test]
fn an_explanation_of_what_is_right_is_short() {
    let explanation = client::<Stack>("{ push(1) } || { push(2) } [pop(); pop()]").with(sc()).explain();
    assert_eq!(report::explanation(&explanation), "Nothing fails that could be explained.\n");
}

#[test]
fn all_clients_together_have_one_cause() {
    let clients = [
        "{ push(1) } || { push(2) }",
        "[push(1)] { pop() } || { pop() }",
        "{ push(1); pop() } || { pop() }",
        "{ push(1) } || { push(2); pop() } || { pop() }",
        "[push(1); push(2)] { pop() } || { pop() } [pop()]",
    ];
    let explored = clients.map(|text| client::<Stack>(text).with(sc()).explore_traces(Accesses::Memory).traces);
    let repair = repair(explored, &Limits::default());
    let sections: Vec<&Section> = repair.cause.sections.iter().collect();
    assert_eq!(sections.iter().map(|section| &*section.operation).collect::<Vec<_>>(), ["pop"]);
    assert_eq!((repair.clients, repair.failing, repair.rounds, repair.cause.left), (5, 4, 1, 0));
}

/// A counter whose value only the lock's holder sees.
#[derive(Default)]
struct Guarded(Mutex<u8>);

impl Guarded {
    fn increment(&self) -> u8 {
        let next = *self.0.lock().unwrap() + 1;
        *self.0.lock().unwrap() = next;
        next
    }
}

linchpin::object! {
    Counter: Guarded = Guarded::default();
    fn increment(&self) -> u8;
}

#[test]
fn if_nobody_sees_what_a_lock_protects_the_lock_stands_for_it() {
    let explanation = client::<Counter>("{ increment() } || { increment() }").with(sc()).explain();
    assert_eq!(explanation.explored.accesses, Accesses::MemoryAndLocks);
    insta::assert_snapshot!(report::explanation(&explanation));
}

/// Two flags, of which whoever sets one looks at the other.
#[derive(Default)]
struct Flags([AtomicU8; 2]);

impl Flags {
    fn meet(&self, own: u8, order: Ordering) -> u8 {
        self.0[own as usize].store(1, order);
        self.0[1 - own as usize].load(order)
    }
}

linchpin::object! {
    Relaxedly: Flags = Flags::default();
    fn meet(&self, own: u8) -> u8 = |flags: &Flags, own| flags.meet(own, Relaxed);
}

#[test]
fn what_no_interleaving_has_is_no_matter_of_atomicity() {
    let explanation = client::<Relaxedly>("{ meet(0) } || { meet(1) }").explain();
    let weak = explanation.explored.weak.as_ref().expect("both see nothing");
    assert_eq!((weak.executions, weak.reason.cycle.len()), (1, 4));
    assert_eq!(explanation.verification(), Verification::Partly(1));
    insta::assert_snapshot!(report::explanation(&explanation));
}

/// A long operation that looks at two cells.
#[derive(Default)]
struct Cells([AtomicU8; 2]);

impl Cells {
    fn set(&self, cell: u8) {
        self.0[cell as usize].store(1, SeqCst);
    }

    fn look(&self) -> u8 {
        let first = self.0[0].load(SeqCst);
        first + 2 * self.0[1].load(SeqCst)
    }
}

linchpin::object! {
    Snapshot: Cells = Cells::default();
    fn set(&self, cell: u8);
    fn look(&self) -> u8;
}

#[test]
fn what_violates_real_time_alone_has_a_cause_as_well() {
    // The look misses the first cell and sees the second, although the first was set before: an order by time, which the
    // accesses do not show, as different threads set the cells.
    let explanation = client::<Snapshot>("{ look() } || { set(0) } || { set(1) }").with(sc()).explain();
    assert_eq!(explanation.verification(), Verification::Verified);
    insta::assert_snapshot!(report::explanation(&explanation));
}

#[test]
fn a_bounded_exploration_verifies_within_bounds() {
    let builder = sc().max_executions(3);
    let explanation = client::<Stack>("[push(1)] { pop() } || { pop() }").with(builder).explain();
    assert!(matches!(explanation.verification(), Verification::WithinBounds(_)), "{}", explanation.verification());
}

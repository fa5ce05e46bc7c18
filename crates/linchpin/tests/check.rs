//! Objects checked by generated clients.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use linchpin::command::{About, CheckRequest, Clients, Request, Session, run};
use linchpin::sync::Mutex;
use linchpin::sync::atomic::{AtomicU32, Ordering::SeqCst};
use linchpin::{AnyObject, Bound, Builder, Coverage, Failure, MemoryModel, Options, ViolationKind, check};

/// A counter that loses increments if it is faulty.
#[derive(Default)]
struct Counter<const FAULTY: bool>(AtomicU32);

impl<const FAULTY: bool> Counter<FAULTY> {
    fn add(&self, amount: u32) -> u32 {
        if FAULTY {
            let before = self.0.load(SeqCst);
            self.0.store(before + amount, SeqCst);
            before
        } else {
            self.0.fetch_add(amount, SeqCst)
        }
    }

    fn get(&self) -> u32 {
        self.0.load(SeqCst)
    }
}

linchpin::object! {
    Faulty: Counter<true> = Counter::default();
    fn add(&self, amount: u32) -> u32;
    #[read_only] fn get(&self) -> u32;
}

linchpin::object! {
    Right: Counter<false> = Counter::default();
    fn add(&self, amount: u32) -> u32;
    #[read_only] fn get(&self) -> u32;
}

#[test]
fn a_faulty_object_fails_by_the_smallest_client_which_fails_on_its_own_as_well() {
    let checked = check::<Faulty>().explore();
    let Some(Failure::Execution { found, client, minimum, exploration }) = &checked.failure else {
        panic!("{checked:?}")
    };
    assert!(found.len() > client.len());
    // Both find 0. If one of them added 0, that would be right; that they add different amounts says who comes first where one does.
    assert_eq!(client.to_string(), "{ add(1) } || { add(2) }");
    assert!(minimum.as_ref().unwrap().is_proven);
    assert!(matches!(exploration.violation.as_ref().unwrap().kind, ViolationKind::Rejected { .. }));
    assert!(linchpin::client::<Faulty>(&client.to_string()).explore().violation.is_some());
    assert_eq!(checked.coverage, Coverage::Bounded(vec![Bound::FirstViolation]));
}

#[test]
fn a_right_object_passes_completely_and_counts_what_it_did() {
    let checked = check::<Right>().clients(100).run();
    assert!(checked.failure.is_none(), "{checked:?}");
    assert_eq!((checked.clients, checked.coverage), (100, Coverage::Complete));
    assert!(checked.executions > 100);
}

#[test]
fn somebody_who_waits_is_told_how_many_clients_are_done() {
    let told = RefCell::new(Vec::new());
    let session = Session {
        interrupt: &AtomicBool::new(false),
        progress: &|done, message| told.borrow_mut().push((done, message.to_owned())),
    };
    let clients = Clients { max_clients: Some(30), ..Clients::default() };
    let request = Request::Check(CheckRequest { clients, ..CheckRequest::default() });
    run(AnyObject::of::<Right>(), &About::of(AnyObject::of::<Right>()), &request, &session).unwrap();
    let told = told.into_inner();
    let begins_with = |at: &(Option<f64>, String), done: f64, text: &str| at.0 == Some(done) && at.1.starts_with(text);
    assert!(begins_with(&told[0], 0.0, "checking Right: 0 of 30 clients, 0 executions"), "{told:?}");
    assert!(begins_with(&told[told.len() - 1], 1.0, "checking Right: 30 of 30 clients, "), "{told:?}");
}

#[test]
#[should_panic(expected = "no order of the invocations returns")]
fn run_panics_with_the_report() {
    check::<Faulty>().with(Builder::new().memory_model(MemoryModel::Sc)).run();
}

#[test]
fn the_first_failing_client_is_the_same_each_time() {
    let failing = |seed: u64| {
        let checked = check::<Faulty>().seed(seed).explore();
        let Some(Failure::Execution { found, .. }) = checked.failure else { panic!("no failure") };
        (found, checked.clients)
    };
    assert_eq!(failing(3), failing(3));
    assert_ne!(failing(3), failing(4));
}

#[test]
fn a_budget_cuts_and_is_named() {
    let checked = check::<Right>().clients(20).with(Builder::new().max_executions(1)).explore();
    assert!(checked.failure.is_none());
    assert_eq!(checked.coverage, Coverage::Bounded(vec![Bound::Executions(1)]));
}

/// A counter that reads something else for long before it counts.
#[derive(Default)]
struct Slow<const FAULTY: bool>(AtomicU32, Counter<FAULTY>);

impl<const FAULTY: bool> Slow<FAULTY> {
    fn add(&self) -> u32 {
        for _ in 0..300 {
            assert_eq!(self.0.load(SeqCst), 0);
        }
        self.1.add(1)
    }
}

linchpin::object! {
    SlowAndFaulty: Slow<true> = Slow::default();
    fn add(&self) -> u32;
}

linchpin::object! {
    SlowAndRight: Slow<false> = Slow::default();
    fn add(&self) -> u32;
}

#[test]
fn executions_that_are_too_long_for_a_glance_are_explored_to_their_end() {
    let options = || Options { invocations: 2..=2, setup: 0..=0, epilogue: 0..=0, ..Options::default() };
    let right = check::<SlowAndRight>().options(options()).explore();
    assert!(right.failure.is_none(), "{right:?}");
    // Two threads that add once: there is one client, with two executions.
    assert_eq!((right.clients, right.executions, right.coverage), (1, 2, Coverage::Complete));
    let faulty = check::<SlowAndFaulty>().options(options()).explore();
    assert!(matches!(faulty.failure, Some(Failure::Execution { .. })), "{faulty:?}");
}

/// A stack that is specified as a queue.
#[derive(Default)]
struct Stack(Mutex<Vec<u8>>);

#[derive(Default)]
struct Fifo(std::collections::VecDeque<u8>);

impl Fifo {
    fn put(&mut self, item: u8) {
        self.0.push_back(item);
    }
    fn take(&mut self) -> Option<u8> {
        self.0.pop_front()
    }
}

linchpin::object! {
    WrongSpecification: Stack = Stack::default();
    spec = Fifo::default();
    fn put(&self, item: u8) = |stack: &Stack, item| stack.0.lock().unwrap().push(item);
    fn take(&self) -> Option<u8> = |stack: &Stack| stack.0.lock().unwrap().pop();
}

#[test]
fn a_specification_that_the_object_does_not_meet_in_one_thread_is_reported_before_anything_is_explored() {
    let checked = check::<WrongSpecification>().explore();
    let Some(Failure::Disagreement(disagreement)) = &checked.failure else { panic!("{checked:?}") };
    // Two different items are needed, and the last take is what differs.
    assert_eq!(disagreement.invocations.len(), 3);
    let text = disagreement.to_string();
    assert!(text.starts_with("in one thread, take() after put("), "{text}");
    assert_eq!((checked.clients, checked.executions), (0, 0));
}

#[test]
#[should_panic(expected = "in one thread, take() after put(0); put(1) returns 1, where the specification says 0")]
fn a_single_client_looks_at_one_thread_first_too() {
    linchpin::client::<WrongSpecification>("[put(0); put(1)] { take() } || { take() }").run();
}

#[derive(Default)]
struct Forgetful(AtomicU32);

static CREATED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

linchpin::object! {
    NotDeterministic: Forgetful = Forgetful(AtomicU32::new(CREATED.fetch_add(1, SeqCst)));
    fn get(&self) -> u32 = |forgetful: &Forgetful| forgetful.0.load(SeqCst);
    fn add(&self) -> u32 = |forgetful: &Forgetful| forgetful.0.fetch_add(1, SeqCst);
}

#[test]
fn an_object_that_is_not_deterministic_in_one_thread_is_no_basis() {
    let checked = check::<NotDeterministic>().explore();
    assert!(matches!(checked.failure, Some(Failure::NotDeterministic(_))), "{checked:?}");
}

#[test]
fn nothing_to_explore_is_not_a_success() {
    let checked =
        check::<Right>().options(Options { threads: 3..=3, invocations: 1..=2, ..Options::default() }).explore();
    assert!(matches!(checked.failure, Some(Failure::NoClients(_))), "{checked:?}");
}

/// Flags of which a reader may see the second and miss the first.
#[derive(Default)]
struct Flags(AtomicU32, AtomicU32);

linchpin::object! {
    FlagsObject: Flags = Flags::default();
    fn first(&self) = |flags: &Flags| flags.0.store(1, SeqCst);
    fn second(&self) = |flags: &Flags| flags.1.store(1, SeqCst);
    #[read_only] fn bits(&self) -> u32 = |flags: &Flags| flags.0.load(SeqCst) + 2 * flags.1.load(SeqCst);
}

#[test]
fn what_operations_promise_is_a_table() {
    let promises = check::<FlagsObject>().clients(60).maximality();
    // The first `bits()` sees `second()` and misses what precedes that in its thread: no peer consistency. It sees all that
    // precedes it itself.
    insta::assert_snapshot!(promises.to_string(), @"
    operation  level      clients  why no stronger
    first      complete        60
    second     complete        60
    bits       monotonic       60  { bits(); second(); bits(); first() } || { first(); second() } returned 2, nil, 3, nil, nil, nil
    ");
}

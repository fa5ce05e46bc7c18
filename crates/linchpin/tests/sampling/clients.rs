//! Clients of objects with random schedules, judged as when they are explored.

use linchpin::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use linchpin::{AnyObject, Builder, MemoryModel, Object, Sampling, Strategy, ViolationKind, client};
use linchpin_generate::{Options, generate};

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

linchpin::object! {
    Counter: AtomicUsize = AtomicUsize::new(0);
    fn add(&self) = |counter: &AtomicUsize| counter.store(counter.load(SeqCst) + 1, SeqCst);
    fn next(&self) -> usize = |counter: &AtomicUsize| counter.fetch_add(1, SeqCst);
    #[read_only] fn get(&self) -> usize = |counter: &AtomicUsize| counter.load(SeqCst);
}

/// What a judge says is wrong with the first wrong run.
#[track_caller]
fn message(sampled: &linchpin::Sampled) -> &str {
    let Some(found) = &sampled.found else { panic!("nothing found: {sampled:?}") };
    let ViolationKind::Rejected { message } = &found.violation.kind else { panic!("{:?}", found.violation.kind) };
    message
}

#[test]
fn an_update_that_is_lost_is_an_outcome_that_no_order_explains() {
    for strategy in
        [Strategy::Random, Strategy::Pct { depth: 2, steps: None }, Strategy::DPct { depth: 2, structures: None }]
    {
        let sampling = Sampling { strategy, ..Sampling::default() };
        let sampled = client::<Counter>("{ add() } || { add() } [get()]").sample(&sampling);
        assert_eq!(
            message(&sampled),
            "{ add() } || { add() } [get()]: no order of the invocations returns nil, nil, 1\n  \
             get() of the epilogue returned 1 instead of 2 for add(); add(); get()"
        );
        let names = sampled.found.unwrap().violation.calls.into_iter().map(|call| call.name.unwrap_or_default());
        assert_eq!(names.collect::<Vec<_>>(), ["add()", "add()", "get()"]);
    }
}

#[test]
fn what_only_real_time_forbids_is_found_too() {
    let sampled = client::<Register>("{ write(1) } || { here() } || { there() }").sample(&Sampling::default());
    assert_eq!(
        message(&sampled),
        "{ write(1) } || { here() } || { there() }: no order of the invocations that keeps real time returns nil, 1, 0\n  \
         here() of thread 2 had returned before there() of thread 3 was called\n  \
         without that, there() of thread 3; write(1) of thread 1; here() of thread 2 would explain it"
    );
}

/// With so many runs of so small clients, what can be found is found: exploring, which looks at everything, is the oracle.
#[track_caller]
fn finds_what_exploring_finds<O: Object>() -> usize {
    let options = Options { threads: 2..=3, invocations: 2..=4, ..Options::default() };
    let mut wrong = 0;
    for generated in generate(AnyObject::of::<O>(), 7, options).take(40) {
        let test = client::<O>(&generated.to_string()).with(Builder::new().memory_model(MemoryModel::Sc));
        let explored = test.explore().violation.is_some();
        let sampled = test.sample(&Sampling { runs: 2_000, seed: 3, ..Sampling::default() });
        assert_eq!(sampled.found.is_some(), explored, "{generated}");
        wrong += usize::from(explored);
    }
    wrong
}

#[test]
fn random_runs_of_small_clients_are_wrong_where_exploring_says_so() {
    for wrong in [finds_what_exploring_finds::<Register>(), finds_what_exploring_finds::<Counter>()] {
        assert!((5..=35).contains(&wrong), "clients that hold and clients that do not: {wrong} of 40 fail");
    }
}

#[test]
#[should_panic(expected = "no order of the invocations returns nil, nil, 1")]
fn run_sampled_fails_with_a_report() {
    client::<Counter>("{ add() } || { add() } [get()]").run_sampled(&Sampling::default());
}

#[test]
fn run_sampled_returns_what_it_has_looked_at() {
    let sampled = client::<Counter>("{ next() } || { next() } [get()]").run_sampled(&Sampling::default());
    assert_eq!((sampled.violations, sampled.complete), (0, 10_000));
}

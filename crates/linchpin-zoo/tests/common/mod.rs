//! What clients return when they are explored, next to what they may return.
//!
//! An outcome is right if some shuffle of the threads' calls has it, one call after another. With one call per thread that is
//! linearizability; with more it is sequential consistency, which asks for less: that a call of one thread ended before one
//! of another began is not looked at. What is wrong here is wrong by either.
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use linchpin::{
    Bound, Builder, Coverage, Execution, Exploration, Hooks, LoopReduction, MemoryModel, Object, report, thread,
};
use linchpin_engine::{Call, rt};
use linchpin_generate::{Outcomes, admitted_by_object, parse, validate};
use linchpin_model::{Client, Invocation, Outcome};

pub fn sc() -> Builder {
    Builder::new().memory_model(MemoryModel::Sc)
}

/// The client that a text describes, if the object has such clients.
#[track_caller]
pub fn client_of<O: Object>(text: &str) -> Client {
    let client = parse(text).unwrap_or_else(|error| panic!("{error}"));
    validate::<O>(&client).unwrap_or_else(|error| panic!("{client} of {}: {error}", O::NAME));
    client
}

/// What the client returns if its calls run one after another.
#[track_caller]
pub fn admitted<O: Object>(client: &Client) -> Outcomes {
    admitted_by_object::<O>(client).unwrap_or_else(|error| panic!("{client} of {}: {error}", O::NAME))
}

/// What exploring a client has shown.
pub struct Explored {
    pub exploration: Exploration,
    pub outcomes: BTreeSet<Outcome>,
}

impl Explored {
    /// The outcomes that are not among these, as text.
    pub fn other_than(&self, admitted: &Outcomes) -> BTreeSet<String> {
        self.outcomes.iter().filter(|outcome| !admitted.contains(outcome)).map(Outcome::to_string).collect()
    }
}

/// Explores a client of an object.
pub fn explore<O: Object>(builder: &Builder, client: &Client) -> Explored {
    explore_and_look::<O>(builder, client, |_, _| {})
}

/// Explores a client of an object, and shows every complete execution with its calls.
pub fn explore_and_look<O: Object>(
    builder: &Builder,
    client: &Client,
    look: impl Fn(&Execution, &[Call]) + Sync,
) -> Explored {
    let outcomes = Mutex::new(BTreeSet::new());
    let judge = |execution: &Execution, calls: &[Call]| {
        look(execution, calls);
        let results = calls.iter().map(|call| call.result.clone().expect("the execution is complete"));
        outcomes.lock().unwrap().insert(Outcome(results.collect()));
        None
    };
    let client = Arc::new(client.clone());
    let exploration = builder.explore_with(move || run::<O>(&client), Hooks { judge: &judge, ..Hooks::default() });
    Explored { exploration, outcomes: outcomes.into_inner().unwrap() }
}

/// Runs a client. Its calls are marked by their places in the text.
fn run<O: Object>(client: &Arc<Client>) {
    let object = Arc::new(O::create());
    call_all::<O>(&object, &client.setup, 0);
    let mut first = client.setup.len();
    let mut threads = Vec::new();
    for (number, calls) in client.threads.iter().enumerate() {
        let (client, object) = (client.clone(), object.clone());
        threads.push(thread::spawn(move || call_all::<O>(&object, &client.threads[number], first)));
        first += calls.len();
    }
    for thread in threads {
        thread.join().unwrap();
    }
    call_all::<O>(&object, &client.epilogue, first);
}

fn call_all<O: Object>(object: &O::Instance, calls: &[Invocation], first: usize) {
    let operations = O::operations();
    for (place, call) in (first..).zip(calls) {
        let operation = operations.iter().position(|operation| *operation.name == *call.operation);
        rt::operation_begins(place as u64);
        let result = O::invoke(object, operation.expect("the client was validated"), &call.arguments);
        rt::operation_ends(&result);
    }
}

/// Explores a client of a faulty object and of its correct twin under SC and to the end. `wrong` are the faulty one's outcomes
/// that no shuffle of the calls on the correct object has; `executions` are the numbers of complete executions of the two. Leaving
/// out failed iterations of retry loops may change the numbers, which are those with nothing left out, but no outcome.
#[track_caller]
pub fn expect<F: Object, C: Object>(client: &str, wrong: &[&str], executions: [u64; 2]) {
    let (client, _) = (client_of::<F>(client), client_of::<C>(client));
    let admitted = admitted::<C>(&client);
    let wrong: BTreeSet<String> = wrong.iter().map(|&outcome| outcome.to_owned()).collect();
    let [complete, _] = [LoopReduction::Off, LoopReduction::CrossChecked].map(|loops| {
        let builder = sc().loops(loops);
        let faulty = explore::<F>(&builder, &client);
        let correct = explore::<C>(&builder, &client);
        expect_complete(&faulty.exploration);
        expect_complete(&correct.exploration);
        assert_eq!(faulty.other_than(&admitted), wrong, "with {loops:?}");
        assert_eq!(correct.other_than(&admitted), BTreeSet::new(), "with {loops:?}");
        [faulty, correct].map(|explored| explored.exploration.complete)
    });
    assert_eq!(complete, executions);
}

/// Explores a client under SC and to the end; all its outcomes are those of shuffles of its calls.
#[track_caller]
pub fn expect_right<O: Object>(client: &str) {
    let exploration = linchpin::client::<O>(client).with(sc()).explore();
    expect_complete(&exploration);
}

/// As [`expect`], where some executions of the faulty client go on for ever and are cut after so many events of a thread.
/// That the rest was explored is all that can be said about it; its correct twin ends.
#[track_caller]
pub fn expect_bounded<F: Object, C: Object>(events: u32, client: &str, wrong: &[&str], executions: [u64; 2]) {
    let (client, _) = (client_of::<F>(client), client_of::<C>(client));
    let admitted = admitted::<C>(&client);
    let faulty = explore::<F>(&sc().max_events_per_thread(events), &client);
    let correct = explore::<C>(&sc(), &client);
    expect_complete(&correct.exploration);
    expect_no_violation(&faulty.exploration);
    assert_eq!(faulty.exploration.coverage, Coverage::Bounded(vec![Bound::EventsPerThread(events)]));
    assert_eq!(faulty.other_than(&admitted), wrong.iter().map(|&outcome| outcome.to_owned()).collect());
    assert_eq!(correct.other_than(&admitted), BTreeSet::new());
    assert_eq!([faulty, correct].map(|explored| explored.exploration.complete), executions);
}

#[track_caller]
pub fn expect_complete(exploration: &Exploration) {
    expect_no_violation(exploration);
    assert_eq!(exploration.coverage, Coverage::Complete);
}

#[track_caller]
pub fn expect_no_violation(exploration: &Exploration) {
    println!("{} complete, {} blocked, {:?}", exploration.complete, exploration.blocked, exploration.elapsed);
    if let Some(violation) = &exploration.violation {
        panic!("{}", report::violation(violation));
    }
}

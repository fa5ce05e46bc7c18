//! What clients return when they are explored, next to what they may return.
//!
//! An outcome is right if some shuffle of the threads' calls has it, one call after another. With one call per thread that is
//! linearizability; with more it is sequential consistency, which asks for less: that a call of one thread ended before one
//! of another began is not looked at. What is wrong here is wrong by either; correct twins are held to both.

use std::collections::BTreeSet;
use std::sync::Mutex;

use linchpin::{
    Bound, Builder, Call, ClientTest, Coverage, Execution, Exploration, Hooks, LoopReduction, MemoryModel, Object,
    Outcome, Outcomes, report,
};

pub fn sc() -> Builder {
    Builder::new().memory_model(MemoryModel::Sc)
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

/// Explores a client.
#[track_caller]
pub fn explore(test: ClientTest) -> Explored {
    explore_and_look(test, |_, _| {})
}

/// Explores a client, and shows every complete execution with its calls.
#[track_caller]
pub fn explore_and_look(test: ClientTest, look: impl Fn(&Execution, &[Call]) + Sync) -> Explored {
    let outcomes = Mutex::new(BTreeSet::new());
    let judge = |execution: &Execution, calls: &[Call]| {
        look(execution, calls);
        let results = calls.iter().map(|call| call.result.clone().expect("the execution is complete"));
        outcomes.lock().unwrap().insert(Outcome(results.collect()));
        None
    };
    let exploration = test.explore_unjudged(Hooks { judge: &judge, ..Hooks::default() });
    Explored { exploration, outcomes: outcomes.into_inner().unwrap() }
}

/// Explores a client of a faulty object and of its correct twin under SC and to the end. `wrong` are the faulty one's outcomes
/// that no shuffle of the calls on the correct object has; `executions` are the numbers of complete executions of the two. Leaving
/// out failed iterations of retry loops may change the numbers, which are those with nothing left out, but no outcome.
#[track_caller]
pub fn expect<F: Object, C: Object>(client: &str, wrong: &[&str], executions: [u64; 2]) {
    let admitted = linchpin::client::<C>(client).admitted();
    let wrong: BTreeSet<String> = wrong.iter().map(|&outcome| outcome.to_owned()).collect();
    let [complete, _] = [LoopReduction::Off, LoopReduction::CrossChecked].map(|loops| {
        let builder = sc().loops(loops);
        let faulty = explore(linchpin::client::<F>(client).with(builder.clone()));
        let correct = explore(linchpin::client::<C>(client).with(builder.clone()));
        expect_complete(&faulty.exploration);
        expect_complete(&correct.exploration);
        assert_eq!(faulty.other_than(&admitted), wrong, "with {loops:?}");
        assert_eq!(correct.other_than(&admitted), BTreeSet::new(), "with {loops:?}");
        [faulty, correct].map(|explored| explored.exploration.complete)
    });
    assert_eq!(complete, executions);
}

/// Explores a client under SC and to the end; all its executions are linearizable.
#[track_caller]
pub fn expect_right<O: Object>(client: &str) {
    expect_complete(&linchpin::client::<O>(client).with(sc()).explore());
}

/// As [`expect`], where some executions of the faulty client go on for ever and are cut after so many events of a thread.
/// That the rest was explored is all that can be said about it; its correct twin ends.
#[track_caller]
pub fn expect_bounded<F: Object, C: Object>(events: u32, client: &str, wrong: &[&str], executions: [u64; 2]) {
    let admitted = linchpin::client::<C>(client).admitted();
    let faulty = explore(linchpin::client::<F>(client).with(sc().max_events_per_thread(events)));
    let correct = explore(linchpin::client::<C>(client).with(sc()));
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

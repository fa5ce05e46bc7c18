//! Operations that a front end marks, and the judge that looks at them.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use linchpin_engine::{
    Allocator, Call, Config, Hooks, Replay, Reuse, Sampling, SamplingHooks, ViolationKind, explore_with, replay,
    replay_with, rt, sample_with,
};
use linchpin_graph::{Execution, Order, Verb};
use linchpin_model::Value;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new(std::alloc::System);

/// A word that threads of a test share.
struct Word(u64);

impl Word {
    #[track_caller]
    fn load(&self) -> u64 {
        rt::load(&raw const self.0 as usize, 8, Order::SeqCst, std::panic::Location::caller())
    }

    #[track_caller]
    fn store(&self, value: u64) {
        let site = std::panic::Location::caller();
        rt::write(Verb::Store, &raw const self.0 as usize, 8, Order::SeqCst, value, site);
    }
}

/// Two threads that each read and write, as calls 0 and 1; what they return says what they have read.
fn test() {
    let word: &'static Word = Box::leak(Box::new(Word(0)));
    let site = std::panic::Location::caller();
    let call = |tag: u64| {
        rt::Body::new(move || {
            rt::operation_begins(tag);
            let seen = word.load();
            rt::operation_begins(7);
            word.store(tag + 1);
            rt::operation_ends(&Value::from("inner"));
            rt::operation_ends(&Value::list([Value::from(format!("read {seen}").as_str())]));
            word.load();
        })
    };
    // Tags need not be in the order of the threads.
    let threads = [1, 0].map(|tag| rt::spawn(call(tag), None, site));
    for thread in threads {
        rt::join(thread, site);
    }
}

#[test]
fn a_judge_sees_the_outermost_calls_by_tag_with_their_events_and_results() {
    let seen = Mutex::new(Vec::new());
    let judge = |execution: &Execution, calls: &[Call]| {
        for (tag, call) in calls.iter().enumerate() {
            assert_eq!((call.tag, &call.events), (tag as u64, &(0..2)));
            let events = execution.thread(call.thread).events();
            let verbs: Vec<Verb> = events[..2].iter().map(|&id| execution.event(id).verb).collect();
            assert_eq!(verbs, [Verb::Load, Verb::Store]);
        }
        let results = calls.iter().map(|call| call.result.as_ref().unwrap().to_string());
        seen.lock().unwrap().push(results.collect::<Vec<_>>());
        None
    };
    let exploration = explore_with(&Config::default(), &test, Hooks { judge: &judge, ..Hooks::default() });
    assert!(exploration.violation.is_none(), "{:?}", exploration.violation);
    let mut seen = seen.into_inner().unwrap();
    seen.sort();
    seen.dedup();
    let read = |values: [u64; 2]| values.map(|value| format!("[\"read {value}\"]"));
    // Neither sees the other, or one of them does.
    assert_eq!(seen, [read([0, 0]), read([0, 1]), read([2, 0])]);
}

#[test]
#[should_panic(expected = "the judge is not well")]
fn a_judge_that_panics_ends_the_exploration() {
    let judge = |_: &Execution, _: &[Call]| panic!("the judge is not well");
    explore_with(&Config::default(), &test, Hooks { judge: &judge, ..Hooks::default() });
}

#[test]
fn judges_that_panic_leave_room_for_explorations_and_samplings_to_come() {
    let judge = |_: &Execution, _: &[Call]| panic!("the judge is not well");
    let judge_of_runs = |_: &[Call]| panic!("the judge is not well");
    let config = Config { workers: 1, ..Config::default() };
    // There are 32 lanes.
    for _ in 0..40 {
        let hooks = Hooks { judge: &judge, ..Hooks::default() };
        assert!(catch_unwind(AssertUnwindSafe(|| explore_with(&config, &test, hooks))).is_err());
        let hooks = SamplingHooks { judge: &judge_of_runs, ..SamplingHooks::default() };
        let sample = || sample_with(&config, &Sampling::default(), &four_calls, hooks);
        assert!(catch_unwind(AssertUnwindSafe(sample)).is_err());
    }
    assert!(explore_with(&config, &test, Hooks::default()).violation.is_none());
}

#[test]
fn what_a_judge_rejects_is_a_violation_that_replays_before_the_same_judge_only() {
    let judge = |_: &Execution, calls: &[Call]| {
        let reads: Vec<String> = calls.iter().map(|call| call.result.as_ref().unwrap().to_string()).collect();
        (reads == ["[\"read 0\"]", "[\"read 0\"]"]).then(|| "a lost update".to_owned())
    };
    let config = Config { keep_going: true, ..Config::default() };
    let exploration = explore_with(&config, &test, Hooks { judge: &judge, ..Hooks::default() });
    // Both loads before both stores, which come in two orders. The last load of whoever stored first sees its own store or
    // the other one.
    assert_eq!(exploration.violations, 4);
    let violation = exploration.violation.unwrap();
    let is_rejected =
        |kind: &ViolationKind| matches!(kind, ViolationKind::Rejected { message } if message == "a lost update");
    assert!(is_rejected(&violation.kind), "{:?}", violation.kind);
    assert_eq!(violation.calls.len(), 2);

    let again = Replay::of(&violation, &config);
    assert!(is_rejected(&replay_with(&config, &again, &test, &judge).unwrap().unwrap().kind));
    assert!(replay(&config, &again, &test).unwrap().is_none());
}

/// Two threads that each make two calls of one access.
fn four_calls() {
    let word: &'static Word = Box::leak(Box::new(Word(0)));
    let site = std::panic::Location::caller();
    let threads = [0, 2].map(|first| {
        let body = move || {
            for tag in [first, first + 1] {
                rt::operation_begins(tag);
                // Memory whose place depends on when the call is made.
                let passed = Box::new(word.load());
                rt::operation_ends(&Value::Integer(*passed as i64));
            }
        };
        rt::spawn(rt::Body::new(body), None, site)
    });
    for thread in threads {
        rt::join(thread, site);
    }
}

/// Calls and returns in order of time: which tag, and whether it is the return.
fn order(calls: &[Call]) -> Vec<(u64, bool)> {
    let mut times = Vec::new();
    for call in calls {
        let time = call.time.clone().expect("sampling has a time");
        times.extend([(time.start, (call.tag, false)), (time.end, (call.tag, true))]);
    }
    times.sort();
    times.into_iter().map(|(_, what)| what).collect()
}

#[test]
fn sampling_gets_to_every_order_of_calls_and_returns() {
    let seen = Mutex::new(BTreeSet::new());
    let judge = |calls: &[Call]| {
        seen.lock().unwrap().insert(order(calls));
        None
    };
    let hooks = SamplingHooks { judge: &judge, ..SamplingHooks::default() };
    let sampled = sample_with(&Config::default(), &Sampling::default(), &four_calls, hooks);
    assert!(sampled.found.is_none());
    // Each thread calls, returns, calls and returns: four of eight places are the first thread's.
    assert_eq!(seen.into_inner().unwrap().len(), 70);
}

#[test]
fn a_run_that_a_judge_rejects_replays_in_its_order_of_time() {
    // The last call of the first thread spans all of the second thread's.
    let is_wrong = |calls: &[Call]| {
        let times: Vec<_> = calls.iter().map(|call| call.time.clone().expect("a time")).collect();
        let spans = times[1].start < times[2].start && times[3].end < times[1].end;
        spans.then(|| format!("{:?}", order(calls)))
    };
    for reuse in [Reuse::Never, Reuse::Lifo] {
        let sampling = Sampling { reuse, ..Sampling::default() };
        let hooks = SamplingHooks { judge: &is_wrong, ..SamplingHooks::default() };
        let found = sample_with(&Config::default(), &sampling, &four_calls, hooks).found.expect("such a run");
        let ViolationKind::Rejected { message } = &found.violation.kind else { panic!("{:?}", found.violation.kind) };
        assert_eq!(*message, format!("{:?}", order(&found.violation.calls)));

        let read: Replay = found.replay.to_string().parse().expect("a replay");
        let judge = |_: &Execution, calls: &[Call]| is_wrong(calls);
        let again = replay_with(&Config::default(), &read, &four_calls, &judge).expect("the same test");
        assert_eq!(order(&again.expect("a violation").calls), order(&found.violation.calls));
    }
}

#[test]
fn what_is_explored_has_no_time() {
    let judge = |_: &Execution, calls: &[Call]| {
        assert!(calls.iter().all(|call| call.time.is_none()));
        None
    };
    explore_with(&Config::default(), &four_calls, Hooks { judge: &judge, ..Hooks::default() });
}

#[test]
#[should_panic(expected = "the judge is not well")]
fn a_judge_that_panics_ends_the_sampling() {
    let judge = |_: &[Call]| panic!("the judge is not well");
    let hooks = SamplingHooks { judge: &judge, ..SamplingHooks::default() };
    sample_with(&Config { workers: 2, ..Config::default() }, &Sampling::default(), &four_calls, hooks);
}

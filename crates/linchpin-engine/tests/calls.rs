//! Operations that a front end marks, and the judge that looks at them.

use std::sync::Mutex;

use linchpin_engine::{Allocator, Call, Config, Hooks, Replay, ViolationKind, explore_with, replay, replay_with, rt};
use linchpin_graph::{Execution, Order, Step, Verb};
use linchpin_model::Value;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new(std::alloc::System);

/// A word that threads of a test share.
struct Word(u64);

impl Word {
    #[track_caller]
    fn load(&self) -> u64 {
        let site = std::panic::Location::caller();
        let (verb, address) = (Verb::Load, &raw const self.0 as usize);
        let step = |_, _, _| Step::Return;
        let order = Order::SeqCst;
        rt::read(&rt::Access { verb, address, size: 8, order, failure: order, step, a: 0, b: 0, site }).value
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
        Box::new(move || {
            rt::operation_begins(tag);
            let seen = word.load();
            rt::operation_begins(7);
            word.store(tag + 1);
            rt::operation_ends(&Value::from("inner"));
            rt::operation_ends(&Value::list([Value::from(format!("read {seen}").as_str())]));
            word.load();
        }) as Box<dyn FnOnce()>
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

//! What generated histories are said to be is what trying all orders says they are.

use super::*;

const MODELS: [&str; 15] = [
    "register",
    "cas-register",
    "multi-register",
    "kv",
    "map",
    "set",
    "queue",
    "bounded-queue",
    "stack",
    "deque",
    "priority-queue",
    "counter",
    "mutex",
    "rwlock",
    "semaphore",
];

/// All kinds of small histories.
fn small(model: &str, seed: u64, violate: bool) -> Options {
    Options {
        model: model.into(),
        operations: 4 + (seed % 11) as usize,
        processes: 1 + (seed % 4) as usize,
        seed,
        violate,
        values: if seed.is_multiple_of(3) { Values::Few(2 + seed % 2) } else { Values::Distinct },
        keys: 1 + seed % 2,
        pending: if seed.is_multiple_of(5) { 0.2 } else { 0.0 },
        capacity: 1 + seed % 3,
        permits: 1 + seed % 3,
    }
}

#[test]
fn what_is_said_to_be_linearizable_is() {
    for model in MODELS {
        for seed in 0..2000 {
            let options = small(model, seed, false);
            let generated = generate(&options).unwrap();
            assert_eq!(generated.recording.history.len(), options.operations);
            assert_eq!(generated.model.try_all_orders(&generated.recording), Ok(true), "{options:?}");
        }
    }
}

#[test]
fn what_is_said_to_be_a_violation_is() {
    for model in MODELS {
        let mut violations = 0;
        for seed in 0..2000 {
            let options = small(model, seed, true);
            match generate(&options) {
                Ok(generated) => {
                    let answer = generated.model.try_all_orders(&generated.recording);
                    assert_eq!(answer, Ok(false), "{options:?} {:#?}", generated.recording.history);
                    violations += 1;
                }
                Err(error) => assert!(matches!(error, GenerateError::NoPlace { .. })),
            }
        }
        assert!(violations > 200, "{model}: {violations}");
    }
}

/// The operations that are said to contradict each other are few, and the history of them alone is a contradiction.
#[test]
fn contradictions_stand_on_their_own() {
    let gauges = ["counter", "mutex", "rwlock", "semaphore"];
    for model in MODELS.into_iter().filter(|model| !gauges.contains(model)) {
        for seed in 0..500 {
            let Ok(generated) = generate(&small(model, seed, true)) else { continue };
            let Known::Violation(operations) = &generated.verdict else { panic!("asked for a violation") };
            let alone = generated.recording.history.restricted(|id| operations.contains(&id)).0;
            let recording = Recording { history: alone, ..generated.recording.clone() };
            assert_eq!(generated.model.try_all_orders(&recording), Ok(false), "{model} {seed}: {recording:#?}");
        }
    }
}

#[test]
fn hidden_orders_are_orders_of_what_took_effect() {
    for seed in 0..200 {
        let options = Options { pending: 0.1, operations: 200, seed, ..Options::default() };
        let Generated { recording, verdict, .. } = generate(&options).unwrap();
        let Known::Linearizable(Witness { order }) = verdict else { panic!("asked for none") };
        assert!(recording.history.ids().all(|id| !recording.history[id].returned || order.contains(&id)));
        assert!(recording.history.ids().any(|id| !recording.history[id].returned));
        for (at, a) in order.iter().enumerate() {
            assert!(order[at + 1..].iter().all(|b| !recording.history.precedes(*b, *a)));
        }
    }
}

/// Every process is inside an operation from its first call to its last return.
#[test]
fn processes_are_always_inside_an_operation() {
    let recording = generate(&Options::default()).unwrap().recording;
    let intervals = recording.history.intervals().unwrap();
    let mut by_process = vec![Vec::new(); 8];
    for (operation, interval) in recording.history.operations().iter().zip(intervals) {
        by_process[operation.process as usize].push(*interval);
    }
    for intervals in by_process {
        assert!(intervals.windows(2).all(|pair| pair[0].ret + 1 == pair[1].call));
    }
}

/// Whoever has saved a seed relies on it.
#[test]
fn histories_never_change() {
    let options = Options { operations: 6, processes: 2, seed: 2, pending: 0.4, ..Options::default() };
    let Generated { recording, model, .. } = generate(&options).unwrap();
    let intervals = recording.history.intervals().unwrap();
    let lines: Vec<String> = recording
        .history
        .ids()
        .map(|id| {
            let described = model.describe_operation(&recording, id);
            let returned = recording.history[id].returned.then_some(intervals[id.index()].ret);
            format!("{} {} {returned:?} {described}", recording.history[id].process, intervals[id.index()].call)
        })
        .collect();
    let expected = [
        "1 1 Some(3) deq() → empty",
        "0 2 Some(5) enq(1)",
        "1 4 Some(9) enq(2)",
        "0 6 None deq()",
        "2 7 None enq(3)",
        "4 8 None deq()",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn problems() {
    let fails = |options: Options, message: &str| {
        assert_eq!(generate(&options).unwrap_err().to_string(), message);
    };
    let default = Options::default;
    fails(Options { processes: 0, ..default() }, "there must be at least one of the processes");
    fails(Options { values: Values::Few(0), ..default() }, "there must be at least one of the values");
    fails(
        Options { operations: 1, violate: true, ..default() },
        "this history of a queue has no place for a certain violation; \
         more operations, fewer processes, or another seed will do",
    );
    fails(
        Options { model: "bounded-queue".into(), capacity: 0, ..default() },
        "a capacity of 0 leaves no room for any element",
    );
}

/// Long histories have a place for a violation of every kind of object, also with few values.
#[test]
fn long_histories_can_be_violated() {
    for model in MODELS {
        for values in [Values::Distinct, Values::Few(5)] {
            let options = Options { model: model.into(), values, violate: true, ..Options::default() };
            assert!(generate(&options).is_ok(), "{model} {values:?}");
        }
    }
}

//! Admitted outcomes against brute force: every permutation of the threads' invocations that keeps each thread's order,
//! run on an object of its own.

mod oracle;

use std::collections::{BTreeSet, HashSet, VecDeque};

use fastrand::Rng;
use linchpin_generate::{Outcomes, Sequential, admitted, admitted_by_running, in_time};
use linchpin_model::{Client, Invocation, Outcome, Value};
use oracle::brute_force;

/// The objects, each written twice: as a function on a list of numbers, and as a running thing of the standard library.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Queue,
    Stack,
    Set,
    Register,
    Counter,
}

const KINDS: [Kind; 5] = [Kind::Queue, Kind::Stack, Kind::Set, Kind::Register, Kind::Counter];

impl Sequential for Kind {
    type State = Vec<i64>;

    fn initial(&self) -> Vec<i64> {
        match self {
            Kind::Register | Kind::Counter => vec![0],
            _ => Vec::new(),
        }
    }

    fn apply(&self, state: &Vec<i64>, call: &Invocation) -> (Vec<i64>, Value) {
        let argument = call.arguments.first().and_then(Value::as_integer).unwrap_or_default();
        let with = |value: i64| [&state[..], &[value]].concat();
        let without = |position: usize| [&state[..position], &state[position + 1..]].concat();
        match (self, &*call.operation) {
            (Kind::Queue | Kind::Stack, "push") => (with(argument), Value::Nil),
            (Kind::Queue | Kind::Stack, "pop") if state.is_empty() => (vec![], Value::Nil),
            (Kind::Queue, "pop") => (without(0), state[0].into()),
            (Kind::Stack, "pop") => (without(state.len() - 1), state[state.len() - 1].into()),
            (Kind::Set, "add") if !state.contains(&argument) => {
                let mut state = with(argument);
                state.sort_unstable();
                (state, true.into())
            }
            (Kind::Set, "remove") if state.contains(&argument) => {
                (without(state.iter().position(|&value| value == argument).unwrap()), true.into())
            }
            (Kind::Set, "add" | "remove") => (state.clone(), false.into()),
            (Kind::Set, "contains") => (state.clone(), state.contains(&argument).into()),
            (Kind::Register, "swap") => (vec![argument], state[0].into()),
            (Kind::Counter, "inc") => (vec![state[0] + 1], Value::Nil),
            (_, "read") => (state.clone(), state[0].into()),
            (_, "len") => (state.clone(), (state.len() as i64).into()),
            (kind, operation) => panic!("{kind:?} has no {operation}"),
        }
    }
}

/// An object of the standard library that runs.
fn create(kind: Kind) -> Box<dyn FnMut(&Invocation) -> Value> {
    let or_nil = |value: Option<i64>| value.map_or(Value::Nil, Value::from);
    let argument = |call: &Invocation| call.arguments[0].as_integer().unwrap();
    let mut deque = VecDeque::new();
    let mut set = BTreeSet::new();
    let mut cell = 0;
    Box::new(move |call| match (kind, &*call.operation) {
        (Kind::Queue | Kind::Stack, "push") => {
            deque.push_back(argument(call));
            Value::Nil
        }
        (Kind::Queue, "pop") => or_nil(deque.pop_front()),
        (Kind::Stack, "pop") => or_nil(deque.pop_back()),
        (Kind::Queue | Kind::Stack, "len") => (deque.len() as i64).into(),
        (_, "add") => set.insert(argument(call)).into(),
        (_, "remove") => set.remove(&argument(call)).into(),
        (_, "contains") => set.contains(&argument(call)).into(),
        (_, "len") => (set.len() as i64).into(),
        (_, "swap") => std::mem::replace(&mut cell, argument(call)).into(),
        (_, "inc") => {
            cell += 1;
            Value::Nil
        }
        _ => cell.into(),
    })
}

fn client(kind: Kind, random: &mut Rng) -> Client {
    let operations: &[(&str, usize)] = match kind {
        Kind::Queue | Kind::Stack => &[("push", 1), ("pop", 0), ("len", 0)],
        Kind::Set => &[("add", 1), ("remove", 1), ("contains", 1), ("len", 0)],
        Kind::Register => &[("swap", 1), ("read", 0)],
        Kind::Counter => &[("inc", 0), ("read", 0)],
    };
    let invocation = |random: &mut Rng| {
        let (operation, arguments) = random.choice(operations).unwrap();
        Invocation {
            operation: (*operation).into(),
            arguments: (0..*arguments).map(|_| random.i64(0..3).into()).collect(),
        }
    };
    let sequence = |random: &mut Rng, limit: usize| (0..random.usize(0..=limit)).map(|_| invocation(random)).collect();
    let mut client = Client { setup: sequence(random, 2), epilogue: sequence(random, 2), ..Client::default() };
    client.threads = vec![Vec::new(); random.usize(0..=3)];
    for _ in 0..random.usize(0..=5) {
        if let Some(thread) = random.choice(client.threads.iter_mut()) {
            thread.push(invocation(random));
        }
    }
    client
}

/// Each linearization has every invocation once, keeps the order of setup, threads and epilogue, and gives its outcome.
fn check_linearizations(kind: Kind, client: &Client, outcomes: &Outcomes) {
    let invocations: Vec<&Invocation> = client.invocations().collect();
    for (outcome, linearization) in outcomes.iter() {
        assert!(oracle::keeps_the_order(client, linearization), "{linearization:?} of {client}");
        let mut object = create(kind);
        for &place in linearization {
            assert_eq!(object(invocations[place]), outcome.0[place], "{linearization:?} of {client}");
        }
    }
}

#[test]
fn both_ways_admit_what_brute_force_admits() {
    let mut random = Rng::with_seed(1);
    for round in 0..5_000 {
        let kind = KINDS[round % KINDS.len()];
        let client = client(kind, &mut random);
        let expected: BTreeSet<Outcome> = brute_force(&client, || create(kind));
        let kept = admitted(&client, &kind);
        let run = admitted_by_running(&client, || create(kind)).unwrap();
        for outcomes in [&kept, &run] {
            let found: Vec<&Outcome> = outcomes.iter().map(|(outcome, _)| outcome).collect();
            assert_eq!(found, expected.iter().collect::<Vec<_>>(), "{kind:?}: {client}");
            check_linearizations(kind, &client, outcomes);
        }
        assert_eq!(admitted(&client, &kind), kept, "the same linearizations every time");
    }
}

/// All orders that give the outcome, as slowly as possible.
fn orders_with(kind: Kind, client: &Client, outcome: &Outcome) -> Vec<Vec<usize>> {
    let invocations: Vec<&Invocation> = client.invocations().collect();
    let mut orders = Vec::new();
    oracle::permutations(&mut (0..invocations.len()).collect::<Vec<_>>(), 0, &mut |order| {
        let mut object = create(kind);
        if oracle::keeps_the_order(client, order)
            && order.iter().all(|&place| object(invocations[place]) == outcome.0[place])
        {
            orders.push(order.to_vec());
        }
    });
    orders
}

#[test]
fn an_outcome_is_in_time_if_one_of_its_orders_keeps_real_time() {
    let mut random = Rng::with_seed(3);
    let mut counts = [0, 0];
    for round in 0..600 {
        let kind = KINDS[round % KINDS.len()];
        let client = loop {
            let client = client(kind, &mut random);
            if (1..=7).contains(&client.len()) {
                break client;
            }
        };
        let outcomes = admitted(&client, &kind);
        for (outcome, _) in outcomes.iter() {
            let orders = orders_with(kind, &client, outcome);
            // Real time is any acyclic relation: pairs that some permutation has in this order.
            let mut time: Vec<usize> = (0..client.len()).collect();
            random.shuffle(&mut time);
            let at = |place: usize| time.iter().position(|&other| other == place).unwrap();
            let pairs: HashSet<(usize, usize)> = (0..client.len())
                .flat_map(|a| (0..client.len()).map(move |b| (a, b)))
                .filter(|&(a, b)| at(a) < at(b) && random.u8(0..4) == 0)
                .collect();
            let keeps = |order: &[usize]| {
                (0..order.len()).all(|later| (0..later).all(|earlier| !pairs.contains(&(order[later], order[earlier]))))
            };
            // Within setup and epilogue, and between these and the threads, the order is fixed: such pairs say nothing.
            let threads = client.setup.len()..client.len() - client.epilogue.len();
            let known = |first: usize, second: usize| {
                threads.contains(&first) && threads.contains(&second) && pairs.contains(&(first, second))
            };
            let expected = orders.iter().any(|order| {
                let middle: Vec<usize> = order.iter().copied().filter(|place| threads.contains(place)).collect();
                keeps(&middle)
            });
            let found = in_time(&client, outcome, known, || create(kind));
            assert_eq!(found.is_some(), expected, "{kind:?}: {client} with {outcome} in {pairs:?}");
            if let Some(order) = found {
                assert!(orders.contains(&order), "{order:?} of {client}");
            }
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

#[test]
fn an_explanation_has_the_fewest_differences() {
    let mut random = Rng::with_seed(2);
    let mut explained = HashSet::new();
    for round in 0..1_000 {
        let kind = KINDS[round % KINDS.len()];
        let client = client(kind, &mut random);
        let outcomes = admitted(&client, &kind);
        let mut outcome = outcomes.iter().next().unwrap().0.clone();
        for value in &mut outcome.0 {
            if random.bool() {
                *value = Value::from(random.i64(0..3));
            }
        }
        let Some(explanation) = outcomes.explain(&outcome) else {
            assert!(outcomes.contains(&outcome));
            continue;
        };
        let distance = |other: &Outcome| other.0.iter().zip(&outcome.0).filter(|(a, b)| a != b).count();
        let fewest = outcomes.iter().map(|(other, _)| distance(other)).min().unwrap();
        let closest = outcomes.iter().filter(|(other, _)| distance(other) == fewest).count();
        assert_eq!(explanation.nearest.len(), closest);
        assert!(
            explanation.nearest.iter().all(|near| near.differing.len() == fewest && distance(near.outcome) == fewest)
        );
        explained.insert(explanation.to_string());
    }
    assert!(explained.len() > 300, "{}", explained.len());
}

/// The client of the paper's figures 3 and 4, on a map: ten shuffles, four outcomes.
#[test]
fn the_papers_example_has_its_four_outcomes() {
    let text = "{ get(1); containsValue(1) } || { put(1, 1); put(0, 1); put(1, 0) }";
    let client = linchpin_generate::parse(text).unwrap();
    let outcomes = admitted_by_running(&client, || {
        let mut map = std::collections::HashMap::new();
        Box::new(move |call| match (&*call.operation, &call.arguments[..]) {
            ("get", [key]) => map.get(key).cloned().unwrap_or_default(),
            ("put", [key, value]) => map.insert(key.clone(), value.clone()).unwrap_or_default(),
            (_, values) => map.values().any(|value| *value == values[0]).into(),
        })
    });
    let texts: Vec<String> = outcomes.unwrap().iter().map(|(outcome, _)| outcome.to_string()).collect();
    let expected =
        ["nil, false, nil, nil, 1", "nil, true, nil, nil, 1", "0, true, nil, nil, 1", "1, true, nil, nil, 1"];
    assert_eq!(texts, expected);
}

//! Outcomes of weakly consistent operations against brute force: all permutations, each with all relations of who sees
//! whom, filtered by the definitions of the levels.

mod oracle;

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use linchpin_generate::{Sequential, admitted, admitted_weakly, parse};
use linchpin_model::{Client, Consistency, Invocation, Outcome, Value};

/// `put(key, value)`, `get(key)`, `has(value)`, `len()`.
struct Map;

impl Sequential for Map {
    type State = BTreeMap<Value, Value>;
    fn initial(&self) -> Self::State {
        BTreeMap::new()
    }
    fn apply(&self, state: &Self::State, call: &Invocation) -> (Self::State, Value) {
        let mut state = state.clone();
        let value = match (&*call.operation, &call.arguments[..]) {
            ("put", [key, value]) => state.insert(key.clone(), value.clone()).unwrap_or_default(),
            ("get", [key]) => state.get(key).cloned().unwrap_or_default(),
            ("has", [value]) => state.values().any(|other| other == value).into(),
            _ => (state.len() as i64).into(),
        };
        (state, value)
    }
}

fn outcomes(client: &Client, levels: &BTreeMap<String, Consistency>) -> BTreeSet<Outcome> {
    let outcomes = admitted_weakly(client, &Map, |call| levels[&*call.operation]);
    outcomes.iter().map(|(outcome, _)| outcome.clone()).collect()
}

/// The definitions, word for word: `sees[a]` holds b if a sees b.
fn is_consistent(client: &Client, order: &[usize], sees: &[BTreeSet<usize>], levels: &[Consistency]) -> bool {
    let rank = |place: usize| order.iter().position(|&other| other == place).unwrap();
    // Positions are in the order of the text, so what is left to ask is whether two could run at the same time.
    let precedes = |a: usize, b: usize| {
        let (setup, end) = (client.setup.len(), client.len() - client.epilogue.len());
        let thread_of = |place: usize| {
            let mut end = setup;
            client.threads.iter().position(|thread| {
                end += thread.len();
                place < end
            })
        };
        let is_outside = |place: usize| place < setup || place >= end;
        a < b && (is_outside(a) || is_outside(b) || thread_of(a) == thread_of(b))
    };
    let all = 0..order.len();
    all.clone().all(|a| {
        let before = |b: usize| rank(b) < rank(a);
        let demanded = |b: usize| {
            (levels[a] >= Consistency::Own && precedes(b, a))
                || (levels[a] >= Consistency::Monotonic && all.clone().any(|c| precedes(c, a) && sees[c].contains(&b)))
                || (levels[a] >= Consistency::Peer && all.clone().any(|c| sees[a].contains(&c) && precedes(b, c)))
                || (levels[a] >= Consistency::Causal && sees[a].iter().any(|&c| sees[c].contains(&b)))
                || (levels[a] >= Consistency::Complete && before(b))
        };
        all.clone().all(|b| !demanded(b) || sees[a].contains(&b))
    })
}

fn brute_force(client: &Client, levels: &BTreeMap<String, Consistency>) -> BTreeSet<Outcome> {
    let calls: Vec<&Invocation> = client.invocations().collect();
    let levels: Vec<Consistency> = calls.iter().map(|call| levels[&*call.operation]).collect();
    let mut found = BTreeSet::new();
    oracle::permutations(&mut (0..calls.len()).collect::<Vec<_>>(), 0, &mut |order| {
        if !oracle::keeps_the_order(client, order) {
            return;
        }
        let pairs: Vec<(usize, usize)> =
            (0..order.len()).flat_map(|late| (0..late).map(move |early| (order[late], order[early]))).collect();
        for chosen in 0..1_u32 << pairs.len() {
            let mut sees = vec![BTreeSet::new(); calls.len()];
            for (i, &(late, early)) in pairs.iter().enumerate() {
                if chosen >> i & 1 == 1 {
                    sees[late].insert(early);
                }
            }
            if is_consistent(client, order, &sees, &levels) {
                let mut values = vec![Value::Nil; calls.len()];
                for &place in order {
                    let mut state = Map.initial();
                    for &seen in order.iter().filter(|seen| sees[place].contains(seen)) {
                        state = Map.apply(&state, calls[seen]).0;
                    }
                    values[place] = Map.apply(&state, calls[place]).1;
                }
                found.insert(Outcome(values));
            }
        }
    });
    found
}

fn client(random: &mut Rng, size: usize) -> Client {
    let mut client = Client { threads: vec![Vec::new(); 2], ..Client::default() };
    for _ in 0..size {
        let operations = [("put", 2), ("put", 2), ("get", 1), ("has", 1), ("len", 0)];
        let (operation, arguments) = random.choice(operations).unwrap();
        let arguments = (0..arguments).map(|_| Value::from(random.i64(0..2))).collect();
        let invocation = Invocation { operation: operation.into(), arguments };
        match random.u8(0..6) {
            0 => client.setup.push(invocation),
            1 => client.epilogue.push(invocation),
            part => client.threads[usize::from(part % 2)].push(invocation),
        }
    }
    client
}

fn levels(random: &mut Rng) -> BTreeMap<String, Consistency> {
    ["put", "get", "has", "len"].map(|name| (name.to_owned(), random.choice(Consistency::ALL).unwrap())).into()
}

#[test]
fn every_level_admits_what_brute_force_admits() {
    let mut random = Rng::with_seed(1);
    for round in 0..600 {
        let (client, levels) = (client(&mut random, 1 + round % 4), levels(&mut random));
        assert_eq!(outcomes(&client, &levels), brute_force(&client, &levels), "{client} with {levels:?}");
    }
}

#[test]
fn complete_operations_are_atomic() {
    let mut random = Rng::with_seed(2);
    for _ in 0..1_000 {
        let client = client(&mut random, 5);
        let weak = admitted_weakly(&client, &Map, |_| Consistency::Complete);
        assert!(weak.iter().map(|(outcome, _)| outcome).eq(admitted(&client, &Map).iter().map(|(outcome, _)| outcome)));
    }
}

#[test]
fn a_stronger_level_admits_no_more() {
    let mut random = Rng::with_seed(3);
    for _ in 0..100 {
        let (client, mut levels) = (client(&mut random, 4), levels(&mut random));
        let mut weaker: Option<BTreeSet<Outcome>> = None;
        for level in Consistency::ALL {
            levels.insert("has".to_owned(), level);
            let stronger = outcomes(&client, &levels);
            assert!(weaker.is_none_or(|weaker| stronger.is_subset(&weaker)), "{client} with {levels:?}");
            weaker = Some(stronger);
        }
    }
}

/// The outcome of the paper's figure 4 that is not atomic: `containsValue` misses `put(0, 1)` and sees `put(1, 0)` after
/// it. That is monotonic, but not what peers see.
#[test]
fn the_papers_violation_is_monotonic() {
    let client = parse("{ get(1); has(1) } || { put(1, 1); put(0, 1); put(1, 0) }").unwrap();
    let observed = Outcome(vec![1.into(), false.into(), Value::Nil, Value::Nil, 1.into()]);
    let admits = |level| {
        let level_of = |call: &Invocation| if &*call.operation == "has" { level } else { Consistency::Complete };
        admitted_weakly(&client, &Map, level_of).contains(&observed)
    };
    assert_eq!(Consistency::ALL.map(admits), [true, true, true, false, false, false]);
}

/// `put(1, 0)` returns nil whether it sees `put(0, 1)` or not, but what it sees binds the `len` behind it: both have to be
/// tried. That `get(1)` finds nothing puts it, and `put(0, 1)` with it, before `put(1, 0)`.
#[test]
fn what_an_invocation_sees_matters_even_if_it_returns_the_same() {
    let client = parse("{ put(0, 1); get(1) } || { put(1, 0); len() }").unwrap();
    let level_of = |call: &Invocation| match call.to_string().as_str() {
        "put(1, 0)" => Consistency::Weak,
        "len()" => Consistency::Monotonic,
        _ => Consistency::Complete,
    };
    let outcomes = admitted_weakly(&client, &Map, level_of);
    for len in [1, 2] {
        assert!(outcomes.contains(&Outcome(vec![Value::Nil, Value::Nil, Value::Nil, len.into()])));
    }
}

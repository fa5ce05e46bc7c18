//! Minimisation against its definition, on made-up failures.

use std::collections::HashSet;

use fastrand::Rng;
use linchpin_generate::{canonical, parse};
use linchpin_localize::{Answer, Stage, minimize};
use linchpin_model::{Client, Invocation, Value};

fn client(random: &mut Rng) -> Client {
    let sequence = |random: &mut Rng, length: usize| -> Vec<Invocation> {
        let invocation = |random: &mut Rng| Invocation {
            operation: (*random.choice(["a", "b", "c"].iter()).unwrap()).into(),
            arguments: vec![Value::from(random.i64(1..5))],
        };
        (0..length).map(|_| invocation(random)).collect()
    };
    let setup = random.usize(0..6);
    let epilogue = random.usize(0..6);
    let threads = random.usize(1..4);
    Client {
        setup: sequence(random, setup),
        threads: (0..threads)
            .map(|_| {
                let length = random.usize(1..4);
                sequence(random, length)
            })
            .collect(),
        epilogue: sequence(random, epilogue),
    }
}

/// Something that fails for no reason but a number: a pure function of the client, and not monotone in any way.
fn fails(client: &Client, salt: u64) -> bool {
    let text = canonical(client).to_string();
    let hash = text.bytes().fold(salt, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    !client.threads.is_empty() && (hash >> 20) % 3 == 0
}

/// All clients with one invocation of a thread less.
fn smaller(client: &Client) -> Vec<Client> {
    let mut all = Vec::new();
    for thread in 0..client.threads.len() {
        for place in 0..client.threads[thread].len() {
            let mut without = client.clone();
            without.threads[thread].remove(place);
            without.threads.retain(|thread| !thread.is_empty());
            all.push(without);
        }
    }
    all
}

#[test]
fn what_is_left_fails_and_nothing_of_its_threads_can_go() {
    let mut random = Rng::with_seed(1);
    let values: Vec<Value> = (1..5).map(Value::from).collect();
    for salt in 0..2_000 {
        let client = loop {
            let client = client(&mut random);
            if fails(&client, salt) {
                break client;
            }
        };
        let mut asked = HashSet::new();
        let minimum = minimize(
            &client,
            |_, _| values.clone(),
            |candidate, _| {
                assert!(asked.insert(canonical(candidate)), "asked twice about {candidate}");
                if fails(candidate, salt) { Answer::Fails } else { Answer::Holds }
            },
        );
        assert!(fails(&minimum.client, salt));
        assert!(minimum.is_proven && !minimum.is_interrupted);
        assert_eq!((minimum.decided, minimum.undecided), (asked.len(), 0));
        assert!(smaller(&minimum.client).iter().all(|smaller| !fails(smaller, salt)), "{}", minimum.client);
        // Neither setup nor epilogue can be shorter by one, nor take one more from the threads, nor a value be simpler.
        let Client { setup, threads, epilogue } = &minimum.client;
        for place in 0..setup.len() {
            let mut without = minimum.client.clone();
            without.setup.remove(place);
            assert!(!fails(&without, salt), "{without}");
        }
        for one in 0..setup.len() {
            for other in one + 1..setup.len() {
                let mut without = minimum.client.clone();
                without.setup.remove(other);
                without.setup.remove(one);
                assert!(!fails(&without, salt), "{without}");
            }
        }
        for place in 0..epilogue.len() {
            let mut without = minimum.client.clone();
            without.epilogue.remove(place);
            assert!(!fails(&without, salt), "{without}");
        }
        let no_simpler = minimum.client.invocations().flat_map(|invocation| &invocation.arguments);
        for value in no_simpler.collect::<HashSet<_>>() {
            for simpler in 1..value.as_integer().unwrap() {
                let text = minimum.client.to_string().replace(&format!("({value})"), &format!("({simpler})"));
                assert!(!fails(&parse(&text).unwrap(), salt), "{text}");
            }
        }
        for thread in 0..threads.len() {
            let mut moved = minimum.client.clone();
            let first = moved.threads[thread].remove(0);
            moved.setup.push(first);
            moved.threads.retain(|thread| !thread.is_empty());
            assert!(!fails(&moved, salt), "{moved}");
        }
    }
}

#[test]
fn what_cannot_be_decided_is_no_proof() {
    let client = parse("{ a(1); b(1) } || { c(1) }").unwrap();
    let minimum = minimize(&client, |_, _| vec![], |_, _| Answer::Unknown);
    assert_eq!(minimum.client, client);
    assert!(!minimum.is_proven);
    assert_eq!(minimum.undecided, minimum.decided);
}

#[test]
fn when_stopped_the_best_so_far_is_the_answer() {
    let client = parse("[a(1); a(2)] { b(1) } || { c(1) }").unwrap();
    let mut left = 2;
    let minimum = minimize(
        &client,
        |_, _| vec![],
        |_, stage| {
            left -= 1;
            match (left, stage) {
                (0, _) => Answer::Stop,
                (_, Stage::Sequence) => Answer::Fails,
                _ => Answer::Holds,
            }
        },
    );
    assert!(minimum.is_interrupted && !minimum.is_proven);
    assert_eq!(minimum.client.to_string(), "{ b(1) } || { c(1) }");
}

#[test]
fn a_long_setup_goes_in_halves() {
    let setup: Vec<String> = (0..1_000).map(|number| format!("a({number})")).collect();
    let client = parse(&format!("[{}] {{ b(1) }} || {{ c(1) }}", setup.join("; "))).unwrap();
    let needed = Value::from(617);
    let minimum = minimize(
        &client,
        |_, _| vec![],
        |candidate, _| {
            let has_it = candidate.setup.iter().any(|invocation| invocation.arguments[0] == needed);
            if has_it && candidate.threads.len() == 2 { Answer::Fails } else { Answer::Holds }
        },
    );
    assert_eq!(minimum.client.to_string(), "[a(617)] { b(1) } || { c(1) }");
    assert!(minimum.decided < 60, "{} decisions", minimum.decided);
}

//! What is left is easy to read.

use std::collections::HashSet;

use fastrand::Rng;
use linchpin_generate::{canonical, parse};
use linchpin_localize::{Answer, Effort, Stage, minimize, reading};
use linchpin_model::{Argument, Client, Invocation, ObjectArgument, ObjectOperation, Value};

use crate::clients::{failing_client, fails, is_plain, letters};

/// A map with something to look at: keys and items are of the same type, sides are of another one.
fn map() -> Vec<ObjectOperation> {
    let argument = |name: &'static str, domain: fn(usize) -> Vec<Value>| ObjectArgument { name, domain };
    let key = || argument("key", u8::domain);
    let looking = |name, arguments| ObjectOperation { read_only: true, ..ObjectOperation::new(name, arguments) };
    vec![
        ObjectOperation::new("put", vec![key(), argument("item", u8::domain)]),
        ObjectOperation::new("take", vec![key()]),
        ObjectOperation::new("write", vec![argument("side", bool::domain), key()]),
        looking("get", vec![key()]),
        looking("keys", vec![]),
    ]
}

/// Each of these is easier to read than the next.
#[track_caller]
fn is_order(clients: &[&str]) {
    for pair in clients.windows(2) {
        let [one, other] = [pair[0], pair[1]].map(|text| reading(&parse(text).unwrap(), &map()));
        assert!(one < other, "{} should be easier than {}", pair[0], pair[1]);
    }
}

#[test]
fn an_epilogue_that_looks_is_easier_than_one_operation_less() {
    is_order(&["{ put(1, 2) } || { take(1) } [get(1)]", "{ put(1, 2) } || { take(1) } [take(1)]"]);
    // What nobody has described may change the object.
    is_order(&["{ put(1, 2) } [get(1)]", "{ put(1, 2) } [unknown(1)]"]);
    // Elsewhere, it makes no difference.
    is_order(&["[put(1, 2)] { take(1) }", "[get(1); put(1, 2)] { take(1) }"]);
}

#[test]
fn few_operations_are_easier_than_invocations_that_differ() {
    is_order(&["{ take(1) } || { take(1) } [get(1)]", "{ take(1) } || { put(1, 2) } [get(1)]"]);
}

#[test]
fn invocations_that_differ_are_easier_than_few_values() {
    is_order(&["{ take(1) } || { take(2) }", "{ take(1) } || { take(1) }"]);
    // What has no arguments cannot differ.
    is_order(&["{ keys() } || { keys() } [get(1)]", "{ keys() } || { get(2) } [get(1)]"]);
    // Within an invocation as well, but only what is of one type.
    is_order(&["{ put(1, 2) }", "{ put(1, 1) }"]);
    is_order(&["{ put(1, 2); put(2, 1) }", "{ put(1, 2); put(2, 2) }"]);
    is_order(&["{ write(false, 1); write(true, 1) }", "{ write(false, 1); write(true, 2) }"]);
}

#[test]
fn few_values_are_easier_than_simple_ones() {
    is_order(&["{ take(2) } || { get(2) }", "{ take(1) } || { get(2) }"]);
    // The first ones are the simplest.
    is_order(&["{ take(1) } || { get(1) }", "{ take(2) } || { get(2) }", "{ take(9) } || { get(9) }"]);
}

#[test]
fn the_order_of_threads_makes_no_difference() {
    let [one, other] =
        ["[put(1, 2)] { take(1) } || { get(2); keys() }", "[put(1, 2)] { get(2); keys() } || { take(1) }"]
            .map(|text| reading(&parse(text).unwrap(), &map()));
    assert_eq!(one, other);
}

/// All invocations with values up to this one.
fn alphabet(operations: &[ObjectOperation], values: usize) -> Vec<Invocation> {
    let mut all = Vec::new();
    for operation in operations {
        let mut ways: Vec<Vec<Value>> = vec![vec![]];
        for argument in &operation.arguments {
            let with = |way: &Vec<Value>| -> Vec<Vec<Value>> {
                (argument.domain)(values).into_iter().map(|value| [&way[..], &[value]].concat()).collect()
            };
            ways = ways.iter().flat_map(with).collect();
        }
        all.extend(ways.into_iter().map(|arguments| Invocation { operation: operation.name.into(), arguments }));
    }
    all
}

/// What may be at some place of the text instead: in a thread, another invocation of the same operation.
fn instead<'a>(client: &'a Client, alphabet: &'a [Invocation], place: usize) -> impl Iterator<Item = &'a Invocation> {
    let threads = client.setup.len()..client.len() - client.epilogue.len();
    let old = client.invocations().nth(place).unwrap();
    alphabet.iter().filter(move |new| !threads.contains(&place) || new.operation == old.operation)
}

/// All clients of the same shape, with the same operations in threads.
fn all_of_its_shape(client: &Client, alphabet: &[Invocation]) -> Vec<Client> {
    let mut all = vec![client.clone()];
    for place in 0..client.len() {
        let with = |client: Client| -> Vec<Client> {
            let replaced = instead(&client, alphabet, place).map(|new| {
                let mut other = client.clone();
                *other.invocations_mut().nth(place).unwrap() = new.clone();
                other
            });
            replaced.collect()
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

#[test]
fn no_single_replacement_is_easier() {
    let mut random = Rng::with_seed(3);
    let alphabet = alphabet(&letters(), 4);
    let (mut easier, mut replaced) = (0, 0);
    for salt in 0..300 {
        let client = failing_client(&mut random, salt);
        let mut stages = HashSet::new();
        let minimum = minimize(
            &client,
            &letters(),
            |_| vec![],
            |candidate, stage, effort| match (effort, is_plain(candidate, salt)) {
                (Effort::Glance, false) => Answer::Unknown,
                _ if fails(candidate, salt) => {
                    stages.insert(stage);
                    Answer::Fails
                }
                _ => Answer::Holds,
            },
        );
        easier += usize::from(stages.contains(&Stage::Reading));
        let minimum = minimum.client;
        let now = reading(&minimum, &letters());
        // Values that are not there yet are as good as each other, so only the simplest of them is tried.
        let text = minimum.to_string();
        let simplest = (1..5).map(|value| format!("({value})")).find(|value| !text.contains(value)).unwrap_or_default();
        let is_tried = |value: &str| text.contains(value) || value == simplest;
        let is_taken = |other: &Client| {
            let values = other.invocations().map(|invocation| invocation.to_string()[1..].to_owned());
            is_plain(other, salt) && fails(other, salt) && values.into_iter().all(|value| is_tried(&value))
        };
        for place in 0..minimum.len() {
            for new in instead(&minimum, &alphabet, place) {
                let mut other = minimum.clone();
                *other.invocations_mut().nth(place).unwrap() = new.clone();
                assert!(reading(&other, &letters()) >= now || !is_taken(&other), "{other} instead of {minimum}");
                replaced += 1;
            }
        }
        for (one, two) in [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)] {
            let mut other = minimum.clone();
            for argument in other.invocations_mut().flat_map(|invocation| &mut invocation.arguments) {
                let number = argument.as_integer().unwrap();
                *argument = Value::from(if number == one {
                    two
                } else if number == two {
                    one
                } else {
                    number
                });
            }
            assert!(reading(&other, &letters()) >= now || !is_taken(&other), "{other} instead of {minimum}");
        }
    }
    // There was something to do, and something to compare with.
    assert!(easier > 50 && replaced > 2_000, "{easier} {replaced}");
}

/// Shrinks a client that fails for this reason, and returns the result, which is the easiest of all clients of its shape that fail.
#[track_caller]
fn easiest_of_all(client: &str, values: usize, fails: impl Fn(&Client) -> bool) -> String {
    let client = parse(client).unwrap();
    assert!(fails(&client));
    let answer = |candidate: &Client, _, _| if fails(candidate) { Answer::Fails } else { Answer::Holds };
    let minimum = minimize(&client, &map(), |_| vec![], answer);
    assert!(minimum.is_proven);
    let all = all_of_its_shape(&minimum.client, &alphabet(&map(), values));
    assert!(all.contains(&minimum.client), "{}", minimum.client);
    let easiest = all.into_iter().filter(|client| fails(client)).min_by_key(|client| reading(client, &map())).unwrap();
    assert_eq!(canonical(&minimum.client), canonical(&easiest));
    minimum.client.to_string()
}

/// The operation and the arguments of an invocation, if a client has it.
fn call(invocation: Option<&Invocation>) -> Option<(&str, Vec<i64>)> {
    invocation.map(|call| (&*call.operation, call.arguments.iter().filter_map(Value::as_integer).collect()))
}

#[test]
fn where_a_key_has_to_be_looked_up_it_is_looked_at() {
    // Something puts a key in, and whatever is about it at the end tells.
    let fails = |client: &Client| {
        let put = client.threads.iter().flatten().find(|call| &*call.operation == "put");
        let [put, end] = [put, client.epilogue.last()].map(call);
        matches!((put, end), (Some((_, put)), Some((_, end))) if put.first() == end.first())
    };
    let easiest = easiest_of_all("[take(4)] { take(3); put(3, 3) } || { take(4) } [keys(); take(3)]", 3, fails);
    assert_eq!(easiest, "{ put(1, 2) } [get(1)]");
}

#[test]
fn what_need_not_be_the_same_is_not() {
    // Two keys are put in by two threads, which takes two different ones, while somebody looks.
    let fails = |client: &Client| {
        let thread = |thread: &Vec<Invocation>| -> Vec<Vec<i64>> {
            let puts = thread.iter().filter(|call| &*call.operation == "put");
            puts.map(|put| call(Some(put)).unwrap().1).collect()
        };
        let puts: Vec<Vec<i64>> = client.threads.iter().flat_map(thread).collect();
        let looks = client.threads.iter().flatten().any(|call| &*call.operation == "keys");
        looks && puts.iter().any(|one| puts.iter().any(|other| one[0] > other[0])) && client.threads.len() > 1
    };
    let easiest = easiest_of_all("[keys()] { put(2, 1); put(1, 1) } || { keys(); get(1) } [take(2)]", 3, fails);
    assert_eq!(easiest, "{ put(1, 2); put(2, 1) } || { keys() }");
}

#[test]
fn what_has_to_be_the_same_stays_the_same_and_is_told_apart_from_the_rest() {
    // Two threads take out what was put in before, by the same key.
    let fails = |client: &Client| {
        let put = call(client.setup.last().filter(|call| &*call.operation == "put"));
        let takes: Vec<_> = client.threads.iter().filter_map(|thread| call(thread.first())).collect();
        let is_its =
            |take: &(&str, Vec<i64>)| take.0 == "take" && put.as_ref().is_some_and(|put| put.1[0] == take.1[0]);
        takes.len() == 2 && takes.iter().all(is_its)
    };
    let easiest =
        easiest_of_all("[put(2, 2); put(3, 3)] { take(3); keys() } || { take(3); get(1) } [keys()]", 3, fails);
    assert_eq!(easiest, "[put(1, 2)] { take(1) } || { take(1) }");
}

#[test]
fn keys_are_told_apart_from_items_even_if_both_have_to_be_the_same_everywhere() {
    // Two threads put in the same.
    let fails = |client: &Client| {
        let is_put = |thread: &Vec<Invocation>| matches!(thread.first(), Some(call) if &*call.operation == "put");
        matches!(&client.threads[..], [one, other] if is_put(one) && one.first() == other.first())
    };
    let easiest = easiest_of_all("{ put(3, 3); keys() } || { put(3, 3) }", 3, fails);
    assert_eq!(easiest, "{ put(1, 2) } || { put(1, 2) }");
}

#[test]
fn values_that_have_to_be_the_same_for_something_to_go_are_looked_at_as_a_whole() {
    // With the same values no epilogue is needed; but with one, a glance does not show that this fails as well.
    let client = parse("{ a(1) } || { a(2) } [b(1)]").unwrap();
    let minimum = minimize(
        &client,
        &letters(),
        |_| vec![],
        |candidate, _, effort| match &candidate.threads[..] {
            [one, other] if one == other && candidate.epilogue.is_empty() => Answer::Fails,
            [one, other] if one == other && effort == Effort::Glance => Answer::Unknown,
            [_, _] if candidate.epilogue.len() == 1 => Answer::Fails,
            _ => Answer::Holds,
        },
    );
    assert_eq!(minimum.client.to_string(), "{ a(1) } || { a(1) }");
    assert!(minimum.is_proven);
}

#[test]
fn a_proof_is_worth_more_than_what_is_easy_to_read() {
    // With one `a` less, those with `c` at the end go on for ever.
    let client = parse("{ a(1) } || { a(2) } [b(1)]").unwrap();
    let mut last = None;
    let mut read = Vec::new();
    let minimum = minimize(
        &client,
        &letters(),
        |_| vec![],
        |candidate, stage, _| {
            let text = candidate.to_string();
            if stage == Stage::Reading {
                read.push(text.clone());
            }
            let ends = candidate.epilogue.first().map(|end| &*end.operation);
            match (candidate.threads.len(), ends) {
                (2, Some("b" | "c")) => {
                    last = Some(text);
                    Answer::Fails
                }
                (1, Some("c")) => Answer::Unknown,
                _ => Answer::Holds,
            }
        },
    );
    assert_eq!(minimum.client.to_string(), last.unwrap());
    assert!(minimum.client.to_string().ends_with("[b(1)]") && minimum.is_proven, "{minimum}");
    // It had been there.
    assert!(read.iter().any(|text| text.ends_with("[c(1)]")), "{read:?}");
}

#[test]
fn where_nothing_is_proven_what_is_easy_to_read_is_shown() {
    let client = parse("{ a(1) } || { a(2) } [b(1)]").unwrap();
    let fails = |candidate: &Client| candidate.threads.len() == 2 && candidate.epilogue.len() == 1;
    let answer = |candidate: &Client, _, _| if fails(candidate) { Answer::Fails } else { Answer::Unknown };
    let minimum = minimize(&client, &letters(), |_| vec![], answer);
    assert_eq!(minimum.client.to_string(), "{ a(1) } || { a(2) } [c(1)]");
    assert!(!minimum.is_proven);
}

#[test]
fn when_stopped_while_it_is_made_easier_the_easiest_so_far_is_the_answer() {
    let client = parse("{ a(1) } || { a(1) } [b(2); b(2)]").unwrap();
    let fails = |candidate: &Client| candidate.threads.len() == 2 && candidate.epilogue.len() == 2;
    let (mut left, mut last) = (2, client.clone());
    let minimum = minimize(
        &client,
        &letters(),
        |_| vec![],
        |candidate, stage, _| {
            left -= usize::from(stage == Stage::Reading);
            match (left, fails(candidate)) {
                (0, _) => Answer::Stop,
                (_, true) => {
                    last = candidate.clone();
                    Answer::Fails
                }
                (_, false) => Answer::Holds,
            }
        },
    );
    assert!(minimum.is_interrupted && !minimum.is_proven);
    assert_eq!(minimum.client, last);
    assert_eq!(minimum.client.to_string().matches("c(").count(), 1, "{}", minimum.client);
}

#[test]
fn when_stopped_on_the_way_back_to_what_failed_before_it_is_not_come_back_to() {
    // The values are made equal, in case something can go then, and told apart again, since nothing can.
    let client = parse("{ a(1) } || { a(2) }").unwrap();
    let minimum = minimize(
        &client,
        &letters(),
        |_| vec![],
        |candidate, _, _| match candidate.threads.len() {
            2 if *candidate == client => Answer::Stop,
            2 => Answer::Fails,
            _ => Answer::Holds,
        },
    );
    assert_eq!(minimum.client.to_string(), "{ a(1) } || { a(1) }");
    assert!(minimum.is_interrupted);
}

#[test]
fn of_what_is_too_long_to_be_read_nothing_is_replaced() {
    let setup = vec!["b(4)"; 60].join("; ");
    let client = parse(&format!("[{setup}] {{ a(1) }} || {{ a(2) }}")).unwrap();
    let mut asked = HashSet::new();
    minimize(
        &client,
        &letters(),
        |_| vec![],
        |_, stage, _| {
            asked.insert(stage);
            Answer::Unknown
        },
    );
    assert!(asked.contains(&Stage::Value) && !asked.contains(&Stage::Reading), "{asked:?}");
}

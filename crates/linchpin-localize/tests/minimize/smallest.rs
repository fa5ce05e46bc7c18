//! Nothing of what is left can go.

use std::collections::HashMap;

use fastrand::Rng;
use linchpin_generate::{canonical, parse};
use linchpin_localize::{Answer, Effort, Stage, minimize};
use linchpin_model::{Client, Value};

use crate::clients::{failing_client, fails, is_plain, letters};

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
fn what_is_left_fails_and_nothing_of_it_can_go() {
    let mut random = Rng::with_seed(1);
    for salt in 0..400 {
        let client = failing_client(&mut random, salt);
        let mut asked: HashMap<Client, Vec<Effort>> = HashMap::new();
        let mut last = client.clone();
        let minimum = minimize(
            &client,
            &letters(),
            |_| vec![],
            |candidate, _, effort| {
                asked.entry(canonical(candidate)).or_default().push(effort);
                match (effort, is_plain(candidate, salt)) {
                    (Effort::Glance, false) => Answer::Unknown,
                    _ if fails(candidate, salt) => {
                        last = candidate.clone();
                        Answer::Fails
                    }
                    _ => Answer::Holds,
                }
            },
        );
        assert_eq!(minimum.client, last);
        asked.remove(&canonical(&client));
        for (candidate, efforts) in &asked {
            // Once at a glance; as a whole if that was not enough; and when it is come back to, which only what fails can be.
            let (is_plain, fails) = (is_plain(candidate, salt), fails(candidate, salt));
            let times = match efforts[..] {
                [Effort::Glance] => 1,
                [Effort::Glance, Effort::Whole, ..] if !is_plain => 2,
                [Effort::Glance, Effort::Glance, ..] if fails => 1,
                _ => panic!("{candidate}: {efforts:?}"),
            };
            assert!(efforts.len() == times || fails, "{candidate}: {efforts:?}");
        }
        assert!(fails(&minimum.client, salt));
        assert!(minimum.is_proven && !minimum.is_interrupted);
        let open = |(candidate, efforts): &(&Client, &Vec<Effort>)| efforts.len() == 1 && !is_plain(candidate, salt);
        assert_eq!((minimum.decided, minimum.undecided), (asked.len(), asked.iter().filter(open).count()));
        assert!(smaller(&minimum.client).iter().all(|smaller| !fails(smaller, salt)), "{}", minimum.client);
        // Neither setup nor epilogue can be shorter by one, nor take one more from the threads.
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
        for thread in 0..threads.len() {
            let mut moved = minimum.client.clone();
            let first = moved.threads[thread].remove(0);
            moved.setup.push(first);
            moved.threads.retain(|thread| !thread.is_empty());
            assert!(!fails(&moved, salt), "{moved}");
        }
        // No invocation of a thread can give its place to one of the setup or the epilogue.
        for taken in 0..setup.len() + epilogue.len() {
            for place in 0..threads.iter().map(Vec::len).sum() {
                let mut instead = minimum.client.clone();
                let invocation = match taken.checked_sub(setup.len()) {
                    None => instead.setup.remove(taken),
                    Some(of_epilogue) => instead.epilogue.remove(of_epilogue),
                };
                *instead.threads.iter_mut().flatten().nth(place).unwrap() = invocation;
                assert!(!fails(&instead, salt), "{instead}");
            }
        }
    }
}

#[test]
fn what_cannot_be_decided_is_no_proof() {
    let client = parse("{ a(1); b(1) } || { c(1) }").unwrap();
    let minimum = minimize(&client, &[], |_| vec![], |_, _, _| Answer::Unknown);
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
        &[],
        |_| vec![],
        |_, stage, _| {
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
        &[],
        |_| vec![],
        |candidate, _, _| {
            let has_it = candidate.setup.iter().any(|invocation| invocation.arguments[0] == needed);
            if has_it && candidate.threads.len() == 2 { Answer::Fails } else { Answer::Holds }
        },
    );
    assert_eq!(minimum.client.to_string(), "[a(617)] { b(1) } || { c(1) }");
    assert!(minimum.decided < 60, "{} decisions", minimum.decided);
}

#[test]
fn what_a_glance_leaves_open_waits_until_nothing_else_is_left() {
    // Whatever has its `a` left out takes long to decide. Everything else goes first, and takes those candidates with it.
    let client = parse("{ a(1); b(1) } || { c(1); d(1) }").unwrap();
    let fails = |text: &str| text.contains("b(1)") && text.contains("c(1)");
    let mut whole = Vec::new();
    let minimum = minimize(
        &client,
        &[],
        |_| vec![],
        |candidate, _, effort| {
            let text = candidate.to_string();
            if effort == Effort::Whole {
                whole.push(text.clone());
            }
            match candidate.threads.len() == 2 && fails(&text) {
                true if !text.contains('a') && effort == Effort::Glance => Answer::Unknown,
                true => Answer::Fails,
                false => Answer::Holds,
            }
        },
    );
    assert_eq!(minimum.client.to_string(), "{ b(1) } || { c(1) }");
    assert!(minimum.is_proven);
    // Not `{ b(1) } || { c(1); d(1) }`, which is no candidate any more once `d` is gone.
    assert_eq!(whole, ["{ b(1) } || { c(1) }"]);
}

#[test]
fn others_are_asked_for_when_nothing_can_go_and_made_smaller_in_turn() {
    let client = parse("{ a(1); b(1) } || { c(1) }").unwrap();
    let other = parse("[a(1)] { d(1) } || { d(1) } [b(1)]").unwrap();
    let mut asked = Vec::new();
    let minimum = minimize(
        &client,
        &[],
        |stuck| if stuck.len() == 3 { vec![other.clone()] } else { vec![] },
        |candidate, stage, _| {
            asked.push(stage);
            let text = candidate.to_string();
            if text.matches("d(1)").count() == 2 && text.contains("||") { Answer::Fails } else { Answer::Holds }
        },
    );
    assert_eq!(minimum.client.to_string(), "{ d(1) } || { d(1) }");
    assert!(minimum.is_proven);
    let first = asked.iter().position(|&stage| stage == Stage::Other).unwrap();
    assert!(asked[..first].contains(&Stage::Invocation), "{asked:?}");
    assert!(!asked[first + 1..].contains(&Stage::Other), "{asked:?}");
}

#[test]
fn a_long_thread_goes_in_halves() {
    let thread: Vec<String> = (0..400).map(|number| format!("a({number})")).collect();
    let client = parse(&format!("{{ b(1) }} || {{ {} }}", thread.join("; "))).unwrap();
    let needed = [Value::from(17), Value::from(317)];
    let minimum = minimize(
        &client,
        &[],
        |_| vec![],
        |candidate, _, _| {
            let has = |value: &Value| candidate.threads.iter().flatten().any(|call| call.arguments[0] == *value);
            match candidate.threads.len() == 2 && needed.iter().all(has) {
                true => Answer::Fails,
                false => Answer::Holds,
            }
        },
    );
    assert_eq!(minimum.client.to_string(), "{ b(1) } || { a(17); a(317) }");
    assert!(minimum.is_proven);
    assert!(minimum.decided < 250, "{} decisions", minimum.decided);
}

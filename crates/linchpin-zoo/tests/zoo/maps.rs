//! The striped map shows what the Violat paper has seen in Java's map.

use std::collections::BTreeSet;

use crate::common::{expect, expect_complete, explore, sc};
use linchpin::Outcome;
use linchpin_zoo::objects::{StripedMap, StripedMapFixed};

/// One line of figure 2: exactly this outcome is wrong, with so many executions of the map and of its twin.
#[track_caller]
fn figure_2(client: &str, forbidden: &str, executions: [u64; 2]) {
    expect::<StripedMap, StripedMapFixed>(client, &[forbidden], executions);
}

// The twin has as many executions as there are shuffles of the calls.

#[test]
fn clear() {
    figure_2("{ put(0, 0); put(1, 1); put(1, 1) } || { put(0, 1); clear() }", "nil, nil, nil, nil, nil", [25, 10]);
}

#[test]
fn contains() {
    figure_2("{ put(0, 0); remove(1) } || { put(1, 0); contains(0) }", "nil, 0, nil, false", [5, 6]);
}

#[test]
fn contains_value() {
    let client = "{ get(1); contains_value(1) } || { put(1, 1); put(0, 1); put(1, 0) }";
    figure_2(client, "1, false, nil, nil, 1", [8, 10]);
}

#[test]
fn elements_and_values() {
    figure_2("{ put(0, 1); put(1, 0) } || { values() }", "nil, nil, [0]", [4, 3]);
}

#[test]
fn entry_set() {
    figure_2("{ put(0, 1); put(1, 0) } || { entries() }", "nil, nil, [[1, 0]]", [4, 3]);
}

#[test]
fn is_empty() {
    figure_2("{ put(1, 1) } || { put(1, 2); is_empty() }", "nil, 1, true", [3, 3]);
}

#[test]
fn key_set() {
    figure_2("{ put(0, 1); put(1, 1) } || { keys() }", "nil, nil, [1]", [4, 3]);
}

#[test]
fn keys() {
    figure_2("{ keys() } || { put(0, 1); put(1, 1) }", "[1], nil, nil", [4, 3]);
}

#[test]
fn mapping_count_and_size() {
    figure_2("{ put(1, 0); put(1, 1); size() } || { remove(1) }", "nil, nil, 2, 0", [7, 4]);
}

#[test]
fn to_string() {
    figure_2("{ put(0, 1); put(1, 1) } || { to_string() }", "nil, nil, \"{1=1}\"", [4, 3]);
}

#[test]
fn figure_4_has_four_outcomes_that_are_atomic_and_one_that_is_not() {
    let client = "{ get(1); contains_value(1) } || { put(1, 1); put(0, 1); put(1, 0) }";
    let explored = explore(linchpin::client::<StripedMap>(client).with(sc()));
    expect_complete(&explored.exploration);
    let admitted = linchpin::client::<StripedMap>(client).admitted();
    let outcomes: BTreeSet<(String, bool)> =
        explored.outcomes.iter().map(|outcome: &Outcome| (outcome.to_string(), admitted.contains(outcome))).collect();
    let figure = [
        ("0, true, nil, nil, 1", true),
        ("1, false, nil, nil, 1", false),
        ("1, true, nil, nil, 1", true),
        ("nil, false, nil, nil, 1", true),
        ("nil, true, nil, nil, 1", true),
    ];
    assert_eq!(outcomes, figure.map(|(outcome, is_atomic)| (outcome.to_owned(), is_atomic)).into());
}

#[test]
fn keys_of_one_segment_are_found_removed_and_cleared() {
    let map = linchpin_zoo::StripedMap::<true>::new();
    for key in [3, 1, 5, -1] {
        assert_eq!(map.put(key, 10 * key), None);
    }
    assert_eq!(
        (map.get(1), map.get(7), map.put(5, 7), map.remove(1), map.remove(1)),
        (Some(10), None, Some(50), Some(10), None)
    );
    assert_eq!((map.size(), map.keys(), map.values()), (3, vec![-1, 3, 5], vec![-10, 7, 30]));
    assert_eq!(map.to_string(), "{-1=-10, 3=30, 5=7}");
    map.clear();
    assert_eq!((map.size(), map.is_empty(), map.entries()), (0, true, vec![]));
}

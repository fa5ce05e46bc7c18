//! All objects of the zoo are what the list says.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{expect_complete, explore, sc};
use linchpin::{ClientTest, Outcomes, ViolationKind};
use linchpin_zoo::{Entry, Known, all, find};

#[test]
fn every_name_leads_to_its_object() {
    for entry in all() {
        let mut kebab = String::new();
        for letter in entry.object.name().chars() {
            if !kebab.is_empty() && (letter.is_uppercase() || letter.is_numeric()) {
                kebab.push('-');
            }
            kebab.extend(letter.to_lowercase());
        }
        assert_eq!(entry.name, kebab);
        assert_eq!(find(entry.name).unwrap().name, entry.name);
    }
    assert!(find("unicorn").is_none());
}

#[test]
fn faulty_objects_have_correct_twins_with_the_same_operations_and_others_are_their_own() {
    let operations = |entry: &Entry| -> Vec<(&str, usize)> {
        entry.object.operations().iter().map(|operation| (operation.name, operation.arguments.len())).collect()
    };
    for entry in all() {
        let twin = find(entry.twin).unwrap_or_else(|| panic!("{} has the twin {}", entry.name, entry.twin));
        assert!(!twin.faulty, "{}", twin.name);
        assert_eq!(twin.name != entry.name, entry.faulty, "{}", entry.name);
        assert_eq!(operations(entry), operations(twin), "{}", entry.name);
        assert_eq!(entry.specification, twin.specification, "{}", entry.name);
        assert!(entry.faulty || entry.known.is_empty(), "{}", entry.name);
    }
}

#[test]
fn the_root_cause_paper_has_nine_clients_for_each_of_its_three_libraries() {
    let mut clients = BTreeMap::new();
    for entry in all().iter().filter(|entry| entry.paper == "root causes" && entry.faulty) {
        *clients.entry(entry.twin).or_insert(0) += entry.known.len();
    }
    // And two for the stack of its introduction.
    let counts = [
        ("array-stack-fixed", 2),
        ("coarse-list-fixed", 9),
        ("logical-ordering-tree-fixed", 9),
        ("optimistic-list-fixed", 9),
    ];
    assert_eq!(clients, counts.into());
}

/// A known client has exactly the outcomes that the list forbids, besides those that are admitted.
fn shows(entry: &Entry, known: &Known, admitted: &Outcomes) {
    // A fault may also make somebody wait for ever. And in one list a thread retries as long as another one lets it: 60
    // events are enough for all else.
    let builder = sc().deadlocks(false).max_events_per_thread(if entry.name == "unknown-list-4" { 60 } else { 1_000 });
    let explored = explore(ClientTest::of(entry.object, known.client).unwrap().with(builder));
    let forbidden: BTreeSet<String> = known.forbidden.iter().map(|&outcome| outcome.to_owned()).collect();
    assert_eq!(explored.other_than(admitted), forbidden, "{}: {}", entry.name, known.client);
    assert!(explored.exploration.violation.is_none(), "{}: {:?}", entry.name, explored.exploration.violation);
    let is_complete = explored.exploration.coverage.is_complete();
    assert_eq!(is_complete, entry.name != "unknown-list-4", "{}", entry.name);
}

#[test]
fn every_known_client_has_exactly_the_outcomes_that_the_list_forbids_and_none_with_the_twin() {
    for entry in all() {
        for known in entry.known {
            let twin = ClientTest::of(find(entry.twin).unwrap().object, known.client).unwrap();
            shows(entry, known, &twin.admitted());
            expect_complete(&twin.with(sc()).explore());
        }
    }
}

#[test]
fn a_tree_that_unlocks_too_early_may_also_wait_for_ever() {
    let client = "{ put(1, 1) } || { put(1, 2) }";
    type Faulty = linchpin_zoo::objects::LogicalOrderingTreeAdd;
    let violation = linchpin::client::<Faulty>(client).with(sc()).explore().violation.expect("a put that does not end");
    assert!(matches!(violation.kind, ViolationKind::Livelock { .. }), "{:?}", violation.kind);
}

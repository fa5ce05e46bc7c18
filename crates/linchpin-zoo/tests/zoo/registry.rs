//! All objects of the zoo are what the list says.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{expect_right, explore, sc};
use linchpin::{Object, Outcomes, ViolationKind};
use linchpin_zoo::{Entry, Known, Visitor, all, find, visit};

struct Name;

impl Visitor for Name {
    type Answer = &'static str;

    fn visit<O: Object>(self, _: &'static Entry) -> &'static str {
        O::NAME
    }
}

#[test]
fn every_name_leads_to_its_object() {
    for entry in all() {
        let mut kebab = String::new();
        for letter in visit(entry.name, Name).unwrap().chars() {
            if !kebab.is_empty() && (letter.is_uppercase() || letter.is_numeric()) {
                kebab.push('-');
            }
            kebab.extend(letter.to_lowercase());
        }
        assert_eq!(entry.name, kebab);
        assert_eq!(find(entry.name), Some(entry));
    }
    assert_eq!(find("unicorn"), None);
    assert_eq!(visit("unicorn", Name), None);
}

#[test]
fn faulty_objects_have_correct_twins_with_the_same_operations_and_others_are_their_own() {
    struct Operations;
    impl Visitor for Operations {
        type Answer = Vec<(&'static str, usize)>;
        fn visit<O: Object>(self, _: &'static Entry) -> Self::Answer {
            O::operations().iter().map(|operation| (operation.name, operation.arguments.len())).collect()
        }
    }
    for entry in all() {
        let twin = find(entry.twin).unwrap_or_else(|| panic!("{} has the twin {}", entry.name, entry.twin));
        assert!(!twin.faulty, "{}", twin.name);
        assert_eq!(twin.name != entry.name, entry.faulty, "{}", entry.name);
        assert_eq!(visit(entry.name, Operations), visit(twin.name, Operations), "{}", entry.name);
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

/// The outcomes of a client's calls one after another.
struct Admitted<'a>(&'a str);

impl Visitor for Admitted<'_> {
    type Answer = Outcomes;

    fn visit<O: Object>(self, _: &'static Entry) -> Outcomes {
        linchpin::client::<O>(self.0).admitted()
    }
}

/// A known client has exactly the outcomes that the list forbids, besides those that are admitted.
struct Shows<'a>(&'a Known, Outcomes);

impl Visitor for Shows<'_> {
    type Answer = ();

    fn visit<O: Object>(self, entry: &'static Entry) {
        let Shows(known, admitted) = self;
        // A fault may also make somebody wait for ever. And in one list a thread retries as long as another one lets it: 60
        // events are enough for all else.
        let builder =
            sc().deadlocks(false).max_events_per_thread(if entry.name == "unknown-list-4" { 60 } else { 1_000 });
        let explored = explore::<O>(&builder, known.client);
        let forbidden: BTreeSet<String> = known.forbidden.iter().map(|&outcome| outcome.to_owned()).collect();
        assert_eq!(explored.other_than(&admitted), forbidden, "{}: {}", entry.name, known.client);
        assert!(explored.exploration.violation.is_none(), "{}: {:?}", entry.name, explored.exploration.violation);
        let is_complete = explored.exploration.coverage.is_complete();
        assert_eq!(is_complete, entry.name != "unknown-list-4", "{}", entry.name);
    }
}

/// A client of a correct object has only admitted outcomes.
struct Holds<'a>(&'a str);

impl Visitor for Holds<'_> {
    type Answer = ();

    fn visit<O: Object>(self, _: &'static Entry) {
        expect_right::<O>(self.0);
    }
}

#[test]
fn every_known_client_has_exactly_the_outcomes_that_the_list_forbids_and_none_with_the_twin() {
    for entry in all() {
        for known in entry.known {
            let admitted = visit(entry.twin, Admitted(known.client)).unwrap();
            visit(entry.name, Shows(known, admitted)).unwrap();
            visit(entry.twin, Holds(known.client)).unwrap();
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

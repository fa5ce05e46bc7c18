//! Long runs of every faulty object shrink to the clients of the papers, which the zoo keeps with its objects, or to smaller ones.
//!
//! A client is smaller if it has fewer invocations in threads, or as many there and fewer in all. Which of several clients of
//! the same size a hunt comes to is a matter of chance, so those that are not the papers' are listed, and proven to be no better and
//! no worse: both fail, and neither does without any one of its threads' invocations.

mod renaming;

use linchpin::{Builder, Client, Object, client, hunt};
use linchpin_zoo::find;
use linchpin_zoo::objects::*;

use renaming::canonical;

/// Minima that are as large as the papers', and different: the object, what is found, what is known, and why both are minima.
const DIFFERENT: [(&str, &str, &str, &str); 3] = [
    (
        "unknown-list-4",
        "[add(1)] { remove(1) } || { add(2) } [remove(2)]",
        "[add(1)] { remove(1) } || { add(2) } [contains(2)]",
        "that nothing is there to be removed reveals the same as looking",
    ),
    (
        "snark-deque",
        "[push_left(1)] { pop_right() } || { push_right(1); pop_left() }",
        "[push_right(1)] { pop_right() } || { push_right(2); pop_left() }",
        "both ends of an empty deque are the same, and the elements need not differ",
    ),
    (
        "striped-map",
        "{ put(2, 1); put(1, 1) } || { entries() }",
        "{ put(0, 1); put(1, 0) } || { entries() }",
        "values need not differ where keys do",
    ),
];

/// How many invocations are in threads, and how many there are.
fn size(client: &Client) -> (usize, usize) {
    (client.threads.iter().map(Vec::len).sum(), client.len())
}

/// Hunts an object with so many operations in each thread.
#[track_caller]
fn is_known_or_smaller<O: Object>(name: &str, operations: usize) {
    let hunted = hunt::<O>().operations(operations).histories(400).explore();
    let Some(shrunk) = &hunted.shrunk else { panic!("{name}: {hunted}") };
    assert!(shrunk.minimum.is_proven, "{name}: {hunted}");
    assert_eq!(hunted.undecided, 0, "{name}");
    // What is followed step by step can be located: no run before was wrong.
    let before = hunted.detected.as_ref().map_or(0, |detected| detected.run - 1);
    assert_eq!(hunt::<O>().operations(operations).histories(before).count().0, 0, "{name}");
    let found = &shrunk.minimum.client;
    let entry = find(name).expect("it is in the zoo");
    let known: Vec<Client> = entry.known.iter().map(|known| client::<O>(known.client).client().clone()).collect();
    let smallest = known.iter().map(size).min().expect("it is faulty");
    let is_known = known.iter().any(|known| size(known) == smallest && canonical(known) == canonical(found));
    if size(found) < smallest || is_known {
        return;
    }
    assert_eq!(size(found), smallest, "{name}: {hunted}");
    let as_large = |(object, other, ..): &&(&str, &str, &str, &str)| {
        *object == name && canonical(client::<O>(other).client()) == canonical(found)
    };
    let Some((_, found, known, why)) = DIFFERENT.iter().find(as_large) else { panic!("{name}: {hunted}") };
    println!("{name}: {found} instead of {known}: {why}");
    assert!(entry.known.iter().any(|other| other.client == *known), "{name}");
    is_minimum::<O>(found);
    is_minimum::<O>(known);
}

/// The client fails, and does not without any one of its threads' invocations.
#[track_caller]
fn is_minimum<O: Object>(text: &str) {
    let whole = client::<O>(text);
    // Some go round without end; what fails does so before that.
    let builder = Builder::new().max_events_per_thread(200);
    assert!(whole.clone().with(builder).explore().violation.is_some(), "{text}");
    for thread in 0..whole.client().threads.len() {
        for place in 0..whole.client().threads[thread].len() {
            let mut smaller = whole.client().clone();
            smaller.threads[thread].remove(place);
            let exploration = client::<O>(&smaller.to_string()).explore();
            assert!(exploration.violation.is_none() && exploration.coverage.is_complete(), "{text}: {smaller}");
        }
    }
}

#[test]
fn of_lists() {
    is_known_or_smaller::<LockFreeList>("lock-free-list", 50);
    is_known_or_smaller::<SimpleList>("simple-list", 50);
    is_known_or_smaller::<SizeList>("size-list", 200);
    is_known_or_smaller::<UnknownList1>("unknown-list-1", 50);
    is_known_or_smaller::<UnknownList2>("unknown-list-2", 50);
    is_known_or_smaller::<UnknownList3>("unknown-list-3", 50);
    is_known_or_smaller::<UnknownList4>("unknown-list-4", 50);
}

#[test]
fn of_lists_with_sections_that_are_not_atomic() {
    is_known_or_smaller::<CoarseListAdd>("coarse-list-add", 50);
    is_known_or_smaller::<CoarseListRemove>("coarse-list-remove", 50);
    is_known_or_smaller::<CoarseListAddRemove>("coarse-list-add-remove", 50);
    is_known_or_smaller::<OptimisticListAdd>("optimistic-list-add", 50);
    is_known_or_smaller::<OptimisticListRemove>("optimistic-list-remove", 50);
    is_known_or_smaller::<OptimisticListAddRemove>("optimistic-list-add-remove", 50);
}

#[test]
fn of_queues_stacks_and_deques() {
    is_known_or_smaller::<OptimisticQueue>("optimistic-queue", 50);
    is_known_or_smaller::<KStack>("k-stack", 50);
    is_known_or_smaller::<TreiberStack>("treiber-stack", 50);
    is_known_or_smaller::<RecyclingStack>("recycling-stack", 50);
    is_known_or_smaller::<ArrayStack>("array-stack", 50);
    is_known_or_smaller::<SnarkDeque>("snark-deque", 50);
}

#[test]
fn of_the_snapshot() {
    is_known_or_smaller::<PairSnapshot>("pair-snapshot", 500);
}

#[test]
fn of_maps() {
    is_known_or_smaller::<LogicalOrderingTreeAdd>("logical-ordering-tree-add", 50);
    is_known_or_smaller::<LogicalOrderingTreeRemove>("logical-ordering-tree-remove", 50);
    is_known_or_smaller::<LogicalOrderingTreeAddRemove>("logical-ordering-tree-add-remove", 50);
    is_known_or_smaller::<StripedMap>("striped-map", 50);
}

//! Long runs of every faulty object shrink to the clients of the papers, which the zoo keeps with its objects, or to smaller ones.
//!
//! A client is smaller if it has fewer invocations in threads, or as many there and fewer in all. Of those that are as large, the one that
//! is the easiest to read is the papers' as well: their authors have chosen it for that.

mod easiest;
mod renaming;

use linchpin::{Client, Object, client, hunt};
use linchpin_zoo::find;
use linchpin_zoo::objects::*;

use renaming::canonical;

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
    assert!(size(found) < smallest || is_known, "{name}: {hunted}");
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

//! Long runs of every faulty object shrink to clients with no more concurrent invocations than those of the papers, which the zoo
//! keeps with its objects.

use linchpin::{Client, Object, client, hunt};
use linchpin_zoo::find;
use linchpin_zoo::objects::*;

/// How many invocations are in threads.
fn size(client: &Client) -> usize {
    client.threads.iter().map(Vec::len).sum()
}

/// Hunts an object with so many operations in each thread.
#[track_caller]
fn is_no_larger<O: Object>(name: &str, operations: usize) {
    let entry = find(name).expect("it is in the zoo");
    let known = entry.known.iter().map(|known| size(client::<O>(known.client).client())).min().expect("it is faulty");
    let hunted = hunt::<O>().operations(operations).histories(400).explore();
    let Some(shrunk) = &hunted.shrunk else { panic!("{name}: {hunted}") };
    assert!(shrunk.minimum.is_proven, "{name}: {hunted}");
    assert!(size(&shrunk.minimum.client) <= known, "{name}: {known} are known, {hunted}");
    assert_eq!(hunted.undecided, 0, "{name}");
}

#[test]
fn of_lists() {
    is_no_larger::<LockFreeList>("lock-free-list", 50);
    is_no_larger::<SimpleList>("simple-list", 50);
    is_no_larger::<SizeList>("size-list", 200);
    is_no_larger::<UnknownList1>("unknown-list-1", 50);
    is_no_larger::<UnknownList2>("unknown-list-2", 50);
    is_no_larger::<UnknownList3>("unknown-list-3", 50);
    is_no_larger::<UnknownList4>("unknown-list-4", 50);
}

#[test]
fn of_lists_with_sections_that_are_not_atomic() {
    is_no_larger::<CoarseListAdd>("coarse-list-add", 50);
    is_no_larger::<CoarseListRemove>("coarse-list-remove", 50);
    is_no_larger::<CoarseListAddRemove>("coarse-list-add-remove", 50);
    is_no_larger::<OptimisticListAdd>("optimistic-list-add", 50);
    is_no_larger::<OptimisticListRemove>("optimistic-list-remove", 50);
    is_no_larger::<OptimisticListAddRemove>("optimistic-list-add-remove", 50);
}

#[test]
fn of_queues_stacks_and_deques() {
    is_no_larger::<OptimisticQueue>("optimistic-queue", 50);
    is_no_larger::<KStack>("k-stack", 50);
    is_no_larger::<TreiberStack>("treiber-stack", 50);
    is_no_larger::<RecyclingStack>("recycling-stack", 50);
    is_no_larger::<ArrayStack>("array-stack", 50);
    is_no_larger::<SnarkDeque>("snark-deque", 50);
}

#[test]
fn of_the_snapshot() {
    is_no_larger::<PairSnapshot>("pair-snapshot", 500);
}

#[test]
fn of_maps() {
    is_no_larger::<LogicalOrderingTreeAdd>("logical-ordering-tree-add", 50);
    is_no_larger::<LogicalOrderingTreeRemove>("logical-ordering-tree-remove", 50);
    is_no_larger::<LogicalOrderingTreeAddRemove>("logical-ordering-tree-add-remove", 50);
    is_no_larger::<StripedMap>("striped-map", 50);
}

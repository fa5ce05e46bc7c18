//! Accesses happen where the labels say: in lines of the root-cause paper.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::common::{explore_and_look, sc};
use linchpin::{Call, ClientTest, Execution};
use linchpin_graph::{Event, Verb};
use linchpin_zoo::labels::paper_line;
use linchpin_zoo::{Entry, all};

/// A source file and a line in it.
type Place = (&'static str, u32);

/// Where the operations that change an object access memory, in all its known clients.
fn accessed(entry: &Entry) -> BTreeSet<Place> {
    let places = Mutex::new(BTreeSet::new());
    for known in entry.known {
        let test = ClientTest::of(entry.object, known.client).unwrap();
        let client = test.client().clone();
        explore_and_look(test.with(sc().deadlocks(false)), |execution, calls| {
            for (call, invocation) in calls.iter().zip(client.invocations()) {
                if *invocation.operation != *"contains" {
                    places.lock().unwrap().extend(accesses(execution, call));
                }
            }
        });
    }
    places.into_inner().unwrap()
}

/// Lock and unlock are no accesses, as in the paper.
fn accesses(execution: &Execution, call: &Call) -> impl Iterator<Item = Place> {
    let events = &execution.thread(call.thread).events()[call.events.start as usize..call.events.end as usize];
    let is_access = |event: &&Event| !matches!(event.verb, Verb::Lock | Verb::TryLock | Verb::Unlock);
    let events = events.iter().map(|&id| execution.event(id)).filter(is_access);
    events.map(|event| (event.site.file(), event.site.line()))
}

/// All variants of a library together access memory in exactly these lines of the paper, and in so many lines of ours that the
/// paper does not have.
#[track_caller]
fn check(library: &str, lines: &[u32], others: usize) {
    let variants = all().iter().filter(|entry| entry.faulty && entry.twin == library);
    let places: BTreeSet<Place> = variants.flat_map(accessed).collect();
    let labelled: BTreeSet<u32> = places.iter().filter_map(|&(file, line)| paper_line(file, line)).collect();
    assert_eq!(labelled.into_iter().collect::<Vec<u32>>(), lines);
    let unlabelled: Vec<&Place> = places.iter().filter(|(file, line)| paper_line(file, *line).is_none()).collect();
    assert_eq!(unlabelled.len(), others, "{unlabelled:?}");
}

#[test]
fn the_array_stack_reads_and_writes_in_lines_of_the_paper() {
    // Counter, cell; counter, cell, cell.
    check("array-stack-fixed", &[2, 3, 5, 8, 9], 0);
}

#[test]
fn the_coarse_list_reads_and_writes_in_lines_of_the_paper() {
    // First read, loop, second read in the loop, check, write; twice.
    check("coarse-list-fixed", &[27, 28, 30, 32, 35, 48, 49, 51, 53, 54], 0);
}

#[test]
fn the_optimistic_list_reads_and_writes_in_lines_of_the_paper() {
    // As above, with a second look (51, 78) and a new node (55).
    check("optimistic-list-fixed", &[43, 44, 46, 51, 52, 55, 56, 70, 71, 73, 78, 79, 80], 0);
}

#[test]
fn the_tree_reads_and_writes_in_lines_of_the_paper() {
    // No `put` of the known clients goes to the right (256). The line more is a `remove` that waits for the tree, where the
    // paper's starts again.
    let put = [258, 262, 265, 267, 268, 271, 272, 276, 279, 288, 289, 290, 291, 293, 298];
    let remove = [421, 423, 427, 430, 432, 433, 436, 437, 440, 445, 446, 447, 448, 449, 450, 451, 454];
    check("logical-ordering-tree-fixed", &[&put[..], &remove].concat(), 1);
}

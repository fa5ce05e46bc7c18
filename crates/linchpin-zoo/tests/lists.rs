//! Sets as lists: what goes wrong, in which client, and in no other way.

mod common;

use common::expect;
use linchpin_zoo::{LockFreeList, SimpleList, SizeList};

#[test]
fn a_lock_free_list_that_marks_what_is_marked_removes_one_key_twice() {
    expect(
        clients!(LockFreeList<true>, LockFreeList<false>: [add(1)] { remove(1) } || { remove(1) } []),
        &["true || true"],
        [12, 4],
    );
}

#[test]
fn a_lock_free_list_is_fine_when_one_thread_removes() {
    expect(
        clients!(LockFreeList<true>, LockFreeList<false>: [add(1)] { remove(1) } || { add(1); contains(1) } [contains(1)]),
        &[],
        [6, 6],
    );
}

#[test]
fn a_simple_list_that_looks_before_it_locks_loses_a_key() {
    expect(
        clients!(SimpleList<true>, SimpleList<false>: [add(1)] { add(3) } || { add(4) } [contains(3); contains(4)]),
        &["true || true | false; true", "true || true | true; false"],
        [4, 2],
    );
}

#[test]
fn a_simple_list_that_looks_before_it_locks_adds_one_key_twice() {
    expect(clients!(SimpleList<true>, SimpleList<false>: [] { add(1) } || { add(1) } []), &["true || true"], [4, 2]);
}

#[test]
fn a_simple_list_that_looks_before_it_locks_fails_in_the_client_of_the_paper() {
    expect(
        clients!(SimpleList<true>, SimpleList<false>: [add(7); add(10)] { add(8) } || { add(9); contains(9) } [contains(8)]),
        &["true || true; false | true", "true || true; true | false"],
        [6, 3],
    );
}

#[test]
fn a_simple_list_is_fine_when_its_keys_have_different_places() {
    expect(
        clients!(SimpleList<true>, SimpleList<false>: [add(2)] { add(1) } || { add(3) } [contains(1); contains(2); contains(3)]),
        &[],
        [3, 2],
    );
}

#[test]
fn a_list_that_counts_without_the_lock_counts_more_than_there_ever_are() {
    expect(
        clients!(SizeList<true>, SizeList<false>: [add(1); add(5)] { remove(1); add(9) } || { size() } []),
        &["true; true || 3"],
        [4, 3],
    );
}

#[test]
fn a_list_that_counts_without_the_lock_is_fine_beside_one_change() {
    let removes = clients!(SizeList<true>, SizeList<false>: [add(1); add(5)] { remove(1) } || { size() } []);
    expect(removes, &[], [2, 2]);
    let adds = clients!(SizeList<true>, SizeList<false>: [add(1); add(5)] { add(9) } || { size() } []);
    expect(adds, &[], [2, 2]);
}

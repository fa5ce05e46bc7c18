//! Sets as lists: what goes wrong, in which client, and in no other way.

use crate::common::{expect, expect_bounded};
use linchpin_zoo::objects::*;

#[test]
fn a_lock_free_list_that_marks_what_is_marked_removes_one_key_twice() {
    expect::<LockFreeList, LockFreeListFixed>(
        "[add(1)] { remove(1) } || { remove(1) }",
        &["true, true, true"],
        [20, 18],
    );
}

#[test]
fn a_lock_free_list_is_fine_when_one_thread_removes() {
    expect::<LockFreeList, LockFreeListFixed>(
        "[add(1)] { remove(1) } || { add(1); contains(1) } [contains(1)]",
        &[],
        [7, 7],
    );
}

#[test]
fn a_lock_free_list_that_is_searched_twice_in_a_row_does_not_go_round() {
    let client = "[add(1)] { add(2); remove(1); remove(2) } || { contains(2); contains(1); add(2) }
        [add(1); contains(1); contains(2)]";
    // What looks like a loop is the end of one search and the beginning of the next.
    let builder = linchpin::Builder::new().memory_model(linchpin::MemoryModel::Sc);
    let explored = linchpin::client::<LockFreeListFixed>(client).with(builder).explore();
    assert!(explored.violation.is_none() && explored.coverage.is_complete());
}

#[test]
fn a_simple_list_that_looks_before_it_locks_loses_a_key() {
    expect::<SimpleList, SimpleListFixed>(
        "[add(1)] { add(3) } || { add(4) } [contains(3); contains(4)]",
        &["true, true, true, false, true", "true, true, true, true, false"],
        [4, 2],
    );
}

#[test]
fn a_simple_list_that_looks_before_it_locks_adds_one_key_twice() {
    expect::<SimpleList, SimpleListFixed>("{ add(1) } || { add(1) }", &["true, true"], [4, 2]);
}

#[test]
fn a_simple_list_that_looks_before_it_locks_fails_in_the_client_of_the_paper() {
    expect::<SimpleList, SimpleListFixed>(
        "[add(7); add(10)] { add(8) } || { add(9); contains(9) } [contains(8)]",
        &["true, true, true, true, false, true", "true, true, true, true, true, false"],
        [6, 3],
    );
}

#[test]
fn a_simple_list_is_fine_when_its_keys_have_different_places() {
    expect::<SimpleList, SimpleListFixed>(
        "[add(2)] { add(1) } || { add(3) } [contains(1); contains(2); contains(3)]",
        &[],
        [3, 2],
    );
}

#[test]
fn a_list_that_counts_without_the_lock_counts_more_than_there_ever_are() {
    expect::<SizeList, SizeListFixed>(
        "[add(1); add(5)] { remove(1); add(9) } || { size() }",
        &["true, true, true, true, 3"],
        [4, 3],
    );
}

#[test]
fn a_list_that_counts_without_the_lock_is_fine_beside_one_change() {
    expect::<SizeList, SizeListFixed>("[add(1); add(5)] { remove(1) } || { size() }", &[], [2, 2]);
    expect::<SizeList, SizeListFixed>("[add(1); add(5)] { add(9) } || { size() }", &[], [2, 2]);
}

#[test]
fn unknown_list_1_removes_one_key_twice() {
    expect::<UnknownList1, LockFreeListFixed>(
        "[add(1)] { remove(1) } || { remove(1) }",
        &["true, true, true"],
        [16, 18],
    );
}

#[test]
fn unknown_list_1_contains_what_was_removed() {
    expect::<UnknownList1, LockFreeListFixed>(
        "[add(2)] { remove(2) } || { add(1) } [contains(2)]",
        &["true, true, true, true"],
        [4, 7],
    );
}

#[test]
fn unknown_list_1_retries_for_ever_behind_a_key_that_was_removed() {
    // Executions that end are right. In the one that is cut, `add(3)` never ends, alone as it is.
    expect_bounded::<UnknownList1, LockFreeListFixed>(
        1_000,
        "[add(2)] { remove(2) } || { add(1) } [add(3)]",
        &[],
        [3, 6],
    );
}

#[test]
fn unknown_list_2_loses_a_key() {
    expect::<UnknownList2, SimpleListFixed>(
        "{ add(1) } || { add(2) } [contains(1); contains(2)]",
        &["true, true, false, true", "true, true, true, false"],
        [4, 2],
    );
}

#[test]
fn unknown_list_2_removes_nothing_even_in_one_thread() {
    expect::<UnknownList2, SimpleListFixed>("{ add(1); remove(1); remove(1) }", &["true, true, true"], [1, 1]);
}

#[test]
fn unknown_list_3_fails_to_add_what_is_missing() {
    expect::<UnknownList3, SimpleListFixed>("{ add(1) } || { add(2) }", &["false, true", "true, false"], [4, 2]);
}

#[test]
fn unknown_list_3_removes_nothing_even_in_one_thread() {
    expect::<UnknownList3, SimpleListFixed>("{ add(1); remove(1); remove(1) }", &["true, true, true"], [1, 1]);
}

#[test]
fn unknown_list_4_loses_a_key_that_is_added_behind_one_that_is_removed() {
    // While `remove` has marked and does not have the lock, `add` retries as often as it likes.
    expect_bounded::<UnknownList4, UnknownList4Fixed>(
        60,
        "[add(1)] { remove(1) } || { add(2) } [contains(2)]",
        &["true, true, true, false"],
        [13, 3],
    );
}

#[test]
fn unknown_list_4_is_fine_when_the_key_is_added_before_the_one_that_is_removed() {
    expect::<UnknownList4, UnknownList4Fixed>(
        "[add(2)] { remove(2) } || { add(1) } [contains(1); contains(2)]",
        &[],
        [4, 4],
    );
}

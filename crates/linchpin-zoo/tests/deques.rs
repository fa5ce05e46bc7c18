//! The Snark deque: what goes wrong, in which client, and in no smaller one.

mod common;

use common::{expect, sc};
use linchpin_zoo::objects::*;

#[test]
fn a_snark_deque_is_taken_to_be_empty_when_the_other_end_has_taken_a_node() {
    expect::<SnarkDeque, SnarkDequeFixed>(
        "[push_right(1)] { pop_right() } || { push_right(2); pop_left() }",
        &["nil, nil, nil, 1"],
        [603, 624],
    );
}

#[test]
fn a_snark_deque_is_fine_with_one_operation_less() {
    expect::<SnarkDeque, SnarkDequeFixed>("[push_right(1)] { pop_right() } || { push_right(2) }", &[], [9, 9]);
    expect::<SnarkDeque, SnarkDequeFixed>("[push_right(1)] { pop_right() } || { pop_left() }", &[], [10, 10]);
    expect::<SnarkDeque, SnarkDequeFixed>("{ pop_right() } || { push_right(2); pop_left() }", &[], [16, 47]);
}

#[test]
#[ignore = "takes 25 s: the first such execution comes after 300,000 others"]
fn a_snark_deque_pops_one_value_at_both_ends() {
    let client =
        "[push_right(1); push_right(2)] { pop_left() } || { pop_right() } || { pop_right(); push_left(3); pop_left() }";
    let exploration = linchpin::client::<SnarkDeque>(client).with(sc()).explore();
    let message = exploration.violation.expect("an outcome that no order explains").kind.to_string();
    assert!(message.contains("returns nil, nil, 1, 1, 2, nil, 3"), "{message}");
}

//! The Snark deque: what goes wrong, in which client, and in no smaller one.

mod common;

use common::{expect, expect_wrong};
use linchpin_zoo::SnarkDeque;

#[test]
fn a_snark_deque_is_taken_to_be_empty_when_the_other_end_has_taken_a_node() {
    expect(
        clients!(SnarkDeque<true>, SnarkDeque<false>: [push_right(1)] { pop_right() } || { push_right(2); pop_left() } []),
        &["empty || (); 1"],
        [603, 624],
    );
}

#[test]
fn a_snark_deque_is_fine_with_one_operation_less() {
    let pushes = clients!(SnarkDeque<true>, SnarkDeque<false>: [push_right(1)] { pop_right() } || { push_right(2) } []);
    expect(pushes, &[], [9, 9]);
    let pops = clients!(SnarkDeque<true>, SnarkDeque<false>: [push_right(1)] { pop_right() } || { pop_left() } []);
    expect(pops, &[], [10, 10]);
    let empty = clients!(SnarkDeque<true>, SnarkDeque<false>: [] { pop_right() } || { push_right(2); pop_left() } []);
    expect(empty, &[], [16, 47]);
}

#[test]
#[ignore = "takes 25 s: the first such execution comes after 300,000 others"]
fn a_snark_deque_pops_one_value_at_both_ends() {
    expect_wrong(
        client!(SnarkDeque<true>: [push_right(1); push_right(2)] { pop_left() } || { pop_right() } || { pop_right(); push_left(3); pop_left() } []),
        "1 || 1 || 2; (); 3",
    );
}

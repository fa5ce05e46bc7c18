//! The Snark deque: what goes wrong, in which client, and in no smaller one.

use crate::common::expect;
use linchpin_zoo::objects::*;

#[test]
fn a_snark_deque_is_taken_to_be_empty_when_the_other_end_has_taken_a_node() {
    expect::<SnarkDeque, SnarkDequeFixed>(
        "[push_right(1)] { pop_right() } || { push_right(2); pop_left() }",
        &["nil, nil, nil, 1"],
        [21, 21],
    );
}

/// One operation succeeds at its first try, and the other one comes too late, whatever it has read by then:
/// - a push after a pop has read the hat before the pop or after it: 2. A pop after a push has read the right hat after it, 1, or
///   before it and then the node's right link before or after it, 2. Together 5.
/// - Of two pops of one node, the later one has read both hats before, both after, or its own before and the far one after: 3. That
///   the far one was read before cannot be, as they change at once. Either may be the later one: 6.
#[test]
fn a_snark_deque_is_fine_with_one_operation_less() {
    expect::<SnarkDeque, SnarkDequeFixed>("[push_right(1)] { pop_right() } || { push_right(2) }", &[], [5, 5]);
    expect::<SnarkDeque, SnarkDequeFixed>("[push_right(1)] { pop_right() } || { pop_left() }", &[], [6, 6]);
    expect::<SnarkDeque, SnarkDequeFixed>("{ pop_right() } || { push_right(2); pop_left() }", &[], [9, 22]);
}

#[test]
fn a_snark_deque_pops_one_value_at_both_ends() {
    expect::<SnarkDeque, SnarkDequeFixed>(
        "[push_right(1); push_right(2)] { pop_left() } || { pop_right() } || { pop_right(); push_left(3); pop_left() }",
        &["nil, nil, 1, 1, 2, nil, 3"],
        [8_578, 10_497],
    );
}

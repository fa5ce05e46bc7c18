//! The pair snapshot: what goes wrong, in which client, and in no smaller one.

use crate::common::expect;
use linchpin_zoo::objects::*;

#[test]
fn a_snapshot_that_compares_values_returns_a_pair_that_never_was() {
    expect::<PairSnapshot, PairSnapshotFixed>(
        "{ write(0, 2); write(1, 2); write(1, 1); write(0, 1) } || { read() }",
        &["nil, nil, nil, nil, [1, 2]"],
        [26, 26],
    );
}

#[test]
fn a_snapshot_that_compares_values_is_fine_with_any_three_of_the_four_writes() {
    expect::<PairSnapshot, PairSnapshotFixed>("{ write(1, 2); write(1, 1); write(0, 1) } || { read() }", &[], [7, 7]);
    expect::<PairSnapshot, PairSnapshotFixed>("{ write(0, 2); write(1, 1); write(0, 1) } || { read() }", &[], [16, 16]);
    expect::<PairSnapshot, PairSnapshotFixed>("{ write(0, 2); write(1, 2); write(0, 1) } || { read() }", &[], [16, 16]);
    expect::<PairSnapshot, PairSnapshotFixed>("{ write(0, 2); write(1, 2); write(1, 1) } || { read() }", &[], [10, 10]);
}

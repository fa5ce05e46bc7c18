//! The pair snapshot: what goes wrong, in which client, and in no smaller one.

mod common;

use common::expect;
use linchpin_zoo::PairSnapshot;

#[test]
fn a_snapshot_that_compares_values_returns_a_pair_that_never_was() {
    expect(
        clients!(PairSnapshot<true>, PairSnapshot<false>: [] { write(0, 2); write(1, 2); write(1, 1); write(0, 1) } || { read() } []),
        &["(); (); (); () || <1,2>"],
        [26, 26],
    );
}

#[test]
fn a_snapshot_that_compares_values_is_fine_with_any_three_of_the_four_writes() {
    type Faulty = PairSnapshot<true>;
    type Correct = PairSnapshot<false>;
    let without_first = clients!(Faulty, Correct: [] { write(1, 2); write(1, 1); write(0, 1) } || { read() } []);
    expect(without_first, &[], [7, 7]);
    let without_second = clients!(Faulty, Correct: [] { write(0, 2); write(1, 1); write(0, 1) } || { read() } []);
    expect(without_second, &[], [16, 16]);
    let without_third = clients!(Faulty, Correct: [] { write(0, 2); write(1, 2); write(0, 1) } || { read() } []);
    expect(without_third, &[], [16, 16]);
    let without_fourth = clients!(Faulty, Correct: [] { write(0, 2); write(1, 2); write(1, 1) } || { read() } []);
    expect(without_fourth, &[], [10, 10]);
}

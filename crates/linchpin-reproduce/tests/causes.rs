//! Tables 1 and 2 of the root-cause paper come out.

use linchpin::localize::Verification;
use linchpin_reproduce::causes::{ENTRIES, Ran, run};

#[test]
fn the_tables_come_out_but_for_two_rows_that_are_known() {
    let ran: Vec<Ran> = ENTRIES.iter().map(run).collect();
    let without =
        |has: fn(&Ran) -> bool| -> Vec<&str> { ran.iter().filter(|ran| !has(ran)).map(|ran| ran.entry.id).collect() };
    assert_eq!(without(Ran::has_outcomes), [""; 0]);
    assert_eq!(without(Ran::has_first), ["optimistic list 1", "tree 8"]);
    assert_eq!(without(|ran| ran.explanation.verification() == Verification::Verified), [""; 0]);
    assert_eq!(without(|ran| ran.has_first() || !ran.entry.note.is_empty()), [""; 0], "a difference has a note");
}

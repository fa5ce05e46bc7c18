//! Tables 1 and 2 of the root-cause paper come out.

use linchpin::localize::Verification;
use linchpin_reproduce::causes::{ENTRIES, FIGURE_1, Ran, run};

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

#[test]
fn the_stack_of_figure_1_has_its_cause_in_pop_and_then_in_push() {
    let ran = run(&FIGURE_1);
    assert!(ran.has_outcomes() && ran.has_first());
    assert_eq!(ran.longest_ranking(), [Some(vec![(8, 9)]), Some(vec![(2, 3)])]);
    assert_eq!(ran.explanation.verification(), Verification::Verified);
}

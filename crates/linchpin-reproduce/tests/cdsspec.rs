//! The tables of the paper on CDSSpec.

use std::sync::OnceLock;

use linchpin::Builder;
use linchpin_reproduce::cdsspec::{self, FIGURE_8, Injection, Outcome};
use linchpin_zoo::cds::Structure;

/// A structure with its injections and what comes of them.
type Tried = (Structure, Vec<(Injection, Outcome)>);

/// All injections of all structures; made once.
fn injections() -> &'static [Tried] {
    static TRIED: OnceLock<Vec<Tried>> = OnceLock::new();
    TRIED.get_or_init(|| cdsspec::try_injections(&Builder::new()))
}

#[test]
fn the_marks_in_the_sources_are_the_papers_injections() {
    for ((structure, tried), paper) in injections().iter().zip(FIGURE_8) {
        let numbers: Vec<u32> = tried.iter().map(|(injection, _)| injection.number).collect();
        let expected: Vec<u32> = (1..=paper.injections as u32).collect();
        assert_eq!(numbers, expected, "{}", structure.name);
        assert!(tried.iter().all(|(injection, _)| injection.access.is_some()), "{}", structure.name);
    }
}

#[test]
fn all_injections_but_two_are_detected_and_these_are_explored_to_their_end() {
    let all = injections().iter().flat_map(|(_, tried)| tried);
    let undetected = all.filter(|(_, outcome)| !matches!(outcome, Outcome::Detected { .. }));
    let undetected: Vec<(&str, u32, bool)> = undetected
        .map(|(injection, outcome)| {
            (injection.structure, injection.number, matches!(outcome, Outcome::Undetected(395, 0)))
        })
        .collect();
    // #3 takes a load that reads its own future, which RC11 rules out. #7 takes SC fences that are weaker than RC11's: there
    // the fences of `steal` and `take` suffice.
    assert_eq!(undetected, [("Chase-Lev Deque", 3, true), ("Chase-Lev Deque", 7, true)]);
}

#[test]
fn what_is_found_without_a_contract_is_counted_first() {
    let rows = cdsspec::figure_8(injections());
    let ours = |name: &str| rows.iter().find(|row| row.id == format!("figure 8: {name}")).unwrap().ours.clone();
    assert_eq!(ours("RCU"), "3 of 3: 3 built-in, 0 admissibility, 0 assertion");
    assert_eq!(ours("Linux RW Lock"), "8 of 8: 0 built-in, 0 admissibility, 8 assertion");
    assert_eq!(ours("MPMC Queue"), "8 of 8: 4 built-in, 4 admissibility, 0 assertion");
    assert_eq!(ours("total"), "55 of 57");
}

#[test]
fn the_known_bugs_and_the_overly_strong_exchange_are_found() {
    let builder = Builder::new();
    assert!(cdsspec::known_bugs(&builder).iter().all(|row| row.agrees == Some(true)));
    assert_eq!(cdsspec::overly_strong(&builder).agrees, Some(true));
}

#[test]
fn an_audit_needs_just_what_injections_detect() {
    let rows = cdsspec::audits(injections(), &Builder::new());
    assert!(rows.len() == 10 && rows.iter().all(|row| row.agrees == Some(true)), "{rows:?}");
}

#[test]
fn repairs_give_back_an_order_that_is_strong_enough() {
    let rows = cdsspec::repairs(injections(), &Builder::new());
    assert!(rows.len() == 10 && rows.iter().all(|row| row.agrees == Some(true)), "{rows:?}");
    assert_eq!(rows[0].ours, "5 of 5, each by 1 change");
}

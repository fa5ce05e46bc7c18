//! The tables of the paper on CDSSpec.

use linchpin::audit::Need;
use linchpin::{Builder, Detection};
use linchpin_reproduce::cdsspec::{self, FIGURE_8, Injection, Outcome};
use linchpin_zoo::cds::{self, Structure};

/// All injections of all structures.
fn injections() -> Vec<(Structure, Vec<Injection>)> {
    let builder = Builder::new();
    let of = |structure: Structure| {
        let injections = cdsspec::injections(&structure, &builder);
        (structure, injections)
    };
    cds::structures().into_iter().map(of).collect()
}

#[test]
fn the_marks_in_the_sources_are_the_papers_injections() {
    for ((structure, injections), paper) in injections().into_iter().zip(FIGURE_8) {
        let numbers: Vec<u32> = injections.iter().map(|injection| injection.number).collect();
        let expected: Vec<u32> = (1..=paper.injections as u32).collect();
        assert_eq!(numbers, expected, "{}", structure.name);
        assert!(injections.iter().all(|injection| injection.access.is_some()), "{}: {injections:?}", structure.name);
    }
}

#[test]
fn all_injections_but_two_are_detected_and_these_are_explored_to_their_end() {
    let builder = Builder::new();
    let mut undetected = Vec::new();
    for (structure, injections) in injections() {
        for injection in injections {
            match injection.outcome(&structure, &builder) {
                Outcome::Detected { .. } => {}
                Outcome::Undetected(..) => undetected.push((structure.name, injection.number)),
                other => panic!("{injection}: {other}"),
            }
        }
    }
    // #3 takes a load that reads its own future, which RC11 rules out. #7 takes SC fences that are weaker than RC11's: there
    // the fences of `steal` and `take` suffice.
    assert_eq!(undetected, [("Chase-Lev Deque", 3), ("Chase-Lev Deque", 7)]);
}

#[test]
fn what_is_found_without_a_contract_is_counted_first() {
    let rows = cdsspec::figure_8(&Builder::new());
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
    let builder = Builder::new();
    for (structure, injections) in injections() {
        let audit = cdsspec::suite(&structure, &builder).audit();
        for injection in injections {
            let access = injection.access.as_ref().unwrap();
            let row =
                audit.rows.iter().find(|row| row.access == *access && row.weakened == injection.weakened).unwrap();
            let is_detected = matches!(injection.outcome(&structure, &builder), Outcome::Detected { .. });
            assert_eq!(matches!(row.need, Need::Needed(_)), is_detected, "{injection}: {:?}", row.need);
        }
    }
}

#[test]
fn repairs_give_back_an_order_that_is_strong_enough() {
    let builder = Builder::new();
    for (structure, injections) in injections() {
        for injection in injections {
            let Outcome::Detected { by, .. } = injection.outcome(&structure, &builder) else { continue };
            let suite = cdsspec::suite(&structure, &builder).orders(injection.orders().unwrap());
            let found = suite.repair().unwrap();
            assert!(!found.repairs.is_empty(), "{injection}");
            println!(
                "{injection} ({}): {} trials complete {}",
                matches!(by, Detection::BuiltIn(_)),
                found.repairs.len(),
                found.is_complete
            );
            for r in &found.repairs {
                println!(
                    "     {} {:?}",
                    r.cost,
                    r.changes.iter().map(|(p, c)| format!("{p} {c:?}")).collect::<Vec<_>>()
                );
            }
        }
    }
}

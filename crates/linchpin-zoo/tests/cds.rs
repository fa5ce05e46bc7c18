//! The structures of the paper on CDSSpec under their contracts.

use linchpin_zoo::cds;

#[test]
fn all_structures_conform_to_their_contracts() {
    for structure in cds::structures().into_iter().chain([cds::blocking_queue(), cds::overly_strong()]) {
        for test in structure.tests {
            let start = std::time::Instant::now();
            let (check, detection) = linchpin::contract((structure.contract)()).classify(test.run);
            println!(
                "{} {} {:?} {} {} {} {:?} {:?}",
                structure.name,
                test.name,
                check.exploration.coverage,
                check.exploration.complete,
                check.exploration.blocked,
                check.histories,
                start.elapsed(),
                detection
            );
            for a in &check.exploration.assumptions {
                println!("    {a:?}");
            }
        }
    }
    for structure in cds::known_bugs() {
        for test in structure.tests {
            let (_, detection) = linchpin::contract((structure.contract)()).classify(test.run);
            println!("{} {} {:?}", structure.name, test.name, detection);
        }
    }
}

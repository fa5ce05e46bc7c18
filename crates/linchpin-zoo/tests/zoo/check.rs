//! What `linchpin::check` makes of the zoo with its default settings: faults are found, and what has none passes.
//!
//! All 500 clients of every object take minutes: `cargo run --release -p linchpin-bench -- clients --filter defaults`.

use linchpin::Check;
use linchpin_zoo::all;

#[test]
fn every_faulty_object_is_found_by_default() {
    // Faults are found by then, and where they are not, not all of the 500 have to be waited for.
    for entry in all().iter().filter(|entry| entry.faulty) {
        let checked = Check::of(entry.object).clients(100).explore();
        assert!(checked.failure.is_some(), "{}: {}", entry.name, checked.summary());
    }
}

#[test]
fn every_correct_object_passes_with_nothing_left_out() {
    for entry in all().iter().filter(|entry| !entry.faulty) {
        let checked = Check::of(entry.object).clients(12).explore();
        assert!(checked.failure.is_none(), "{}: {}", entry.name, checked.failure.unwrap());
        assert!(checked.coverage.is_complete(), "{}: {}", entry.name, checked.summary());
        assert_eq!(checked.clients, 12, "{}", entry.name);
    }
}

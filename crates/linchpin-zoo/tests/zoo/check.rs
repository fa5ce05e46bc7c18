//! What `linchpin::check` makes of the zoo with its default settings: faults are found, and what has none passes.
//!
//! All 500 clients of every object take minutes: `cargo run --release -p linchpin-bench -- clients --filter defaults`.

use linchpin::{Checked, Object, check};
use linchpin_zoo::{Entry, Visitor, all, visit};

/// Checks an object with so many clients.
struct Checks(usize);

impl Visitor for Checks {
    type Answer = Checked;

    fn visit<O: Object>(self, _: &'static Entry) -> Checked {
        check::<O>().clients(self.0).explore()
    }
}

#[test]
fn every_faulty_object_is_found_by_default() {
    // Faults are found by then, and where they are not, not all of the 500 have to be waited for.
    for entry in all().iter().filter(|entry| entry.faulty) {
        let checked = visit(entry.name, Checks(100)).unwrap();
        assert!(checked.failure.is_some(), "{}: {}", entry.name, checked.summary());
    }
}

#[test]
fn every_correct_object_passes_with_nothing_left_out() {
    for entry in all().iter().filter(|entry| !entry.faulty) {
        let checked = visit(entry.name, Checks(12)).unwrap();
        assert!(checked.failure.is_none(), "{}: {}", entry.name, checked.failure.unwrap());
        assert!(checked.coverage.is_complete(), "{}: {}", entry.name, checked.summary());
        assert_eq!(checked.clients, 12, "{}", entry.name);
    }
}

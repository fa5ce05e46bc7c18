//! What `linchpin::check` makes of the zoo: faulty objects are found, correct ones pass.

mod common;

use common::sc;
use linchpin::{Check, Checked, LoopReduction, Object, Options, check};
use linchpin_zoo::{Entry, Visitor, all, visit};

/// Checks an object with these settings.
struct Checks(fn(&'static Entry) -> Settings);

struct Settings {
    clients: usize,
    seed: u64,
    options: Options,
    loops: LoopReduction,
}

impl Visitor for Checks {
    type Answer = Checked;

    fn visit<O: Object>(self, entry: &'static Entry) -> Checked {
        let Settings { clients, seed, options, loops } = (self.0)(entry);
        let check: Check<O> = check().clients(clients).seed(seed).options(options);
        // In a faulty object somebody may go round for ever, which takes long to explore.
        let events = if entry.faulty { 200 } else { 10_000 };
        check.with(sc().loops(loops).max_events_per_thread(events)).explore()
    }
}

/// Clients with three invocations after one, which is all that the deque's first fault takes.
fn small() -> Options {
    Options { invocations: 3..=3, setup: 1..=1, epilogue: 0..=0, ..Options::default() }
}

#[test]
fn faulty_objects_are_found() {
    // Few of the generated clients show these two: one needs four writes in a row, the other three keys.
    let is_rare = |entry: &Entry| ["pair-snapshot", "size-list"].contains(&entry.name);
    for entry in all().iter().filter(|entry| entry.faulty && !is_rare(entry)) {
        let settings = |entry: &'static Entry| {
            let (seed, options) = if entry.name == "snark-deque" { (2, small()) } else { (0, Options::default()) };
            Settings { clients: 100, seed, options, loops: LoopReduction::CrossChecked }
        };
        let checked = visit(entry.name, Checks(settings)).unwrap();
        assert!(checked.failure.is_some(), "{}: {}", entry.name, checked.summary());
    }
}

#[test]
fn correct_objects_pass() {
    for entry in all().iter().filter(|entry| !entry.faulty) {
        let settings = |entry: &'static Entry| {
            let options = if entry.name == "snark-deque-fixed" { small() } else { Options::default() };
            Settings { clients: 12, seed: 1, options, loops: LoopReduction::Off }
        };
        let checked = visit(entry.name, Checks(settings)).unwrap();
        assert!(checked.failure.is_none(), "{}: {}", entry.name, checked.failure.unwrap());
        assert!(checked.coverage.is_complete(), "{}: {}", entry.name, checked.summary());
        assert_eq!(checked.clients, 12, "{}", entry.name);
    }
}

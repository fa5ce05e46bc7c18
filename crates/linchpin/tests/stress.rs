//! Clients on native threads, through the façade.

use std::panic::catch_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::{fs, thread};

use linchpin::stress::{Ended, Hooks, Options};
use linchpin::{Report, client};
use linchpin_report::report::Kind;

/// On `std`'s types. Unless it is faulty, it increments in one step.
#[derive(Default)]
struct Counter<const FAULTY: bool>(AtomicUsize);

impl<const FAULTY: bool> Counter<FAULTY> {
    fn increment(&self) -> usize {
        if !FAULTY {
            return self.0.fetch_add(1, SeqCst) + 1;
        }
        let new = self.0.load(SeqCst) + 1;
        // Even a single core gives the other thread time here.
        thread::yield_now();
        self.0.store(new, SeqCst);
        new
    }
}

linchpin::object! {
    Faulty: Counter<true> = Counter::default();
    fn increment(&self) -> usize;
}

linchpin::object! {
    Right: Counter<false> = Counter::default();
    fn increment(&self) -> usize;
}

/// On the types of linchpin-sync, which behave as those of `std` here.
#[derive(Default)]
struct Modelled(linchpin::sync::Mutex<usize>);

impl Modelled {
    fn increment(&self) -> usize {
        let mut count = self.0.lock().unwrap();
        *count += 1;
        *count
    }
}

linchpin::object! {
    ModelledCounter: Modelled = Modelled::default();
    fn increment(&self) -> usize;
}

const CLIENT: &str = "{ increment() } || { increment() }";

fn options() -> Options {
    Options { max_runs: Some(10_000), max_time: None, ..Options::default() }
}

#[test]
fn the_outcome_that_no_order_explains_is_seen() {
    let stressed = client::<Faulty>(CLIENT).stress(&options(), Hooks::default());
    assert!(stressed.is_violated(), "{}", stressed.table());
}

#[test]
#[should_panic(expected = "increment() of thread 1 returned 1 instead of 2 for increment(); increment()")]
fn a_violation_is_explained() {
    client::<Faulty>(CLIENT).run_stress(&options());
}

#[test]
fn a_violation_leaves_a_report_like_any_other() {
    let options = Options { max_runs: Some(2_000), ..options() };
    let panic = catch_unwind(|| client::<Faulty>(CLIENT).run_stress(&options)).unwrap_err();
    let text = panic.downcast_ref::<String>().expect("a message");
    let headline = "wrong result: { increment() } || { increment() }: no order of the invocations returns 1, 1\n";
    assert!(text.starts_with(headline), "{text}");
    // How often each outcome was seen.
    assert!(text.contains("forbidden  1, 1") && text.contains("What to do:"), "{text}");
    let (_, page) = text.split_once("With pictures: ").expect("a page");
    let page = Path::new(page.trim_end());
    assert!(page.is_file());
    let report = Report::from_json(&fs::read_to_string(page.with_extension("json")).unwrap()).unwrap();
    assert_eq!((report.kind, report.executions), (Kind::NotLinearizable, Some(2_000)));
    assert_eq!((report.outcome.len(), report.closest.len(), report.execution), (2, 2, None));
}

#[test]
fn what_is_right_is_reported_with_its_frequencies() {
    let stressed = client::<Right>(CLIENT).run_stress(&options());
    assert_eq!((stressed.runs, stressed.ended), (10_000, Ended::Runs));
}

#[test]
fn modelled_types_behave_natively() {
    client::<ModelledCounter>(CLIENT).run_stress(&options());
}

//! The structures of the paper on CDSSpec under their contracts.

use std::collections::BTreeSet;
use std::sync::Mutex;

use linchpin::sync::Arc;
use linchpin::{Builder, Call, Detection, Execution, Hooks, LoopReduction, Value, Watched, call, contract, thread};
use linchpin_zoo::cds::{self, BlockingQueue, Structure};

/// Complete executions of each test; fails if a test does.
fn counts(structure: &Structure) -> Vec<u64> {
    let count = |test: &cds::Test| {
        let (check, detection) = contract((structure.contract)()).classify(test.run);
        assert_eq!(detection, None, "{}: {}", structure.name, test.name);
        assert!(check.exploration.coverage.is_complete());
        check.exploration.complete
    };
    structure.tests.iter().map(count).collect()
}

#[test]
fn all_structures_conform_to_their_contracts() {
    let counts: Vec<(&str, Vec<u64>)> = cds::structures().iter().map(|found| (found.name, counts(found))).collect();
    // Tickets: four lock sections, two per thread, in C(4, 2) orders. The hash table with known keys: as store buffering with SC
    // accesses. Locks taken once by each of two: two orders, and for each whether and when the second one had to wait. The other
    // counts are there to be noticed when they change; iterations that only read are left out of all.
    assert_eq!(
        counts,
        [
            ("Chase-Lev Deque", vec![223, 30, 142]),
            ("SPSC Queue", vec![6]),
            ("RCU", vec![12]),
            ("Lockfree Hashtable", vec![3, 6]),
            ("MCS Lock", vec![78]),
            ("MPMC Queue", vec![2, 2, 10, 18, 49, 49]),
            ("M&S Queue", vec![3, 38, 26, 74]),
            ("Linux RW Lock", vec![6, 6, 6, 6]),
            ("Seqlock", vec![2, 6]),
            ("Ticket Lock", vec![6]),
        ]
    );
}

#[test]
fn the_blocking_queue_conforms_to_its_contract() {
    counts(&cds::blocking_queue());
}

#[test]
fn the_known_bugs_are_found() {
    let builder = Builder::new();
    for bug in cds::known_bugs() {
        let found = |test: &cds::Test| contract((bug.contract)()).with(builder.clone()).classify(test.run).1.is_some();
        assert!(bug.tests.iter().any(found), "{}", bug.name);
    }
}

#[test]
fn the_known_bug_of_the_deque_is_one_for_the_contract_too() {
    let bug = &cds::known_bugs()[0];
    let blind = Builder::new().unpublished_memory(false);
    let (_, detection) = contract((bug.contract)()).with(blind).classify(bug.tests[0].run);
    assert!(matches!(detection, Some(Detection::Assertion(message)) if message.contains("steal() = 0")));
}

fn queue() -> Arc<Watched<BlockingQueue>> {
    Arc::new(Watched::new(BlockingQueue::default()))
}

/// The paper's Figure 3: each thread fills one queue and looks into the other.
fn store_buffering() {
    let (x, y) = (queue(), queue());
    let (own_x, own_y) = (x.clone(), y.clone());
    let first = thread::spawn(move || {
        call!(own_x.enq(1));
        call!(own_y.deq())
    });
    let second = thread::spawn(move || {
        call!(y.enq(1));
        call!(x.deq())
    });
    first.join().unwrap();
    second.join().unwrap();
}

#[test]
fn both_queues_may_be_found_empty() {
    let seen = Mutex::new(BTreeSet::new());
    let note = |_: &Execution, calls: &[Call]| {
        let of_deq = calls.iter().filter(|call| call.target.as_ref().unwrap().operation == "deq");
        seen.lock().unwrap().insert(of_deq.map(|call| call.result.clone().unwrap()).collect::<Vec<Value>>());
        None
    };
    Builder::new().explore_with(store_buffering, Hooks { judge: &note, ..Hooks::default() });
    assert!(seen.into_inner().unwrap().contains(&vec![Value::Nil, Value::Nil]));
    let check = contract((cds::blocking_queue().contract)()).check(store_buffering);
    assert!(check.exploration.coverage.is_complete() && check.inadmissible.is_empty());
}

#[test]
fn the_deterministic_contract_admits_only_ordered_calls() {
    // Section 4.1: what the other contract justifies, this one does not speak of.
    let check = contract(cds::deterministic_contract()).check(store_buffering);
    assert_eq!(check.inadmissible, ["deq() and enq(1) have to be ordered, and are not"]);
    let rejected = contract(cds::deterministic_contract()).reject_inadmissible(true).explore(store_buffering);
    assert!(rejected.exploration.violation.is_some());
    // Calls that are ordered are judged.
    let ordered = contract(cds::deterministic_contract()).check(|| {
        let queue = queue();
        let other = queue.clone();
        assert_eq!(call!(queue.deq()), None);
        thread::spawn(move || call!(other.enq(1))).join().unwrap();
        assert_eq!(call!(queue.deq()), Some(1));
    });
    assert!(ordered.inadmissible.is_empty() && ordered.histories > 0);
}

#[test]
fn specifications_are_as_short_as_the_papers() {
    let lines: Vec<usize> = cds::structures().iter().map(Structure::specification_lines).collect();
    let average = lines.iter().sum::<usize>() as f64 / lines.len() as f64;
    println!("lines of specification: {lines:?}, {average} on average");
    // The paper has 11.5, of which 3.3 mark ordering points.
    assert!(average <= 11.5, "{average}");
}

/// What there is of a test's executions.
struct Explored {
    complete: u64,
    /// Those in which no call reads at the same place twice; told twice of an execution, this counts it twice.
    without_failed_iterations: u64,
    /// What calls return.
    results: BTreeSet<String>,
}

fn explored(test: fn(), loops: LoopReduction) -> Explored {
    let seen = Mutex::new((0, BTreeSet::new()));
    let judge = |execution: &Execution, calls: &[Call]| {
        let reads_once = |call: &Call| {
            let events = &execution.thread(call.thread).events()[call.events.start as usize..call.events.end as usize];
            let reads = events.iter().map(|&id| execution.event(id)).filter(|event| event.is_read());
            let places: Vec<(u32, u32)> = reads.map(|read| (read.site.line(), read.site.column())).collect();
            places.iter().collect::<BTreeSet<_>>().len() == places.len()
        };
        let results: Vec<_> = calls.iter().map(|call| (&call.name, &call.result)).collect();
        let mut seen = seen.lock().unwrap();
        seen.0 += u64::from(calls.iter().all(reads_once));
        seen.1.insert(format!("{results:?}"));
        None
    };
    let exploration = Builder::new().loops(loops).explore_with(test, Hooks { judge: &judge, ..Hooks::default() });
    assert!(exploration.violation.is_none() && exploration.coverage.is_complete(), "{:?}", exploration.coverage);
    let (without_failed_iterations, results) = seen.into_inner().unwrap();
    Explored { complete: exploration.complete, without_failed_iterations, results }
}

#[test]
fn reducing_loops_of_the_bounded_queue_leaves_out_failed_iterations_and_nothing_else() {
    let structures = cds::structures();
    let queue = structures.iter().find(|structure| structure.name == "MPMC Queue").unwrap();
    for test in queue.tests {
        let full = explored(test.run, LoopReduction::Off);
        let reduced = explored(test.run, LoopReduction::CrossChecked);
        assert_eq!(reduced.complete, full.without_failed_iterations, "{}", test.name);
        assert_eq!(reduced.results, full.results, "{}", test.name);
    }
}

//! The answer depends on the test and on nothing else: not on the number of workers, nor on who was quick. Budgets are
//! kept, and named when they run out.

mod common;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic as native;
use std::time::Duration;

use common::structures::{increment, queue, stack};
use common::{MODELS, Shared, in_threads, under, violation};
use linchpin::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering::*};
use linchpin::sync::{Arc, Mutex, RwLock};
use linchpin::{
    Bound, Builder, Coverage, Exploration, LoopReduction, MemoryModel, ViolationKind, hint, report, thread,
};
use linchpin_engine::{Config, Hooks, explore_with};

/// What must not differ between two explorations of the same test.
#[derive(Debug, PartialEq)]
struct Answer {
    complete: u64,
    blocked: u64,
    violations: u64,
    coverage: Coverage,
    /// Kind, report and execution of the violation.
    violation: Option<(&'static str, String, String)>,
}

impl From<Exploration> for Answer {
    fn from(exploration: Exploration) -> Self {
        let violation = exploration.violation.map(|violation| {
            let execution = report::execution(&violation.execution);
            (violation.kind.name(), report::violation(&violation), execution)
        });
        Answer {
            complete: exploration.complete,
            blocked: exploration.blocked,
            violations: exploration.violations,
            coverage: exploration.coverage,
            violation,
        }
    }
}

/// The answer to `test`, which must be the same whatever the number of workers, each time.
#[track_caller]
fn answer(builder: &Builder, test: impl Fn() + Send + Sync + Copy + 'static) -> Answer {
    let first = Answer::from(builder.clone().workers(1).explore(test));
    for workers in [1, 2, 3, 2, 3, 2, 3] {
        let again = Answer::from(builder.clone().workers(workers).explore(test));
        assert_eq!(first, again, "with {workers} workers");
    }
    first
}

#[test]
fn structures_get_the_same_answer_whatever_the_number_of_workers() {
    for model in MODELS {
        assert_eq!(answer(&under(model).loops(LoopReduction::Off), stack(2, 2)).complete, 6_372);
        assert_eq!(answer(&under(model), stack(2, 2)).complete, 194);
        assert_eq!(answer(&under(model), queue(2, 2)).complete, 488);
    }
}

/// Which of the numbers somebody gets, and so which atomic they count up, is in plain memory behind a lock.
fn a_pool() {
    let pool = Mutex::new(VecDeque::from([0, 1, 2]));
    let uses = [AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0)];
    in_threads(3, move |_| {
        let number: usize = pool.lock().unwrap().pop_front().unwrap();
        uses[number].fetch_add(1, Relaxed);
        pool.lock().unwrap().push_back(number);
    });
}

/// Readers find what the last writer has put there, in blocks that the writer allocated.
fn a_directory() {
    let names = RwLock::new(BTreeMap::new());
    in_threads(3, move |number| {
        names.write().unwrap().insert(number, Box::new(AtomicU32::new(1)));
        if let Some(mark) = names.read().unwrap().get(&((number + 1) % 3)) {
            mark.fetch_add(1, Relaxed);
        }
    });
}

/// A lock made by hand, whose data the engine does not watch.
fn a_ledger() {
    struct Ledger {
        is_locked: AtomicBool,
        entries: std::cell::UnsafeCell<Vec<usize>>,
    }
    // SAFETY: who has the lock has the entries.
    unsafe impl Sync for Ledger {}
    impl Ledger {
        fn enter(&self, entry: usize) -> usize {
            while self.is_locked.swap(true, Acquire) {
                hint::spin_loop();
            }
            // SAFETY: who has the lock has the entries.
            let entries = unsafe { &mut *self.entries.get() };
            entries.push(entry);
            let last_but_one = entries.iter().rev().nth(1).copied().unwrap_or(0);
            self.is_locked.store(false, Release);
            last_but_one
        }
    }
    let ledger = Ledger { is_locked: AtomicBool::new(false), entries: Vec::new().into() };
    let marks = [AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0)];
    in_threads(3, move |number| {
        marks[ledger.enter(number)].store(1, Relaxed);
        marks[ledger.enter(number)].store(2, Relaxed);
    });
}

#[test]
fn plain_data_behind_locks_is_the_same_for_whoever_runs_the_test() {
    for model in MODELS {
        // The orders of three times two critical sections.
        assert_eq!(answer(&under(model), a_pool).complete, 90);
        for test in [a_directory, a_ledger] {
            let found = answer(&under(model), test);
            assert_eq!((found.violation, found.coverage), (None, Coverage::Complete));
        }
    }
}

/// Four threads of which three count properly and one does not.
fn miscounting() {
    let counter = Arc::new(AtomicU32::new(0));
    in_threads(4, {
        let counter = Arc::clone(&counter);
        move |number| match number {
            2 => counter.store(counter.load(Acquire) + 1, Release),
            _ => increment(&counter),
        }
    });
    assert_eq!(counter.load(Relaxed), 4, "an increment got lost");
}

/// A stack whose push does not publish. It is used properly for a while.
fn unpublished() {
    struct Node {
        value: AtomicU32,
        next: *mut Node,
    }
    let head = AtomicPtr::<Node>::new(std::ptr::null_mut());
    in_threads(3, move |number| {
        let next = head.load(Acquire);
        let node = Box::into_raw(Box::new(Node { value: AtomicU32::new(0), next }));
        let order = if number == 2 { Relaxed } else { Release };
        if head.compare_exchange(next, node, order, Relaxed).is_ok() {
            return;
        }
        // SAFETY: nodes are never freed.
        if let Some(node) = unsafe { head.load(Acquire).as_ref() } {
            node.value.fetch_add(node.next.is_null().into(), Relaxed);
        }
    });
}

/// Philosophers.
fn hungry() {
    let forks = [Mutex::new(()), Mutex::new(()), Mutex::new(())];
    in_threads(3, move |seat| {
        let _left = forks[seat].lock().unwrap();
        let _right = forks[(seat + 1) % 3].lock().unwrap();
    });
}

/// A lock that publishes nothing to the third of its holders.
fn racing() {
    let (lock, guarded) = (AtomicBool::new(false), Shared::new(0));
    in_threads(3, move |number| {
        let order = if number == 2 { Relaxed } else { Acquire };
        while lock.compare_exchange(false, true, order, Relaxed).is_err() {
            hint::spin_loop();
        }
        guarded.increment();
        lock.store(false, Release);
    });
}

#[test]
fn the_first_violation_is_the_same_whatever_the_number_of_workers() {
    for loops in [LoopReduction::Off, LoopReduction::CrossChecked] {
        let kind = |test: fn()| answer(&Builder::new().loops(loops), test).violation.expect("a violation").0;
        assert_eq!(kind(miscounting), "panic");
        assert_eq!(kind(unpublished), "access to unpublished memory");
        assert_eq!(kind(hungry), "deadlock");
        assert_eq!(kind(racing), "data race");
    }
}

#[test]
fn all_violations_are_counted_whatever_the_number_of_workers() {
    let found = answer(&Builder::new().loops(LoopReduction::Off).keep_going(true), miscounting);
    // Executions that lose nothing: a place for the one that miscounts, 3! orders of the others, and for each of those
    // one way to fail per set of values that it has seen too late: 2^k for the k-th. 3! · (64 + 32 + 16 + 8).
    assert_eq!(found.complete, 720);
    assert!(found.violations > 1);
    assert_eq!(found.coverage, Coverage::Complete);
}

#[test]
fn the_report_is_the_same_after_other_explorations() {
    let before = answer(&Builder::new(), unpublished);
    Builder::new().explore(stack(2, 2));
    assert_eq!(before, answer(&Builder::new(), unpublished));
}

/// The position of the caller, as reports give it.
#[track_caller]
fn here() -> (u32, &'static str) {
    let caller = std::panic::Location::caller();
    (caller.line(), caller.file())
}

#[test]
fn a_test_that_does_something_else_the_second_time_is_found_out() {
    static RUNS: native::AtomicU32 = native::AtomicU32::new(0);
    let line = here().0;
    let test = || {
        let value = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let other = Arc::clone(&value);
        let thread = thread::spawn(move || other[1].store(1, Relaxed));
        value[0].store(1, Relaxed);
        // The first run loads, all others store.
        if RUNS.fetch_add(1, Relaxed) == 0 {
            value[1].load(Relaxed);
        } else {
            value[1].store(2, Relaxed);
        }
        thread.join().unwrap();
    };
    let violation = violation(&Builder::new().workers(1), test);
    let ViolationKind::NotDeterministic { expected: Some(expected), found } = violation.kind else {
        panic!("{:?}", violation.kind)
    };
    // What was the same in both runs is not to blame.
    let expected = violation.execution.event(expected);
    assert_eq!((expected.site.file(), expected.site.line()), (file!(), line + 8));
    let store = format!("{}:{}:", file!(), line + 10);
    assert!(found.contains("Store") && found.contains(&store), "{found}");
}

#[test]
fn a_test_that_stores_something_else_the_second_time_is_found_out() {
    static RUNS: native::AtomicU32 = native::AtomicU32::new(0);
    let line = here().0;
    let test = || {
        let value = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&value);
        let thread = thread::spawn(move || other.load(Relaxed));
        value.store(RUNS.fetch_add(1, Relaxed), Relaxed);
        thread.join().unwrap();
    };
    let violation = violation(&Builder::new().workers(1), test);
    let ViolationKind::NotDeterministic { expected: Some(expected), found } = violation.kind else {
        panic!("{:?}", violation.kind)
    };
    let expected = violation.execution.event(expected);
    assert_eq!((expected.site.line(), expected.value), (line + 5, 0));
    assert!(found.ends_with("of 0x1"), "{found}");
}

/// Store buffering has four executions under C11.
fn store_buffering() {
    common::litmus::store_buffering(Relaxed, Relaxed);
}

#[test]
fn a_budget_of_executions_is_spent_exactly() {
    for limit in 0..4 {
        let exploration = Builder::new().max_executions(limit).explore(store_buffering);
        assert_eq!(exploration.complete + exploration.blocked, limit);
        assert_eq!(exploration.coverage, Coverage::Bounded(vec![Bound::Executions(limit)]));
    }
    for limit in [0, 1, 100, 1_000] {
        let builder = Builder::new().loops(LoopReduction::Off).max_executions(limit).workers(3);
        let exploration = builder.explore(queue(2, 2));
        assert_eq!(exploration.complete + exploration.blocked, limit);
    }
}

#[test]
fn a_budget_of_executions_that_is_just_enough_is_a_proof() {
    let exploration = Builder::new().max_executions(4).explore(store_buffering);
    assert_eq!((exploration.complete, exploration.coverage), (4, Coverage::Complete));
}

#[test]
fn a_budget_of_executions_buys_the_same_executions_each_time() {
    let builder = Builder::new().memory_model(MemoryModel::Sc).max_executions(50);
    assert_eq!(Answer::from(builder.explore(queue(2, 2))), Answer::from(builder.explore(queue(2, 2))));
}

#[test]
fn who_interrupts_while_loops_are_looked_at_does_not_wait_for_the_end_of_that() {
    let (interrupt, runs) = (native::AtomicBool::new(false), native::AtomicU64::new(0));
    let test = || {
        runs.fetch_add(1, Relaxed);
        std::thread::sleep(Duration::from_millis(2));
        interrupt.store(true, Relaxed);
        queue(2, 2)();
    };
    let hooks = Hooks { interrupt: Some(&interrupt), ..Hooks::default() };
    let exploration = explore_with(&Config::default(), &test, hooks);
    assert_eq!(exploration.coverage, Coverage::Bounded(vec![Bound::Interrupted]));
    // Loops are looked at in 1,000 executions before the exploration begins, and in more of its other parts.
    assert!(runs.load(Relaxed) < 1_000, "{runs:?} executions after an interrupt during the first");
}

#[test]
fn a_budget_of_time_is_kept() {
    let limit = Duration::from_millis(100);
    for loops in [LoopReduction::Off, LoopReduction::CrossChecked] {
        for workers in [1, 2] {
            let builder = Builder::new().loops(loops).workers(workers).max_time(limit);
            let exploration = builder.explore(queue(3, 3));
            assert_eq!(exploration.coverage, Coverage::Bounded(vec![Bound::Time(limit)]));
            // Generously: the machine has other things to do.
            assert!(exploration.elapsed >= limit && exploration.elapsed < limit + Duration::from_secs(2));
        }
    }
}

#[test]
fn executions_with_too_many_events_are_cut_and_that_is_said() {
    let test = || {
        let value = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&value);
        let thread = thread::spawn(move || (0..20).for_each(|number| other.store(number, Relaxed)));
        thread.join().unwrap();
    };
    let cut = Builder::new().max_events_per_thread(10).explore(test);
    assert_eq!(cut.coverage, Coverage::Bounded(vec![Bound::EventsPerThread(10)]));
    assert!(cut.violation.is_none() && cut.complete == 0);
    let whole = Builder::new().max_events_per_thread(30).explore(test);
    assert_eq!((whole.complete, whole.coverage), (1, Coverage::Complete));
}

#[test]
fn a_loop_without_end_is_cut_at_the_budget_of_events() {
    let test = || {
        let value = AtomicU32::new(0);
        loop {
            value.fetch_add(1, Relaxed);
        }
    };
    let exploration = Builder::new().max_events_per_thread(100).explore(test);
    assert_eq!(exploration.coverage, Coverage::Bounded(vec![Bound::EventsPerThread(100)]));
    assert!(exploration.violation.is_none() && exploration.complete == 0);
}

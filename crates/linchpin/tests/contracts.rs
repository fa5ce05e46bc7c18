//! Contracts as users meet them: watched objects, ordering points, nested calls, verdicts.

use std::sync::Mutex;

use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicU32, Ordering::*};
use linchpin::{
    Builder, Call, Contract, Detection, Execution, Histories, Hooks, Watched, call, contract, point, thread,
};

/// The calls of the only execution of `test`.
fn calls_of(test: impl Fn() + Send + Sync + 'static) -> Vec<Call> {
    let calls = Mutex::new(Vec::new());
    let judge = |_: &Execution, of_execution: &[Call]| {
        *calls.lock().unwrap() = of_execution.to_vec();
        None
    };
    let exploration = Builder::new().explore_with(test, Hooks { judge: &judge, ..Hooks::default() });
    assert_eq!(exploration.complete, 1);
    calls.into_inner().unwrap()
}

/// An object whose operations make five accesses and mark them.
#[derive(Default)]
struct Marked(AtomicU32);

impl Marked {
    fn accesses(&self, marks: [fn(); 5]) {
        for mark in marks {
            self.0.load(Relaxed);
            mark();
        }
    }

    fn defines(&self) {
        self.accesses([|| {}, || point::define(true), || point::define(false), || point::define(true), || {}]);
    }

    fn clears(&self) {
        let clear = || point::clear(true);
        self.accesses([|| point::define(true), clear, || point::define(true), || point::clear(false), || {}]);
    }

    fn clears_and_defines(&self) {
        let mark = || point::clear_define(true);
        self.accesses([mark, || point::define(true), mark, || point::clear_define(false), || {}]);
    }

    fn checks(&self) {
        let (a, b) = (|| point::potential("a", true), || point::potential("b", true));
        self.accesses([a, b, || point::potential("a", false), a, || point::check("a", true)]);
        point::check("b", false);
    }

    fn forgets_potential_points(&self) {
        let check = || point::check("a", true);
        self.accesses([|| point::potential("a", true), || point::clear(true), check, || {}, || {}]);
    }

    fn outer(&self) {
        self.0.load(Relaxed);
        self.defines();
    }
}

#[test]
fn marks_name_the_access_before_them() {
    let calls = calls_of(|| {
        let object = Watched::new(Marked::default());
        point::define(true); // Outside of calls: means nothing.
        call!(object.defines());
        call!(object.clears());
        call!(object.clears_and_defines());
        call!(object.checks());
        call!(object.forgets_potential_points());
    });
    let points: Vec<Vec<u32>> =
        calls.iter().map(|call| call.points.iter().map(|point| point - call.events.start).collect()).collect();
    assert_eq!(points, [vec![1, 3], vec![2], vec![2], vec![0, 3], vec![]]);
}

#[test]
fn a_mark_before_the_first_access_of_a_call_means_nothing() {
    struct Hasty(AtomicU32);
    impl Hasty {
        fn mark(&self) {
            point::define(true);
            self.0.load(Relaxed);
        }
    }
    let calls = calls_of(|| {
        let object = Watched::new(Hasty(AtomicU32::new(0)));
        call!(object.mark());
        call!(object.mark());
    });
    assert!(calls.iter().all(|call| call.points.is_empty()));
}

#[test]
fn of_nested_calls_the_outermost_counts() {
    let calls = calls_of(|| {
        let object = Watched::new(Marked::default());
        struct Whole<'a>(&'a Watched<Marked>);
        impl Whole<'_> {
            fn twice(&self) -> u32 {
                let inner = self.0;
                call!(inner.outer());
                call!(inner.defines());
                7
            }
        }
        let whole = Watched::new(Whole(&object));
        assert_eq!(call!(whole.twice()), 7);
    });
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].name.as_deref(), Some("twice()"));
    assert_eq!((calls[0].events.clone(), &calls[0].points[..]), (0..11, &[2, 4, 7, 9][..]));
}

#[test]
fn arguments_are_evaluated_once_and_results_may_be_mapped() {
    struct Pair(AtomicU32);
    impl Pair {
        fn add(&self, a: u32, b: u32) -> std::num::NonZeroU32 {
            std::num::NonZeroU32::new(self.0.fetch_add(a + b, Relaxed) + a + b).unwrap()
        }
    }
    let calls = calls_of(|| {
        let pair = Watched::new(Pair(AtomicU32::new(0)));
        let mut next = 0;
        let mut count = || {
            next += 1;
            next
        };
        call!(pair.add(count(), count()) => |sum: &std::num::NonZeroU32| sum.get());
        assert_eq!(count(), 3);
    });
    assert_eq!(calls[0].name.as_deref(), Some("add(1, 2)"));
    assert_eq!(calls[0].result, Some(3.into()));
}

/// A flag that is raised once. Without ordering points, calls are ordered by their whole extent.
#[derive(Default)]
struct Flag(AtomicU32);

impl Flag {
    fn raise(&self) {
        self.0.store(1, Release);
    }

    fn is_raised(&self) -> bool {
        self.0.load(Acquire) == 1
    }
}

fn flag(may_be_missed: bool) -> Contract<bool> {
    let contract = Contract::of::<Flag>(|| false)
        .operation("raise", |is_raised, _| *is_raised = true)
        .operation("is_raised", |is_raised, _| *is_raised);
    match may_be_missed {
        true => contract.justifying_postcondition(|_, call| call.c_ret == call.s_ret),
        false => contract.postcondition(|_, call| call.c_ret == call.s_ret),
    }
}

fn raise_and_look() {
    let flag = Arc::new(Watched::new(Flag::default()));
    let other = flag.clone();
    let thread = thread::spawn(move || call!(other.raise()));
    call!(flag.is_raised());
    thread.join().unwrap();
    assert!(call!(flag.is_raised()));
}

#[test]
fn a_look_that_comes_too_early_is_no_violation_if_the_contract_says_so() {
    let check = contract(flag(true)).check(raise_and_look);
    assert_eq!((check.exploration.complete, check.all_histories), (2, true));
    let sampled = contract(flag(true)).histories(Histories::Sample { count: 1, seed: 1 }).check(raise_and_look);
    assert!(!sampled.all_histories && sampled.histories < check.histories);
}

#[test]
fn a_violation_says_which_clause_of_which_call_in_which_history() {
    let check = contract(flag(false)).explore(raise_and_look);
    let report = linchpin::report::violation(&check.exploration.violation.unwrap());
    let headline = report.lines().next().unwrap();
    assert_eq!(
        headline,
        "wrong result: the contract is broken: the postcondition of is_raised() = false does not hold at the end of the \
         history raise(); is_raised() = false"
    );
    assert!(report.contains("t1 raise(); main is_raised() = false"), "{report}");
    assert!(report.contains("┌ is_raised()") && report.contains("└ returns false"), "{report}");
}

#[test]
fn what_needs_no_contract_is_told_first() {
    let (_, detection) = contract(flag(false)).classify(|| {
        let flag = Arc::new(Watched::new(Flag::default()));
        let other = flag.clone();
        let thread = thread::spawn(move || call!(other.raise()));
        // Both the contract and this assertion fail, in the same execution.
        assert!(call!(flag.is_raised()), "too early");
        thread.join().unwrap();
    });
    assert_eq!(detection, Some(Detection::BuiltIn("panic".into())));
}

#[test]
fn outside_of_executions_calls_are_just_calls() {
    let flag = Watched::new(Flag::default());
    call!(flag.raise());
    assert!(call!(flag.is_raised()) && flag.into_inner().is_raised());
}

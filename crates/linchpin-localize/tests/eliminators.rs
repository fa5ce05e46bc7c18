//! Eliminators against the naive algorithm of the paper, against the definition, and against all sets of lines.

mod support;

use std::collections::BTreeSet;

use linchpin_localize::eliminate::{
    Eliminators, Limits, Section, Sections, Traces, cause, eliminators, flatten, is_eliminated, repair,
};
use linchpin_localize::{Access, Operation, Place, Trace};
use support::naive::{self, Intervals};
use support::random::{Shape, random_trace};

fn found(trace: &Trace) -> BTreeSet<Sections> {
    let found = eliminators(trace, &Limits::default());
    assert!(found.is_complete);
    found.sets.into_iter().collect()
}

/// Operations with names of their own, whose accesses have lines of their own, one after another: segments are sections.
fn apart() -> Shape {
    Shape { threads: 2..4, operations: 1..3, accesses: 1..4, locations: 1..4, names: None, lines: None }
}

/// Few names, and lines that come again.
fn looping(names: usize) -> Shape {
    Shape { threads: 2..4, operations: 1..3, accesses: 0..6, locations: 1..3, names: Some(names), lines: Some(3) }
}

fn as_sections(trace: &Trace, sets: BTreeSet<Intervals>) -> BTreeSet<Sections> {
    let section = |&(operation, first, last): &(usize, usize, usize)| {
        let line = |at: usize| trace.accesses()[at].place.line;
        Section::lines(&trace.operations()[operation].name, support::FILE, line(first), line(last))
    };
    sets.iter().map(|set| set.iter().map(section).collect()).collect()
}

#[test]
fn the_optimal_eliminators_are_those_of_the_naive_algorithm() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut cyclic = 0;
    for _ in 0..3_000 {
        let trace = random_trace(&mut random, &apart(), 8);
        let expected = as_sections(&trace, naive::by_cycles(&trace));
        cyclic += usize::from(!expected.is_empty());
        assert_eq!(found(&trace), expected, "{trace:#?}");
    }
    assert!(cyclic > 500, "only {cyclic} traces have eliminators");
}

#[test]
fn the_optimal_eliminators_are_the_least_decompositions_that_are_not_serializable() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut sizes = BTreeSet::new();
    for _ in 0..3_000 {
        let trace = random_trace(&mut random, &apart(), 12);
        let expected = as_sections(&trace, naive::by_definition(&trace));
        sizes.extend(expected.iter().map(Sections::len));
        assert_eq!(found(&trace), expected, "{trace:#?}");
    }
    assert_eq!(sizes, BTreeSet::from([1, 2, 3]));
}

#[test]
fn the_optimal_sets_of_lines_are_the_least_among_all_sets_of_lines() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut cyclic = 0;
    for number in 0..2_000 {
        // Two names have too many sets for more than some.
        let names = if number % 20 == 0 { 2 } else { 1 };
        let trace = random_trace(&mut random, &looping(names), 14);
        let expected = naive::by_lines(&trace);
        cyclic += usize::from(!expected.is_empty());
        assert_eq!(found(&trace), expected, "{trace:#?}");
    }
    assert!(cyclic > 1_000, "only {cyclic} traces have eliminators");
}

#[test]
fn more_sections_rule_out_no_less_in_whatever_files_they_are() {
    let mut random = fastrand::Rng::with_seed(6);
    let mut eliminated = 0;
    for _ in 0..5_000 {
        let trace = random_trace(&mut random, &looping(1), 14);
        let mut accesses = trace.accesses().to_vec();
        for access in &mut accesses {
            access.place.file = if random.bool() { support::FILE } else { "helper.rs" };
        }
        let trace = Trace::new(trace.operations().to_vec(), accesses).in_time(trace.times().to_vec());
        let mut section = || {
            let (first, last) = (random.u32(..4), random.u32(..4));
            let file = if random.bool() { support::FILE } else { "helper.rs" };
            Section::lines("op0", file, first.min(last), first.max(last))
        };
        let few = Sections::new([section(), section()]);
        let more = few.with(&Sections::new([section()]));
        if is_eliminated(&trace, &few) {
            eliminated += 1;
            assert!(is_eliminated(&trace, &more), "{few}, but not {more}: {trace:#?}");
        }
    }
    assert!(eliminated > 500, "only {eliminated} traces were ruled out");
}

#[test]
fn a_section_that_runs_within_another_is_one_interval_with_it() {
    // `a` writes x, calls a helper that writes y twice, and writes z. Nothing of `b` conflicts with anything, so that no sections rule
    // this out.
    let access =
        |operation, location, file, line| Access { operation, location, is_write: true, place: Place { file, line } };
    let operations = vec![Operation { name: "a".into(), thread: 0 }, Operation { name: "b".into(), thread: 1 }];
    let own = [(0, support::FILE, 1), (1, "helper.rs", 1), (1, "helper.rs", 2), (2, support::FILE, 2)];
    let accesses = own.map(|(location, file, line)| access(0, location, file, line));
    let both = Sections::new([Section::lines("a", support::FILE, 1, 2), Section::lines("a", "helper.rs", 1, 2)]);
    let mut without_conflict = accesses.to_vec();
    without_conflict.insert(2, access(1, 3, support::FILE, 9));
    assert!(!is_eliminated(&Trace::new(operations.clone(), without_conflict), &both));
    // If `b` writes y between the helper's two writes, both sections rule it out, and so does either.
    let mut with_conflict = accesses.to_vec();
    with_conflict.insert(2, access(1, 1, support::FILE, 9));
    let trace = Trace::new(operations, with_conflict);
    assert!(is_eliminated(&trace, &both));
    assert!(is_eliminated(&trace, &both.without(0)));
    assert!(is_eliminated(&trace, &both.without(1)));
}

#[test]
fn several_traces_are_ruled_out_by_the_least_unions() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut joined = 0;
    for _ in 0..300 {
        let traces: Vec<Trace> = (0..3).map(|_| random_trace(&mut random, &looping(2), 12)).collect();
        let of_each: Vec<Eliminators> = traces.iter().map(|trace| eliminators(trace, &Limits::default())).collect();
        let unions = flatten(&of_each, &Limits::default()).sets;
        for (number, union) in unions.iter().enumerate() {
            assert!(traces.iter().all(|trace| is_eliminated(trace, union)));
            assert!(!unions.iter().enumerate().any(|(other, less)| other != number && union.subsumes(less)));
            joined += usize::from(union.len() > 1);
        }
        assert_eq!(unions.is_empty(), of_each.iter().any(|each| each.sets.is_empty()));
    }
    assert!(joined > 50, "only {joined} unions have several sections");
}

#[test]
fn an_order_that_says_the_same_gives_an_equal_trace() {
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..2_000 {
        let trace = random_trace(&mut random, &looping(2), 10).in_time(Vec::new());
        let mut accesses = trace.accesses().to_vec();
        for at in 1..accesses.len() {
            let (left, right) = (accesses[at - 1], accesses[at]);
            let conflict = left.location == right.location && (left.is_write || right.is_write);
            if trace.thread_of(&left) != trace.thread_of(&right) && !conflict && random.bool() {
                accesses.swap(at - 1, at);
            }
        }
        assert_eq!(Trace::new(trace.operations().to_vec(), accesses), trace);
    }
}

#[test]
fn the_cause_is_the_cheapest_of_all_sets_of_lines() {
    let mut random = fastrand::Rng::with_seed(6);
    let mut several = 0;
    for number in 0..300 {
        let names = if number % 20 == 0 { 2 } else { 1 };
        let mut traces = Traces::default();
        let mut all = Vec::new();
        for _ in 0..6 {
            let trace = random_trace(&mut random, &looping(names), 10);
            match random.bool() {
                true => traces.add_right(trace.clone()),
                false => traces.add_wrong([trace.clone()]),
            }
            all.push(trace);
        }
        let failing: Vec<&Trace> =
            traces.failing().map(|class| &*class.trace).filter(|trace| !found(trace).is_empty()).collect();
        let cause = cause(&traces, &Limits::default());
        assert!(cause.is_cheapest && failing.iter().all(|trace| is_eliminated(trace, &cause.sections)));
        several += usize::from(cause.sections.len() > 1);
        let price = |sections: &Sections| (traces.disabled_by(sections), sections.size());
        let cheapest = naive::sets_of_lines(&all)
            .into_iter()
            .filter(|set| failing.iter().all(|trace| is_eliminated(trace, set)))
            .map(|set| price(&set))
            .min();
        assert_eq!(Some(price(&cause.sections)), cheapest);
        assert_eq!(cause.disables, traces.disabled_by(&cause.sections));
        // Without budget, what comes out is right, and not known to be the cheapest.
        let hasty = linchpin_localize::eliminate::cause(&traces, &Limits { unions: 0, ..Limits::default() });
        assert!(failing.iter().all(|trace| is_eliminated(trace, &hasty.sections)));
        assert_eq!(hasty.is_cheapest, failing.is_empty());
    }
    assert!(several > 10, "only {several} causes have several sections");
}

#[test]
fn a_repair_leaves_nothing_that_can_be_explained_and_has_no_section_too_many() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut several, mut saved) = (0, 0);
    for _ in 0..200 {
        let mut clients = Vec::new();
        for _ in 0..5 {
            let mut traces = Traces::default();
            for _ in 0..4 {
                let trace = random_trace(&mut random, &looping(2), 10);
                if random.u8(..3) > 0 { traces.add_right(trace) } else { traces.add_wrong([trace]) }
            }
            clients.push(traces);
        }
        let repair = repair(clients.iter().cloned(), &Limits::default());
        let all = || clients.iter().flat_map(Traces::failing).map(|class| &*class.trace);
        let explained: Vec<&Trace> = all().filter(|trace| !found(trace).is_empty()).collect();
        let sections = &repair.cause.sections;
        assert!(explained.iter().all(|trace| is_eliminated(trace, sections)));
        for at in 0..sections.len() {
            let fewer = sections.without(at);
            assert!(explained.iter().any(|trace| !is_eliminated(trace, &fewer)), "{fewer} would do for {sections}");
        }
        let failing = clients.iter().filter(|client| client.violating() > 0).count();
        assert_eq!((repair.clients, repair.failing), (5, failing));
        assert_eq!(repair.cause.left as usize, all().filter(|trace| !is_eliminated(trace, sections)).count());
        several += usize::from(sections.len() > 1);
        saved += usize::from(repair.rounds < repair.failing);
    }
    assert!(several > 50 && saved > 50, "{several} repairs have several sections, {saved} have clients to spare");
}

/// The class of traces of figure 4: `k` conflicts from each of `n` threads to the next, which leave it above where those of the
/// thread before enter it.
fn figure_4(n: usize, k: usize) -> Trace {
    let operations = (0..n).map(|thread| Operation { name: format!("op{thread}").into(), thread }).collect();
    let access = |thread: usize, location: usize, line: usize| Access {
        operation: thread,
        location,
        is_write: true,
        place: Place { file: support::FILE, line: line as u32 },
    };
    let leaves = (0..n).flat_map(|thread| (0..k).map(move |i| access(thread, thread * k + i, i)));
    let enters = (0..n).flat_map(|thread| (0..k).map(move |i| access(thread, (thread + n - 1) % n * k + i, k + i)));
    Trace::new(operations, leaves.chain(enters).collect())
}

#[test]
fn as_many_eliminators_are_optimal_as_figure_4_says() {
    for (n, k) in [(2, 1), (2, 3), (3, 2), (3, 4), (4, 3)] {
        let trace = figure_4(n, k);
        assert_eq!(trace.conflicts(), n * k);
        assert_eq!(found(&trace).len(), k.pow(n as u32), "{n} threads with {k} conflicts each");
    }
}

#[test]
fn budgets_are_kept_and_admitted() {
    let trace = figure_4(3, 4);
    let few = eliminators(&trace, &Limits { cycles: 10, ..Limits::default() });
    assert!(!few.is_complete && few.sets.len() <= 10);
    let few = eliminators(&trace, &Limits { sets: 5, ..Limits::default() });
    assert!(!few.is_complete && few.sets.len() == 5);
    assert!(few.sets.iter().all(|set| is_eliminated(&trace, set)));
}

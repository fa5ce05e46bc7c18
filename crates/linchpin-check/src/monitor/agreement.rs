//! The monitors against the oracle: same verdicts, orders that explain, prefixes that are the shortest, contradictions
//! that contradict themselves and have nothing to spare.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use linchpin_model::OperationId;

use super::generate::{self, BIT, Pending, REGISTER};
use super::{Act, Decision, NEVER, Observed, Watched, decide, oracle};
use crate::limits::Budget;
use crate::{Contradiction, Limits};

/// How often each kind of answer was given.
#[derive(Debug, Default)]
struct Answers {
    orders: usize,
    violations: usize,
    not_applicable: usize,
    /// The kinds of contradictions, with the number of operations that took part.
    contradictions: BTreeMap<(String, usize), usize>,
}

impl Answers {
    /// Decides a history, and checks whatever is said about it.
    fn check(&mut self, watched: Watched, history: &[Observed]) {
        match decide(watched, history, &Budget::new(&Limits::default())).unwrap() {
            Decision::Order(order) => {
                self.orders += 1;
                assert!(oracle::explains(watched, history, &order), "{watched:?} {history:#?}\n{order:?}");
            }
            Decision::Violation { fails_at, contradiction } => {
                self.violations += 1;
                let cut = history[fails_at.index()].ret;
                assert_ne!(cut, NEVER, "{watched:?} {history:#?}");
                let fails = |inclusive| !oracle::linearizable(watched, &oracle::prefix(history, cut, inclusive));
                assert!(fails(true), "no violation by {fails_at} {contradiction:?}\n{watched:?} {history:#?}");
                assert!(!fails(false), "a violation before {fails_at} {contradiction:?}\n{watched:?} {history:#?}");
                match contradiction {
                    Some(contradiction) => {
                        check_contradiction(watched, history, &contradiction);
                        let name = format!("{contradiction:?}");
                        let name = name.split([' ', '{']).next().unwrap_or_default().to_owned();
                        let operations = contradiction.operations().len();
                        *self.contradictions.entry((name, operations)).or_default() += 1;
                    }
                    None => assert_eq!(watched, BIT),
                }
            }
            Decision::NotApplicable => self.not_applicable += 1,
        }
    }

    fn assert_balanced(&self) {
        let all = self.orders + self.violations;
        assert_eq!(self.not_applicable, 0, "{self:?}");
        assert!(self.orders * 8 > all && self.violations * 8 > all, "{self:?}");
    }
}

/// The named operations contradict each other, also if the removals of which nothing is known are added, and without
/// any unit of them they do not.
fn check_contradiction(watched: Watched, history: &[Observed], contradiction: &Contradiction) {
    let named = contradiction.operations();
    let only = |ids: &[OperationId]| -> Vec<Observed> { ids.iter().map(|id| history[id.index()]).collect() };
    let context = || format!("{contradiction:?}\n{watched:?} {history:#?}");
    assert!(!oracle::linearizable(watched, &only(&named)), "not a contradiction: {}", context());
    let unknown = history.iter().filter(|seen| seen.act == Act::RemoveUnknown).copied();
    let with_unknown: Vec<Observed> = only(&named).into_iter().chain(unknown).collect();
    assert!(!oracle::linearizable(watched, &with_unknown), "explained by what is unknown: {}", context());
    match contradiction {
        Contradiction::NeverAdded { .. } | Contradiction::NeverWritten { .. } => return,
        Contradiction::RemovedTwice { .. } | Contradiction::RemovedBeforeAdded { .. } => return,
        Contradiction::ReadBeforeWrite { .. } => return,
        _ => {}
    }
    for unit in units(&only(&named)) {
        let rest: Vec<OperationId> =
            named.iter().enumerate().filter(|(at, _)| !unit.contains(at)).map(|(_, id)| *id).collect();
        assert!(oracle::linearizable(watched, &only(&rest)), "{unit:?} can be spared: {}", context());
    }
}

/// The positions that make up each unit: an element, an operation that finds nothing, a read, a cluster.
fn units(history: &[Observed]) -> BTreeSet<Vec<usize>> {
    let value = |act: Act| match act {
        Act::Add(value) | Act::Remove(value) | Act::Write(value) | Act::Read(value) => Some(value),
        _ => None,
    };
    let mut units = BTreeSet::new();
    for (at, seen) in history.iter().enumerate() {
        match seen.act {
            Act::FindEmpty | Act::Read(_) => drop(units.insert(vec![at])),
            _ => {}
        }
        if let Some(this) = value(seen.act) {
            units.insert((0..history.len()).filter(|&other| value(history[other].act) == Some(this)).collect());
        }
    }
    units
}

fn random_histories(watched: Watched, seed: u64, count: usize) {
    let mut rng = Rng::with_seed(seed);
    for pending in [Pending::None, Pending::Known] {
        let mut near = Answers::default();
        for _ in 0..count {
            let len = rng.usize(2..=8);
            near.check(watched, &generate::nearly_linearizable(watched, len, pending, &mut rng));
        }
        near.assert_balanced();
        let mut uniform = Answers::default();
        for _ in 0..count {
            let len = rng.usize(2..=7);
            uniform.check(watched, &generate::uniform(watched, len, pending, &mut rng));
        }
        assert_eq!(uniform.not_applicable, 0);
        if watched == BIT {
            continue;
        }
        let mut well_formed = Answers::default();
        for _ in 0..count {
            let len = rng.usize(4..=10);
            well_formed.check(watched, &generate::well_formed(watched, len, pending, &mut rng));
        }
        well_formed.assert_balanced();
    }
}

fn all_histories(watched: Watched, len: usize, with_pending: bool) {
    let mut answers = Answers::default();
    let overlaps = generate::all_overlaps(len, with_pending);
    let mut history = Vec::new();
    for acts in generate::all_acts(watched, len) {
        for intervals in &overlaps {
            history.clear();
            history.extend(acts.iter().zip(intervals).map(|(&act, &(call, ret))| Observed { act, call, ret }));
            answers.check(watched, &history);
        }
    }
    assert_eq!(answers.not_applicable, 0, "{answers:?}");
    assert!(answers.orders > 0 && (answers.violations > 0 || len == 0), "{answers:?}");
}

/// Verdicts of removals that may have taken anything: right if given, and given most of the time.
fn unknown_removals(watched: Watched, seed: u64, count: usize) {
    let mut rng = Rng::with_seed(seed);
    let mut answers = Answers::default();
    for _ in 0..count {
        let len = rng.usize(2..=8);
        answers.check(watched, &generate::nearly_linearizable(watched, len, Pending::Unknown, &mut rng));
    }
    assert!(answers.not_applicable * 10 < count, "{answers:?}");
    assert!(answers.orders * 10 > count && answers.violations * 10 > count, "{answers:?}");
}

#[test]
fn agrees_on_random_histories_of_a_register() {
    random_histories(REGISTER, 1, 60_000);
}

#[test]
fn agrees_on_random_histories_of_a_bit() {
    random_histories(BIT, 2, 60_000);
}

#[test]
fn agrees_on_random_histories_of_a_queue() {
    random_histories(Watched::Queue, 3, 60_000);
}

#[test]
fn agrees_on_random_histories_of_a_stack() {
    random_histories(Watched::Stack, 4, 60_000);
}

#[test]
fn agrees_on_random_histories_of_a_priority_queue() {
    random_histories(Watched::PriorityQueue, 5, 60_000);
}

#[test]
fn agrees_on_all_small_histories_of_a_register() {
    (1..=4).for_each(|len| all_histories(REGISTER, len, true));
}

#[test]
fn agrees_on_all_small_histories_of_a_bit() {
    (1..=4).for_each(|len| all_histories(BIT, len, true));
    all_histories(BIT, 5, false);
}

#[test]
fn agrees_on_all_small_histories_of_a_queue() {
    (1..=4).for_each(|len| all_histories(Watched::Queue, len, true));
}

#[test]
fn agrees_on_all_small_histories_of_a_stack() {
    (1..=4).for_each(|len| all_histories(Watched::Stack, len, true));
}

#[test]
fn agrees_on_all_small_histories_of_a_priority_queue() {
    (1..=4).for_each(|len| all_histories(Watched::PriorityQueue, len, true));
}

#[test]
fn agrees_when_removals_may_have_taken_anything() {
    for (watched, seed) in [(Watched::Queue, 6), (Watched::Stack, 7), (Watched::PriorityQueue, 8)] {
        unknown_removals(watched, seed, 30_000);
    }
}

fn seen(act: Act, call: u32, ret: u32) -> Observed {
    Observed { act, call, ret }
}

fn decided(watched: Watched, history: &[Observed]) -> Decision {
    decide(watched, history, &Budget::new(&Limits::default())).unwrap()
}

#[test]
fn values_that_repeat_are_left_to_others() {
    let twice = [seen(Act::Add(1), 0, 1), seen(Act::Add(1), 2, 3)];
    for watched in [Watched::Queue, Watched::Stack, Watched::PriorityQueue] {
        assert_eq!(decided(watched, &twice), Decision::NotApplicable);
    }
    let twice = [seen(Act::Write(1), 0, 1), seen(Act::Write(1), 2, 3)];
    assert_eq!(decided(REGISTER, &twice), Decision::NotApplicable);
    assert_eq!(decided(REGISTER, &[seen(Act::Write(0), 0, 1)]), Decision::NotApplicable);
}

#[test]
fn operations_of_other_kinds_are_left_to_others() {
    assert_eq!(decided(Watched::Queue, &[seen(Act::Read(1), 0, 1)]), Decision::NotApplicable);
    assert_eq!(decided(REGISTER, &[seen(Act::Add(1), 0, 1)]), Decision::NotApplicable);
    assert_eq!(decided(BIT, &[seen(Act::Write(1), 0, 1)]), Decision::NotApplicable);
}

#[test]
fn a_removal_that_returned_something_unknown_is_left_to_others() {
    assert_eq!(decided(Watched::Stack, &[seen(Act::RemoveUnknown, 0, 1)]), Decision::NotApplicable);
}

#[test]
fn idle_operations_have_their_place() {
    let history = [
        seen(Act::Nothing, 8, 9),
        seen(Act::Add(1), 0, 3),
        seen(Act::Nothing, 1, 2),
        seen(Act::Remove(1), 6, 7),
        seen(Act::Nothing, 4, 5),
        seen(Act::Nothing, 10, NEVER),
    ];
    let order = [1, 2, 4, 3, 0].map(OperationId).to_vec();
    assert_eq!(decided(Watched::Queue, &history), Decision::Order(order));
}

//! Random programs with loops that retry have the same outcomes whether every iteration is explored or not, unless something is listed as
//! assumed, and whoever explores which part.
//!
//! Some loops have no effect; others count their failures, give up, or remember what they have seen, and each access of a step may have
//! another order than the others, so that it may matter which of them has read something. All threads run the same code, so that
//! calls of one function twice in a row look like loops, too. The same goes for spin hints, in loops and outside.

mod common;

use std::collections::BTreeSet;

use common::{MODELS, explore_outcomes};
use fastrand::Rng;
use linchpin::cell::UnsafeCell;
use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicU8, Ordering, Ordering::*, fence};
use linchpin::{Assumption, Coverage, LoopReduction, ViolationKind, thread};
use linchpin_engine::{Config, Exploration};

/// What a thread does, to the first or the second of two numbers.
#[derive(Clone, Copy, Debug)]
enum Step {
    Store(usize, u8),
    Add(usize),
    /// Writes plain data, then stores 1.
    Publish(usize),
    Fence,
    /// Reads, and tells.
    Look(usize),
    /// Reads until that gives the same twice, and tells.
    LookTwice(usize),
    /// Adds by compare-exchange in a loop, of one of these kinds. Then reads the plain data, if the number was not 0 and this is so.
    Increase(usize, Retry, bool),
}

#[derive(Clone, Copy, Debug)]
enum Retry {
    /// Reads anew after a failure.
    Anew,
    /// Goes on with what the failure has shown.
    Shown,
    /// Reads anew after a failure, but not where it read first.
    Elsewhere,
    /// As `Anew`, with a fence after reading.
    Fenced,
    /// Reads the other number in between, goes on if that has not changed the first one, and tells it.
    BothNumbers,
    /// As the library does it.
    FetchUpdate,
    /// Tells how often it failed.
    Counted,
    /// Gives up after two failures, and tells.
    GivesUp,
    /// Tells what it has seen.
    Remembers,
}

/// The orders of the accesses of a step.
#[derive(Clone, Copy, Debug)]
struct Orders {
    load: Ordering,
    /// Of what it reads in another place.
    reload: Ordering,
    store: Ordering,
    exchange: Ordering,
    failure: Ordering,
    fence: Ordering,
}

impl Orders {
    const ACQUIRE_RELEASE: Orders =
        Orders { load: Acquire, reload: Acquire, store: Release, exchange: AcqRel, failure: Acquire, fence: AcqRel };

    fn random(rng: &mut Rng) -> Orders {
        let read = |rng: &mut Rng| [Relaxed, Relaxed, Acquire, SeqCst][rng.usize(..4)];
        Orders {
            load: read(rng),
            reload: read(rng),
            store: [Relaxed, Release, Release, SeqCst][rng.usize(..4)],
            exchange: [Relaxed, Relaxed, Acquire, Release, AcqRel, SeqCst][rng.usize(..6)],
            failure: read(rng),
            fence: [Acquire, Release, AcqRel, SeqCst][rng.usize(..4)],
        }
    }
}

#[derive(Default)]
struct Memory {
    numbers: [AtomicU8; 2],
    data: UnsafeCell<u8>,
    /// What a thread has told. What nobody does anything with does not count.
    told: AtomicU8,
    /// Are there spin hints?
    hints: bool,
}

// SAFETY: nobody does anything with the plain data; what is asked is whether two might at the same time.
unsafe impl Sync for Memory {}

impl Memory {
    /// A spin hint where this is called, if there are any.
    #[track_caller]
    fn hint(&self) {
        if self.hints {
            thread::yield_now();
        }
    }

    /// Does a step; returns what it tells.
    fn run(&self, step: Step, orders: Orders) -> u8 {
        match step {
            Step::Store(number, value) => self.numbers[number].store(value, orders.store),
            Step::Add(number) => drop(self.numbers[number].fetch_add(1, orders.exchange)),
            Step::Publish(number) => {
                self.data.with_mut(|_| ());
                self.numbers[number].store(1, orders.store);
            }
            Step::Fence => fence(orders.fence),
            Step::Look(number) => {
                let seen = self.numbers[number].load(orders.load);
                self.hint();
                return 1 + seen;
            }
            Step::LookTwice(number) => loop {
                let seen = self.numbers[number].load(orders.load);
                if self.numbers[number].load(orders.reload) == seen {
                    return 1 + seen;
                }
                self.hint();
            },
            Step::Increase(number, retry, peeks) => {
                let (replaced, told) = self.increase(number, retry, orders);
                if peeks && replaced.is_some_and(|number| number != 0) {
                    self.data.with(|_| ());
                }
                return told;
            }
        }
        0
    }

    /// What was replaced, and what is told.
    fn increase(&self, number: usize, retry: Retry, orders: Orders) -> (Option<u8>, u8) {
        let [number, other] = [&self.numbers[number], &self.numbers[1 - number]];
        let load = || number.load(orders.load);
        let exchange = |seen| number.compare_exchange(seen, seen + 1, orders.exchange, orders.failure);
        let anew = |between: &mut dyn FnMut(u8)| loop {
            let seen = load();
            between(seen);
            if exchange(seen).is_ok() {
                break seen;
            }
            self.hint();
        };
        let mut told: u8 = 0;
        let replaced = match retry {
            Retry::Anew => loop {
                let seen = load();
                if exchange(seen).is_ok() {
                    break seen;
                }
                self.hint();
            },
            Retry::Fenced => anew(&mut |_| fence(orders.fence)),
            Retry::Remembers => anew(&mut |seen| told = told.wrapping_mul(4).wrapping_add(seen)),
            Retry::Shown => {
                let mut seen = load();
                while let Err(shown) = exchange(seen) {
                    seen = shown;
                    self.hint();
                }
                seen
            }
            Retry::Elsewhere => {
                let mut seen = load();
                while exchange(seen).is_err() {
                    seen = number.load(orders.reload);
                    self.hint();
                }
                seen
            }
            Retry::BothNumbers => loop {
                let seen = load();
                told = other.load(orders.reload);
                if number.load(orders.reload) == seen && exchange(seen).is_ok() {
                    break seen;
                }
                self.hint();
            },
            Retry::FetchUpdate => {
                number.fetch_update(orders.exchange, orders.failure, |seen| Some(seen + 1)).unwrap_or_else(|seen| seen)
            }
            Retry::Counted => loop {
                let seen = load();
                if exchange(seen).is_ok() {
                    break seen;
                }
                told += 1;
                self.hint();
            },
            Retry::GivesUp => {
                for _ in 0..2 {
                    if let Ok(seen) = exchange(load()) {
                        return (Some(seen), 0);
                    }
                    self.hint();
                }
                return (None, 1);
            }
        };
        (Some(replaced), told)
    }
}

#[derive(Debug)]
struct Program {
    threads: Vec<Vec<(Step, Orders)>>,
    hints: bool,
}

impl Program {
    /// Half of them are about what comes with a number: one thread writes the other number or plain data first, and another thread
    /// looks at that last.
    fn random(seed: u64, hints: bool) -> Program {
        let rng = &mut Rng::with_seed(seed);
        let threads = rng.usize(2..=3);
        let steps = |rng: &mut Rng| (0..rng.usize(1..=5 - threads)).map(|_| step(rng)).collect();
        let mut threads: Vec<Vec<_>> = (0..threads).map(|_| steps(rng)).collect();
        if rng.bool() {
            let number = rng.usize(..2);
            threads[0] = match rng.u8(..4) {
                0 => vec![Step::Publish(number)],
                1 => vec![Step::Add(1 - number), Step::Add(number)],
                _ => vec![Step::Store(1 - number, 1), Step::Store(number, 1)],
            };
            let retry = if rng.bool() { Retry::Shown } else { retry(rng) };
            threads[1] = vec![Step::Increase(number, retry, true), Step::Look(1 - number)];
        }
        let with_orders = |steps: Vec<Step>| steps.into_iter().map(|step| (step, Orders::random(rng))).collect();
        Program { threads: threads.into_iter().map(with_orders).collect(), hints }
    }

    /// What each thread tells, and what is left at the end.
    fn run(&self) -> [u8; 4] {
        let memory = Arc::new(Memory { hints: self.hints, ..Memory::default() });
        let start = |steps: &Vec<(Step, Orders)>| {
            let (memory, steps) = (Arc::clone(&memory), steps.clone());
            thread::spawn(move || {
                let tell = |told: u8, &(step, orders): &_| told.wrapping_mul(7).wrapping_add(memory.run(step, orders));
                steps.iter().fold(0, tell)
            })
        };
        let threads: Vec<_> = self.threads.iter().map(start).collect();
        let mut outcome = [0; 4];
        for (told, thread) in outcome.iter_mut().zip(threads) {
            *told = thread.join().unwrap();
            memory.told.store(*told, Relaxed);
        }
        outcome[3] = 16 * memory.numbers[0].load(Relaxed) + memory.numbers[1].load(Relaxed);
        outcome
    }

    /// Explores it; with the outcomes, unless there is a race.
    fn explore(&self, config: Config) -> (Exploration, Option<BTreeSet<[u8; 4]>>) {
        let (exploration, outcomes) = explore_outcomes(&config, || self.run());
        let kind = exploration.violation.as_ref().map(|violation| &violation.kind);
        assert!(matches!(kind, None | Some(ViolationKind::DataRace { .. })), "{kind:?}\n{self:?}");
        let outcomes = kind.is_none().then_some(outcomes);
        (exploration, outcomes)
    }
}

/// Has it come to the end of what there is, or to a race?
fn is_decided(exploration: &Exploration) -> bool {
    exploration.coverage == Coverage::Complete || exploration.violation.is_some()
}

fn step(rng: &mut Rng) -> Step {
    let number = rng.usize(..2);
    match rng.u8(..12) {
        0 => Step::Store(number, rng.u8(1..3)),
        1 => Step::Add(number),
        2 => Step::Look(number),
        3 => Step::LookTwice(number),
        4 => Step::Fence,
        _ => Step::Increase(number, retry(rng), rng.bool()),
    }
}

fn retry(rng: &mut Rng) -> Retry {
    let all = [
        Retry::Anew,
        Retry::Shown,
        Retry::Elsewhere,
        Retry::Fenced,
        Retry::BothNumbers,
        Retry::FetchUpdate,
        Retry::Counted,
        Retry::GivesUp,
        Retry::Remembers,
    ];
    all[rng.usize(..all.len())]
}

#[test]
fn no_outcome_is_lost_with_iterations_unless_they_are_listed_as_assumed() {
    let programs: u64 = std::env::var("LINCHPIN_PROGRAMS").map_or(400, |programs| programs.parse().unwrap());
    let [mut compared, mut reduced, mut lost, mut lost_by_sign, mut races] = [0; 5];
    for (seed, model) in (0..programs).flat_map(|seed| MODELS.map(|model| (seed, model))) {
        let program = Program::random(seed, false);
        let with = |loops| Config { model, loops, ..Config::default() };
        let (full, expected) = program.explore(Config { max_executions: Some(3_000), ..with(LoopReduction::Off) });
        if !is_decided(&full) {
            continue;
        }
        compared += 1;
        let (exploration, found) = program.explore(with(LoopReduction::CrossChecked));
        assert!(is_decided(&exploration));
        let is_loop = |assumption: &Assumption| matches!(assumption, Assumption::EffectFreeLoop { .. });
        match exploration.assumptions.iter().any(is_loop) {
            // What is assumed may be wrong, if only now and then.
            true => lost += u32::from(found != expected),
            false => assert_eq!(found, expected, "seed {seed}, {model:?}: {program:?}"),
        }
        reduced += u32::from(exploration.complete < full.complete);

        let shared = Config { shares_always: true, ..with(LoopReduction::CrossChecked) };
        let (by_parts, found_in_parts) = program.explore(shared);
        assert_eq!(found_in_parts, found, "seed {seed}, {model:?}, in parts: {program:?}");
        let counts = |exploration: &Exploration| (exploration.complete, exploration.blocked);
        assert_eq!(counts(&by_parts), counts(&exploration), "seed {seed}, {model:?}, in parts: {program:?}");
        lost_by_sign += u32::from(program.explore(with(LoopReduction::Unchecked)).1 != expected);
        races += u32::from(expected.is_none());
    }
    println!("of {compared}: {reduced} reduced, {lost} with less by assumptions, {lost_by_sign} by the sign alone");
    println!("{races} have races");
    assert!(lost * 200 <= compared, "{lost} of {compared}");
    assert!(reduced * 10 > compared && lost_by_sign * 10 > compared, "{reduced} and {lost_by_sign} of {compared}");
    assert!(races * 20 > compared, "{races} races in {compared}");
}

#[test]
fn a_compare_exchange_that_expects_what_it_was_shown_comes_to_its_end() {
    let first = vec![Step::LookTwice(1), Step::Store(0, 2)];
    let second = vec![Step::Look(0), Step::Increase(0, Retry::Shown, false), Step::Store(0, 2)];
    let with_orders = |steps: Vec<Step>| steps.into_iter().map(|step| (step, Orders::ACQUIRE_RELEASE)).collect();
    let program = Program { threads: [first, second].map(with_orders).into(), hints: false };
    // The sign alone takes looking twice for a loop; how that goes on is looked at with everybody reading the same again and again.
    let (exploration, _) = program.explore(Config { loops: LoopReduction::Unchecked, ..Config::default() });
    assert!(exploration.blocked > 0);
}

#[test]
fn no_outcome_is_lost_by_heeding_spin_hints_unless_something_is_listed_as_assumed() {
    let programs: u64 = std::env::var("LINCHPIN_PROGRAMS").map_or(400, |programs| programs.parse().unwrap());
    let [mut compared, mut lost, mut lost_by_word] = [0; 3];
    for (seed, model) in (0..programs).flat_map(|seed| MODELS.map(|model| (seed, model))) {
        let program = Program::random(seed, true);
        let off = Config { model, loops: LoopReduction::Off, ..Config::default() };
        let unheeded = Config { spin_is_wait: false, max_executions: Some(3_000), ..off.clone() };
        let (full, expected) = program.explore(unheeded);
        if !is_decided(&full) {
            continue;
        }
        compared += 1;
        let (exploration, found) = program.explore(Config { model, ..Config::default() });
        match exploration.assumptions.is_empty() {
            true => assert_eq!(found, expected, "seed {seed}, {model:?}: {program:?}"),
            false => lost += u32::from(found != expected),
        }
        lost_by_word += u32::from(program.explore(off).1 != expected);
    }
    println!("of {compared}: {lost} with less by assumptions, {lost_by_word} if hints are taken at their word");
    assert!(lost * 200 <= compared, "{lost} of {compared}");
    assert!(lost_by_word * 10 > compared, "{lost_by_word} of {compared}");
}

//! Runs in which it is said whose turn it is.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;

use linchpin_engine::{Allocator, Call, Config, Guide, Sampling, SamplingHooks, Strategy, Turn, rt, sample_with};
use linchpin_graph::{Order, Request, Step, ThreadId, Verb};
use linchpin_model::Value;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new(std::alloc::System);

#[track_caller]
fn load(word: &u64) -> u64 {
    rt::load(word as *const u64 as usize, 8, Order::SeqCst, std::panic::Location::caller())
}

#[track_caller]
fn store(word: &u64, value: u64) {
    let site = std::panic::Location::caller();
    rt::write(Verb::Store, word as *const u64 as usize, 8, Order::SeqCst, value, site);
}

/// Two threads that each add 1 to a word, twice, not atomically; what each call returns is what it found.
fn test() {
    let word: &'static u64 = Box::leak(Box::new(0));
    let site = std::panic::Location::caller();
    let thread = |first: u64| {
        rt::Body::new(move || {
            for tag in first..first + 2 {
                rt::operation_begins(tag);
                let found = load(word);
                store(word, found + 1);
                rt::operation_ends(&Value::from(found as i64));
            }
        })
    };
    for thread in [0, 2].map(|first| rt::spawn(thread(first), None, site)) {
        rt::join(thread, site);
    }
}

/// What the four calls return when turns are taken like this.
fn returned(turns: &[Guide]) -> Vec<i64> {
    let seen = Mutex::new(Vec::new());
    let judge = |calls: &[Call]| {
        *seen.lock().unwrap() = calls.iter().map(|call| call.result.as_ref().unwrap().as_integer().unwrap()).collect();
        None
    };
    let sampling = Sampling { strategy: Strategy::Guided(turns.to_vec()), runs: 1, ..Sampling::default() };
    let sampled =
        sample_with(&Config::default(), &sampling, &test, SamplingHooks { judge: &judge, ..Default::default() });
    assert_eq!(sampled.complete, 1);
    seen.into_inner().unwrap()
}

const ONE: ThreadId = ThreadId(1);
const TWO: ThreadId = ThreadId(2);

#[test]
fn whole_calls_are_run_in_the_order_that_is_said() {
    let calls = |threads: [ThreadId; 4]| threads.map(Guide::Call);
    assert_eq!(returned(&calls([ONE, ONE, TWO, TWO])), [0, 1, 2, 3]);
    assert_eq!(returned(&calls([TWO, ONE, TWO, ONE])), [1, 3, 0, 2]);
}

#[test]
fn single_steps_are_made_in_the_order_that_is_said() {
    // A call is a step as well: both threads call and load, then both store.
    let steps = [ONE, TWO, ONE, TWO, ONE, TWO].map(Guide::Step);
    let rest = [ONE, TWO].map(Guide::Call);
    assert_eq!(returned(&[&steps[..], &rest].concat()), [0, 1, 0, 2]);
}

#[test]
fn turns_of_threads_that_cannot_go_on_are_skipped_and_missing_ones_made_up() {
    // Nobody is thread 7. When nothing is said any more, who ran last runs on.
    assert_eq!(returned(&[Guide::Step(ThreadId(7)), Guide::Call(TWO)]), [2, 3, 0, 1]);
    assert_eq!(returned(&[]), returned(&[Guide::Call(ONE), Guide::Call(ONE)]));
}

#[test]
fn what_was_found_is_found_again_along_its_turns() {
    let judge = |calls: &[Call]| {
        let sum: i64 = calls.iter().map(|call| call.result.as_ref().unwrap().as_integer().unwrap()).sum();
        // One after the other they find 0, 1, 2 and 3.
        (sum < 3).then(|| format!("{sum}"))
    };
    let turns_of = Mutex::new(HashMap::new());
    let note = |run: u64, turns: &[Turn]| drop(turns_of.lock().unwrap().insert(run, turns.to_vec()));
    let hooks = SamplingHooks { judge: &judge, turns: Some(&note), ..Default::default() };
    let sampling = Sampling { runs: 1_000, ..Sampling::default() };
    let found = sample_with(&Config::default(), &sampling, &test, hooks).found.unwrap();
    let turns = turns_of.lock().unwrap().remove(&found.run).unwrap();
    let guide = turns.iter().map(|turn| Guide::Step(turn.thread)).collect();
    let again = Sampling { strategy: Strategy::Guided(guide), runs: 1, ..Sampling::default() };
    let again = sample_with(&Config::default(), &again, &test, hooks).found.unwrap();
    assert_eq!(again.violation.kind.to_string(), found.violation.kind.to_string());
    assert_eq!(turns_of.lock().unwrap()[&again.run], turns);
}

/// Waits until nobody has the lock, and takes it.
#[track_caller]
fn lock(word: &u64) {
    let site = std::panic::Location::caller();
    let (verb, address, order) = (Verb::Lock, word as *const u64 as usize, Order::SeqCst);
    let step = |held, _, _| if held == 0 { Step::Write(1) } else { Step::Wait };
    rt::read(&rt::Access {
        verb,
        address,
        size: 8,
        request: Request { step, a: 0, b: 0, order, failure: order },
        site,
    });
}

/// Three threads that each add 1 to a word, three times, holding a lock.
fn test_with_lock() {
    let words: &'static [u64; 2] = Box::leak(Box::new([0, 0]));
    let site = std::panic::Location::caller();
    let thread = |first: u64| {
        rt::Body::new(move || {
            for tag in first..first + 3 {
                rt::operation_begins(tag);
                lock(&words[0]);
                let found = load(&words[1]);
                store(&words[1], found + 1);
                store(&words[0], 0);
                rt::operation_ends(&Value::from(found as i64));
            }
        })
    };
    for thread in [0, 3, 6].map(|first| rt::spawn(thread(first), None, site)) {
        rt::join(thread, site);
    }
}

/// What a run's calls returned and when, and whose turn it was.
type Seen = (Vec<(Option<Value>, Option<Range<u64>>)>, Vec<Turn>);

/// Makes one run.
fn seen(strategy: Strategy, seed: u64) -> Seen {
    let seen = Mutex::new(Seen::default());
    let judge = |calls: &[Call]| {
        seen.lock().unwrap().0 = calls.iter().map(|call| (call.result.clone(), call.time.clone())).collect();
        None
    };
    let note = |_, turns: &[Turn]| seen.lock().unwrap().1 = turns.to_vec();
    let hooks = SamplingHooks { judge: &judge, turns: Some(&note), ..Default::default() };
    let sampling = Sampling { strategy, runs: 1, seed, ..Sampling::default() };
    let sampled = sample_with(&Config { workers: 1, ..Config::default() }, &sampling, &test_with_lock, hooks);
    assert_eq!(sampled.complete, 1);
    seen.into_inner().unwrap()
}

#[test]
fn every_run_is_made_again_along_its_turns() {
    for seed in 0..200 {
        let strategy = match seed % 2 {
            0 => Strategy::Random,
            _ => Strategy::PctInWindows { depth: 4, operations: 1, one_alone: false },
        };
        let first = seen(strategy, seed);
        let guide = first.1.iter().map(|turn| Guide::Step(turn.thread)).collect();
        assert_eq!(seen(Strategy::Guided(guide), 0), first, "seed {seed}");
    }
}

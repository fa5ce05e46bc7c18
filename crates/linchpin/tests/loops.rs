//! Loops that retry: what looks like an iteration without effect, but has one, must not be lost; what has none should
//! not be explored.
//!
//! The sign of an iteration without effect is a read that repeats the position and the location of an earlier one. Taken
//! alone it loses outcomes of the first programs below; the tests say so, lest they be about harmless ones.

mod common;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use common::structures::{queue, stack};
use common::{MODELS, executions, explore_outcomes, finding, in_threads, outcomes, under};
use linchpin::cell::UnsafeCell;
use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicBool, AtomicU8, Ordering, Ordering::*};
use linchpin::{Assumption, Builder, Call, Execution, Hooks, LoopReduction, MemoryModel, Value, ViolationKind, thread};
use linchpin_engine::Config;

/// `expected` are the outcomes of `test`, with loop reduction and without; the sign alone would lose some.
#[track_caller]
fn nothing_is_lost<const N: usize>(expected: &[[u8; N]], test: impl Fn() -> [u8; N] + Sync) {
    let expected: BTreeSet<_> = expected.iter().copied().collect();
    for model in MODELS {
        let with = |loops| Config { model, loops, ..Config::default() };
        assert_eq!(outcomes(&with(LoopReduction::Off), &test), expected);
        assert_eq!(outcomes(&with(LoopReduction::CrossChecked), &test), expected);
        let (_, by_sign_alone) = explore_outcomes(&with(LoopReduction::Unchecked), &test);
        assert_ne!(by_sign_alone, expected, "this program is harmless");
    }
}

/// Runs `thread` and `writer`, which share a number that is 0 at first.
fn beside(writer: fn(&AtomicU8), thread: impl FnOnce(&AtomicU8) -> u8) -> u8 {
    let value = Arc::new(AtomicU8::new(0));
    let other = Arc::clone(&value);
    let writer = thread::spawn(move || writer(&other));
    let result = thread(&value);
    writer.join().unwrap();
    result
}

fn set(value: &AtomicU8) {
    value.store(1, Release);
}

#[test]
fn an_accessor_that_is_called_twice_may_answer_differently() {
    fn get(value: &AtomicU8) -> u8 {
        value.load(Acquire)
    }
    nothing_is_lost(&[[0], [1], [11]], || [beside(set, |value| 10 * get(value) + get(value))]);
}

#[test]
fn reads_in_a_loop_that_always_goes_round_twice_may_differ() {
    nothing_is_lost(&[[0], [1], [2]], || {
        [beside(set, |value| {
            let mut sum = 0;
            for _ in 0..2 {
                sum += value.load(Acquire);
            }
            sum
        })]
    });
}

#[test]
fn a_loop_may_give_up() {
    for tries in 2..=3 {
        nothing_is_lost(&[[0], [1]], || [beside(set, |value| (0..tries).any(|_| value.load(Acquire) == 1).into())]);
    }
}

#[test]
fn attempts_to_exchange_may_be_given_up() {
    // Two increments by others make two attempts fail.
    let increment_twice = |value: &AtomicU8| {
        value.fetch_add(1, Relaxed);
        value.fetch_add(1, Relaxed);
    };
    let attempts = |value: &AtomicU8| {
        for _ in 0..2 {
            let seen = value.load(Relaxed);
            if value.compare_exchange(seen, 10, Relaxed, Relaxed).is_ok() {
                return 1;
            }
        }
        0
    };
    nothing_is_lost(&[[0], [1]], move || [beside(increment_twice, attempts)]);
}

#[test]
fn failures_that_are_counted_and_told_by_the_joined_thread_count() {
    nothing_is_lost(&[[0], [1]], || {
        let value = Arc::new(AtomicU8::new(0));
        let (other, told) = (Arc::clone(&value), AtomicU8::new(0));
        let thread = thread::spawn(move || {
            let (mut failures, mut seen) = (0, other.load(Relaxed));
            while let Err(found) = other.compare_exchange(seen, seen + 10, Relaxed, Relaxed) {
                failures += 1;
                seen = found;
            }
            failures
        });
        set(&value);
        told.store(thread.join().unwrap(), Relaxed);
        [told.load(Relaxed)]
    });
}

#[test]
fn failures_that_are_counted_and_stored_count() {
    nothing_is_lost(&[[0], [1]], || {
        let failed = AtomicU8::new(0);
        beside(set, |value| {
            let mut failures = 0;
            loop {
                let seen = value.load(Relaxed);
                if value.compare_exchange(seen, seen + 10, Relaxed, Relaxed).is_ok() {
                    break;
                }
                failures += 1;
            }
            failed.store(failures, Relaxed);
            0
        });
        [failed.load(Relaxed)]
    });
}

#[test]
fn failures_that_are_counted_and_asserted_count() {
    let test = || {
        beside(set, |value| {
            let mut failures = 0;
            loop {
                let seen = value.load(Relaxed);
                if value.compare_exchange(seen, seen + 10, Relaxed, Relaxed).is_ok() {
                    break;
                }
                failures += 1;
            }
            assert_eq!(failures, 0, "it takes more than one attempt");
            0
        });
    };
    for loops in [LoopReduction::Off, LoopReduction::CrossChecked] {
        assert!(Builder::new().loops(loops).explore(test).violation.is_some());
    }
    assert!(Builder::new().loops(LoopReduction::Unchecked).explore(test).violation.is_none());
}

#[test]
fn what_failed_attempts_have_seen_counts() {
    // The values are kept in memory that the engine does not watch.
    let count_up = |value: &AtomicU8| {
        value.store(1, Relaxed);
        value.store(2, Relaxed);
    };
    nothing_is_lost(&[[0], [1], [2], [12]], move || {
        [beside(count_up, |value| {
            let mut seen = Vec::new();
            while seen.len() < 3 {
                seen.push(value.load(Relaxed));
                if *seen.last().unwrap() == 2 {
                    break;
                }
            }
            seen.dedup();
            seen.iter().fold(0, |number, digit| 10 * number + digit)
        })]
    });
}

/// Adds two to a number that another thread sets to 1 after having set `data`. Returns what the number was, what it is in the end, and what
/// `look` finds in the data of who has found the number to be so.
fn add_two<D: Send + Sync + 'static>(
    [first, success]: [Ordering; 2],
    data: D,
    set: fn(&D),
    look: fn(&D, u8) -> u8,
) -> [u8; 3] {
    let shared = Arc::new((AtomicU8::new(0), data));
    let other = Arc::clone(&shared);
    let writer = thread::spawn(move || {
        set(&other.1);
        other.0.store(1, Release);
    });
    let (number, data) = &*shared;
    let mut seen = number.load(first);
    while let Err(shown) = number.compare_exchange(seen, seen + 2, success, Relaxed) {
        seen = shown;
    }
    let found = look(data, seen);
    writer.join().unwrap();
    [seen, number.load(Relaxed), found]
}

/// [`add_two`] with a number for data.
fn add_two_and_look(orders: [Ordering; 2]) -> [u8; 3] {
    add_two(orders, AtomicU8::new(0), |data| data.store(1, Relaxed), |data, _| data.load(Relaxed))
}

#[test]
fn what_comes_with_a_value_is_not_known_by_a_failure_that_does_not_acquire_it() {
    // Who finds the 1 by a relaxed failure may find the data unset, and who finds it at once may not.
    let by_failure = [1, 3, 0];
    let others = [[0, 1, 0], [0, 1, 1], [1, 3, 1]];
    for loops in [LoopReduction::Off, LoopReduction::CrossChecked] {
        let config = Config { loops, ..Config::default() };
        for first in [Relaxed, Acquire, SeqCst] {
            let outcomes = |success| outcomes(&config, move || add_two_and_look([first, success]));
            assert_eq!(outcomes(Acquire), others.into(), "{loops:?}, {first:?}");
            let all = others.into_iter().chain([by_failure]).collect();
            assert_eq!(outcomes(Relaxed), all, "{loops:?}, {first:?}");
        }
    }
}

#[test]
fn loops_that_acquire_in_the_end_what_their_failures_do_not_are_reduced() {
    let counts = |success| {
        let test = move || {
            add_two_and_look([Acquire, success]);
        };
        [LoopReduction::Off, LoopReduction::CrossChecked].map(|loops| executions(&Builder::new().loops(loops), test))
    };
    // The number is set after it was changed, and the data is found set or not; before it was read; or in between, which is a failure.
    assert_eq!(counts(Acquire), [2 + 1 + 1, 2 + 1]);
    // After a failure the data is now found set or not.
    assert_eq!(counts(Relaxed), [2 + 1 + 2, 2 + 1 + 2]);
}

#[test]
fn a_race_for_what_a_failure_has_not_acquired_is_found() {
    let test = |success| {
        move || {
            let set = |data: &Plain| data.0.with_mut(|_| ());
            let look = |data: &Plain, seen| if seen == 1 { data.0.with(|_| 1) } else { 0 };
            add_two([Acquire, success], Plain::default(), set, look);
        }
    };
    assert!(Builder::new().explore(test(Acquire)).violation.is_none());
    let violation = Builder::new().explore(test(Relaxed)).violation.expect("the failure acquires nothing");
    assert!(matches!(violation.kind, ViolationKind::DataRace { .. }), "{violation:?}");
}

#[derive(Default)]
struct Plain(UnsafeCell<u8>);

// SAFETY: nobody does anything with the data itself.
unsafe impl Sync for Plain {}

#[test]
fn loops_that_read_anew_in_another_place_are_reduced() {
    // Each of two threads adds one, with no failure, in one order or the other.
    let test = || {
        let number = AtomicU8::new(0);
        in_threads(2, move |_| {
            let mut seen = number.load(Relaxed);
            while number.compare_exchange(seen, seen + 1, AcqRel, Relaxed).is_err() {
                seen = number.load(Relaxed);
            }
        });
    };
    for model in MODELS {
        assert_eq!(executions(&under(model), test), 2);
        assert!(executions(&under(model).loops(LoopReduction::Off), test) > 2);
    }
}

/// The loops that an exploration has taken to be without effect.
fn assumed_loops(test: impl Fn() + Send + Sync + 'static) -> usize {
    let assumptions = Builder::new().explore(test).assumptions;
    assumptions.iter().filter(|assumption| matches!(assumption, Assumption::EffectFreeLoop { .. })).count()
}

#[test]
fn structures_that_retry_are_reduced_in_full() {
    for model in MODELS {
        let stacks = [(2, 1), (2, 2), (3, 1)].map(|(threads, rounds)| stack(threads, rounds));
        assert_eq!(stacks.map(|test| executions(&under(model), test)), [10, 194, 270]);
        assert_eq!(executions(&under(model), queue(2, 1)), 16);
        assert_eq!(executions(&under(model), queue(2, 2)), 488);
    }
}

#[test]
fn loops_that_share_a_read_may_begin_their_iterations_in_different_ways() {
    fn here(value: &AtomicU8) -> u8 {
        value.load(Acquire)
    }
    fn there(value: &AtomicU8) -> u8 {
        value.load(Acquire)
    }
    // The first loop goes on with what it has read, until that stays the same. The second one reads all again.
    let with = |read_once_more: fn(&AtomicU8) -> u8, read_again: fn(&AtomicU8) -> u8| {
        move || {
            let add_two = |value: &AtomicU8| {
                value.fetch_add(1, AcqRel);
                value.fetch_add(1, AcqRel);
            };
            beside(add_two, |value| {
                let mut seen = value.load(Acquire);
                loop {
                    let now = read_once_more(value);
                    if now == seen {
                        break;
                    }
                    seen = now;
                }
                value.fetch_add(1, AcqRel);
                loop {
                    let seen = read_again(value);
                    if value.compare_exchange(seen, seen + 1, AcqRel, Relaxed).is_ok() {
                        break seen;
                    }
                }
            });
        }
    };
    // The two additions of each thread have six orders. Before the first one of this thread there are none (in three orders), one (in two)
    // or both of the other's (in one), and the first loop ends with a number from before any of these, or after: 3 · 1 + 2 · 2 + 1 · 3.
    for model in MODELS {
        let (shared, apart) = (with(here, here), with(here, there));
        assert_eq!(executions(&under(model), shared), 10);
        assert_eq!(executions(&under(model), apart), 10);
        assert!(executions(&under(model).loops(LoopReduction::Off), shared) > 10);
    }
}

#[test]
fn what_is_assumed_of_loops_is_listed() {
    // The loops of push and pop. In the smaller program both were explored in full on the way, so nothing is assumed.
    assert_eq!(assumed_loops(stack(2, 2)), 2);
    assert_eq!(assumed_loops(stack(2, 1)), 0);
}

#[test]
fn loops_that_wait_without_a_hint_come_to_an_end() {
    let test = || {
        let turn = AtomicU8::new(0);
        in_threads(3, move |me| {
            while turn.load(Acquire) != me as u8 {}
            turn.store(me as u8 + 1, Release);
        });
    };
    for model in MODELS {
        assert_eq!(executions(&under(model), test), 1);
    }
}

#[test]
fn threads_that_wait_for_each_other_again_and_again_without_a_hint_come_to_an_end() {
    // Whose turn it is decides who writes and what is read, so there is one execution in which nobody looks too early.
    let test = || {
        let turn = AtomicU8::new(0);
        in_threads(6, move |me| {
            for _ in 0..2 {
                while turn.load(Acquire) % 6 != me as u8 {}
                turn.store(turn.load(Relaxed) + 1, Release);
            }
        });
    };
    for model in MODELS {
        assert_eq!(executions(&under(model), test), 1);
    }
}

#[test]
fn loops_that_wait_for_one_of_two_without_a_hint_come_to_an_end() {
    let test = || {
        let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
        let threads = [0, 1].map(|number| {
            let flags = Arc::clone(&flags);
            thread::spawn(move || flags[number].store(true, Release))
        });
        while !flags[0].load(Acquire) && !flags[1].load(Acquire) {}
        for thread in threads {
            thread.join().unwrap();
        }
    };
    // The first flag is seen set, or only the second.
    for model in MODELS {
        assert_eq!(executions(&under(model), test), 2);
    }
}

#[test]
fn a_loop_that_waits_for_what_may_not_come_is_a_livelock() {
    let test = || {
        let flag = Arc::new(AtomicBool::new(false));
        let (set, unset) = (Arc::clone(&flag), Arc::clone(&flag));
        let threads =
            [thread::spawn(move || set.store(true, Release)), thread::spawn(move || unset.store(false, Release))];
        while !flag.load(Acquire) {}
        for thread in threads {
            thread.join().unwrap();
        }
    };
    assert_eq!(finding(test), "livelock");
}

/// A number that was there twice in a row. The loop retries; two calls in a row look like it.
fn get(value: &AtomicU8) -> u8 {
    loop {
        let first = value.load(SeqCst);
        if value.load(SeqCst) == first {
            return first;
        }
    }
}

/// Somebody reads a number that is changed meanwhile. Only if they have seen the other thread begin, which is what is explored
/// last, is the number read twice in a row at the end: after many retries that could be left out.
fn read_twice_at_last() {
    let shared = Arc::new([AtomicU8::new(0), AtomicU8::new(0), AtomicU8::new(0)]);
    let (reader, writer) = (Arc::clone(&shared), Arc::clone(&shared));
    let reader = thread::spawn(move || {
        let [begun, value, done] = &*reader;
        let begun = begun.load(SeqCst);
        for round in 0..3 {
            get(value);
            done.store(round, SeqCst);
        }
        begun
    });
    let writer = thread::spawn(move || {
        let [begun, value, _] = &*writer;
        begun.store(1, SeqCst);
        for number in 1..=4 {
            value.store(number, SeqCst);
        }
    });
    let begun = reader.join().unwrap();
    writer.join().unwrap();
    if begun == 1 {
        get(&shared[1]);
        get(&shared[1]);
    }
}

#[test]
fn a_function_that_is_called_twice_is_not_a_livelock() {
    let with = |loops| Builder::new().memory_model(MemoryModel::Sc).loops(loops);
    let in_full = with(LoopReduction::Off).explore(read_twice_at_last);
    for workers in 1..=3 {
        let reduced = with(LoopReduction::CrossChecked).workers(workers).explore(read_twice_at_last);
        assert!(reduced.violation.is_none(), "{:?}", reduced.violation);
        // It is not relied upon any more that calls can be left out.
        assert_eq!((reduced.complete, reduced.blocked), (in_full.complete, in_full.blocked));
        assert_eq!((reduced.coverage, reduced.assumptions), (in_full.coverage.clone(), Vec::new()));
    }
}

// Counts up, and says how often that failed.
linchpin::object! {
    Attempts: AtomicU8 = AtomicU8::new(0);
    fn add(&self) -> u8 = |count: &AtomicU8| {
        let mut failures = 0;
        loop {
            let seen = count.load(SeqCst);
            if count.compare_exchange(seen, seen + 1, SeqCst, SeqCst).is_ok() {
                return failures;
            }
            failures += 1;
        }
    };
}

#[test]
fn failures_that_an_operation_returns_count() {
    let outcomes = |loops| {
        let seen = Mutex::new(BTreeSet::new());
        let judge = |_: &Execution, calls: &[Call]| {
            seen.lock().unwrap().insert(calls.iter().map(|call| call.result.clone().unwrap()).collect::<Vec<_>>());
            None
        };
        let client = linchpin::client::<Attempts>("{ add() } || { add() }").with(Builder::new().loops(loops));
        client.explore_unjudged(Hooks { judge: &judge, ..Hooks::default() });
        seen.into_inner().unwrap()
    };
    let expected = [[0, 0], [0, 1], [1, 0]].map(|outcome| outcome.map(Value::from).to_vec()).into();
    assert_eq!(outcomes(LoopReduction::Off), expected);
    assert_eq!(outcomes(LoopReduction::CrossChecked), expected);
    assert_ne!(outcomes(LoopReduction::Unchecked), expected, "this program is harmless");
}

#[test]
fn a_loop_with_many_reads_that_waits_for_what_may_not_come_is_a_livelock() {
    // A thousand rounds are more events than a thread may have.
    let test = || {
        let flags = Arc::new([const { AtomicBool::new(false) }; 20]);
        let other = Arc::clone(&flags);
        let thread = thread::spawn(move || {
            other[7].store(true, Release);
            other[7].store(false, Release);
        });
        while !flags.iter().any(|flag| flag.load(Acquire)) {}
        thread.join().unwrap();
    };
    assert_eq!(finding(test), "livelock");
}

/// Threads that hang nodes 1, 2 and 3 into a list at its end, which they find as Michael and Scott's queue does. Calls
/// `went_round` at each attempt.
fn hang_in(went_round: fn()) {
    let (tail, next) = (AtomicU8::new(0), [const { AtomicU8::new(0) }; 4]);
    let hang_in = move |node: u8| loop {
        went_round();
        let last = tail.load(SeqCst);
        let after = next[last as usize].load(SeqCst);
        if last != tail.load(SeqCst) {
            continue;
        }
        let replace = |place: &AtomicU8, old, new| place.compare_exchange(old, new, SeqCst, SeqCst).is_ok();
        if after != 0 {
            replace(&tail, last, after);
        } else if replace(&next[last as usize], 0, node) {
            replace(&tail, last, node);
            return;
        }
    };
    let nodes: [&[u8]; 2] = [&[1, 2], &[3]];
    in_threads(2, move |thread| nodes[thread].iter().for_each(|&node| hang_in(node)));
}

#[test]
fn looking_at_loops_takes_no_multiple_of_exploring_them() {
    static ROUNDS: AtomicUsize = AtomicUsize::new(0);
    let rounds = |loops| {
        let before = ROUNDS.load(Relaxed);
        let builder = Builder::new().memory_model(MemoryModel::Sc).workers(1).loops(loops);
        builder.explore(|| {
            hang_in(|| {
                ROUNDS.fetch_add(1, Relaxed);
            });
        });
        ROUNDS.load(Relaxed) - before
    };
    let (in_full, cross_checked) = (rounds(LoopReduction::Off), rounds(LoopReduction::CrossChecked));
    // The exploration itself and the executions without iterations come on top of the sample, which is all of it here. Nobody is let go on
    // for long: that alone would be 1,000 rounds.
    assert!(cross_checked <= 3 * in_full, "{cross_checked} rounds, {in_full} in full");
}

/// Two threads add one each, with a weak exchange or a strong one; after a failure they read `anew`, or go on with what it has shown.
fn add_in_loops(weak: bool, anew: bool) {
    let number = AtomicU8::new(0);
    in_threads(2, move |_| {
        let exchange = |seen| match weak {
            true => number.compare_exchange_weak(seen, seen + 1, AcqRel, Relaxed),
            false => number.compare_exchange(seen, seen + 1, AcqRel, Relaxed),
        };
        if anew {
            while exchange(number.load(Relaxed)).is_err() {}
        } else {
            let mut seen = number.load(Relaxed);
            while let Err(shown) = exchange(seen) {
                seen = shown;
            }
        }
    });
}

#[test]
fn loops_around_weak_exchanges_end_although_these_may_fail_again_and_again() {
    // An iteration that failed for no reason can be left out like one that failed for a reason, so that what is left are the
    // executions of the strong exchange without failures.
    for model in MODELS {
        for anew in [false, true] {
            let strong = executions(&under(model), move || add_in_loops(false, anew));
            let exploration = under(model).spurious_failures(true).explore(move || add_in_loops(true, anew));
            assert!(exploration.violation.is_none() && exploration.coverage.is_complete(), "{anew}");
            assert_eq!(exploration.complete, strong, "{model:?}, {anew}");
        }
    }
}

#[test]
fn a_weak_exchange_that_is_given_up_after_a_failure_may_fail_for_no_reason() {
    let config = |spurious_failures| Config { spurious_failures, ..Config::default() };
    let test = || {
        let lock = AtomicBool::new(false);
        let tried = (1..=3).find(|_| lock.compare_exchange_weak(false, true, Acquire, Relaxed).is_ok());
        [tried.unwrap_or(0)]
    };
    assert_eq!(outcomes(&config(false), test), [[1]].into());
    assert_eq!(outcomes(&config(true), test), [[0], [1], [2], [3]].into());
}

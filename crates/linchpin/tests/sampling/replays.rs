//! What sampling finds: the same for the same seed, the same on any number of workers, and again from its replay.

use linchpin::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering::*};
use linchpin::sync::{Arc, Condvar, Mutex};
use linchpin::{
    Builder, Change, Found, Order, Orders, Place, Replay, Reuse, Sampled, Sampling, Strategy, hint, thread,
};

use linchpin_engine::has_order;

use crate::common::Shared;
use crate::join_all;

const STRATEGIES: [Strategy; 3] =
    [Strategy::Random, Strategy::Pct { depth: 3, steps: None }, Strategy::DPct { depth: 3, structures: None }];

/// Everything about the answer but the time that it took.
fn answer(sampled: &Sampled) -> String {
    let found = sampled.found.as_ref().map(|found| (found.run, found.replay.to_string()));
    let Sampled { violations, runs, complete, blocked, cut, assumed_steps, coverage, .. } = sampled;
    format!("{found:?} {violations} {runs} {complete} {blocked} {cut} {assumed_steps:?} {coverage}")
}

/// Finds a violation of this kind with each strategy and each way to reuse memory; it is the same with two workers, and
/// comes again from the text of its replay.
#[track_caller]
fn finds_and_replays(builder: &Builder, kind: &str, test: impl Fn() + Send + Sync + Copy + 'static) {
    for strategy in STRATEGIES {
        for reuse in [Reuse::Never, Reuse::Lifo, Reuse::Fifo] {
            let sampling = Sampling { strategy: strategy.clone(), seed: 5, reuse, ..Sampling::default() };
            let sampled = builder.clone().workers(1).sample(&sampling, test);
            let Found { violation, replay, .. } = sampled.found.as_ref().expect("a violation");
            assert_eq!(violation.kind.name(), kind, "{strategy:?} {:?}", violation.kind);
            assert!(!violation.execution.is_empty());
            assert_eq!(answer(&sampled), answer(&builder.clone().workers(2).sample(&sampling, test)));

            let read: Replay = replay.to_string().parse().expect("a replay");
            assert_eq!(&read, replay);
            let again = builder.replay(&read, test).expect("the test has not changed").expect("a violation");
            assert_eq!(format!("{:?}", again.kind), format!("{:?}", violation.kind));
            assert_eq!(again.execution.len(), violation.execution.len());
        }
    }
}

#[test]
fn a_lost_update() {
    finds_and_replays(&Builder::new(), "panic", || {
        let count = Arc::new(AtomicU32::new(0));
        let threads = [(); 3].map(|()| {
            let count = count.clone();
            thread::spawn(move || count.store(count.load(Relaxed) + 1, Relaxed))
        });
        join_all(threads);
        assert_eq!(count.load(Relaxed), 3);
    });
}

#[test]
fn memory_orders_that_are_not_those_of_the_source_change_nothing() {
    let lost_update = || {
        let count = Arc::new(AtomicU32::new(0));
        let other = count.clone();
        let thread = thread::spawn(move || other.store(other.load(Relaxed) + 1, Relaxed));
        count.store(count.load(Relaxed) + 1, Relaxed);
        thread.join().unwrap();
        assert_eq!(count.load(Relaxed), 2);
    };
    let found = Builder::new().sample(&Sampling::default(), lost_update).found.expect("a violation");
    let accesses = found.violation.execution.events().iter().filter(|event| has_order(event)).map(Place::of);
    let change = Change { order: Some(Order::SeqCst), fence_before: Some(Order::SeqCst), ..Change::default() };
    let orders = accesses.fold(Orders::default(), |orders, access| orders.with(&access, change));
    assert!(!orders.changes().is_empty());
    finds_and_replays(&Builder::new().orders(orders), "panic", lost_update);
}

#[test]
fn what_comes_of_a_race_on_plain_data() {
    finds_and_replays(&Builder::new(), "panic", || {
        let count = Arc::new(Shared::new(0_u32));
        let other = count.clone();
        let thread = thread::spawn(move || other.increment());
        count.increment();
        thread.join().unwrap();
        assert_eq!(count.get(), 2);
    });
}

#[test]
fn a_deadlock_of_two_locks() {
    finds_and_replays(&Builder::new(), "deadlock", || {
        let locks = Arc::new([Mutex::new(()), Mutex::new(())]);
        let other = locks.clone();
        let thread = thread::spawn(move || {
            let _one = other[1].lock().unwrap();
            let _two = other[0].lock().unwrap();
        });
        let one = locks[0].lock().unwrap();
        let two = locks[1].lock().unwrap();
        drop((one, two));
        thread.join().unwrap();
    });
}

#[test]
fn a_notification_that_comes_too_early() {
    finds_and_replays(&Builder::new(), "deadlock", || {
        let shared = Arc::new((Mutex::new(()), Condvar::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || other.1.notify_all());
        drop(shared.1.wait(shared.0.lock().unwrap()).unwrap());
        thread.join().unwrap();
    });
}

#[test]
fn a_use_after_free() {
    for is_update in [false, true] {
        let test = move || {
            let slot = Arc::new(AtomicPtr::new(Box::into_raw(Box::new(AtomicU8::new(1)))));
            let other = slot.clone();
            let thread = thread::spawn(move || {
                let value = other.swap(std::ptr::null_mut(), AcqRel);
                // SAFETY: a lie, which is to be found out: the main thread may be reading it.
                unsafe { drop(Box::from_raw(value)) };
            });
            let value = slot.load(Acquire);
            if !value.is_null() {
                // SAFETY: as above.
                let value = unsafe { &*value };
                let _ = if is_update { value.fetch_add(1, AcqRel) } else { value.load(Relaxed) };
            }
            thread.join().unwrap();
        };
        finds_and_replays(&Builder::new(), "use after free", test);
    }
}

#[test]
fn a_double_free() {
    finds_and_replays(&Builder::new(), "double free", || {
        let slot = Arc::new(AtomicPtr::new(Box::into_raw(Box::new(7_u64))));
        let take = |slot: &AtomicPtr<u64>| {
            let value = slot.load(Acquire);
            if !value.is_null() {
                slot.store(std::ptr::null_mut(), Release);
                // SAFETY: a lie, which is to be found out.
                unsafe { drop(Box::from_raw(value)) };
            }
        };
        let other = slot.clone();
        let thread = thread::spawn(move || take(&other));
        take(&slot);
        thread.join().unwrap();
    });
}

#[test]
fn a_leak_of_memory_that_was_used_before() {
    finds_and_replays(&Builder::new().leaks(true), "leak", || {
        drop(Box::new([0_u64; 5]));
        let kept = Arc::new(AtomicU8::new(0));
        let other = kept.clone();
        let thread = thread::spawn(move || {
            let block = Box::new([1_u64; 5]);
            if other.load(Relaxed) == 1 {
                std::mem::forget(block);
            }
        });
        kept.store(1, Relaxed);
        thread.join().unwrap();
    });
}

#[test]
fn a_panic_after_spinning() {
    finds_and_replays(&Builder::new(), "panic", || {
        let flags = Arc::new([AtomicU8::new(0), AtomicU8::new(0)]);
        let other = flags.clone();
        let thread = thread::spawn(move || {
            other[0].store(1, Release);
            other[1].store(1, Release);
        });
        let mut rounds = 0;
        while flags[1].load(Acquire) == 0 {
            rounds += 1;
            drop(Box::new(rounds));
            hint::spin_loop();
        }
        thread.join().unwrap();
        assert_eq!(rounds, 0, "it was not yet there");
    });
}

#[test]
fn a_thread_that_never_comes_back_is_stuck() {
    let builder = Builder::new().stuck_after(std::time::Duration::from_millis(100)).workers(1);
    let sampled = builder.sample(&Sampling::default(), || {
        let flag = Arc::new(AtomicU8::new(0));
        let other = flag.clone();
        let thread = thread::spawn(move || other.store(1, Relaxed));
        if flag.load(Relaxed) == 1 {
            loop {
                std::hint::black_box(());
            }
        }
        thread.join().unwrap();
    });
    assert_eq!(sampled.found.expect("a violation").violation.kind.name(), "stuck thread");
}

#[test]
fn endless_spinning_is_cut_and_counted() {
    let sampling = Sampling { runs: 20, ..Sampling::default() };
    let sampled = Builder::new().max_events_per_thread(100).sample(&sampling, || {
        let flag = AtomicU8::new(0);
        while flag.load(Relaxed) == 0 {
            hint::spin_loop();
        }
    });
    assert_eq!((sampled.runs, sampled.complete, sampled.cut), (20, 0, 20));
    let sampled = Builder::new().max_events_per_thread(100).sample(&sampling, || {
        loop {
            thread::yield_now();
        }
    });
    assert_eq!(sampled.cut, 20);
}

#[test]
fn deadlocks_that_nobody_minds_are_counted() {
    let sampling = Sampling { runs: 20, ..Sampling::default() };
    let sampled = Builder::new().deadlocks(false).sample(&sampling, thread::park);
    assert_eq!((sampled.runs, sampled.complete, sampled.blocked), (20, 0, 20));
}

#[test]
fn a_violation_in_a_test_whose_plain_statics_allow_one_worker_only() {
    static PLAIN: Shared<u32> = Shared::new(0);
    finds_and_replays(&Builder::new(), "panic", || {
        let thread = thread::spawn(|| PLAIN.increment());
        PLAIN.increment();
        thread.join().unwrap();
        assert_eq!(PLAIN.get(), 2);
    });
}

#[test]
fn every_violation_is_counted_if_asked_for() {
    let sampling = Sampling { runs: 1_000, ..Sampling::default() };
    let test = || {
        let count = Arc::new(AtomicU8::new(0));
        let other = count.clone();
        let thread = thread::spawn(move || other.store(1, Relaxed));
        assert_eq!(count.load(Relaxed), 0);
        thread.join().unwrap();
    };
    let builder = Builder::new().keep_going(true);
    let [one, two] = [1, 2].map(|workers| builder.clone().workers(workers).sample(&sampling, test));
    assert_eq!(answer(&one), answer(&two));
    assert_eq!((one.runs, one.complete + one.violations), (1_000, 1_000));
    // Whose turn is first is tossed for: 500 of 1,000, give or take six standard deviations of 16.
    assert!((404..=596).contains(&one.violations), "{}", one.violations);
}

#[test]
fn budgets_of_time_and_interrupts_end_it() {
    use std::sync::atomic::AtomicBool;
    let endless = Sampling { runs: u64::MAX, ..Sampling::default() };
    let sampled = Builder::new().max_time(std::time::Duration::from_millis(20)).sample(&endless, || {});
    assert!(sampled.runs > 0 && sampled.complete == sampled.runs, "{sampled:?}");
    assert!(sampled.coverage.to_string().contains("20ms"), "{}", sampled.coverage);
    let interrupt = AtomicBool::new(true);
    let hooks = linchpin::SamplingHooks { interrupt: Some(&interrupt), ..Default::default() };
    let sampled = Builder::new().sample_with(&endless, || {}, hooks);
    assert!(matches!(&sampled.coverage, linchpin::Coverage::Bounded(by) if by == &[linchpin::Bound::Interrupted]));
}

#[test]
fn a_check_says_how_to_get_there_again() {
    let test = || {
        let count = Arc::new(AtomicU8::new(0));
        let other = count.clone();
        let thread = thread::spawn(move || other.store(1, Relaxed));
        assert_eq!(count.load(Relaxed), 0, "too late");
        thread.join().unwrap();
    };
    let sampling = Sampling { seed: 3, ..Sampling::default() };
    let run = Builder::new().sample(&sampling, test).found.expect("a violation").run;
    let panic = std::panic::catch_unwind(|| Builder::new().check_sampled(&sampling, test)).expect_err("a report");
    let report = panic.downcast::<String>().expect("text");
    assert!(report.starts_with("panic: the main thread says"), "{report}");
    assert!(report.contains(&format!("\nFound with seed 3 in run {run}.\n")), "{report}");
    assert!(report.contains("\nThis execution again, and only this one:\n    LINCHPIN_REPLAY="), "{report}");
}

#[test]
fn a_test_that_is_not_deterministic_is_found_out() {
    use std::sync::atomic::AtomicU32 as Outside;
    static RUNS: Outside = Outside::new(0);
    let sampled = Builder::new().workers(1).sample(&Sampling::default(), || {
        // Fails once.
        assert_ne!(RUNS.fetch_add(1, Relaxed), 3);
    });
    assert_eq!(sampled.found.expect("a violation").violation.kind.name(), "test is not deterministic");
}

#[test]
fn memory_that_is_used_again_is_another_location_even_if_it_looks_the_same() {
    let test = || {
        for _ in 0..2 {
            let block = Box::new(AtomicU8::new(1));
            block.load(Relaxed);
        }
        panic!("to see what there was");
    };
    for (reuse, expected) in [(Reuse::Never, vec![0, 0]), (Reuse::Lifo, vec![0, 1])] {
        let found = Builder::new().sample(&Sampling { reuse, ..Sampling::default() }, test).found.expect("a panic");
        let locations = found.violation.execution.locations();
        let generations: Vec<u32> = locations.iter().map(|(_, location)| location.generation).collect();
        assert_eq!(generations, expected, "{reuse:?}");
    }
}

#[test]
fn freed_blocks_are_handed_out_in_the_order_that_was_asked_for() {
    fn address<T>(block: &T) -> usize {
        std::ptr::from_ref(block).addr()
    }
    for (reuse, expected) in [(Reuse::Never, None), (Reuse::Lifo, Some(1)), (Reuse::Fifo, Some(0))] {
        let sampled = Builder::new().sample(&Sampling { runs: 3, reuse, ..Sampling::default() }, move || {
            let blocks = [Box::new([0_u64; 3]), Box::new([0_u64; 3])];
            let addresses = [address(&*blocks[0]), address(&*blocks[1])];
            let [first, second] = blocks;
            drop(first);
            drop(second);
            // Another size takes another block.
            assert!(!addresses.contains(&address(&*Box::new([0_u64; 4]))));
            let again = address(&*Box::new([1_u64; 3]));
            assert_eq!(addresses.iter().position(|&address| address == again), expected);
        });
        assert!(sampled.found.is_none(), "{reuse:?}: {:?}", sampled.found.map(|found| found.violation.kind));
    }
}

#[test]
fn several_workers_report_the_lowest_run_that_violates() {
    // Some violations take their time, so that other workers find quicker ones in later runs.
    let test = || {
        let count = Arc::new(AtomicU8::new(0));
        let other = count.clone();
        let thread = thread::spawn(move || [1, 2].map(|value| other.store(value, Relaxed)));
        let seen = count.load(Relaxed);
        if seen == 1 {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        assert_eq!(seen, 0);
        thread.join().unwrap();
    };
    for seed in 0..30 {
        let sampling = Sampling { seed, ..Sampling::default() };
        let [one, four] = [1, 4].map(|workers| answer(&Builder::new().workers(workers).sample(&sampling, test)));
        assert_eq!(one, four);
    }
}

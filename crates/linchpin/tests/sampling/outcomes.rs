//! The random walk gets to everything that there is: the outcomes of many runs are those that exploration finds under
//! sequential consistency.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use linchpin::sync::atomic::{AtomicU8, AtomicUsize, Ordering::*};
use linchpin::sync::{Arc, Condvar, Mutex as ModelMutex, RwLock, mpsc};
use linchpin::{LoopReduction, MemoryModel, Reuse, Sampling, SamplingHooks, Strategy, hint, thread};
use linchpin_engine::{Call, Config, Sampled, sample_with};

use crate::common::outcomes;
use crate::join_all;

/// What `test` returns, and how often, over the complete runs.
pub fn sample_outcomes<const N: usize>(
    config: &Config,
    sampling: &Sampling,
    test: impl Fn() -> [u8; N] + Sync,
) -> (Sampled, BTreeMap<[u8; N], u64>) {
    let last = AtomicU64::new(0);
    let seen = Mutex::new(BTreeMap::new());
    let run = || {
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(&test());
        last.store(u64::from_le_bytes(bytes), Relaxed);
    };
    // Not to judge, but to look: with one worker, the run that ended last is the one that is judged.
    let judge = |_: &[Call]| {
        let bytes = last.load(Relaxed).to_le_bytes();
        *seen.lock().unwrap().entry(bytes[..N].try_into().unwrap()).or_default() += 1;
        None
    };
    let config = Config { workers: 1, ..config.clone() };
    let sampled = sample_with(&config, sampling, &run, SamplingHooks { judge: &judge, ..Default::default() });
    (sampled, seen.into_inner().unwrap())
}

/// Random walks and exploration have the same outcomes.
#[track_caller]
fn agree<const N: usize>(runs: u64, test: impl Fn() -> [u8; N] + Sync) {
    // A failed iteration shows in what these tests return.
    let every_iteration = Config { model: MemoryModel::Sc, loops: LoopReduction::Off, ..Config::default() };
    let explored = outcomes(&every_iteration, &test);
    for reuse in [Reuse::Never, Reuse::Lifo, Reuse::Fifo] {
        let sampling = Sampling { runs, seed: 1, reuse, ..Sampling::default() };
        let (sampled, seen) = sample_outcomes(&Config::default(), &sampling, &test);
        assert!(sampled.found.is_none(), "{:?}", sampled.found);
        assert_eq!((sampled.complete, sampled.cut, sampled.blocked), (runs, 0, 0));
        assert_eq!(seen.into_keys().collect::<Vec<_>>(), explored.iter().copied().collect::<Vec<_>>(), "{reuse:?}");
    }
    // Priorities keep to what is possible, too.
    for strategy in [Strategy::Pct { depth: 3, steps: None }, Strategy::DPct { depth: 3, structures: None }] {
        let sampling = Sampling { strategy, runs, seed: 1, ..Sampling::default() };
        let (sampled, seen) = sample_outcomes(&Config::default(), &sampling, &test);
        assert!(sampled.found.is_none() && sampled.complete == runs, "{sampled:?}");
        assert!(seen.keys().all(|outcome| explored.contains(outcome)), "{seen:?}");
    }
}

#[test]
fn of_store_buffering() {
    agree(300, || {
        let cells = Arc::new([AtomicU8::new(0), AtomicU8::new(0)]);
        let other = cells.clone();
        let thread = thread::spawn(move || {
            other[1].store(1, Relaxed);
            other[0].load(Relaxed)
        });
        cells[0].store(1, Relaxed);
        let seen = cells[1].load(Relaxed);
        [seen, thread.join().unwrap()]
    });
}

#[test]
fn of_increments_that_are_lost() {
    agree(500, || {
        let count = Arc::new(AtomicU8::new(0));
        let threads = [1, 2, 4].map(|step| {
            let count = count.clone();
            thread::spawn(move || count.store(count.load(Relaxed) + step, Relaxed))
        });
        join_all(threads);
        [count.load(Relaxed)]
    });
}

#[test]
fn of_a_compare_exchange_loop() {
    agree(500, || {
        let word = Arc::new(AtomicUsize::new(1));
        let apply = |word: &AtomicUsize, factor: usize, summand: usize| {
            let mut seen = word.load(Relaxed);
            let mut tries = 1;
            while let Err(now) = word.compare_exchange(seen, seen * factor + summand, Relaxed, Relaxed) {
                seen = now;
                tries += 1;
            }
            tries
        };
        let other = word.clone();
        let thread = thread::spawn(move || apply(&other, 2, 0));
        let mine = apply(&word, 1, 3);
        [mine, thread.join().unwrap(), word.load(Relaxed) as u8]
    });
}

#[test]
fn of_a_lock() {
    agree(500, || {
        let log = Arc::new(ModelMutex::new([0; 4]));
        let note = |log: &ModelMutex<[u8; 4]>, who| {
            let mut log = log.lock().unwrap();
            let free = log.iter().position(|&entry| entry == 0).unwrap();
            log[free] = who;
        };
        let threads = [1, 2].map(|who| {
            let log = log.clone();
            thread::spawn(move || (note(&log, who), note(&log, who)))
        });
        join_all(threads);
        *log.lock().unwrap()
    });
}

#[test]
fn of_a_read_write_lock_and_an_attempt_to_lock() {
    agree(500, || {
        let lock = Arc::new(RwLock::new(0));
        let other = lock.clone();
        let writer = thread::spawn(move || *other.write().unwrap() += 1);
        let other = lock.clone();
        let attempt = thread::spawn(move || other.try_write().map_or(9, |guard| *guard));
        let read = *lock.read().unwrap();
        writer.join().unwrap();
        [read, attempt.join().unwrap()]
    });
}

#[test]
fn of_condition_variables_whose_notifications_go_to_anybody() {
    agree(1_000, || {
        let shared = Arc::new((ModelMutex::new((0_u8, 0_u8)), Condvar::new()));
        let threads = [1, 2].map(|who| {
            let shared = shared.clone();
            thread::spawn(move || {
                let mut state = shared.0.lock().unwrap();
                while state.0 == 0 {
                    state = shared.1.wait(state).unwrap();
                }
                state.0 -= 1;
                state.1 = state.1 * 3 + who;
            })
        });
        for _ in 0..2 {
            shared.0.lock().unwrap().0 += 1;
            shared.1.notify_one();
        }
        join_all(threads);
        let state = *shared.0.lock().unwrap();
        [state.0, state.1]
    });
}

#[test]
fn of_channels() {
    agree(1_000, || {
        let (sender, receiver) = mpsc::channel();
        let threads = [1, 3].map(|first| {
            let sender = sender.clone();
            thread::spawn(move || {
                sender.send(first).unwrap();
                sender.send(first + 1).unwrap();
            })
        });
        drop(sender);
        let received: Vec<u8> = receiver.iter().collect();
        join_all(threads);
        <[u8; 4]>::try_from(received).unwrap()
    });
}

#[test]
fn of_parked_threads() {
    agree(300, || {
        let order = Arc::new(AtomicU8::new(0));
        let threads = [1, 2].map(|who| {
            let order = order.clone();
            thread::spawn(move || {
                thread::park();
                order.fetch_update(Relaxed, Relaxed, |seen| Some(seen * 3 + who)).unwrap();
            })
        });
        threads.iter().for_each(|thread| thread.thread().unpark());
        join_all(threads);
        [order.load(Relaxed)]
    });
}

#[test]
fn of_a_spin_lock() {
    agree(500, || {
        let lock = Arc::new(AtomicUsize::new(0));
        let order = Arc::new(AtomicU8::new(0));
        let threads = [1, 2, 3].map(|who| {
            let (lock, order) = (lock.clone(), order.clone());
            thread::spawn(move || {
                while lock.swap(1, Acquire) == 1 {
                    hint::spin_loop();
                }
                order.store(order.load(Relaxed) * 4 + who, Relaxed);
                lock.store(0, Release);
            })
        });
        join_all(threads);
        [order.load(Relaxed)]
    });
}

#[test]
fn of_statics_which_are_as_before_in_each_run() {
    static COUNT: AtomicU8 = AtomicU8::new(0);
    static LAST: ModelMutex<u8> = ModelMutex::new(0);
    agree(300, || {
        let other = thread::spawn(|| {
            *LAST.lock().unwrap() = 1;
            COUNT.fetch_add(1, Relaxed)
        });
        *LAST.lock().unwrap() = 2;
        let first = COUNT.fetch_add(1, Relaxed);
        let second = other.join().unwrap();
        [first, second, *LAST.lock().unwrap()]
    });
}

#[test]
fn of_a_thread_that_spins_and_goes_on_while_others_do() {
    agree(300, || {
        let count = Arc::new(AtomicU8::new(0));
        let other = count.clone();
        let thread = thread::spawn(move || (1..=3).for_each(|value| other.store(value, Release)));
        while count.load(Acquire) == 0 {
            hint::spin_loop();
        }
        let seen = count.load(Acquire);
        thread.join().unwrap();
        [seen]
    });
}

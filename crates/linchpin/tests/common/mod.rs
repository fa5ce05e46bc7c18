//! What the tests of the modelled types share: short ways to explore, and small programs.
#![allow(dead_code, reason = "each test uses a part")]

pub mod litmus;
pub mod structures;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use linchpin::cell::UnsafeCell;
use linchpin::sync::Arc;
use linchpin::{Builder, Coverage, LoopReduction, MemoryModel, Violation, report, thread};
use linchpin_engine::{Config, Exploration, Hooks, explore_with};

pub const MODELS: [MemoryModel; 2] = [MemoryModel::C11, MemoryModel::Sc];

/// The two treatments of retry loops that must not lose anything.
pub const LOOPS: [LoopReduction; 2] = [LoopReduction::Off, LoopReduction::CrossChecked];

/// Everything at its default but the memory model.
pub fn under(model: MemoryModel) -> Builder {
    Builder::new().memory_model(model)
}

/// How many complete executions there are, all of which must be fine.
#[track_caller]
pub fn executions(builder: &Builder, test: impl Fn() + Send + Sync + 'static) -> u64 {
    let exploration = builder.explore(test);
    expect_proof(&exploration);
    exploration.complete
}

/// The violation that there has to be.
#[track_caller]
pub fn violation(builder: &Builder, test: impl Fn() + Send + Sync + 'static) -> Violation {
    let exploration = builder.explore(test);
    match exploration.violation {
        Some(violation) => violation,
        None => panic!("nothing found in {} executions, {}", exploration.complete, exploration.coverage),
    }
}

/// The kind of the violation that there has to be.
#[track_caller]
pub fn finding(test: impl Fn() + Send + Sync + 'static) -> &'static str {
    violation(&Builder::new(), test).kind.name()
}

/// What `test` returns, over all complete executions, which must be fine.
#[track_caller]
pub fn outcomes<const N: usize>(config: &Config, test: impl Fn() -> [u8; N] + Sync) -> BTreeSet<[u8; N]> {
    let (exploration, outcomes) = explore_outcomes(config, test);
    expect_proof(&exploration);
    outcomes
}

/// What `test` returns, over all complete executions.
///
/// Only executions that the engine counts are asked: a run that it makes to learn about loops proves nothing about what
/// is explored.
pub fn explore_outcomes<const N: usize>(
    config: &Config,
    test: impl Fn() -> [u8; N] + Sync,
) -> (Exploration, BTreeSet<[u8; N]>) {
    assert!(N <= 8, "an outcome fits into a word outside the arenas");
    let last = AtomicU64::new(0);
    let seen = Mutex::new(BTreeSet::new());
    let run = || {
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(&test());
        last.store(u64::from_le_bytes(bytes), Ordering::Relaxed);
    };
    let observe = |_: &_| {
        let bytes = last.load(Ordering::Relaxed).to_le_bytes();
        let outcome = bytes[..N].try_into().expect("as long as it was");
        seen.lock().expect("nothing panics here").insert(outcome);
    };
    // With one worker, the run that ended last is the one that is observed.
    let config = Config { workers: 1, ..config.clone() };
    let exploration = explore_with(&config, &run, Hooks { observe: &observe, ..Hooks::default() });
    (exploration, seen.into_inner().expect("nothing panics here"))
}

/// As [`outcomes`] under `model`, with everything else at its default.
#[track_caller]
pub fn outcomes_under<const N: usize>(model: MemoryModel, test: impl Fn() -> [u8; N] + Sync) -> BTreeSet<[u8; N]> {
    outcomes(&Config { model, ..Config::default() }, test)
}

/// Everything was looked at, and nothing is wrong.
#[track_caller]
pub fn expect_proof(exploration: &Exploration) {
    if let Some(violation) = &exploration.violation {
        panic!("{}", report::violation(violation));
    }
    assert_eq!(exploration.coverage, Coverage::Complete);
    assert!(exploration.complete > 0, "no execution ever ended");
}

/// Runs `body(0)` to `body(count - 1)`, each in a thread of its own, and waits for all.
pub fn in_threads(count: usize, body: impl Fn(usize) + Send + Sync + 'static) {
    let body = Arc::new(body);
    let threads: Vec<_> = (0..count)
        .map(|number| {
            let body = Arc::clone(&body);
            thread::spawn(move || body(number))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Memory that its users claim to synchronise.
pub struct Shared<T>(UnsafeCell<T>);

// SAFETY: the tests share it across threads on purpose; accesses that race are found.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    pub const fn new(value: T) -> Self {
        Shared(UnsafeCell::new(value))
    }

    #[track_caller]
    pub fn get(&self) -> T {
        // SAFETY: the pointer is valid; races are found before the access.
        self.0.with(|value| unsafe { *value })
    }

    #[track_caller]
    pub fn set(&self, new: T) {
        // SAFETY: as above.
        self.0.with_mut(|value| unsafe { *value = new });
    }
}

impl Shared<u32> {
    /// A load and a store, which lock and unlock have to keep together.
    #[track_caller]
    pub fn increment(&self) {
        self.set(self.get() + 1);
    }
}

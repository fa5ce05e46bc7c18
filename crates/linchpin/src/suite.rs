//! Several tests of one object, for questions about its memory orders.

use std::sync::{Arc, Mutex, PoisonError};

use linchpin_audit::{Access, Accesses, Audit, Failure, Repairs, Trial, Weakest, audit, repair, weakest};
use linchpin_check::contracts::Contracts;
use linchpin_engine::{Exploration, Hooks, LoopReduction, Orders, Violation, ViolationKind};
use linchpin_graph::Execution;

use crate::{Builder, ContractTest, contract};

type Test = Arc<dyn Fn() + Send + Sync>;

/// How often the tests are run in search of repairs.
const TRIALS: usize = 300;

/// How many executions are looked at in full in search of accesses, and how long these may be.
const FEW: u64 = 500;
const FEW_EVENTS: u32 = 200;

/// Tests of one object, with what its memory orders are asked about: [`audit`](Self::audit) says which the tests need,
/// [`weakest`](Self::weakest) how weak all could be, and [`repair`](Self::repair) what to strengthen when a test fails.
///
/// ```
/// use linchpin::audit::Need;
/// use linchpin::sync::Arc;
/// use linchpin::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
/// use linchpin::{Suite, thread};
///
/// let suite = Suite::new().test("a message arrives whole", || {
///     let mailbox = Arc::new((AtomicU32::new(0), AtomicBool::new(false)));
///     let sender = mailbox.clone();
///     let thread = thread::spawn(move || {
///         sender.0.store(42, Relaxed);
///         sender.1.store(true, Release);
///     });
///     if mailbox.1.load(SeqCst) {
///         assert_eq!(mailbox.0.load(Relaxed), 42);
///     }
///     thread.join().unwrap();
/// });
///
/// // The release is needed. Of the SeqCst load only the acquire half is.
/// let needs: Vec<Need> = suite.audit().rows.into_iter().map(|row| row.need).collect();
/// assert!(matches!(needs[0], Need::Needed(_)));
/// assert_eq!(needs[1], Need::NotNeeded(linchpin::Order::Acquire));
/// assert!(suite.repair(1).is_none()); // Nothing to repair.
/// ```
#[derive(Clone, Default)]
#[must_use = "a suite does nothing until it is asked something"]
pub struct Suite {
    builder: Builder,
    contract: Option<ContractTest>,
    tests: Vec<(String, Test)>,
    orders: Orders,
}

impl Suite {
    /// No tests yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With another test.
    pub fn test(mut self, name: impl Into<String>, test: impl Fn() + Send + Sync + 'static) -> Self {
        self.tests.push((name.into(), Arc::new(test)));
        self
    }

    /// With the memory model, budgets and findings of this builder instead of the default ones.
    pub fn with(self, builder: Builder) -> Self {
        Suite { builder, ..self }
    }

    /// Executions are held against these contracts; one that they do not admit is a failure, too.
    pub fn contract(self, contracts: impl Into<Contracts>) -> Self {
        Suite { contract: Some(contract(contracts).reject_inadmissible(true)), ..self }
    }

    /// The tests are to run with these memory orders instead of those in the source.
    pub fn orders(self, orders: Orders) -> Self {
        Suite { orders, ..self }
    }

    /// Weakens one order at a time by one step, and says of each whether a test fails without it. Where the source can be read,
    /// accesses in the same files that no test reaches are listed, too.
    #[track_caller]
    pub fn audit(&self) -> Audit {
        let accesses = self.accesses();
        let mut found = audit(&accesses, &self.orders, &mut |orders| self.trial(orders));
        let mut files: Vec<&str> = accesses.iter().map(|access| access.place.file.as_str()).collect();
        files.dedup();
        for file in files {
            if let Some(source) = read_source(file) {
                found.note_unreached(file, &source, &accesses);
            }
        }
        found
    }

    /// Weakens orders until none can be weakened any more without a test failing. `None` if one fails already.
    #[track_caller]
    pub fn weakest(&self) -> Option<Weakest> {
        let accesses = self.accesses();
        self.run().passes().then(|| weakest(&accesses, &self.orders, &mut |orders| self.trial(orders)))
    }

    /// Looks for what to strengthen so that no test fails: up to `most` minimal sets of changes, the cheapest first. `None` if no
    /// test fails.
    #[track_caller]
    pub fn repair(&self, most: usize) -> Option<Repairs> {
        let mut run = |orders: &Orders| self.trial(orders);
        repair(&self.orders, most, TRIALS, &mut run)
    }

    /// Runs all tests, to the first violation.
    #[track_caller]
    pub fn run(&self) -> Trial {
        self.trial(&self.orders)
    }

    /// The accesses that the tests reach, in the order of the source. Of a test that fails, those up to its violation.
    #[track_caller]
    pub fn accesses(&self) -> Vec<Access> {
        let builder = self.builder.clone().orders(self.orders.clone());
        let accesses = Mutex::new(Accesses::default());
        let note = |execution: &Execution| {
            accesses.lock().unwrap_or_else(PoisonError::into_inner).observe(execution);
        };
        // Iterations of retry loops that are left out elsewhere fail exchanges: some executions that have them are looked at,
        // too.
        let unreduced = builder.clone().loops(LoopReduction::Off).max_events_per_thread(FEW_EVENTS).max_executions(FEW);
        for (_, test) in &self.tests {
            for builder in [&builder, &unreduced] {
                let test = test.clone();
                let exploration = builder.explore_with(move || test(), Hooks { observe: &note, ..Hooks::default() });
                if let Some(violation) = &exploration.violation {
                    note(&violation.execution);
                }
            }
        }
        accesses.into_inner().unwrap_or_else(PoisonError::into_inner).all()
    }

    /// Runs all tests with these orders, to the first violation.
    #[track_caller]
    fn trial(&self, orders: &Orders) -> Trial {
        let builder = self.builder.clone().orders(orders.clone());
        let mut undecided = None;
        for (name, test) in &self.tests {
            let exploration = self.explore(&builder, test.clone());
            if let Some(violation) = &exploration.violation {
                return Trial::Fails(Failure::new(name, what(violation), violation));
            }
            if !exploration.coverage.is_complete() {
                undecided.get_or_insert_with(|| format!("{name}: {:?}", exploration.coverage));
            }
        }
        undecided.map_or(Trial::Passes, Trial::Undecided)
    }

    #[track_caller]
    fn explore(&self, builder: &Builder, test: Test) -> Exploration {
        match &self.contract {
            Some(contract) => contract.clone().with(builder.clone()).explore(move || test()).exploration,
            None => builder.explore(move || test()),
        }
    }
}

/// The text of a source file. The compiler knows it by a path that begins in the directory of the workspace or of the crate.
fn read_source(file: &str) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().find_map(|directory| std::fs::read_to_string(directory.join(file)).ok())
}

/// A violation in a sentence.
fn what(violation: &Violation) -> String {
    match &violation.kind {
        ViolationKind::Rejected { message } => message.clone(),
        ViolationKind::Panic { message, .. } => format!("a panic: {message}"),
        kind => kind.name().to_owned(),
    }
}

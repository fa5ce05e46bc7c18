//! Tests that are run again and again with other memory orders.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use linchpin_audit::{Access, Accesses, Audit, Failure, Repairs, Trial, Weakest, audit, repair, weakest};
use linchpin_engine::{Exploration, Hooks, LoopReduction, Orders, Violation, ViolationKind};
use linchpin_graph::Execution;
use linchpin_report::Report;

use crate::Builder;

/// How often the tests are run in search of repairs.
const TRIALS: usize = 300;

/// How many executions are looked at in full in search of accesses, and how long these may be.
const FEW: u64 = 500;
const FEW_EVENTS: u32 = 200;

/// One test, in the two ways in which it is run.
pub(crate) struct Case<'a> {
    /// What it is called.
    pub name: String,
    /// Explores it, and says what is wrong.
    pub judged: Judged<'a>,
    /// Explores it for the hooks alone.
    pub plain: Plain<'a>,
}

type Judged<'a> = Box<dyn Fn(&Builder, Option<&AtomicBool>) -> Exploration + 'a>;
type Plain<'a> = Box<dyn Fn(&Builder, Hooks<'_>) -> Exploration + 'a>;

/// Tests, and how they are run.
pub(crate) struct Trials<'a> {
    pub builder: Builder,
    pub cases: Vec<Case<'a>>,
    /// The orders to start from.
    pub orders: Orders,
    /// When this becomes true, all that has not been tried is undecided.
    pub interrupt: Option<&'a AtomicBool>,
    /// Is told how many trials there were.
    pub progress: &'a dyn Fn(usize),
    pub done: Cell<usize>,
}

impl Trials<'_> {
    /// Weakens one order at a time by one step, and says of each whether a test fails without it.
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

    /// Weakens orders until none can be weakened any more. `None` if a test does not pass as it is.
    pub fn weakest(&self) -> Option<Weakest> {
        let accesses = self.accesses();
        self.run().passes().then(|| weakest(&accesses, &self.orders, &mut |orders| self.trial(orders)))
    }

    /// Looks for what to strengthen so that no test fails. `None` if none does.
    pub fn repair(&self, most: usize) -> Option<Repairs> {
        repair(&self.orders, most, TRIALS, &mut |orders| self.trial(orders))
    }

    /// Runs all tests as they are, to the first violation.
    pub fn run(&self) -> Trial {
        self.trial(&self.orders)
    }

    /// How the test of this name fails as it is, if it does.
    pub fn report(&self, name: &str) -> Option<Report> {
        let case = self.cases.iter().find(|case| case.name == name)?;
        let exploration = (case.judged)(&self.builder.clone().orders(self.orders.clone()), self.interrupt);
        let report = Report::of(exploration.violation.as_ref()?).explored(&exploration);
        Some(Report { test: Some(name.to_owned()), ..report })
    }

    /// The accesses that the tests reach, in the order of the source. Of a test that fails, those up to its violation.
    pub fn accesses(&self) -> Vec<Access> {
        let builder = self.builder.clone().orders(self.orders.clone());
        let accesses = Mutex::new(Accesses::default());
        let note = |execution: &Execution| {
            accesses.lock().unwrap_or_else(PoisonError::into_inner).observe(execution);
        };
        // Iterations of retry loops that are left out elsewhere fail exchanges: some executions that have them are looked at,
        // too.
        let unreduced = builder.clone().loops(LoopReduction::Off).max_events_per_thread(FEW_EVENTS).max_executions(FEW);
        for case in &self.cases {
            for builder in [&builder, &unreduced] {
                let hooks = Hooks { observe: &note, interrupt: self.interrupt, ..Hooks::default() };
                if let Some(violation) = &(case.plain)(builder, hooks).violation {
                    note(&violation.execution);
                }
            }
        }
        accesses.into_inner().unwrap_or_else(PoisonError::into_inner).all()
    }

    /// Runs all tests with these orders, to the first violation.
    fn trial(&self, orders: &Orders) -> Trial {
        self.done.set(self.done.get() + 1);
        (self.progress)(self.done.get());
        let builder = self.builder.clone().orders(orders.clone());
        let mut undecided = None;
        for case in &self.cases {
            if self.interrupt.is_some_and(|interrupt| interrupt.load(Relaxed)) {
                return Trial::Undecided("an interrupt".into());
            }
            let exploration = (case.judged)(&builder, self.interrupt);
            if let Some(violation) = &exploration.violation {
                return Trial::Fails(Failure::new(&case.name, what(violation), violation));
            }
            if !exploration.coverage.is_complete() {
                undecided.get_or_insert_with(|| format!("{}: {}", case.name, exploration.coverage));
            }
        }
        undecided.map_or(Trial::Passes, Trial::Undecided)
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

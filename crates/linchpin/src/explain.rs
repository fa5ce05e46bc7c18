//! Why a client fails: all its executions, handed to what finds causes.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use linchpin_engine::{Call, Exploration, LoopReduction};
use linchpin_graph::Execution;
use linchpin_localize::eliminate::{Limits, Repair, Sections, Traces, repair};
use linchpin_localize::tree::{Called, Options, Program};
use linchpin_localize::{Accesses, Explanation, Explored, Marked, Races, Trace, Weak};
use linchpin_model::{Outcome, Value};

use crate::callers::Callers;
use crate::judge::Verdicts;
use crate::{Builder, ClientTest, Hooks, Violation, ViolationKind, report};

/// So many executions are looked at: retry loops, in which nothing is left out here, may have no end of them.
const MOST_EXECUTIONS: u64 = 100_000;
/// So many critical race sequences are kept.
const MOST_SEQUENCES: usize = 64;
/// An explanation does without races if the interleaving tree has more nodes than this.
const MOST_NODES: usize = 200_000;

impl ClientTest {
    /// Explores the client to the end, and says which sections of the object's code would have to be atomic for nothing to go
    /// wrong, and which races decide whether something does. Prints nothing; [`report::explanation`](crate::report::explanation)
    /// is for people.
    ///
    /// ```
    /// use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
    /// use linchpin::{Builder, MemoryModel};
    ///
    /// #[derive(Default)]
    /// struct Counter(AtomicU8);
    ///
    /// impl Counter {
    ///     fn increment(&self) -> u8 {
    ///         let next = self.0.load(SeqCst) + 1;
    ///         self.0.store(next, SeqCst);
    ///         next
    ///     }
    /// }
    ///
    /// linchpin::object! {
    ///     Incremented: Counter = Counter::default();
    ///     fn increment(&self) -> u8;
    /// }
    ///
    /// let client = linchpin::client::<Incremented>("{ increment() } || { increment() }");
    /// let explanation = client.with(Builder::new().memory_model(MemoryModel::Sc)).explain();
    /// // Load and store, in neighbouring lines, must be atomic.
    /// assert_eq!(explanation.cause.sections.iter().next().unwrap().size(), Some(2));
    /// ```
    ///
    /// Every iteration of retry loops is explored, whatever the builder says: executions that are left out cannot be counted. So
    /// there is a budget of 100,000 executions, unless the builder's is smaller. If it runs out, the cause is verified within bounds.
    #[track_caller]
    pub fn explain(&self) -> Explanation {
        self.explain_within(&Limits::default())
    }

    /// As [`explain`](Self::explain), within these limits.
    #[track_caller]
    pub fn explain_within(&self, limits: &Limits) -> Explanation {
        self.explain_until(limits, &AtomicBool::new(false))
    }

    /// As [`explain_within`](Self::explain_within); when `interrupt` is set, ends with what is known so far.
    #[track_caller]
    pub(crate) fn explain_until(&self, limits: &Limits, interrupt: &AtomicBool) -> Explanation {
        let callers = self.callers();
        let traces = |accesses| self.explore_traces_until(accesses, &callers, interrupt);
        let mut explanation = Explanation::of(traces(Accesses::Memory), limits);
        if explanation.cause.left > 0 {
            // What a lock protects may be memory that nobody sees.
            let with_locks = Explanation::of(traces(Accesses::MemoryAndLocks), limits);
            if with_locks.cause.left < explanation.cause.left {
                explanation = with_locks;
            }
        }
        if explanation.cause.violating > 0 {
            let options = Options { max_nodes: MOST_NODES, ..Options::default() };
            explanation.races = self.races_until(&Sections::default(), Accesses::Memory, options, interrupt);
        }
        explanation.within = callers.within();
        explanation
    }

    /// The explanation of a violation, for people. Empty if it is none that eliminators and races explain.
    pub(crate) fn explained(&self, violation: &Violation) -> String {
        match violation.kind {
            ViolationKind::Rejected { .. } => format!("{}\n", report::explanation(&self.explain())),
            _ => String::new(),
        }
    }

    /// Explores the client to the end, and returns its executions as traces.
    #[track_caller]
    pub fn explore_traces(&self, accesses: Accesses) -> Explored {
        self.explore_traces_by(accesses, &self.callers())
    }

    /// At which lines of the operations what the client does counts.
    pub(crate) fn callers(&self) -> Callers {
        let mut callers = Callers::default();
        callers.look_at(self);
        callers
    }

    /// As [`explore_traces`](Self::explore_traces), where this is known.
    pub(crate) fn explore_traces_by(&self, accesses: Accesses, callers: &Callers) -> Explored {
        self.explore_traces_until(accesses, callers, &AtomicBool::new(false))
    }

    fn explore_traces_until(&self, accesses: Accesses, callers: &Callers, interrupt: &AtomicBool) -> Explored {
        struct Seen {
            traces: Traces,
            weak: Option<Weak>,
            wrong: BTreeMap<Outcome, u64>,
        }
        let verdicts = Verdicts::new(self.object, self.admitted());
        let names = self.names();
        let seen = Mutex::new(Seen { traces: Traces::default(), weak: None, wrong: BTreeMap::new() });
        let judge = |execution: &Execution, calls: &[Call]| {
            let wrong = verdicts.judge(execution, calls);
            let marked = verdicts.of_threads(calls).iter().map(|call| Marked {
                name: names[call.tag as usize].clone(),
                thread: call.thread,
                events: call.events.clone(),
                places: callers.places(&names[call.tag as usize], execution, call),
            });
            let trace = Trace::of(execution, &marked.collect::<Vec<_>>(), accesses);
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            if wrong.is_some() {
                let results = calls.iter().map(|call| call.result.clone().unwrap_or_default());
                *seen.wrong.entry(Outcome(results.collect())).or_default() += 1;
            }
            match trace {
                Ok(trace) if wrong.is_some() => {
                    let reasons = verdicts.reasons(execution, calls);
                    seen.traces.add_wrong(reasons.into_iter().map(|times| trace.clone().in_time(times)));
                }
                Ok(trace) => seen.traces.add_right(trace),
                Err(reason) if wrong.is_some() => {
                    let first = || Weak { executions: 0, example: execution.clone(), reason };
                    seen.weak.get_or_insert_with(first).executions += 1;
                }
                Err(_) => {}
            }
            wrong
        };
        let exploration = self
            .exhaustive()
            .call_stacks(callers.are_needed())
            .explore_with(self.test(), Hooks { judge: &judge, interrupt: Some(interrupt), ..Hooks::default() });
        let Seen { traces, weak, wrong } = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        Explored {
            accesses,
            traces,
            weak,
            otherwise: exploration.violations.saturating_sub(wrong.values().sum()),
            wrong,
            coverage: exploration.coverage,
        }
    }

    /// Explores the client to the end, and looks for the races that decide between right and wrong. `None`: there are too many
    /// interleavings, even when those are merged that have the same future.
    #[track_caller]
    pub fn races(&self, options: Options) -> Option<Races> {
        self.races_under(&Sections::default(), Accesses::Memory, options)
    }

    /// As [`races`](Self::races), with these sections of the object really atomic: nothing comes between their accesses. If they are
    /// the cause, no interleaving is wrong any more.
    #[track_caller]
    pub fn races_under(&self, sections: &Sections, accesses: Accesses, options: Options) -> Option<Races> {
        self.races_until(sections, accesses, options, &AtomicBool::new(false))
    }

    #[track_caller]
    fn races_until(
        &self,
        sections: &Sections,
        accesses: Accesses,
        options: Options,
        interrupt: &AtomicBool,
    ) -> Option<Races> {
        let callers = if sections.is_empty() { Callers::default() } else { self.callers() };
        let (program, exploration) = self.explore_program_by(&callers, interrupt);
        let verdicts = Verdicts::new(self.object, self.admitted());
        let judge = |outcome: &[Value], precedes: &dyn Fn(usize, usize) -> bool| {
            verdicts.is_right(&Outcome(outcome.to_vec()), precedes)
        };
        let tree = program.tree_under(sections, accesses, options, &judge)?;
        Some(Races::of(&tree, options, MOST_SEQUENCES, exploration.coverage))
    }

    /// Explores the client to the end, and puts together what each of its threads does, whatever it reads: what an interleaving
    /// tree is built from. Executions that are no interleavings are left out.
    #[track_caller]
    pub fn explore_program(&self) -> (Program, Exploration) {
        self.explore_program_by(&self.callers(), &AtomicBool::new(false))
    }

    fn explore_program_by(&self, callers: &Callers, interrupt: &AtomicBool) -> (Program, Exploration) {
        let names = self.names();
        let program = Mutex::new(Program::new());
        let judge = |execution: &Execution, calls: &[Call]| {
            let called = |call: &Call| Called {
                name: names[call.tag as usize].clone(),
                thread: call.thread,
                events: call.events.clone(),
                places: callers.places(&names[call.tag as usize], execution, call),
                result: call.result.clone().unwrap_or_default(),
            };
            let calls: Vec<Called> = calls.iter().map(called).collect();
            let _ = program.lock().unwrap_or_else(PoisonError::into_inner).add(execution, &calls);
            None
        };
        let exploration = self
            .exhaustive()
            .call_stacks(callers.are_needed())
            .explore_with(self.test(), Hooks { judge: &judge, interrupt: Some(interrupt), ..Hooks::default() });
        let mut program = program.into_inner().unwrap_or_else(PoisonError::into_inner);
        program.look_ahead();
        (program, exploration)
    }

    /// Goes on after violations, and leaves nothing out. One worker sees the same executions in the same order each time.
    pub(crate) fn exhaustive(&self) -> Builder {
        self.builder.clone().keep_going(true).workers(1).loops(LoopReduction::Off).at_most(MOST_EXECUTIONS)
    }

    /// The operations of the invocations, in the order of the text.
    pub(crate) fn names(&self) -> Vec<Arc<str>> {
        self.client().invocations().map(|invocation| invocation.operation.clone()).collect()
    }
}

/// Goes through clients of an object, and finds the sections that would have to be atomic for none of them to fail: the cheapest
/// set over all that fails. A client that does not fail under the sections found so far changes nothing. See
/// [`Check::causes`](crate::Check::causes) for clients that are generated.
///
/// ```
/// use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
/// use linchpin::{Builder, MemoryModel};
///
/// #[derive(Default)]
/// struct Counter(AtomicU8);
///
/// impl Counter {
///     fn increment(&self) -> u8 {
///         let next = self.0.load(SeqCst) + 1;
///         self.0.store(next, SeqCst);
///         next
///     }
///     fn get(&self) -> u8 {
///         self.0.load(SeqCst)
///     }
/// }
///
/// linchpin::object! {
///     Incremented: Counter = Counter::default();
///     fn increment(&self) -> u8;
///     fn get(&self) -> u8;
/// }
///
/// let clients = ["{ increment() } || { get() }", "{ increment() } || { increment() }", "{ increment() } || { increment() } [get()]"];
/// let clients = clients.map(linchpin::client::<Incremented>);
/// let builder = Builder::new().memory_model(MemoryModel::Sc);
/// let repair = linchpin::cause_of_all(clients.map(|client| client.with(builder.clone())));
/// assert_eq!((repair.clients, repair.failing, repair.rounds), (3, 2, 1));
/// assert_eq!(repair.cause.sections.len(), 1);
/// ```
#[track_caller]
pub fn cause_of_all(clients: impl IntoIterator<Item = ClientTest>) -> Repair {
    let clients: Vec<ClientTest> = clients.into_iter().collect();
    let mut callers = Callers::default();
    clients.iter().for_each(|client| callers.look_at(client));
    let explored = clients.iter().map(|client| client.explore_traces_by(Accesses::Memory, &callers).traces);
    repair(explored, &Limits::default())
}

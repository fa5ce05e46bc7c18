//! Holding the executions of a test against contracts.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use linchpin_check::contracts::{Breach, Clause, Conformance, Contracts, Histories, Observed};
use linchpin_engine::{Call, Exploration, Hooks, Target, rt};
use linchpin_graph::{Execution, ThreadId};
use linchpin_model::{Comparable, Value};

use crate::Builder;
use crate::builder::Judging;

/// A test whose executions are held against contracts.
///
/// The objects under test are [`Watched`], and the test says [`call!`](crate::call) where it calls their operations:
///
/// ```
/// use linchpin::sync::Arc;
/// use linchpin::sync::atomic::{AtomicU32, Ordering::*};
/// use linchpin::{Contract, Watched, call, point, thread};
///
/// #[derive(Default)]
/// struct Counter(AtomicU32);
///
/// impl Counter {
///     fn increment(&self) -> u32 {
///         let old = self.0.fetch_add(1, AcqRel);
///         point::define(true); // This access orders the calls.
///         old
///     }
///     fn get(&self) -> u32 {
///         let value = self.0.load(Acquire);
///         point::define(true);
///         value
///     }
/// }
///
/// // Each increment returns the number of those before it. A get may miss some, but not those that happened before it.
/// let contract = linchpin::Contract::of::<Counter>(|| 0)
///     .operation("increment", |count, _| { *count += 1; *count - 1 })
///     .postcondition(|_, call| call.c_ret == call.s_ret)
///     .operation("get", |count, _| *count)
///     .justifying_postcondition(|_, call| call.c_ret >= call.s_ret);
///
/// linchpin::contract(contract).check(|| {
///     let counter = Arc::new(Watched::new(Counter::default()));
///     let other = counter.clone();
///     let thread = thread::spawn(move || { call!(other.increment()); });
///     call!(counter.increment());
///     call!(counter.get());
///     thread.join().unwrap();
///     assert_eq!(call!(counter.get()), 2);
/// });
/// ```
pub fn contract(contracts: impl Into<Contracts>) -> ContractTest {
    ContractTest {
        contracts: contracts.into(),
        builder: Builder::new(),
        histories: Histories::All,
        reject_inadmissible: false,
    }
}

/// Contracts that tests are going to be held against.
#[derive(Clone, Debug)]
#[must_use = "contracts do nothing until a test is held against them"]
pub struct ContractTest {
    contracts: Contracts,
    builder: Builder,
    histories: Histories,
    reject_inadmissible: bool,
}

/// What has been established about a test with contracts.
#[derive(Clone, Debug)]
pub struct ContractCheck {
    /// The exploration; an execution that breaks a contract is a violation.
    pub exploration: Exploration,
    /// Why executions were not judged, since a contract does not admit them; each reason once.
    pub inadmissible: Vec<String>,
    /// How many valid sequential histories were looked at; those of executions that were run twice count twice.
    pub histories: u64,
    /// Were these all there are in the executions?
    pub all_histories: bool,
}

/// The first kind of trouble that a test has, in the order in which the paper on CDSSpec counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detection {
    /// Something that no contract is needed for: a race, unpublished memory, a deadlock, a panic.
    BuiltIn(String),
    /// No such thing, but an execution that a contract does not admit.
    Admissibility(String),
    /// Neither, but an execution that breaks a contract.
    Assertion(String),
}

impl ContractTest {
    /// With the memory model, budgets and findings of this builder instead of the default ones.
    pub fn with(self, builder: Builder) -> Self {
        ContractTest { builder, ..self }
    }

    /// How many valid sequential histories are looked at in each execution. All by default.
    pub fn histories(self, histories: Histories) -> Self {
        ContractTest { histories, ..self }
    }

    /// Is an execution that a contract does not admit a violation? Not by default; it is listed in any case.
    pub fn reject_inadmissible(self, reject: bool) -> Self {
        ContractTest { reject_inadmissible: reject, ..self }
    }

    /// Explores `test`, prints what was established, and panics with a report if there is a violation: an execution that breaks a
    /// contract, or whatever else a [`Builder`] looks for.
    #[track_caller]
    pub fn check(&self, test: impl Fn() + Send + Sync + 'static) -> ContractCheck {
        let notes = Notes::default();
        let judge = |execution: &Execution, calls: &[Call]| self.judge(execution, calls, &notes);
        let exploration = self.builder.check_judged(test, &Judging { judge: &judge, ..Judging::default() });
        let check = notes.into_check(exploration, self.histories);
        print!("{}", check.remarks());
        check
    }

    /// Explores `test` and returns what was established, whatever that is. Prints nothing.
    #[track_caller]
    pub fn explore(&self, test: impl Fn() + Send + Sync + 'static) -> ContractCheck {
        self.explore_until(test, None)
    }

    /// As [`explore`](Self::explore); ends early when `interrupt` is set.
    #[track_caller]
    pub(crate) fn explore_until(
        &self,
        test: impl Fn() + Send + Sync + 'static,
        interrupt: Option<&AtomicBool>,
    ) -> ContractCheck {
        let notes = Notes::default();
        let judge = |execution: &Execution, calls: &[Call]| self.judge(execution, calls, &notes);
        let exploration = self.builder.explore_with(test, Hooks { judge: &judge, interrupt, ..Hooks::default() });
        notes.into_check(exploration, self.histories)
    }

    /// Explores `test` to its end, or to the first violation for which no contract is needed, and says what trouble it has.
    #[track_caller]
    pub fn classify(&self, test: impl Fn() + Send + Sync + 'static) -> (ContractCheck, Option<Detection>) {
        let notes = Notes::default();
        let judge = |execution: &Execution, calls: &[Call]| {
            // Something worse may come.
            if let Some(message) = self.judge(execution, calls, &notes) {
                let headline = message.lines().next().unwrap_or_default().to_owned();
                notes.with(|noted| noted.broken.get_or_insert(headline).len());
            }
            None
        };
        let exploration = self.builder.explore_with(test, Hooks { judge: &judge, ..Hooks::default() });
        let broken = notes.with(|noted| noted.broken.take());
        let built_in = exploration.violation.as_ref().map(|violation| violation.kind.name().to_owned());
        let check = notes.into_check(exploration, self.histories);
        let detection = built_in
            .map(Detection::BuiltIn)
            .or_else(|| check.inadmissible.first().cloned().map(Detection::Admissibility))
            .or_else(|| broken.map(Detection::Assertion));
        (check, detection)
    }

    /// What is wrong with an execution, if anything is.
    fn judge(&self, execution: &Execution, calls: &[Call], notes: &Notes) -> Option<String> {
        let calls: Vec<Observed> = calls.iter().filter_map(observed).collect();
        match self.contracts.check(execution, &calls, self.histories) {
            Conformance::Holds { histories } => {
                notes.histories.fetch_add(histories, Ordering::Relaxed);
                None
            }
            Conformance::Inadmissible(found) => {
                let message =
                    self.reject_inadmissible.then(|| format!("not admitted by the contract: {}", found.sentence));
                notes.with(|noted| noted.inadmissible.insert(found.sentence));
                message
            }
            Conformance::Broken(breach) => Some(tell(&breach, &calls)),
        }
    }
}

impl ContractCheck {
    /// What is to be said besides the exploration's summary.
    fn remarks(&self) -> String {
        let all = if self.all_histories { "all" } else { "a sample" };
        let mut text =
            format!("  {} sequential histories held against the contract: {all} there are\n", self.histories);
        for reason in &self.inadmissible {
            text.push_str(&format!("  warning: executions were not judged: {reason}\n"));
        }
        text
    }
}

/// How a contract is broken: a headline, and who called what.
fn tell(breach: &Breach, calls: &[Observed]) -> String {
    let by_whom = |&call: &usize| {
        let Observed { thread, .. } = calls[call];
        let name = if thread == ThreadId::MAIN { "main".to_owned() } else { format!("t{}", thread.0) };
        format!("{name} {}", calls[call])
    };
    let told: Vec<String> = breach.history.iter().map(by_whom).collect();
    let why = match breach.clause {
        Clause::Precondition | Clause::Postcondition => format!(
            "{}. That is one order of calls that happens-before and the order of SC accesses between their ordering points \
             leave open, and so one that the contract has to hold in.",
            told.join("; ")
        ),
        Clause::Justification if told.is_empty() => "Nothing is ordered before it.".to_owned(),
        Clause::Justification => format!("Ordered before it: {}.", told.join("; ")),
        Clause::Order => "Let each call have one ordering point, or points that happen one after the other.".to_owned(),
        Clause::Missing => "Add it to the contract, or call the operation without `call!`.".to_owned(),
    };
    format!("the contract is broken: {}\n{why}", breach.sentence)
}

/// What is noted on the way.
#[derive(Default)]
struct Notes {
    histories: AtomicU64,
    rest: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    inadmissible: BTreeSet<String>,
    broken: Option<String>,
}

impl Notes {
    fn with<T>(&self, change: impl FnOnce(&mut Noted) -> T) -> T {
        change(&mut self.rest.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn into_check(self, exploration: Exploration, histories: Histories) -> ContractCheck {
        let noted = self.rest.into_inner().unwrap_or_else(PoisonError::into_inner);
        ContractCheck {
            exploration,
            inadmissible: noted.inadmissible.into_iter().collect(),
            histories: self.histories.into_inner(),
            all_histories: histories == Histories::All,
        }
    }
}

/// A call as contracts see it, if it is one of a watched object and has returned.
fn observed(call: &Call) -> Option<Observed> {
    let target = call.target.as_ref()?;
    Some(Observed {
        object: target.object,
        kind: target.kind,
        operation: target.operation,
        arguments: target.arguments.clone(),
        returned: call.result.clone()?,
        thread: call.thread,
        events: call.events.clone(),
        points: call.points.clone(),
    })
}

/// An object whose calls are known to contracts when they are made with [`call!`](crate::call). Dereferences to the object.
///
/// The object is known by its address: it must not be moved while it is in use, which an `Arc` sees to.
#[derive(Debug, Default)]
pub struct Watched<T>(T);

impl<T> Watched<T> {
    /// Watches an object.
    pub const fn new(object: T) -> Self {
        Watched(object)
    }

    /// The object itself.
    pub fn into_inner(self) -> T {
        self.0
    }

    #[doc(hidden)]
    pub fn __call<R>(
        &self,
        operation: &'static str,
        arguments: Vec<Value>,
        call: impl FnOnce(&T) -> R,
        to_value: impl FnOnce(&R) -> Value,
    ) -> R {
        if !rt::active() {
            return call(&self.0);
        }
        let (object, kind) = ((&raw const self.0).addr() as u64, std::any::type_name::<T>());
        rt::call_begins(&Target { object, kind, operation, arguments });
        let returned = call(&self.0);
        rt::operation_ends(&to_value(&returned));
        returned
    }
}

impl<T> Deref for Watched<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Watched<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// Calls an operation of a [`Watched`] object, so that contracts know of it: `call!(queue.enq(1))`.
///
/// Up to four arguments and the result are of types that implement [`Comparable`]. For another result, a closure after `=>` makes
/// such a value of a reference to it: `call!(lock.try_lock() => |guard| guard.is_some())`. Of calls within calls only the
/// outermost counts.
#[macro_export]
macro_rules! call {
    ($object:ident . $operation:ident ( $($argument:expr),* $(,)? )) => {
        $crate::__watched_call!($object $operation ($crate::__to_value) [] [first second third fourth] $($argument,)*)
    };
    ($object:ident . $operation:ident ( $($argument:expr),* $(,)? ) => $map:expr) => {
        $crate::__watched_call!(
            $object $operation (|returned: &_| $crate::__to_value(&($map)(returned))) [] [first second third fourth] $($argument,)*
        )
    };
}

/// Gives each argument a name, so that it is evaluated once.
#[doc(hidden)]
#[macro_export]
macro_rules! __watched_call {
    ($object:ident $operation:ident ($map:expr) [$($name:ident = $known:expr,)*] [$next:ident $($names:ident)*] $argument:expr, $($rest:expr,)*) => {
        $crate::__watched_call!($object $operation ($map) [$($name = $known,)* $next = $argument,] [$($names)*] $($rest,)*)
    };
    ($object:ident $operation:ident ($map:expr) [$($name:ident = $argument:expr,)*] [$($names:ident)*]) => {{
        $(let $name = $argument;)*
        let arguments = ::std::vec![$($crate::Comparable::to_value(&$name)),*];
        $object.__call(stringify!($operation), arguments, |object| object.$operation($($name),*), $map)
    }};
}

/// A result as a value; a function, so that closures need no types.
#[doc(hidden)]
pub fn __to_value<R: Comparable + ?Sized>(returned: &R) -> Value {
    returned.to_value()
}

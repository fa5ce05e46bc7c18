//! One client of an object, run through every execution and compared with what its sequential self admits.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use linchpin_engine::{Call, rt};
use linchpin_generate::{Disagreement, Invalid, Outcomes, ParseError, admitted_by_object, parse, validate};
use linchpin_graph::Execution;
use linchpin_model::{AnyInstance, AnyObject, Client, Object, Outcome, Script, Step};
use linchpin_report::Report;
use linchpin_sync::thread;

use crate::builder::Judging;
use crate::check::disagreement_of;
use crate::judge::Verdicts;
use crate::reports::{self, alone};
use crate::shrink::{Shrunk, can_be_shrunk, shrink};
use crate::{Builder, Exploration, Hooks};

/// A client of an object, given as text: `[setup] { first; thread } || { second } [epilogue]`.
///
/// ```
/// # use linchpin::sync::Mutex;
/// # #[derive(Default)]
/// # struct Stack(Mutex<Vec<u8>>);
/// # impl Stack {
/// #     fn push(&self, item: u8) { self.0.lock().unwrap().push(item); }
/// #     fn pop(&self) -> Option<u8> { self.0.lock().unwrap().pop() }
/// # }
/// linchpin::object! {
///     LockedStack: Stack = Stack::default();
///     fn push(&self, item: u8);
///     fn pop(&self) -> Option<u8>;
/// }
///
/// linchpin::client::<LockedStack>("[push(1)] { pop() } || { pop() }").run();
/// ```
///
/// # Panics
///
/// When the text is not a client, or not one of this object.
#[track_caller]
pub fn client<O: Object>(text: &str) -> ClientTest {
    ClientTest::of(AnyObject::of::<O>(), text).unwrap_or_else(|error| panic!("{error}"))
}

/// Why a text is not a client of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAClient {
    /// It is not written like one.
    Text(ParseError),
    /// The object has no such operations.
    Invalid {
        /// The client.
        client: Client,
        /// The object's name.
        object: &'static str,
        /// Why it is not one of that object.
        invalid: Box<Invalid>,
    },
}

impl fmt::Display for NotAClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAClient::Text(error) => error.fmt(f),
            NotAClient::Invalid { client, object, invalid } => {
                write!(f, "{client} is not a client of {object}: {invalid}")
            }
        }
    }
}

impl Error for NotAClient {}

/// A client that is going to be run: explored, sampled or on native threads.
#[must_use = "a client does nothing until it is run"]
#[derive(Clone)]
pub struct ClientTest {
    client: Client,
    pub(crate) builder: Builder,
    pub(crate) object: AnyObject,
}

impl ClientTest {
    /// As [`client`], for texts that may be wrong.
    ///
    /// # Errors
    ///
    /// When the text is not a client, or not one of this object.
    pub fn of(object: AnyObject, text: &str) -> Result<ClientTest, NotAClient> {
        let client = parse(text).map_err(NotAClient::Text)?;
        match validate(object, &client) {
            Ok(()) => Ok(ClientTest::new(object, client)),
            Err(invalid) => Err(NotAClient::Invalid { client, object: object.name(), invalid: Box::new(invalid) }),
        }
    }

    /// The client must be valid.
    pub(crate) fn new(object: AnyObject, client: Client) -> Self {
        ClientTest { client, builder: Builder::new(), object }
    }

    /// With the memory model, budgets and findings of this builder instead of the default ones.
    pub fn with(mut self, builder: Builder) -> Self {
        self.builder = builder;
        self
    }

    /// Explores the client, prints what was established, and panics with a report if there is a violation: an outcome that
    /// no order of the invocations explains, or only one that real time forbids, or whatever else a [`Builder`] looks for. If an
    /// outcome is wrong, the report has what is known about the cause after a short look: [`explain`](Self::explain) takes its time.
    ///
    /// With the replay of such a violation in the environment's `LINCHPIN_REPLAY`, as the report says, it runs that execution only; in
    /// `LINCHPIN_EXPLAIN`, it [explains](Self::explain) it as well.
    #[track_caller]
    pub fn run(&self) -> Exploration {
        println!("linchpin: {} as a client of {}", self.client, self.object.name());
        self.agree();
        let verdicts = Verdicts::new(self.object, self.admitted());
        let judge = |execution: &Execution, calls: &[Call]| verdicts.judge(execution, calls);
        let judging = Judging {
            judge: &judge,
            name: &|tag| self.name_of(tag),
            origin: self.origin(),
            explain: &|violation| self.explained(violation),
            report: &|violation| self.with_cause_soon(self.reported(violation), violation, &AtomicBool::new(false)),
        };
        self.builder.check_judged(self.test(), &judging)
    }

    /// Where the object and its specification return different values for the client's invocations even in one thread. `None`: they
    /// agree, or there is no specification but the object itself. Nothing else is worth looking at before they agree.
    pub fn disagreement(&self) -> Option<Disagreement> {
        disagreement_of(self.object, &self.client)
    }

    /// What is wrong with the object even in one thread, if anything is.
    pub(crate) fn wrong_alone(&self) -> Option<Report> {
        let report = match self.disagreement() {
            Some(disagreement) => alone::disagreement(self.object, &disagreement),
            None => alone::not_deterministic(self.object, &admitted_by_object(self.object, &self.client).err()?),
        };
        Some(report.of_client(self.object.name(), &self.client))
    }

    /// Panics if the object is wrong even in one thread.
    #[track_caller]
    pub(crate) fn agree(&self) {
        if let Some(report) = self.wrong_alone() {
            reports::fail(report);
        }
    }

    /// Explores the client and returns what was established, whatever that is. Prints nothing.
    #[track_caller]
    pub fn explore(&self) -> Exploration {
        self.explore_with(Hooks::default())
    }

    /// As [`explore`](Self::explore); tells `hooks` of it. Executions are judged by the object's specification, whatever the
    /// hooks say.
    #[track_caller]
    pub fn explore_with(&self, hooks: Hooks<'_>) -> Exploration {
        self.explore_against(self.admitted(), hooks)
    }

    /// Explores the client and compares with these outcomes.
    pub(crate) fn explore_against(&self, admitted: Outcomes, hooks: Hooks<'_>) -> Exploration {
        let verdicts = Verdicts::new(self.object, admitted);
        let judge = |execution: &Execution, calls: &[Call]| verdicts.judge(execution, calls);
        let mut exploration = self.builder.explore_with(self.test(), Hooks { judge: &judge, ..hooks });
        if let Some(violation) = &mut exploration.violation {
            violation.name_calls(|tag| self.name_of(tag));
        }
        exploration
    }

    /// All outcomes that the client has, whether or not they are admitted; `None` if not all executions were looked at.
    pub(crate) fn observed(&self) -> Option<BTreeSet<Outcome>> {
        let outcomes = Mutex::new(BTreeSet::new());
        let judge = |_: &Execution, calls: &[Call]| {
            let outcome = calls.iter().map(|call| call.result.clone().unwrap_or_default()).collect();
            outcomes.lock().unwrap_or_else(PoisonError::into_inner).insert(Outcome(outcome));
            None
        };
        let exploration = self.explore_unjudged(Hooks { judge: &judge, ..Hooks::default() });
        let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        exploration.coverage.is_complete().then_some(outcomes)
    }

    /// As [`explore_with`](Self::explore_with), but what is wrong with an execution is for the hooks alone to say: for those who want
    /// to see what the client does, right or wrong. The tag of a [`Call`] is the invocation's position in the text.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
    /// use linchpin::{Call, Execution, Hooks};
    ///
    /// linchpin::object! {
    ///     Register: AtomicU8 = AtomicU8::new(0);
    ///     fn increment(&self) -> u8 = |count: &AtomicU8| {
    ///         let read = count.load(SeqCst);
    ///         count.store(read + 1, SeqCst);
    ///         read
    ///     };
    /// }
    ///
    /// let seen = Mutex::new(Vec::new());
    /// let judge = |_: &Execution, calls: &[Call]| {
    ///     seen.lock().unwrap().push(calls.iter().map(|call| call.result.clone().unwrap()).collect::<Vec<_>>());
    ///     None
    /// };
    /// let client = linchpin::client::<Register>("{ increment() } || { increment() }");
    /// client.explore_unjudged(Hooks { judge: &judge, ..Hooks::default() });
    /// assert!(seen.into_inner().unwrap().contains(&vec![0.into(), 0.into()])); // An increment was lost.
    /// ```
    #[track_caller]
    pub fn explore_unjudged(&self, hooks: Hooks<'_>) -> Exploration {
        self.builder.explore_with(self.test(), hooks)
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The invocation at this position of the text.
    pub(crate) fn name_of(&self, tag: u64) -> String {
        self.client.invocations().nth(tag as usize).map(ToString::to_string).unwrap_or_default()
    }

    /// If the client fails, the smallest client that fails in the same way. Each candidate is explored for two seconds at most, unless
    /// [`Builder::max_time`] says something else.
    ///
    /// ```
    /// # use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
    /// linchpin::object! {
    ///     Counter: AtomicU8 = AtomicU8::new(0);
    ///     fn add(&self) = |counter: &AtomicU8| counter.store(counter.load(SeqCst) + 1, SeqCst);
    ///     #[read_only] fn get(&self) -> u8 = |counter: &AtomicU8| counter.load(SeqCst);
    /// }
    ///
    /// let shrunk = linchpin::client::<Counter>("[add()] { add(); get() } || { get(); add(); add() } [get()]").shrink();
    /// let minimum = shrunk.unwrap().minimum;
    /// assert_eq!(minimum.client.to_string(), "{ add() } || { add() } [get()]");
    /// assert!(minimum.is_proven);
    /// ```
    #[track_caller]
    pub fn shrink(&self) -> Option<Shrunk> {
        self.shrink_until(self.explore(), &AtomicBool::new(false))
    }

    /// If the client failed when it was explored, the smallest client that fails in the same way; or the smallest so far, when
    /// `interrupt` is set.
    pub(crate) fn shrink_until(&self, explored: Exploration, interrupt: &AtomicBool) -> Option<Shrunk> {
        let kind = &explored.violation.as_ref()?.kind;
        can_be_shrunk(kind).then(|| shrink(self.object, &self.client, explored, &self.builder, interrupt))
    }

    /// The outcomes that the object itself has when the client's invocations run one after another, in every order that
    /// keeps the order within each thread.
    ///
    /// # Panics
    ///
    /// When the object is not deterministic even then: outcomes would say nothing.
    #[track_caller]
    pub fn admitted(&self) -> Outcomes {
        admitted_by_object(self.object, &self.client).unwrap_or_else(|error| panic!("{}: {error}", self.object.name()))
    }

    /// What is explored: the client run once.
    pub(crate) fn test(&self) -> impl Fn() + Send + Sync + 'static {
        let (object, script) = (self.object, Arc::new(Script::of(self.object, &self.client)));
        move || run_once(object, &script)
    }
}

/// Runs a client. The engine notes when its invocations begin and end, and what they return.
fn run_once(object: AnyObject, script: &Arc<Script>) {
    let instance = Arc::new(object.create());
    script.setup.iter().for_each(|step| invoke(object, &instance, step));
    let threads: Vec<_> = (0..script.threads.len())
        .map(|thread| {
            let (script, instance) = (script.clone(), instance.clone());
            thread::spawn(move || script.threads[thread].iter().for_each(|step| invoke(object, &instance, step)))
        })
        .collect();
    for thread in threads {
        // A thread that panics is a violation of its own, found before this one goes on.
        let _ = thread.join();
    }
    script.epilogue.iter().for_each(|step| invoke(object, &instance, step));
}

/// Call stacks are looked at from here on inwards, so this is a function of its own whatever the compiler thinks.
#[inline(never)]
fn invoke(object: AnyObject, instance: &AnyInstance, step: &Step) {
    rt::operation_begins(step.place as u64);
    let returned = object.invoke(instance, step.operation, &step.arguments);
    rt::operation_ends(&returned);
}

//! Many clients of an object, generated, explored and judged.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use linchpin_generate::{
    Disagreement, Ended, LeftOut, NotDeterministic, Options, admitted_by_object, disagreement, generate_mixed,
};
use linchpin_localize::{Explanation, Minimum};
use linchpin_model::{AnyObject, Bound, Client, Coverage, Object};

use crate::builder::announcer;
use crate::library::{self, Causes, Left};
use crate::maximality::{self, Maximality};
use crate::shrink::{Shrunk, can_be_shrunk, shrink};
use crate::side_by_side::{Done, Tally, side_by_side};
use crate::{Builder, ClientTest, Exploration, Hooks, Progress, Settings, report, reports};

/// So many clients are tried, unless told otherwise.
const CLIENTS: usize = 500;

/// So many executions of each client are explored before any is explored to its end: nearly all have fewer.
const GLANCE: u64 = 1_000;

/// And in them so many events for each invocation of the longest thread: operations that do not go round have fewer.
const EVENTS: u32 = 25;

/// Checks an object: generates clients from its operations, explores each, and decides each execution.
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
/// linchpin::check::<LockedStack>().clients(50).run();
/// ```
pub fn check<O: Object>() -> Check {
    Check::of(AnyObject::of::<O>())
}

/// How an object is going to be checked.
#[must_use = "nothing is checked before `run` or `explore`"]
pub struct Check {
    builder: Builder,
    /// Clients are of these kinds in turn. At least one.
    kinds: Vec<Options>,
    clients: usize,
    seed: u64,
    object: AnyObject,
}

impl Check {
    /// As [`check`], of an object as a value.
    pub fn of(object: AnyObject) -> Check {
        let settings = Settings::here();
        Check {
            builder: Builder::new(),
            kinds: settings.kinds(),
            clients: settings.max_clients.unwrap_or(CLIENTS),
            seed: settings.seed.unwrap_or(0),
            object,
        }
    }

    /// With the memory model, budgets and findings of this builder instead of the default ones. Budgets are for each client.
    pub fn with(mut self, builder: Builder) -> Self {
        self.builder = builder;
        self
    }

    /// How many clients are tried. 500 by default; fewer if there are no more.
    pub fn clients(mut self, clients: usize) -> Self {
        self.clients = clients;
        self
    }

    /// Another seed gives other clients. 0 by default; the same seed always gives the same clients.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What clients look like: how many threads, invocations, values. By default, every other client is one of
    /// [`Options::default`] and every other one of [`Options::one_against_many`].
    pub fn options(mut self, options: Options) -> Self {
        self.kinds = vec![options];
        self
    }

    /// Checks, prints what was established, and panics with a report if something is wrong. If an outcome is, the report ends with
    /// what is known about the [cause](ClientTest::explain).
    ///
    /// # Panics
    /// If a client fails, if the object disagrees with its specification even in one thread, if it is not deterministic in one
    /// thread, or if it has no operations that can be invoked.
    #[track_caller]
    pub fn run(&self) -> Checked {
        println!("linchpin: checking {}", self.object.name());
        if let Some(test) = ClientTest::asked_for(self.object) {
            return Checked::of_one_execution(self.object, test.with(self.builder.clone()).run());
        }
        let checked = self.explore_telling(&AtomicBool::new(false), &announcer());
        for left_out in &checked.left_out {
            println!("linchpin: {left_out}");
        }
        println!("linchpin: {}", checked.summary());
        if let Some(Failure::Execution { found, client, minimum, .. }) = &checked.failure {
            println!("linchpin: {found} fails");
            if let Some(minimum) = minimum {
                println!("linchpin: {minimum}");
            }
            println!("linchpin: on its own: linchpin::client::<{}>(r#\"{client}\"#).run()", self.object.name());
        }
        if let Some(found) = checked.found(self.object, &self.builder, &AtomicBool::new(false)) {
            reports::fail(found);
        }
        checked
    }

    /// Checks and returns what was established, whatever that is. Prints nothing.
    #[track_caller]
    pub fn explore(&self) -> Checked {
        self.explore_until(&AtomicBool::new(false))
    }

    /// As [`explore`](Self::explore); ends early when `interrupt` is set.
    #[track_caller]
    pub fn explore_until(&self, interrupt: &AtomicBool) -> Checked {
        self.explore_telling(interrupt, &|_, _| {})
    }

    /// As [`explore_until`](Self::explore_until); tells how far it is: which share of what is being done, where that can be said,
    /// and what that is.
    #[track_caller]
    pub(crate) fn explore_telling(&self, interrupt: &AtomicBool, tell: &dyn Fn(Option<f64>, &str)) -> Checked {
        let start = Instant::now();
        let mut generator = generate_mixed(self.object, self.seed, &self.kinds);
        let left_out = generator.left_out().to_vec();
        let clients: Vec<Client> = generator.by_ref().take(self.clients).collect();
        let mut checked = Checked {
            object: self.object.name(),
            clients: clients.len(),
            ended: generator.ended(),
            left_out,
            executions: 0,
            coverage: Coverage::Complete,
            failure: None,
            elapsed: Duration::ZERO,
        };
        if clients.is_empty() {
            checked.failure = Some(Failure::NoClients(generator.ended()));
        } else if let Some(disagreement) = clients.iter().find_map(|client| disagreement_of(self.object, client)) {
            checked.clients = 0;
            checked.failure = Some(Failure::Disagreement(disagreement));
        } else {
            self.explore_all(&clients, interrupt, tell, &mut checked);
        }
        checked.elapsed = start.elapsed();
        checked
    }

    /// How much each operation promises: the strongest level of consistency that it still keeps. For each operation, clients
    /// of it and of trusted operations are generated, and the latter are taken to be atomic. If nothing is said of any
    /// operation, those that are not read-only are trusted.
    ///
    /// ```
    /// # use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
    /// # use linchpin::Consistency;
    /// #[derive(Default)]
    /// struct Pair(AtomicU8, AtomicU8);
    ///
    /// linchpin::object! {
    ///     PairOfFlags: Pair = Pair::default();
    ///     fn raise_left(&self) = |pair: &Pair| pair.0.store(1, SeqCst);
    ///     fn raise_right(&self) = |pair: &Pair| pair.1.store(1, SeqCst);
    ///     #[read_only] fn bits(&self) -> u8 = |pair: &Pair| pair.0.load(SeqCst) + 2 * pair.1.load(SeqCst);
    /// }
    ///
    /// let promises = linchpin::check::<PairOfFlags>().clients(100).maximality();
    /// let levels: Vec<Option<Consistency>> = promises.operations.iter().map(|operation| operation.level).collect();
    /// // `bits` may see the right flag raised and miss that the same thread had raised the left one before.
    /// assert_eq!(levels, [Some(Consistency::Complete), Some(Consistency::Complete), Some(Consistency::Monotonic)]);
    /// ```
    pub fn maximality(&self) -> Maximality {
        maximality::find(self.object, &self.builder, &self.kinds[0], self.clients, self.seed)
    }

    /// The cause of all failures of the whole object: what would have to be atomic for no generated client to fail.
    ///
    /// Clients are generated as for [`run`](Self::run), and the causes of those that fail are put together: as soon as one fails although the
    /// sections found so far are assumed to be atomic, others are looked for, until none does. At most 1,000 executions of each
    /// failing client are looked at.
    ///
    /// ```
    /// # use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
    /// # use linchpin::{Builder, MemoryModel};
    /// #[derive(Default)]
    /// struct Counter(AtomicU8);
    ///
    /// impl Counter {
    ///     fn add(&self) -> u8 {
    ///         let before = self.0.load(SeqCst);
    ///         self.0.store(before + 1, SeqCst);
    ///         before
    ///     }
    ///     fn take(&self) -> u8 {
    ///         let before = self.0.load(SeqCst);
    ///         self.0.store(before.saturating_sub(1), SeqCst);
    ///         before
    ///     }
    /// }
    ///
    /// linchpin::object! {
    ///     Counted: Counter = Counter::default();
    ///     fn add(&self) -> u8;
    ///     fn take(&self) -> u8;
    /// }
    ///
    /// let check = linchpin::check::<Counted>().with(Builder::new().memory_model(MemoryModel::Sc)).clients(30);
    /// let causes = check.causes();
    /// // Both have to be atomic.
    /// let operations: Vec<&str> = causes.repair.cause.sections.iter().map(|section| &*section.operation).collect();
    /// assert_eq!(operations, ["add", "take"]);
    /// assert_eq!(causes.repair.cause.left, 0);
    /// println!("{causes}");
    /// ```
    #[track_caller]
    pub fn causes(&self) -> Causes {
        self.causes_until(&AtomicBool::new(false))
    }

    /// As [`causes`](Self::causes); ends early when `interrupt` is set.
    #[track_caller]
    pub fn causes_until(&self, interrupt: &AtomicBool) -> Causes {
        library::causes(self.object, &self.generated(), interrupt)
    }

    /// Holds the explanation of one client against the others that are generated: which of them fail although what it says is the
    /// cause is assumed to be atomic? If some do, there is another cause besides.
    ///
    /// ```
    /// # use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
    /// # use linchpin::{Builder, MemoryModel};
    /// # #[derive(Default)]
    /// # struct Counter(AtomicU8);
    /// # impl Counter {
    /// #     fn add(&self) -> u8 {
    /// #         let before = self.0.load(SeqCst);
    /// #         self.0.store(before + 1, SeqCst);
    /// #         before
    /// #     }
    /// # }
    /// # linchpin::object! {
    /// #     Counted: Counter = Counter::default();
    /// #     fn add(&self) -> u8;
    /// # }
    /// let builder = Builder::new().memory_model(MemoryModel::Sc);
    /// let client = linchpin::client::<Counted>("{ add() } || { add() }").with(builder.clone());
    /// let left = linchpin::check::<Counted>().with(builder).clients(20).verify(&client, &client.explain());
    /// assert!(left.failing > 0 && left.clients_left.is_empty());
    /// ```
    #[track_caller]
    pub fn verify(&self, client: &ClientTest, explanation: &Explanation) -> Left {
        self.verify_until(client, explanation, &AtomicBool::new(false))
    }

    /// As [`verify`](Self::verify); ends early when `interrupt` is set.
    pub(crate) fn verify_until(&self, client: &ClientTest, explanation: &Explanation, interrupt: &AtomicBool) -> Left {
        library::verify(&self.generated(), client, explanation, interrupt)
    }

    /// The clients.
    fn generated(&self) -> Vec<ClientTest> {
        let clients = generate_mixed(self.object, self.seed, &self.kinds).take(self.clients);
        clients.map(|client| ClientTest::new(self.object, client).with(self.builder.clone())).collect()
    }

    /// Explores all clients, in two passes: first each of them a little, then those to the end that were not done by then. One
    /// whose threads go round and change something has executions without end, and would keep everybody from seeing how the
    /// others fail.
    fn explore_all(
        &self,
        clients: &[Client],
        interrupt: &AtomicBool,
        tell: &dyn Fn(Option<f64>, &str),
        checked: &mut Checked,
    ) {
        let everyone: Vec<usize> = (0..clients.len()).collect();
        let explore = |number: usize, tally: &Tally| {
            let client = &clients[number];
            let builder = self.builder.clone().at_most(GLANCE).at_most_events(glance(client));
            self.explore_one(client, builder, interrupt, tally)
        };
        let told = |done: &Done| tell(Some(done.share()), &done.to_string());
        let mut results = side_by_side(&everyone, interrupt, Result::is_failure, explore, &told);
        if !results.values().any(Result::is_failure) {
            let open: Vec<usize> =
                results.iter().filter(|(_, result)| !result.is_decided()).map(|(&number, _)| number).collect();
            let explore = |number: usize, tally: &Tally| {
                self.explore_one(&clients[number], self.builder.clone(), interrupt, tally)
            };
            let told = |done: &Done| tell(Some(done.share()), &format!("a longer look at the rest: {done}"));
            if !open.is_empty() {
                results.extend(side_by_side(&open, interrupt, Result::is_failure, explore, &told));
            }
        }
        checked.clients = results.len();
        let mut bounds: Vec<Bound> = Vec::new();
        for (number, result) in results {
            match result {
                Result::NotDeterministic(error) => checked.failure = Some(Failure::NotDeterministic(error)),
                Result::Explored(exploration) => {
                    checked.executions += exploration.complete + exploration.violations;
                    if let Coverage::Bounded(of_client) = &exploration.coverage {
                        bounds.extend(
                            of_client.iter().filter(|bound| !bounds.contains(bound)).cloned().collect::<Vec<_>>(),
                        );
                    }
                    if exploration.violation.is_some() {
                        tell(None, &format!("{} fails; making it smaller", clients[number]));
                        checked.failure = Some(self.failure(clients[number].clone(), exploration, interrupt));
                    }
                }
            }
            if checked.failure.is_some() {
                break;
            }
        }
        if interrupt.load(Relaxed) && !bounds.contains(&Bound::Interrupted) {
            bounds.push(Bound::Interrupted);
        }
        if !bounds.is_empty() {
            checked.coverage = Coverage::Bounded(bounds);
        }
    }

    /// What is reported of a client that fails.
    fn failure(&self, found: Client, exploration: Box<Exploration>, interrupt: &AtomicBool) -> Failure {
        match &exploration.violation {
            Some(violation) if can_be_shrunk(&violation.kind) => {
                let Shrunk { minimum, exploration } =
                    shrink(self.object, &found, *exploration, &self.builder, interrupt);
                let client = minimum.client.clone();
                Failure::Execution { found, client, minimum: Some(minimum), exploration: Box::new(exploration) }
            }
            _ => Failure::Execution { client: found.clone(), found, minimum: None, exploration },
        }
    }

    fn explore_one(&self, client: &Client, builder: Builder, interrupt: &AtomicBool, tally: &Tally) -> Result {
        match admitted_by_object(self.object, client) {
            Err(error) => Result::NotDeterministic(error),
            Ok(admitted) => {
                let test = ClientTest::new(self.object, client.clone()).with(builder.workers(1));
                let counted = Cell::new(0);
                let count = |now: u64| tally.count(counted.replace(now), now);
                let progress = |progress: &Progress| count(progress.complete);
                let hooks = Hooks { interrupt: Some(interrupt), progress: &progress, ..Hooks::default() };
                let exploration = test.explore_against(admitted, hooks);
                count(exploration.complete + exploration.violations);
                Result::Explored(Box::new(exploration))
            }
        }
    }
}

/// How many events a thread of a client has at most when it is explored a little: so many for each invocation.
fn glance(client: &Client) -> u32 {
    let longest = client.threads.iter().map(Vec::len).chain([client.setup.len() + client.epilogue.len()]).max();
    EVENTS * (longest.unwrap_or(0) as u32 + 1)
}

/// The lint; only for objects that have a specification of their own.
pub(crate) fn disagreement_of(object: AnyObject, client: &Client) -> Option<Disagreement> {
    if object.is_specified() { disagreement(object, client) } else { None }
}

/// What came of one client.
enum Result {
    NotDeterministic(NotDeterministic),
    Explored(Box<Exploration>),
}

impl Result {
    fn is_failure(&self) -> bool {
        match self {
            Result::NotDeterministic(_) => true,
            Result::Explored(exploration) => exploration.violation.is_some(),
        }
    }

    /// Is there nothing more to be found?
    fn is_decided(&self) -> bool {
        match self {
            Result::NotDeterministic(_) => true,
            Result::Explored(exploration) => exploration.violation.is_some() || exploration.coverage.is_complete(),
        }
    }
}

/// What checking an object has established.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The object's name.
    pub object: &'static str,
    /// How many clients were explored; one of them may have failed.
    pub clients: usize,
    /// Why there were no more clients, if fewer were generated than asked for.
    pub ended: Option<Ended>,
    /// Operations that no client invokes.
    pub left_out: Vec<LeftOut>,
    /// How many complete executions there were in all.
    pub executions: u64,
    /// How much of these clients was looked at.
    pub coverage: Coverage,
    /// The first thing that went wrong, in the order of clients, of which each is explored a little before any is explored to its
    /// end.
    pub failure: Option<Failure>,
    /// How long it took.
    pub elapsed: Duration,
}

/// What can be wrong with an object.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The object does something else than its specification even in one thread. No client was explored.
    Disagreement(Disagreement),
    /// The object does different things in one thread when it is run twice, so no outcome is right or wrong.
    NotDeterministic(NotDeterministic),
    /// There is nothing to explore.
    NoClients(Option<Ended>),
    /// An execution of a client is wrong.
    Execution {
        /// The client that was found to fail.
        found: Client,
        /// The smallest client that fails in the same way.
        client: Client,
        /// What is known about still smaller ones; `None` if none was tried, since the failure is of the test's own making.
        minimum: Option<Minimum>,
        /// What exploring the smallest client found.
        exploration: Box<Exploration>,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Disagreement(disagreement) => write!(
                f,
                "the object and its specification disagree without any concurrency: {disagreement}\nCorrect one of the \
                 two first: what threads do is not looked at before they agree."
            ),
            Failure::NotDeterministic(error) => error.fmt(f),
            Failure::NoClients(Some(Ended::Impossible)) => f.write_str(
                "no client is within the bounds: a range is empty, or there are more threads than invocations",
            ),
            Failure::NoClients(_) => f.write_str("there is no operation to invoke; describe some in `object!`"),
            Failure::Execution { client, exploration, .. } => match &exploration.violation {
                Some(violation) => write!(f, "{client} fails\n{}", report::violation(violation)),
                None => write!(f, "{client} fails"),
            },
        }
    }
}

impl Checked {
    /// One execution was run again, and violates nothing any more.
    fn of_one_execution(object: AnyObject, exploration: Exploration) -> Checked {
        Checked {
            object: object.name(),
            clients: 1,
            ended: None,
            left_out: Vec::new(),
            executions: exploration.complete,
            coverage: exploration.coverage,
            failure: None,
            elapsed: exploration.elapsed,
        }
    }

    /// What was established, in a line.
    pub fn summary(&self) -> String {
        let Checked { clients, executions, .. } = self;
        let verdict = match &self.failure {
            None => "no violation in any",
            Some(Failure::Execution { .. }) => "a violation in one",
            Some(Failure::NotDeterministic(_)) => "not deterministic in one thread",
            Some(Failure::Disagreement(_)) => "not what is specified, even in one thread",
            Some(Failure::NoClients(_)) => "nothing to explore",
        };
        let (coverage, seconds) = (&self.coverage, self.elapsed.as_secs_f64());
        format!("{verdict} of {clients} clients with {executions} executions; coverage: {coverage}; {seconds:.2} s")
    }
}

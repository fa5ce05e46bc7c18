//! Several tests of one object, for questions about its memory orders.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use linchpin_audit::{Access, Audit, Repairs, Trial, Weakest};
use linchpin_check::contracts::Contracts;
use linchpin_engine::{Exploration, Hooks, Orders};

use crate::trials::{Case, Trials};
use crate::{Builder, ClientTest, ContractTest, contract};

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

#[derive(Clone)]
enum Test {
    /// A function to explore.
    Function(Arc<dyn Fn() + Send + Sync>),
    /// A client, which is judged by the specification of its object if it is asked to be.
    Client(Arc<Explore>),
}

/// Explores a client; is it judged?
type Explore = dyn Fn(&Builder, bool, Hooks<'_>) -> Exploration + Send + Sync;

impl Suite {
    /// No tests yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With another test.
    pub fn test(mut self, name: impl Into<String>, test: impl Fn() + Send + Sync + 'static) -> Self {
        self.tests.push((name.into(), Test::Function(Arc::new(test))));
        self
    }

    /// With a client of an object as another test: it fails if an execution of it is not what the object's specification
    /// admits.
    ///
    /// ```
    /// use linchpin::Suite;
    /// use linchpin::audit::Need;
    /// use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
    ///
    /// linchpin::object! {
    ///     Flag: AtomicU8 = AtomicU8::new(0);
    ///     fn raise(&self) -> bool = |flag: &AtomicU8| flag.swap(1, SeqCst) == 0;
    /// }
    ///
    /// let audit = Suite::new().client(linchpin::client::<Flag>("{ raise() } || { raise() }")).audit();
    /// assert_eq!(audit.rows[0].need, Need::NotNeeded(linchpin::Order::Relaxed));
    /// ```
    pub fn client(mut self, client: ClientTest) -> Self {
        let name = client.client().to_string();
        let explore = move |builder: &Builder, is_judged: bool, hooks: Hooks<'_>| {
            let client = client.clone().with(builder.clone());
            if is_judged { client.explore_with(hooks) } else { client.explore_unjudged(hooks) }
        };
        self.tests.push((name, Test::Client(Arc::new(explore))));
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
        self.trials(None, &|_| {}).audit()
    }

    /// Weakens orders until none can be weakened any more without a test failing. `None` if one fails already.
    #[track_caller]
    pub fn weakest(&self) -> Option<Weakest> {
        self.trials(None, &|_| {}).weakest()
    }

    /// Looks for what to strengthen so that no test fails: up to `most` minimal sets of changes, the cheapest first. `None` if no
    /// test fails.
    #[track_caller]
    pub fn repair(&self, most: usize) -> Option<Repairs> {
        self.trials(None, &|_| {}).repair(most)
    }

    /// Runs all tests, to the first violation.
    #[track_caller]
    pub fn run(&self) -> Trial {
        self.trials(None, &|_| {}).run()
    }

    /// The accesses that the tests reach, in the order of the source. Of a test that fails, those up to its violation.
    #[track_caller]
    pub fn accesses(&self) -> Vec<Access> {
        self.trials(None, &|_| {}).accesses()
    }

    /// The tests, to be run by somebody who may interrupt them and wants to know how many trials there were.
    pub(crate) fn trials<'a>(&'a self, interrupt: Option<&'a AtomicBool>, progress: &'a dyn Fn(usize)) -> Trials<'a> {
        let cases = self.tests.iter().map(|(name, test)| self.case(name, test)).collect();
        let (builder, orders) = (self.builder.clone(), self.orders.clone());
        Trials { builder, cases, orders, interrupt, progress, done: Cell::new(0) }
    }

    fn case<'a>(&'a self, name: &str, test: &'a Test) -> Case<'a> {
        let name = name.to_owned();
        match test {
            Test::Client(explore) => Case {
                name,
                judged: Box::new(|builder, interrupt| explore(builder, true, Hooks { interrupt, ..Hooks::default() })),
                plain: Box::new(|builder, hooks| explore(builder, false, hooks)),
            },
            Test::Function(test) => Case {
                name,
                judged: Box::new(move |builder, interrupt| {
                    let test = test.clone();
                    match &self.contract {
                        Some(contract) => {
                            contract.clone().with(builder.clone()).explore_until(move || test(), interrupt).exploration
                        }
                        None => builder.explore_with(move || test(), Hooks { interrupt, ..Hooks::default() }),
                    }
                }),
                plain: Box::new(move |builder, hooks| {
                    let test = test.clone();
                    builder.explore_with(move || test(), hooks)
                }),
            },
        }
    }
}

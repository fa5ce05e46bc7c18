//! What to explore, and how far.

use std::cell::Cell;
use std::io::Write;
use std::time::{Duration, Instant};

use linchpin_audit::Audit;
use linchpin_engine::{
    Config, Exploration, Findings, Hooks, Judge, LoopReduction, Orders, Origin, Progress, Replay, ReplayDiverged,
    Violation, explore_with, replay_with, rt,
};
use linchpin_model::MemoryModel;
use linchpin_report::{Report, text};

use crate::command::serve;
use crate::replay_file::{self, Asked};
use crate::reports::{self, Found};
use crate::{Settings, Suite};

/// Says something on standard error, which the test harness keeps to itself unless a test fails; past the harness if
/// `cargo linchpin test` runs it.
fn say(text: &str) {
    match std::env::var_os("LINCHPIN_PROGRESS") {
        // The harness catches what is printed by macros only. That nobody can be told is no reason to fail.
        Some(_) => drop(std::io::stderr().write_all(text.as_bytes())),
        None => eprint!("{text}"),
    }
}

/// A check that takes longer says how far it is; again whenever the time has doubled.
const FIRST_PROGRESS: Duration = Duration::from_secs(5);

/// Says how far something is that takes long: which share of it is done, where that can be said, and what is being done.
pub(crate) fn announcer() -> impl Fn(Option<f64>, &str) {
    let (start, next) = (Instant::now(), Cell::new(FIRST_PROGRESS));
    move |done, message| {
        let elapsed = start.elapsed();
        if elapsed >= next.get() {
            next.set(elapsed * 2);
            let share = done.map(|done| format!("; {:.0} % done", done * 100.0)).unwrap_or_default();
            say(&format!("linchpin: {message}{share}\n"));
        }
    }
}

/// Sets the memory model, budgets and what counts as a violation; then [`check`](Self::check)s or
/// [`explore`](Self::explore)s a test.
///
/// ```
/// use linchpin::{Builder, Coverage, MemoryModel};
///
/// let exploration = Builder::new().memory_model(MemoryModel::Sc).max_executions(1_000).check(|| {});
/// assert_eq!(exploration.coverage, Coverage::Complete);
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is explored before `check` or `explore`"]
pub struct Builder {
    config: Config,
}

/// What is known about a test besides its code.
pub(crate) struct Judging<'a> {
    /// What is wrong with its executions.
    pub judge: &'a Judge<'a>,
    /// The names of its operations.
    pub name: &'a dyn Fn(u64) -> String,
    /// What replays say about it.
    pub origin: Origin,
    /// What is said about a violation when an explanation is asked for.
    pub explain: &'a dyn Fn(&Violation) -> String,
    /// Reports a violation.
    pub report: &'a dyn Fn(&Violation) -> Report,
}

/// Nothing.
impl Default for Judging<'_> {
    fn default() -> Self {
        Judging {
            judge: &|_, _| None,
            name: &|tag| format!("operation {tag}"),
            origin: Origin::default(),
            explain: &|_| String::new(),
            report: &Report::of,
        }
    }
}

/// The same as [`Builder::new`].
impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// Everything at its default: C11, no budget but 10,000 events per thread, all findings but leaks, a worker per core; or what
    /// the [`Settings`] say instead.
    pub fn new() -> Self {
        let settings = Settings::here();
        let usual = Config::default();
        Builder {
            config: Config {
                model: settings.model.unwrap_or(usual.model),
                workers: settings.workers.unwrap_or(usual.workers),
                max_executions: settings.max_executions,
                max_time: settings.max_time,
                ..usual
            },
        }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    fn with(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// By whose rules reads see writes. C11 by default.
    pub fn memory_model(self, model: MemoryModel) -> Self {
        self.with(|config| config.model = model)
    }

    /// Stops after this many executions. That uses one worker, so that it is the same executions each time.
    pub fn max_executions(self, executions: u64) -> Self {
        self.with(|config| config.max_executions = Some(executions))
    }

    /// Stops after this many executions, or sooner if a budget was set.
    pub(crate) fn at_most(self, executions: u64) -> Self {
        self.with(|config| config.max_executions = Some(config.max_executions.unwrap_or(executions).min(executions)))
    }

    /// Stops after this time.
    pub fn max_time(self, time: Duration) -> Self {
        self.with(|config| config.max_time = Some(time))
    }

    /// Stops after this time, unless another limit was set.
    pub(crate) fn max_time_unless_given(self, time: Duration) -> Self {
        self.with(|config| config.max_time = config.max_time.or(Some(time)))
    }

    /// With a tenth of the time.
    pub(crate) fn hurried(self) -> Self {
        self.with(|config| config.max_time = config.max_time.map(|time| time / 10))
    }

    /// Cuts executions in which a thread wants more events than this. 10,000 by default.
    pub fn max_events_per_thread(self, events: u32) -> Self {
        self.with(|config| config.max_events_per_thread = events)
    }

    /// Cuts executions in which a thread wants more events than this, or sooner if a lower limit was set.
    pub(crate) fn at_most_events(self, events: u32) -> Self {
        self.with(|config| config.max_events_per_thread = config.max_events_per_thread.min(events))
    }

    /// How many workers share the exploration; 0, the default, for one per core. The answer does not depend on it.
    pub fn workers(self, workers: usize) -> Self {
        self.with(|config| config.workers = workers)
    }

    /// What counts as a violation. Panics always do.
    ///
    /// ```
    /// use linchpin::{Builder, Findings};
    ///
    /// let exploration = Builder::new()
    ///     .findings(Findings { leaks: true, ..Findings::default() })
    ///     .explore(|| std::mem::forget(Box::new(7)));
    /// assert_eq!(exploration.violation.unwrap().kind.name(), "leak");
    /// ```
    pub fn findings(self, findings: Findings) -> Self {
        self.with(|config| config.findings = findings)
    }

    /// Do data races count? By default.
    pub fn data_races(self, count: bool) -> Self {
        self.with(|config| config.findings.data_races = count)
    }

    /// Do accesses to a block whose allocation does not happen before them count? By default.
    pub fn unpublished_memory(self, count: bool) -> Self {
        self.with(|config| config.findings.unpublished_memory = count)
    }

    /// Do accesses to freed blocks, and blocks that are freed twice, count? By default.
    pub fn use_after_free(self, count: bool) -> Self {
        self.with(|config| config.findings.use_after_free = count)
    }

    /// Do blocks count that nobody frees? Not by default.
    pub fn leaks(self, count: bool) -> Self {
        self.with(|config| config.findings.leaks = count)
    }

    /// Do threads count that wait for ever? By default.
    pub fn deadlocks(self, count: bool) -> Self {
        self.with(|config| config.findings.deadlocks = count)
    }

    /// How failed iterations of retry loops are treated.
    pub fn loops(self, loops: LoopReduction) -> Self {
        self.with(|config| config.loops = loops)
    }

    /// Is one of each set of executions that differ only in the names of symmetric threads enough? By default.
    pub fn symmetry(self, symmetry: bool) -> Self {
        self.with(|config| config.symmetry = symmetry)
    }

    /// May `compare_exchange_weak` fail although it finds what it expects? Not by default.
    pub fn spurious_failures(self, may_fail: bool) -> Self {
        self.with(|config| config.spurious_failures = may_fail)
    }

    /// Do `spin_loop()`, `yield_now()` and `sleep()` wait for a change of what was read before them? By default, where a thread that nothing
    /// changes for comes back to them again and again, as sample executions show; the result lists where that was assumed. Without
    /// samples ([`LoopReduction::Off`], [`LoopReduction::Unchecked`]) hints are taken at their word, unless a livelock would be claimed for it. If not,
    /// they do nothing.
    pub fn spin_is_wait(self, waits: bool) -> Self {
        self.with(|config| config.spin_is_wait = waits)
    }

    /// Gives accesses other memory orders than those in the source.
    pub fn orders(self, orders: Orders) -> Self {
        self.with(|config| config.orders = orders)
    }

    /// Are call stacks of events noted? Not by default: it is slow.
    pub(crate) fn call_stacks(self, noted: bool) -> Self {
        self.with(|config| config.call_stacks = noted)
    }

    /// Go on after a violation and count them all? Not by default. The first is reported.
    pub fn keep_going(self, keep_going: bool) -> Self {
        self.with(|config| config.keep_going = keep_going)
    }

    /// A thread that does not come back to the engine for so long is reported as stuck. 10 s by default.
    pub fn stuck_after(self, time: Duration) -> Self {
        self.with(|config| config.stuck_after = time)
    }

    /// Explores `test` and returns what was established, whatever that is. Prints nothing.
    ///
    /// ```
    /// let exploration = linchpin::Builder::new().explore(|| panic!("no luck"));
    /// assert_eq!(exploration.violation.unwrap().kind.name(), "panic");
    /// ```
    ///
    /// # Panics
    ///
    /// If it is called by a test that is being explored.
    #[track_caller]
    pub fn explore(&self, test: impl Fn() + Send + Sync + 'static) -> Exploration {
        self.explore_with(test, Hooks::default())
    }

    /// As [`explore`](Self::explore); tells `hooks` of every complete execution and of the progress, and asks them whether
    /// to go on.
    ///
    /// ```
    /// use std::sync::atomic::AtomicUsize;
    /// use std::sync::atomic::Ordering::Relaxed;
    ///
    /// use linchpin::{Builder, Hooks};
    ///
    /// let events = AtomicUsize::new(0);
    /// let observe = |execution: &linchpin::Execution| drop(events.fetch_add(execution.len(), Relaxed));
    /// Builder::new().explore_with(|| {}, Hooks { observe: &observe, ..Hooks::default() });
    /// assert_eq!(events.into_inner(), 1); // The main thread's end.
    /// ```
    #[track_caller]
    pub fn explore_with(&self, test: impl Fn() + Send + Sync + 'static, hooks: Hooks<'_>) -> Exploration {
        assert!(!rt::active(), "a test that linchpin explores asked linchpin to explore another one");
        explore_with(&self.config, &test, hooks)
    }

    /// Explores `test`, prints what was established, and panics if there is a violation.
    ///
    /// A budget that runs out is no violation. It is printed, and the returned value says it.
    ///
    /// # Panics
    ///
    /// With a report if there is a violation.
    ///
    /// ```should_panic
    /// linchpin::Builder::new().check(|| panic!("no luck"));
    /// ```
    #[track_caller]
    pub fn check(&self, test: impl Fn() + Send + Sync + 'static) -> Exploration {
        self.check_judged(test, &Judging::default())
    }

    /// As [`check`](Self::check), for a test whose executions are judged.
    #[track_caller]
    pub(crate) fn check_judged(&self, test: impl Fn() + Send + Sync + 'static, judging: &Judging<'_>) -> Exploration {
        let Judging { judge, name, origin, report, .. } = judging;
        // The test harness collects output in a buffer that is allocated when the first text comes. This line makes that
        // happen now: a buffer allocated by model code that prints would lie in an arena and be gone after the execution.
        println!("linchpin: exploring under {:?}", self.config.model);
        if let Some(asked) = replay_file::asked_for() {
            return self.check_replay(&asked, test, judging);
        }
        if let Some(exploration) = serve::audited(self, &test, judge) {
            return exploration;
        }
        let announce = announcer();
        let progress = |progress: &Progress| announce(None, &text::progress(progress));
        let mut exploration = self.explore_with(test, Hooks { judge, progress: &progress, ..Hooks::default() });
        print!("linchpin: {}", text::summary(&exploration));
        if let Some(violation) = &mut exploration.violation {
            violation.name_calls(name);
            let violation = &*violation;
            let replay = Replay::of(violation, &self.config).with_origin(origin.clone());
            reports::fail(Found::of(report(violation).explored(&exploration), replay));
        }
        exploration
    }

    /// Which of its memory orders `test` needs; see [`Suite`](crate::Suite) for several tests and for contracts.
    ///
    /// ```
    /// use linchpin::sync::atomic::{AtomicU32, Ordering::SeqCst};
    ///
    /// let audit = linchpin::Builder::new().audit(|| assert_eq!(AtomicU32::new(7).load(SeqCst), 7));
    /// assert_eq!(audit.rows[0].need, linchpin::audit::Need::NotNeeded(linchpin::Order::Relaxed));
    /// ```
    #[track_caller]
    pub fn audit(&self, test: impl Fn() + Send + Sync + 'static) -> Audit {
        Suite::new().with(self.clone()).test("the test", test).audit()
    }

    /// Runs the one execution of `replay` again and returns its violation, if it still has one.
    ///
    /// ```
    /// use linchpin::{Builder, Replay};
    ///
    /// let test = || assert_eq!(1 + 1, 3);
    /// let builder = Builder::new();
    /// let violation = builder.explore(test).violation.unwrap();
    /// let text = builder.replay_of(&violation).to_string();
    /// let replay: Replay = text.parse()?;
    /// assert_eq!(builder.replay(&replay, test)?.unwrap().kind.name(), "panic");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the test does not do what the replay says.
    pub fn replay(
        &self,
        replay: &Replay,
        test: impl Fn() + Send + Sync + 'static,
    ) -> Result<Option<Violation>, ReplayDiverged> {
        linchpin_engine::replay(&self.config, replay, &test)
    }

    /// The replay of a violation that this builder's settings have led to.
    pub fn replay_of(&self, violation: &Violation) -> Replay {
        Replay::of(violation, &self.config)
    }

    /// As [`check`](Self::check), for one execution.
    #[track_caller]
    pub(crate) fn check_replay(
        &self,
        asked: &Asked,
        test: impl Fn() + Send + Sync + 'static,
        judging: &Judging<'_>,
    ) -> Exploration {
        match replay_with(&self.config, &asked.replay, &test, judging.judge) {
            Ok(Some(mut violation)) => {
                violation.name_calls(judging.name);
                let explanation = if asked.explain { (judging.explain)(&violation) } else { String::new() };
                panic!("{}\n{explanation}", text::violation(&violation))
            }
            Err(diverged) => panic!("the replay does not fit the test any more: {diverged}"),
            Ok(None) => {
                println!("linchpin: the replayed execution violates nothing any more");
                Exploration::of_one_execution()
            }
        }
    }
}

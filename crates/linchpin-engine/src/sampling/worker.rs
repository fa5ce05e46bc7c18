//! A worker that samples: takes the numbers of runs, makes them, and writes down what came of them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use linchpin_graph::ThreadId;
use linchpin_model::SplitMix;

use super::guided::Guided;
use super::options::{Found, Guide, SURVEY, Sampling, Strategy, TurnsHook};
use super::ranking::{Left, Ranking};
use super::structure::{Place, Trees, learn};
use super::window::Window;
use crate::config::Config;
use crate::replay::Replay;
use crate::runtime::context::Context;
use crate::runtime::sample::SampleEnd;
use crate::runtime::sampler::Chooser;
use crate::runtime::watchdog::Watched;
use crate::violation::{Violation, ViolationKind};

/// The strategy, with all that it has to know.
#[derive(Clone)]
enum Plan {
    Random,
    Pct { depth: u32, steps: u64 },
    DPct { depth: u32, trees: Arc<Trees> },
    PctInWindows { depth: u32, operations: u32, one_alone: bool },
    Guided(Vec<Guide>),
}

impl Plan {
    /// The plan, if nothing has to be learnt for it.
    fn known(strategy: &Strategy) -> Option<Plan> {
        match strategy {
            Strategy::Random => Some(Plan::Random),
            Strategy::Pct { depth, steps } => Some(Plan::Pct { depth: *depth, steps: (*steps)? }),
            Strategy::DPct { depth, structures } => {
                Some(Plan::DPct { depth: *depth, trees: Arc::new(Trees::new(structures.as_ref()?)) })
            }
            Strategy::PctInWindows { depth, operations, one_alone } => {
                let operations = (*operations).max(1);
                Some(Plan::PctInWindows { depth: *depth, operations, one_alone: *one_alone })
            }
            Strategy::Guided(turns) => Some(Plan::Guided(turns.clone())),
        }
    }

    /// Who chooses in a run.
    fn chooser(&self, random: &mut SplitMix) -> Chooser {
        match self {
            Plan::Random => Chooser::Random,
            Plan::Pct { depth, steps } => Chooser::Ranked(Ranking::new(*depth, Left::Steps(*steps), random)),
            Plan::DPct { depth, trees } => Chooser::Ranked(Ranking::new(*depth, Left::of_trees(trees), random)),
            Plan::PctInWindows { depth, operations, one_alone } => {
                Chooser::Ranked(Ranking::new(*depth, Left::Window(Window::new(*operations, *one_alone)), random))
            }
            Plan::Guided(turns) => Chooser::Guided(Guided::new(turns)),
        }
    }

    fn assumed_steps(&self) -> Option<u64> {
        match self {
            Plan::Random | Plan::PctInWindows { .. } | Plan::Guided(_) => None,
            Plan::Pct { steps, .. } => Some(*steps),
            Plan::DPct { trees, .. } => Some(Left::of_trees(trees).count()),
        }
    }
}

/// The first runs, by one worker alone: what the strategy has to know is learnt from them.
struct Survey {
    /// The plan, if it is known.
    plan: Option<Plan>,
    /// How many runs there are to be, and were.
    runs: u64,
    done: u64,
    /// The most steps of a run at which several threads could go on.
    steps: u64,
    /// For each thread where it made its steps, run by run.
    ways: Vec<Vec<Vec<Place>>>,
}

impl Survey {
    fn new(sampling: &Sampling) -> Survey {
        let plan = Plan::known(&sampling.strategy);
        // The first run is made by one worker in any case: it shows whether there may be others.
        let runs = if plan.is_some() { 1 } else { SURVEY };
        Survey { plan, runs: runs.min(sampling.runs), done: 0, steps: 1, ways: Vec::new() }
    }

    /// Learns from a run.
    fn look(&mut self, context: &mut Context) {
        self.steps = self.steps.max(context.sampler.contested);
        for (thread, way) in context.sampler.ways.take().unwrap_or_default().into_iter().enumerate() {
            if self.ways.len() <= thread {
                self.ways.resize(thread + 1, Vec::new());
            }
            self.ways[thread].push(way);
        }
    }

    fn into_plan(self, strategy: &Strategy) -> Plan {
        match (self.plan, strategy) {
            (Some(plan), _) => plan,
            (None, Strategy::Pct { depth, .. }) => Plan::Pct { depth: *depth, steps: self.steps },
            (None, Strategy::DPct { depth, .. }) => {
                let structures: Vec<_> = self.ways.iter().map(|ways| learn(ways)).collect();
                Plan::DPct { depth: *depth, trees: Arc::new(Trees::new(&structures)) }
            }
            (None, Strategy::Random | Strategy::PctInWindows { .. } | Strategy::Guided(_)) => {
                unreachable!("nothing has to be learnt for these")
            }
        }
    }
}

/// What the workers share.
pub(super) struct Shared<'a> {
    config: &'a Config,
    pub sampling: &'a Sampling,
    turns: Option<&'a TurnsHook<'a>>,
    workers: usize,
    /// Set when the first runs are made.
    plan: OnceLock<Plan>,
    /// The number of the next run that nobody has taken.
    next: AtomicU64,
    /// The lowest number of a run that violates.
    first: AtomicU64,
    found: Mutex<Option<Found>>,
    halted: AtomicBool,
    alone: AtomicBool,
    /// How many workers are at work.
    working: Mutex<usize>,
    left: Condvar,
}

/// A worker is at work until this is dropped.
pub(super) struct AtWork<'a>(&'a Shared<'a>);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        // A judge may panic: then nobody goes on, and nobody waits in vain for this worker.
        if std::thread::panicking() {
            self.0.halt();
        }
        self.0.plan.get_or_init(|| Plan::Random);
        *lock(&self.0.working) -= 1;
        self.0.left.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Shared<'a> {
    pub fn new(config: &'a Config, sampling: &'a Sampling, turns: Option<&'a TurnsHook<'a>>, workers: usize) -> Self {
        Shared {
            config,
            sampling,
            turns,
            workers,
            plan: OnceLock::new(),
            next: AtomicU64::new(Survey::new(sampling).runs),
            first: AtomicU64::new(u64::MAX),
            found: Mutex::new(None),
            halted: AtomicBool::new(false),
            alone: AtomicBool::new(false),
            working: Mutex::new(workers),
            left: Condvar::new(),
        }
    }

    /// A worker begins.
    pub fn enter(&'a self) -> AtWork<'a> {
        AtWork(self)
    }

    /// Waits for the workers, but not longer than `nap`; says whether all are done.
    pub fn wait(&self, nap: Duration) -> bool {
        let working = lock(&self.working);
        let waited = self.left.wait_timeout_while(working, nap, |working| *working > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }

    /// No new runs.
    pub fn halt(&self) {
        self.halted.store(true, Ordering::Relaxed);
    }

    /// Did a worker find out that it has to be alone, and was not?
    pub fn has_to_be_alone(&self) -> bool {
        self.alone.load(Ordering::Relaxed)
    }

    /// How many runs were taken.
    pub fn runs(&self) -> u64 {
        self.next.load(Ordering::Relaxed).min(self.sampling.runs)
    }

    pub fn take_found(&self) -> Option<Found> {
        lock(&self.found).take()
    }

    pub fn assumed_steps(&self) -> Option<u64> {
        self.plan.get().and_then(Plan::assumed_steps)
    }
}

/// Numbers of the runs that did not simply come to their end.
#[derive(Default)]
pub(super) struct Tally {
    pub violations: Vec<u64>,
    pub blocked: Vec<u64>,
    pub cut: Vec<u64>,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.violations.extend(other.violations);
        self.blocked.extend(other.blocked);
        self.cut.extend(other.cut);
    }
}

/// What there is to do. Each takes one run of the test.
enum Job {
    Run(u64),
    /// Make the run again and write down what happens.
    Record(u64),
    /// Make an execution of what was written down.
    Replay(u64, Replay),
}

pub(super) struct Worker<'a> {
    context: Box<Context>,
    shared: &'a Shared<'a>,
    survey: Option<Survey>,
    job: Option<Job>,
    /// What was found of the memory of runs, which their replays cannot show.
    about_memory: Option<ViolationKind>,
    tally: Tally,
}

impl<'a> Worker<'a> {
    /// A worker; one of all the workers is the first.
    pub fn new(context: Box<Context>, shared: &'a Shared<'a>, is_first: bool) -> Self {
        let survey = is_first.then(|| Survey::new(shared.sampling));
        Worker { context, shared, survey, job: None, about_memory: None, tally: Tally::default() }
    }

    /// Makes runs until there are none left, on another thread of the operating system whenever one is spoilt.
    pub fn work(mut self, watched: &Watched) -> Tally {
        self.work_here(watched);
        while self.context.is_tainted {
            self.context.is_tainted = false;
            let moved = Moved(&mut self);
            std::thread::scope(|scope| {
                let fresh = scope.spawn(|| moved.get().work_here(watched));
                fresh.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            });
        }
        if self.shared.has_to_be_alone() {
            self.context.leave_leftovers();
        }
        self.tally
    }

    /// Makes runs until there are none left or this thread of the operating system is spoilt.
    fn work_here(&mut self, watched: &Watched) {
        let _watch = watched.begin(self.context.heartbeat());
        while !self.context.is_tainted
            && let Some(job) = self.job.take().or_else(|| self.next())
        {
            self.job = self.carry_out(job);
        }
    }

    fn next(&mut self) -> Option<Job> {
        let shared = self.shared;
        if self.context.needs_to_be_alone && shared.workers > 1 {
            // The sampling starts over with a single worker.
            shared.alone.store(true, Ordering::Relaxed);
            shared.halt();
        }
        let is_over = shared.halted.load(Ordering::Relaxed);
        let is_wanted = |run: u64| shared.config.keep_going || run <= shared.first.load(Ordering::Relaxed);
        if let Some(survey) = &mut self.survey {
            if survey.done < survey.runs && !is_over && is_wanted(survey.done) {
                survey.done += 1;
                return Some(Job::Run(survey.done - 1));
            }
            if survey.done < survey.runs {
                // What was not made is not counted.
                shared.next.store(survey.done, Ordering::Relaxed);
                return None;
            }
            let survey = self.survey.take().expect("just seen");
            shared.plan.get_or_init(|| survey.into_plan(&shared.sampling.strategy));
        }
        shared.plan.wait();
        if shared.halted.load(Ordering::Relaxed) {
            return None;
        }
        let run = shared.next.fetch_add(1, Ordering::Relaxed);
        (run < shared.sampling.runs && is_wanted(run)).then_some(Job::Run(run))
    }

    /// Does the job; returns what has to follow.
    fn carry_out(&mut self, job: Job) -> Option<Job> {
        match job {
            Job::Run(run) => {
                let end = self.run(run, false);
                if let (Some(tell), Some(turns)) = (self.shared.turns, &self.context.sampler.turns) {
                    tell(run, turns);
                }
                if let Some(survey) = &mut self.survey {
                    survey.look(&mut self.context);
                }
                match end {
                    SampleEnd::Complete => None,
                    SampleEnd::Blocked => {
                        self.tally.blocked.push(run);
                        None
                    }
                    SampleEnd::Cut => {
                        self.tally.cut.push(run);
                        None
                    }
                    SampleEnd::Violation => {
                        self.tally.violations.push(run);
                        let is_first = self.shared.first.fetch_min(run, Ordering::Relaxed) > run;
                        is_first.then_some(Job::Record(run))
                    }
                }
            }
            Job::Record(run) => {
                self.run(run, true);
                let steps = self.context.sampler.record.take().unwrap_or_default();
                let replay = Replay::of_run(steps, self.shared.sampling.reuse, self.shared.config);
                Some(Job::Replay(run, replay))
            }
            Job::Replay(run, replay) => {
                self.replay(run, replay);
                None
            }
        }
    }

    /// Makes a run.
    fn run(&mut self, run: u64, is_recorded: bool) -> SampleEnd {
        let Worker { context, shared, survey, .. } = self;
        let mut random = SplitMix::of_part(shared.sampling.seed, run);
        let learns = shared.plan.get().is_none() && survey.as_ref().is_some_and(|survey| survey.plan.is_none());
        let plan =
            if learns { None } else { survey.as_ref().and_then(|survey| survey.plan.as_ref()).or(shared.plan.get()) };
        let chooser = plan.map_or(Chooser::Random, |plan| plan.chooser(&mut random));
        context.lane.reuse = shared.sampling.reuse;
        context.sampler.restart(random, chooser);
        context.sampler.ways = (learns && !is_recorded).then(Vec::new);
        context.sampler.record = is_recorded.then(Vec::new);
        context.sampler.turns = (shared.turns.is_some() && !is_recorded).then(Vec::new);
        if is_recorded {
            return context.run_sample();
        }
        let (end, about_memory) = context.sample();
        self.about_memory = about_memory;
        end
    }

    /// Makes an execution of the run, and keeps it if it is the first that violates.
    fn replay(&mut self, run: u64, mut replay: Replay) {
        let violation = match (self.context.replay(&replay), self.about_memory.take()) {
            (Ok(Some(violation)), _) => *violation,
            (Ok(None), Some(kind)) => self.of_last_execution(kind),
            (Ok(None), None) => self.not_deterministic("what it did in order to fail, and did not fail".into()),
            (Err(diverged), _) => self.not_deterministic(diverged.to_string()),
        };
        replay.headline = violation.kind.name().into();
        replay.thread = violation.thread;
        let mut found = lock(&self.shared.found);
        if found.as_ref().is_none_or(|other| run < other.run) {
            *found = Some(Found { violation, run, replay });
        }
    }

    fn not_deterministic(&self, found: String) -> Violation {
        self.of_last_execution(ViolationKind::NotDeterministic { expected: None, found })
    }

    fn of_last_execution(&self, kind: ViolationKind) -> Violation {
        Violation {
            kind,
            thread: ThreadId::MAIN,
            execution: self.context.explorer.execution().clone(),
            names: Vec::new(),
            calls: Vec::new(),
        }
    }
}

/// A worker between two runs, on its way to another thread.
struct Moved<'a, 'b>(&'a mut Worker<'b>);

impl<'a, 'b> Moved<'a, 'b> {
    /// The worker; a method, so that closures capture the whole.
    fn get(self) -> &'a mut Worker<'b> {
        self.0
    }
}

// SAFETY: after a run that has spoilt its thread, a context has no coroutine and nothing that belongs to a thread; who sends it waits.
unsafe impl Send for Moved<'_, '_> {}

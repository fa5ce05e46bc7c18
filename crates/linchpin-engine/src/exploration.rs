//! An exploration from start to end.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linchpin_graph::{Execution, Site};
use linchpin_model::{Assumption, Bound, Coverage};

use crate::call::Judge;
use crate::config::{Config, LoopReduction};
use crate::cross_check;
use crate::explore::tasks::Tasks;
use crate::explore::worker::{self, Stopped};
use crate::loops::{Loops, Repeats, same_site};
use crate::replay::{Replay, ReplayDiverged};
use crate::runtime::alone::Alone;
use crate::runtime::context::{Context, Subject};
use crate::runtime::lane::Lane;
use crate::runtime::watchdog::Watched;
use crate::violation::Violation;

/// What an exploration has established.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The first violation, in the order of exploration.
    pub violation: Option<Violation>,
    /// How many executions violate; more than one only with [`Config::keep_going`].
    pub violations: u64,
    /// How much was looked at.
    pub coverage: Coverage,
    /// What was taken for granted.
    pub assumptions: Vec<Assumption>,
    /// Executions in which all threads ended.
    pub complete: u64,
    /// Executions that were given up since some thread waited.
    pub blocked: u64,
    /// How long it took.
    pub elapsed: Duration,
}

impl Exploration {
    /// What has been established when one execution was run and nothing was found.
    pub fn of_one_execution() -> Self {
        let coverage = Coverage::Bounded(vec![Bound::Executions(1)]);
        Exploration { complete: 1, ..Exploration::nothing(coverage, Duration::ZERO) }
    }

    /// What has been established before anything was run.
    fn nothing(coverage: Coverage, elapsed: Duration) -> Self {
        Exploration {
            violation: None,
            violations: 0,
            coverage,
            assumptions: Vec::new(),
            complete: 0,
            blocked: 0,
            elapsed,
        }
    }
}

/// How far an exploration is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Executions in which all threads ended, so far.
    pub complete: u64,
    /// Executions that were given up, so far.
    pub blocked: u64,
    /// Which share of the exploration is done, 0 to 1: a guess that takes all alternatives of a choice to be alike.
    pub done: f64,
    /// How long it has taken so far.
    pub elapsed: Duration,
}

/// Who wants to know what while an exploration goes on.
#[derive(Clone, Copy)]
pub struct Hooks<'a> {
    /// Says what is wrong with a complete execution, if anything is: that makes it a violation. Asked by several workers at
    /// once, and now and then twice about an execution.
    pub judge: &'a Judge<'a>,
    /// Gets every complete execution that is not a violation; from several workers at once, in no particular order. An
    /// exploration that starts over, with fewer workers or without relying on some loop, tells of all of them again.
    pub observe: &'a (dyn Fn(&Execution) + Sync),
    /// Is told now and then how far the exploration is.
    pub progress: &'a dyn Fn(&Progress),
    /// Ends the exploration when it is set.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for Hooks<'_> {
    fn default() -> Self {
        Hooks { judge: &|_, _| None, observe: &|_| {}, progress: &|_| {}, interrupt: None }
    }
}

/// Explores `test`: runs it through every execution that the memory model allows.
///
/// ```
/// use linchpin_engine::{Config, explore};
///
/// #[global_allocator]
/// static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);
///
/// let exploration = explore(&Config::default(), &|| assert_eq!(1 + 1, 2));
/// assert!(exploration.violation.is_none() && exploration.coverage.is_complete());
/// assert_eq!(exploration.complete, 1);
/// ```
pub fn explore(config: &Config, test: &(dyn Fn() + Sync)) -> Exploration {
    explore_with(config, test, Hooks::default())
}

/// Explores `test` and tells `hooks` of it.
///
/// # Panics
/// If Linchpin's [`Allocator`](crate::Allocator) is not the global allocator.
pub fn explore_with(config: &Config, test: &(dyn Fn() + Sync), hooks: Hooks<'_>) -> Exploration {
    let start = Instant::now();
    if config.max_executions == Some(0) {
        return Exploration::nothing(Coverage::Bounded(vec![Bound::Executions(0)]), start.elapsed());
    }
    let mut workers = number_of_workers(config);
    let mut lessons = Lessons::default();
    let alone = Alone::default();
    loop {
        let subject = Subject::new(test, hooks.judge, &alone);
        match explore_by(workers, &lessons, config, subject, hooks, start) {
            Ok(exploration) => return exploration,
            Err(StartOver::Alone) => workers = 1,
            Err(StartOver::Misjudged(site)) => lessons.misjudged.push(site),
            Err(StartOver::Moved) => {
                // As for any context that needs to be alone.
                workers = 1;
                lessons.moves += 1;
            }
        }
    }
}

/// Why an exploration starts over.
enum StartOver {
    /// Several workers had begun when it turned out that the test must not be run by more than one.
    Alone,
    /// A loop at this position was taken to have no effect, and has one; or a spin hint for a wait, and is none.
    Misjudged(Site),
    /// Memory outlives the executions that have allocated it.
    Moved,
}

/// Why it has started over so far.
#[derive(Default)]
struct Lessons {
    /// Loops and spin hints that are none.
    misjudged: Vec<Site>,
    /// How often memory turned out to outlive executions.
    moves: u32,
}

/// Explores `subject`, which outlives this, with so many workers, all iterations of loops that were misjudged, and
/// without heeding spin hints there.
fn explore_by(
    workers: usize,
    lessons: &Lessons,
    config: &Config,
    subject: Subject,
    hooks: Hooks<'_>,
    start: Instant,
) -> Result<Exploration, StartOver> {
    let config = Arc::new(config.clone());
    let tasks = Tasks::new();
    let watched: Vec<Watched> = (0..workers).map(|_| Watched::default()).collect();
    let mut bounds = Vec::new();
    let assumptions = std::thread::scope(|scope| {
        let handles: Vec<_> = watched
            .iter()
            .enumerate()
            .map(|(number, watched)| {
                let (config, tasks) = (config.clone(), &tasks);
                scope.spawn(move || {
                    let explore = || {
                        let mut context = Context::new(config, Lane::acquire(), subject);
                        context.unheeded.clone_from(&lessons.misjudged);
                        context.has_begun_again(lessons.moves);
                        context.check_allocator();
                        let watch = watched.begin(context.heartbeat());
                        let exhaustive = number == 0 && prepare(&mut context, tasks, lessons);
                        work(&mut context, tasks, watched, hooks.observe);
                        drop(watch);
                        if tasks.has_to_begin_again() {
                            context.leave_leftovers();
                        }
                        assumptions(&context.loops, exhaustive)
                    };
                    // A judge or an observer may panic: then nobody waits for this worker, and the caller gets the panic.
                    catch_unwind(AssertUnwindSafe(explore)).unwrap_or_else(|panic| {
                        tasks.halt();
                        resume_unwind(panic)
                    })
                })
            })
            .collect();
        bounds = supervise(&config, &tasks, &watched, &hooks, start);
        let mut assumptions = Vec::new();
        for handle in handles {
            match handle.join() {
                Ok(of_worker) => assumptions.push(of_worker),
                Err(panic) => resume_unwind(panic),
            }
        }
        assumptions
    });
    if tasks.has_to_begin_again() {
        return Err(StartOver::Moved);
    }
    if tasks.is_claimed() && tasks.is_halted() && bounds.is_empty() {
        return Err(StartOver::Alone);
    }
    let mut result = conclude(&config, &tasks, bounds, start)?;
    // What the sample has shown to hold throughout is not an assumption for any worker.
    let exhaustive = assumptions.iter().any(|of_worker| of_worker.exhaustive);
    for of_worker in assumptions {
        result.assumptions.extend(of_worker.promises);
        if !exhaustive {
            result.assumptions.extend(of_worker.loops);
        }
    }
    result.assumptions.sort();
    result.assumptions.dedup();
    Ok(result)
}

/// Lets a worker work, on another thread of the operating system whenever one is spoilt.
fn work(context: &mut Context, tasks: &Tasks, watched: &Watched, observe: &(dyn Fn(&Execution) + Sync)) {
    let mut stopped = worker::work(context, tasks, observe, None);
    while let Stopped::Tainted(task) = stopped {
        context.is_tainted = false;
        let moved = Moved(context);
        stopped = std::thread::scope(|scope| {
            let fresh = scope.spawn(|| {
                let context = moved.get();
                let _watch = watched.begin(context.heartbeat());
                worker::work(context, tasks, observe, task)
            });
            fresh.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
    }
}

/// A context between two runs, on its way to another thread.
struct Moved<'a>(&'a mut Context);

impl<'a> Moved<'a> {
    /// The context; a method, so that closures capture the whole.
    fn get(self) -> &'a mut Context {
        self.0
    }
}

// SAFETY: after a run that has spoilt its thread, a context has no coroutine and nothing that belongs to a thread; who sends it waits.
unsafe impl Send for Moved<'_> {}

/// Runs the one execution of `replay` again.
///
/// # Errors
/// If the test does not do what the replay says.
///
/// # Panics
/// If Linchpin's [`Allocator`](crate::Allocator) is not the global allocator.
pub fn replay(config: &Config, replay: &Replay, test: &(dyn Fn() + Sync)) -> Result<Option<Violation>, ReplayDiverged> {
    replay_with(config, replay, test, &|_, _| None)
}

/// As [`replay`], for a test whose executions are judged.
///
/// # Errors
/// If the test does not do what the replay says.
///
/// # Panics
/// If Linchpin's [`Allocator`](crate::Allocator) is not the global allocator.
pub fn replay_with(
    config: &Config,
    replay: &Replay,
    test: &(dyn Fn() + Sync),
    judge: &Judge<'_>,
) -> Result<Option<Violation>, ReplayDiverged> {
    let mut config = config.clone();
    replay.settle(&mut config);
    let config = Arc::new(config);
    let alone = Alone::default();
    let subject = Subject::new(test, judge, &alone);
    let watched = Watched::default();
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let mut context = Context::new(config.clone(), Lane::acquire(), subject);
            context.check_allocator();
            let watch = watched.begin(context.heartbeat());
            let result = context.replay(replay);
            drop(watch);
            result
        });
        while !worker.is_finished() {
            std::thread::park_timeout(Duration::from_millis(1));
            watched.check(config.stuck_after);
        }
        match worker.join() {
            Ok(result) => result.map(|violation| violation.map(|found| *found)),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// Looks at the loops of the test, and opens the exploration. Says whether the look was exhaustive.
fn prepare(context: &mut Context, tasks: &Tasks, lessons: &Lessons) -> bool {
    if lessons.moves > 0 {
        // What is made once and belongs to this thread of the operating system is made now.
        context.explorer.restart();
        while context.grow().is_err() {
            context.explorer.restart();
        }
    }
    match context.config.loops {
        LoopReduction::Off => tasks.open(Repeats::Explored),
        LoopReduction::Unchecked => tasks.open(Repeats::Cut),
        LoopReduction::CrossChecked => {
            let mut evidence = cross_check::gather(context, &|| tasks.is_halted());
            evidence.accepted.retain(|&site| !lessons.misjudged.iter().any(|&other| same_site(site, other)));
            match (evidence.misjudged, evidence.violation) {
                (Some(site), _) => tasks.open_misjudged(site),
                (None, Some((violation, complete, blocked))) => tasks.open_decided(violation, complete, blocked),
                (None, None) => tasks.open(Repeats::Accepted(evidence.accepted)),
            }
            return evidence.exhaustive;
        }
    }
    false
}

/// A budget of executions is met exactly, and by the same executions each time, which takes a single worker.
fn number_of_workers(config: &Config) -> usize {
    match (config.max_executions, config.workers) {
        (Some(_), _) => 1,
        (None, 0) => std::thread::available_parallelism().map_or(1, |n| n.get()),
        (None, n) => n,
    }
}

/// Waits for the workers, minding time, interrupts and threads that do not come back. Returns the budgets that ran out.
fn supervise(config: &Config, tasks: &Tasks, watched: &[Watched], hooks: &Hooks<'_>, start: Instant) -> Vec<Bound> {
    let mut bounds = Vec::new();
    loop {
        let left = config.max_time.map(|limit| limit.saturating_sub(start.elapsed()));
        let nap = Duration::from_millis(50).min(left.unwrap_or(Duration::MAX));
        if tasks.wait(nap) || tasks.is_halted() {
            break;
        }
        for worker in watched {
            worker.check(config.stuck_after);
        }
        (hooks.progress)(&progress(tasks, start));
        if config.max_time.is_some_and(|limit| start.elapsed() >= limit) {
            bounds.push(Bound::Time(config.max_time.unwrap_or_default()));
            tasks.halt();
        } else if hooks.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            bounds.push(Bound::Interrupted);
            tasks.halt();
        }
    }
    if tasks.is_halted() && bounds.is_empty() {
        bounds.extend(config.max_executions.map(Bound::Executions));
    }
    bounds
}

fn progress(tasks: &Tasks, start: Instant) -> Progress {
    let results = tasks.results();
    Progress {
        complete: results.iter().map(|task| task.complete.load(Ordering::Relaxed)).sum(),
        blocked: results.iter().map(|task| task.blocked.load(Ordering::Relaxed)).sum(),
        done: results.iter().map(|task| task.done()).sum(),
        elapsed: start.elapsed(),
    }
}

/// What the tasks have established together.
fn conclude(config: &Config, tasks: &Tasks, mut bounds: Vec<Bound>, start: Instant) -> Result<Exploration, StartOver> {
    let results = tasks.results();
    let mut result = Exploration::nothing(Coverage::Complete, start.elapsed());
    let mut cut = false;
    for task in &results {
        result.complete += task.complete.load(Ordering::Relaxed);
        result.blocked += task.blocked.load(Ordering::Relaxed);
        result.violations += task.violations.load(Ordering::Relaxed);
        cut |= task.cut.load(Ordering::Relaxed);
        let misjudged = *task.misjudged.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if result.violation.is_none() {
            let mut violation = task.violation.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            result.violation = violation.take().map(|found| *found);
            if result.violation.is_some() && !config.keep_going {
                bounds.push(Bound::FirstViolation);
                break;
            }
        }
        if let Some(site) = misjudged {
            return Err(StartOver::Misjudged(site));
        }
    }
    if cut {
        bounds.push(Bound::EventsPerThread(config.max_events_per_thread));
    }
    if !bounds.is_empty() {
        result.coverage = Coverage::Bounded(bounds);
    }
    Ok(result)
}

/// What one worker took for granted.
struct Assumptions {
    loops: Vec<Assumption>,
    /// What the test's author has promised.
    promises: Vec<Assumption>,
    /// The look at the loops was exhaustive.
    exhaustive: bool,
}

fn assumptions(loops: &Loops, exhaustive: bool) -> Assumptions {
    let position = |site: &Site| format!("{}:{}:{}", site.file(), site.line(), site.column());
    let spins = loops.spins().iter().map(|site| Assumption::SpinIsWait { position: position(site) });
    let symmetries = loops.symmetries().iter().map(|site| Assumption::SymmetricThreads { position: position(site) });
    Assumptions {
        loops: loops.used().iter().map(|site| Assumption::EffectFreeLoop { position: position(site) }).collect(),
        promises: spins.chain(symmetries).collect(),
        exhaustive,
    }
}

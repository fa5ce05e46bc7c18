//! An exploration from start to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linchpin_graph::{Execution, Site};
use linchpin_model::{Assumption, Bound, Coverage};

use crate::config::Config;
use crate::explore::tasks::Tasks;
use crate::explore::worker;
use crate::runtime::context::Context;
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
    /// Gets every complete execution; from several workers at once, in no particular order.
    pub observe: &'a (dyn Fn(&Execution) + Sync),
    /// Is told now and then how far the exploration is.
    pub progress: &'a dyn Fn(&Progress),
    /// Ends the exploration when it is set.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for Hooks<'_> {
    fn default() -> Self {
        Hooks { observe: &|_| {}, progress: &|_| {}, interrupt: None }
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

/// A pointer to the test that workers may share.
#[derive(Clone, Copy)]
struct Test(*const (dyn Fn() + Sync));
// SAFETY: what it points to is `Sync`, and outlives the workers, which are scoped.
unsafe impl Send for Test {}
// SAFETY: as above.
unsafe impl Sync for Test {}

/// Explores `test` and tells `hooks` of it.
pub fn explore_with(config: &Config, test: &(dyn Fn() + Sync), hooks: Hooks<'_>) -> Exploration {
    let start = Instant::now();
    let config = Arc::new(config.clone());
    // SAFETY: only the lifetime is forgotten, and no context outlives the scope below.
    let test = Test(unsafe { std::mem::transmute::<*const (dyn Fn() + Sync), *const (dyn Fn() + Sync)>(test) });
    let tasks = Tasks::new();
    let workers = number_of_workers(&config);
    let watched: Vec<Watched> = (0..workers).map(|_| Watched::default()).collect();
    let mut bounds = Vec::new();
    let spins = std::thread::scope(|scope| {
        let handles: Vec<_> = watched
            .iter()
            .map(|watched| {
                let (config, tasks) = (config.clone(), &tasks);
                scope.spawn(move || {
                    let test = test;
                    run_worker(config, test, tasks, watched, hooks.observe)
                })
            })
            .collect();
        bounds = supervise(&config, &tasks, &watched, &hooks, start);
        let mut spins = Vec::new();
        for handle in handles {
            match handle.join() {
                Ok(of_worker) => spins.extend(of_worker),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        spins
    });
    conclude(&config, &tasks, bounds, &spins, start)
}

/// A budget of executions is met exactly, and by the same executions each time, which takes a single worker.
fn number_of_workers(config: &Config) -> usize {
    match (config.max_executions, config.workers) {
        (Some(_), _) => 1,
        (None, 0) => std::thread::available_parallelism().map_or(1, |n| n.get()),
        (None, n) => n,
    }
}

fn run_worker(
    config: Arc<Config>,
    test: Test,
    tasks: &Tasks,
    watched: &Watched,
    observe: &(dyn Fn(&Execution) + Sync),
) -> Vec<Site> {
    let lane = Lane::acquire();
    let mut context = Context::new(config, lane, test.0);
    watched.begin(context.heartbeat());
    worker::work(&mut context, tasks, observe);
    watched.end();
    let spins = context.loops.spins().to_vec();
    context.into_lane().release();
    spins
}

/// Waits for the workers, minding time, interrupts and threads that do not come back. Returns the budgets that ran out.
fn supervise(
    config: &Config,
    tasks: &Tasks,
    watched: &[Watched],
    hooks: &Hooks<'_>,
    start: Instant,
) -> Vec<Bound> {
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

fn conclude(config: &Config, tasks: &Tasks, mut bounds: Vec<Bound>, spins: &[Site], start: Instant) -> Exploration {
    let results = tasks.results();
    let mut result = Exploration {
        violation: None,
        violations: 0,
        coverage: Coverage::Complete,
        assumptions: assumptions(&[], spins),
        complete: 0,
        blocked: 0,
        elapsed: start.elapsed(),
    };
    let mut cut = false;
    for task in &results {
        result.complete += task.complete.load(Ordering::Relaxed);
        result.blocked += task.blocked.load(Ordering::Relaxed);
        result.violations += task.violations.load(Ordering::Relaxed);
        cut |= task.cut.load(Ordering::Relaxed);
        if result.violation.is_none() {
            let mut violation = task.violation.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            result.violation = violation.take().map(|found| *found);
            if result.violation.is_some() && !config.keep_going {
                bounds.push(Bound::FirstViolation);
                break;
            }
        }
    }
    if cut {
        bounds.push(Bound::EventsPerThread(config.max_events_per_thread));
    }
    if !bounds.is_empty() {
        result.coverage = Coverage::Bounded(bounds);
    }
    result
}

fn assumptions(loops: &[Site], spins: &[Site]) -> Vec<Assumption> {
    let position = |site: &Site| format!("{}:{}:{}", site.file(), site.line(), site.column());
    let loops = loops.iter().map(|site| Assumption::EffectFreeLoop { position: position(site) });
    let spins = spins.iter().map(|site| Assumption::SpinIsWait { position: position(site) });
    let mut all: Vec<_> = loops.chain(spins).collect();
    all.sort();
    all.dedup();
    all
}

//! A worker: takes tasks and explores them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use linchpin_graph::{Execution, Site};

use super::tasks::{Task, Tasks};
use crate::cross_check;
use crate::loops::Repeats;
use crate::runtime::context::{Context, Mode, RunEnd};

/// Why a worker stops.
pub(crate) enum Stopped {
    /// Nothing is left to explore.
    Done,
    /// It has to go on elsewhere, with this task if it was at one: see [`Context::is_tainted`].
    Tainted(Option<Arc<Task>>),
}

/// Explores until nothing is left, beginning with the rest of `unfinished`.
pub(crate) fn work(
    context: &mut Context,
    tasks: &Tasks,
    observe: &(dyn Fn(&Execution) + Sync),
    unfinished: Option<Arc<Task>>,
) -> Stopped {
    if context.is_tainted {
        return Stopped::Tainted(unfinished);
    }
    if let Some(task) = unfinished {
        if turn_to_next(context, tasks, &task)
            && let Explored::Tainted = explore_task(context, tasks, &task, observe)
        {
            return Stopped::Tainted(Some(task));
        }
        tasks.finish();
    }
    while let Some(task) = tasks.take() {
        if !matches!(context.loops.repeats, Repeats::Accepted(_)) {
            context.loops.repeats = tasks.repeats();
        }
        if start(context, tasks, &task)
            && let Explored::Tainted = explore_task(context, tasks, &task, observe)
        {
            return Stopped::Tainted(Some(task));
        }
        tasks.finish();
    }
    Stopped::Done
}

/// How far a task is.
enum Explored {
    /// It is finished, or given up.
    All,
    /// Its last run has tainted this thread.
    Tainted,
}

/// Explores a task from its current graph on.
fn explore_task(
    context: &mut Context,
    tasks: &Tasks,
    task: &Arc<Task>,
    observe: &(dyn Fn(&Execution) + Sync),
) -> Explored {
    loop {
        if !run_one(context, tasks, task, observe) {
            return Explored::All;
        }
        if context.is_tainted {
            return Explored::Tainted;
        }
        if !turn_to_next(context, tasks, task) {
            return Explored::All;
        }
    }
}

/// Runs the test along the current graph and counts what came of it; `false` if that ends the task.
fn run_one(context: &mut Context, tasks: &Tasks, task: &Arc<Task>, observe: &(dyn Fn(&Execution) + Sync)) -> bool {
    let Ok(end) = context.grow() else {
        tasks.begin_again();
        return false;
    };
    let share = context.explorer.share();
    match end {
        RunEnd::Complete => {
            task.count(&task.complete, share);
            observe(context.explorer.execution());
        }
        RunEnd::Blocked => task.count(&task.blocked, share),
        RunEnd::Dead => {}
        RunEnd::TooManyEvents => {
            task.count(&task.blocked, share);
            task.cut.store(true, Ordering::Relaxed);
        }
        RunEnd::Violation(violation) => {
            if let Some(site) = cross_check::find_misjudged(context, &violation) {
                return note_misjudged(context, tasks, task, site);
            }
            task.count(&task.violations, share);
            let mut first = task.violation.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            first.get_or_insert(violation);
            if !context.config.keep_going {
                tasks.cancel_after(task);
                return false;
            }
        }
    }
    true
}

/// A loop that was not followed has an effect after all: notes where, so that the exploration starts over. `false`, as that
/// ends the task, unless loops are left out whatever they do.
fn note_misjudged(context: &mut Context, tasks: &Tasks, task: &Arc<Task>, site: Site) -> bool {
    if let Repeats::Cut = context.loops.repeats {
        task.count(&task.blocked, context.explorer.share());
        return true;
    }
    *task.misjudged.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(site);
    tasks.cancel_after(task);
    false
}

/// Turns to the task's next graph, and shares with who has nothing to do; `false` if nothing is left or wanted.
fn turn_to_next(context: &mut Context, tasks: &Tasks, task: &Arc<Task>) -> bool {
    if context.needs_to_be_alone && !tasks.is_claimed() && !tasks.claim() {
        // The exploration starts over with a single worker.
        tasks.halt();
        return false;
    }
    let stop = task.cancelled.load(Ordering::Relaxed) || tasks.is_halted();
    if stop || !context.explorer.advance() {
        return false;
    }
    if let Some(limit) = context.config.max_executions {
        let explored = [&task.complete, &task.blocked, &task.violations].map(|n| n.load(Ordering::Relaxed));
        if explored.iter().sum::<u64>() >= limit {
            tasks.halt();
            return false;
        }
    }
    let may_share = !tasks.is_claimed();
    if may_share
        && (tasks.is_somebody_hungry() || context.config.shares_always)
        && let Some(subtree) = context.explorer.split()
    {
        tasks.pass_on(task, subtree);
    }
    true
}

/// Makes the first graph of the task.
fn start(context: &mut Context, tasks: &Tasks, task: &Arc<Task>) -> bool {
    let Some(subtree) = task.take_subtree() else {
        context.explorer.restart();
        return true;
    };
    context.explorer.adopt(subtree);
    if let RunEnd::Violation(violation) = context.run(Mode::Rebase) {
        task.count(&task.violations, 0.0);
        *task.violation.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(violation);
        tasks.cancel_after(task);
        return false;
    }
    context.explorer.advance()
}

//! A worker: takes tasks and explores them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use linchpin_graph::Execution;

use super::tasks::{Task, Tasks};
use crate::config::Config;
use crate::loops::Repeats;
use crate::runtime::context::{Context, Mode, RunEnd};

/// Explores until nothing is left.
pub(crate) fn work(context: &mut Context, tasks: &Tasks, observe: &(dyn Fn(&Execution) + Sync)) {
    while let Some(task) = tasks.take() {
        if !matches!(context.loops.repeats, Repeats::Accepted(_)) {
            context.loops.repeats = tasks.repeats();
        }
        explore_task(context, tasks, &task, observe);
        tasks.finish();
    }
}

fn explore_task(context: &mut Context, tasks: &Tasks, task: &Arc<Task>, observe: &(dyn Fn(&Execution) + Sync)) {
    if !start(context, tasks, task) {
        return;
    }
    let config: Arc<Config> = context.config.clone();
    loop {
        let end = context.run(Mode::Grow);
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
                task.count(&task.violations, share);
                let mut first = task.violation.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                first.get_or_insert(violation);
                if !config.keep_going {
                    tasks.cancel_after(task);
                    return;
                }
            }
        }
        if context.needs_to_be_alone && !tasks.is_claimed() && !tasks.claim() {
            // The exploration starts over with a single worker.
            tasks.halt();
            return;
        }
        let stop = task.cancelled.load(Ordering::Relaxed) || tasks.is_halted();
        if stop || !context.explorer.advance() {
            return;
        }
        let explored = [&task.complete, &task.blocked, &task.violations].map(|n| n.load(Ordering::Relaxed));
        if config.max_executions.is_some_and(|limit| explored.iter().sum::<u64>() >= limit) {
            tasks.halt();
            return;
        }
        if tasks.is_somebody_hungry()
            && let Some(subtree) = context.explorer.split()
        {
            tasks.pass_on(task, subtree);
        }
    }
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

//! Every execution.

use std::sync::atomic::AtomicBool;

use linchpin::{Builder, ClientTest, Hooks, MemoryModel, Object, Progress, report};
use linchpin_zoo::Entry;

use super::answer::{Answer, Finding, Report, heading};
use crate::arguments::{Client, Model};
use crate::progress;

pub(super) fn answer<O: Object>(
    entry: &Entry,
    test: &ClientTest<O>,
    options: &Client,
    interrupt: &AtomicBool,
) -> Answer {
    let test = test.clone().with(builder(options));
    let bar = progress::bar("exploring".into());
    let on_progress = |now: &Progress| progress::update(&bar, now.done, report::progress(now));
    let hooks = Hooks { progress: &on_progress, interrupt: Some(interrupt), ..Hooks::default() };
    let exploration = test.explore_with(hooks);
    bar.finish_and_clear();

    let mut report = Report::of(entry, test.client(), options);
    let exit = report.conclude(exploration.violation.is_some(), &exploration.coverage);
    report.assumptions = exploration.assumptions.iter().map(ToString::to_string).collect();
    report.runs = exploration.complete + exploration.violations;
    report.seconds = exploration.elapsed.as_secs_f64();
    report.violation = exploration.violation.as_ref().map(Finding::of);

    let mut text = format!("{}\n{}", heading(entry, test.client()), report::summary(&exploration));
    if let Some(finding) = &report.violation {
        text.push_str(&format!("\n{}", finding.report));
    }
    let replay = exploration.violation.as_ref().map(|violation| test.replay_of(violation));
    Answer { exit, text, report, replay }
}

fn builder(options: &Client) -> Builder {
    let model = match options.model {
        Some(Model::Sc) => MemoryModel::Sc,
        Some(Model::C11) | None => MemoryModel::C11,
    };
    let mut builder = Builder::new().memory_model(model);
    if let Some(runs) = options.budget.runs {
        builder = builder.max_executions(runs);
    }
    if let Some(limit) = options.budget.time_limit {
        builder = builder.max_time(limit);
    }
    builder
}

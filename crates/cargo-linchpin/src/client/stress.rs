//! Native threads.

use std::sync::atomic::AtomicBool;

use linchpin::stress::{Ended, Frequency, Hooks, Options, Progress, Seen, Stressed};
use linchpin::{Bound, ClientTest, Coverage, Object};
use linchpin_zoo::Entry;

use super::answer::{self, Answer, Finding, Report, values};
use crate::arguments::{Budget, Client};
use crate::progress;

pub(super) fn answer<O: Object>(
    entry: &Entry,
    test: &ClientTest<O>,
    options: &Client,
    interrupt: &AtomicBool,
) -> Answer {
    let budget = budget(&options.budget);
    let bar = progress::bar("on native threads".into());
    let on_progress = |now: &Progress| {
        let by_time = budget.max_time.map_or(0.0, |limit| now.elapsed.as_secs_f64() / limit.as_secs_f64());
        let by_runs = budget.max_runs.map_or(0.0, |limit| now.runs as f64 / limit as f64);
        progress::update(&bar, by_time.max(by_runs), format!("{} runs, {} of them forbidden", now.runs, now.forbidden));
    };
    let stressed = test.stress(&budget, Hooks { progress: &on_progress, interrupt: Some(interrupt) });
    bar.finish_and_clear();

    let mut report = Report::of(entry, test.client(), options);
    let exit = report.conclude(stressed.is_violated(), &Coverage::Bounded(vec![bound(&stressed)]));
    report.runs = stressed.runs;
    report.seconds = stressed.elapsed.as_secs_f64();
    report.frequencies = Some(stressed.frequencies.iter().map(frequency).collect());
    let table = stressed.table();
    report.violation = stressed.is_violated().then(|| Finding {
        kind: kind(&stressed).into(),
        outcome: stressed.forbidden().find_map(|frequency| returned(&frequency.seen)),
        run: None,
        report: table.clone(),
    });
    let mut text = table;
    let explain = |frequency: &Frequency| match &frequency.seen {
        Seen::Returned(outcome) => test.admitted().explain(outcome).map(|explanation| explanation.to_string()),
        Seen::Panicked(_) => None,
    };
    if let Some(explanation) = stressed.forbidden().find_map(explain) {
        text.push_str(&format!("{explanation}\n"));
    }
    Answer { exit, text, report, replay: None }
}

/// A number of runs without a time is that number, however long it takes.
fn budget(budget: &Budget) -> Options {
    let usual = Options::default();
    let max_time = match (budget.runs, budget.time_limit) {
        (None, None) => usual.max_time,
        (_, limit) => limit,
    };
    Options { max_runs: budget.runs, max_time, ..usual }
}

fn bound(stressed: &Stressed) -> Bound {
    match &stressed.ended {
        Ended::Runs => Bound::Executions(stressed.runs),
        Ended::Time => Bound::Time(stressed.elapsed),
        Ended::Interrupted => Bound::Interrupted,
        Ended::Stuck(_) => Bound::FirstViolation,
    }
}

fn kind(stressed: &Stressed) -> &'static str {
    match stressed.forbidden().next().map(|frequency| &frequency.seen) {
        Some(Seen::Returned(_)) => "wrong result",
        Some(Seen::Panicked(_)) => "panic",
        None => "operation that does not return",
    }
}

fn returned(seen: &Seen) -> Option<Vec<serde_json::Value>> {
    match seen {
        Seen::Returned(outcome) => Some(values(outcome)),
        Seen::Panicked(_) => None,
    }
}

fn frequency(frequency: &Frequency) -> answer::Frequency {
    let panics = match &frequency.seen {
        Seen::Returned(_) => vec![],
        Seen::Panicked(panics) => panics.iter().map(|panic| panic.message.clone()).collect(),
    };
    let outcome = returned(&frequency.seen);
    answer::Frequency { outcome, panics, admitted: frequency.admitted, count: frequency.count }
}

//! Native threads.

use linchpin_model::{Bound, Coverage, Object};
use linchpin_report::report::Kind;
use linchpin_stress::{Ended, Frequency, Hooks, Options, Progress, Seen, Stressed};

use super::answer::{self, Finding, Report, heading, values};
use crate::command::{About, Answer, ClientRequest, Session};
use crate::{ClientTest, reports};

pub(super) fn answer<O: Object>(
    about: &About<'_>,
    test: &ClientTest<O>,
    request: &ClientRequest,
    session: &Session<'_>,
) -> Answer {
    let budget = budget(request);
    let on_progress = |now: &Progress| {
        let by_time = budget.max_time.map_or(0.0, |limit| now.elapsed.as_secs_f64() / limit.as_secs_f64());
        let by_runs = budget.max_runs.map_or(0.0, |limit| now.runs as f64 / limit as f64);
        let message = format!("{} runs, {} of them forbidden", now.runs, now.forbidden);
        (session.progress)(Some(by_time.max(by_runs)), &message);
    };
    let stressed = test.stress(&budget, Hooks { progress: &on_progress, interrupt: Some(session.interrupt) });

    let mut report = Report::of(about, test.client(), request);
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
    let explain = |frequency: &Frequency| match &frequency.seen {
        Seen::Returned(outcome) => test.admitted().explain(outcome).map(|explanation| explanation.to_string()),
        Seen::Panicked(_) => None,
    };
    if !stressed.is_violated() {
        return Answer::new(exit, table, &report);
    }
    let message = stressed.forbidden().find_map(explain).unwrap_or_else(|| kind(&stressed).to_owned());
    let mut found = reports::told::<O>(sort(&stressed), &message).of_client(O::name(), test.client());
    found.why.push(table.trim_end().to_owned());
    found.executions = Some(stressed.runs);
    found.covered = (&Coverage::Bounded(vec![bound(&stressed)])).into();
    found.seconds.insert("running".to_owned(), stressed.elapsed.as_secs_f64());
    let text = format!("{} on native threads\n", heading(about, test.client()));
    Answer::new(exit, text, &report).with_report(Some(about.reported(found)))
}

/// The same for reports.
fn sort(stressed: &Stressed) -> Kind {
    match stressed.forbidden().next().map(|frequency| &frequency.seen) {
        Some(Seen::Returned(_)) => Kind::NotLinearizable,
        Some(Seen::Panicked(_)) => Kind::Panic,
        None => Kind::Stuck,
    }
}

/// A number of runs without a time is that number, however long it takes.
fn budget(request: &ClientRequest) -> Options {
    let usual = Options::default();
    let max_time = match (request.runs, request.time_limit) {
        (None, None) => usual.max_time,
        (_, limit) => limit,
    };
    Options { max_runs: request.runs, max_time, ..usual }
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

//! Native threads.

use linchpin_report::report::json;
use linchpin_stress::{Frequency, Hooks, Options, Progress, Seen};

use super::answer::{self, Details, exit, heading};
use crate::ClientTest;
use crate::command::known::{Keep, Known};
use crate::command::{About, Answer, ClientRequest, Session, serve};
use crate::reports::native::coverage;

pub(super) fn answer(about: &About<'_>, test: &ClientTest, request: &ClientRequest, session: &Session<'_>) -> Answer {
    let budget = budget(request);
    let on_progress = |now: &Progress| {
        let by_time = budget.max_time.map_or(0.0, |limit| now.elapsed.as_secs_f64() / limit.as_secs_f64());
        let by_runs = budget.max_runs.map_or(0.0, |limit| now.runs as f64 / limit as f64);
        let message = format!("{} runs, {} of them forbidden", now.runs, now.forbidden);
        (session.progress)(Some(by_time.max(by_runs)), &message);
    };
    let stressed = test.stress(&budget, Hooks { progress: &on_progress, interrupt: Some(session.interrupt) });

    let explore = format!("{} client {} '{}'", serve::asked_by(), about.name, test.client());
    let found = test.report_of_native(&stressed, &explore);
    let heading = format!("{} on native threads\n", heading(about, test.client()));
    let known = Known {
        exit: exit(found.is_some(), &coverage(&stressed)),
        // The report has the table as well.
        text: if found.is_some() { heading } else { stressed.table() },
        covered: (&coverage(&stressed)).into(),
        seconds: [("running".to_owned(), stressed.elapsed.as_secs_f64())].into(),
        found: found.map(Into::into),
        details: Details {
            runs: stressed.runs,
            frequencies: Some(stressed.frequencies.iter().map(frequency).collect()),
            ..Details::of(test.client(), request)
        },
    };
    known.answer(about, &Keep::Nowhere)
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

fn returned(seen: &Seen) -> Option<Vec<serde_json::Value>> {
    match seen {
        Seen::Returned(outcome) => Some(outcome.0.iter().map(json).collect()),
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

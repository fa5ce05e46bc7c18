//! Generated clients of an object, each explored.

use linchpin_localize::Explanation;
use linchpin_model::{Coverage, Object};
use serde::Serialize;

use super::hunt::{Cause, CriticalRaces, MinimumTest, causes, critical_races};
use super::{About, Answer, CheckRequest, Clients, Exit, Session, json};
use crate::settings::{self, Settings};
use crate::{Builder, Check, Checked, ClientTest, Failure, MemoryModel, Options, ViolationKind};

pub(super) fn answer<O: Object>(about: &About<'_>, request: &CheckRequest, session: &Session<'_>) -> Answer {
    (session.progress)(None, &format!("checking {}", about.name));
    let checked = checking::<O>(request).explore_until(session.interrupt);
    (session.progress)(None, "looking for the cause");
    let explanation = explain::<O>(&checked);
    let exit = match (&checked.failure, &checked.coverage) {
        (Some(Failure::NoClients(_)), _) => Exit::Unusable,
        (Some(_), _) => Exit::Violation,
        (None, Coverage::Complete) => Exit::Holds,
        (None, Coverage::Bounded(_)) => Exit::Undecided,
    };
    let report = Report::of(about, &checked, explanation.as_ref());
    let mut answer = Answer::new(exit, text(about, &checked), &report);
    answer = answer.with_report(found::<O>(&checked, explanation.as_ref()).map(|report| about.reported(report)));
    if let (true, Some(Failure::Execution { client, .. })) = (request.emit_test, &checked.failure) {
        let test = ClientTest::<O>::new(client.clone());
        answer.test = Some(test.emit_test(about.imports).map_err(|error| error.to_string()));
    }
    answer
}

/// What generated clients look like: as asked, or else as set.
pub(super) fn options(clients: &Clients) -> Options {
    settings::options(Settings::here().options(), clients.threads, clients.invocations, clients.values)
}

fn checking<O: Object>(request: &CheckRequest) -> Check<O> {
    let mut builder = Builder::new();
    if let Some(model) = request.model {
        builder = builder.memory_model(model.into());
    }
    if let Some(limit) = request.time_limit {
        builder = builder.max_time(limit);
    }
    let mut check = crate::check::<O>().with(builder);
    if let Clients { threads: Some(_), .. } | Clients { invocations: Some(_), .. } | Clients { values: Some(_), .. } =
        request.clients
    {
        check = check.options(options(&request.clients));
    }
    if let Some(clients) = request.clients.max_clients {
        check = check.clients(clients);
    }
    if let Some(seed) = request.clients.seed {
        check = check.seed(seed);
    }
    check
}

/// Why the smallest client fails, if that is a matter of what it returns.
fn explain<O: Object>(checked: &Checked) -> Option<Explanation> {
    let Some(Failure::Execution { client, exploration, .. }) = &checked.failure else { return None };
    let kind = &exploration.violation.as_ref()?.kind;
    let builder = Builder::new().memory_model(MemoryModel::Sc);
    matches!(kind, ViolationKind::Rejected { .. }).then(|| ClientTest::<O>::new(client.clone()).with(builder).explain())
}

fn text(about: &About<'_>, checked: &Checked) -> String {
    let mut text = format!("{about}\n");
    for left_out in &checked.left_out {
        text.push_str(&format!("{left_out}\n"));
    }
    text.push_str(&format!("{}\n", checked.summary()));
    match &checked.failure {
        Some(Failure::Execution { found, .. }) => text.push_str(&format!("{found} fails\n")),
        Some(failure) => text.push_str(&format!("\n{failure}\n")),
        None => {}
    }
    text
}

/// The report of how the smallest client fails.
fn found<O: Object>(checked: &Checked, explanation: Option<&Explanation>) -> Option<linchpin_report::Report> {
    let Some(Failure::Execution { found, client, minimum, exploration }) = &checked.failure else { return None };
    let test = ClientTest::<O>::new(client.clone());
    let mut report = test.reported(exploration.violation.as_ref()?).explored(exploration);
    report.original_test = Some(found.into());
    if let Some(minimum) = minimum {
        report = report.shrunk(minimum);
    }
    Some(match explanation {
        Some(explanation) => report.explained(explanation),
        None => report,
    })
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    object: String,
    verdict: &'static str,
    coverage: &'static str,
    bounded_by: Vec<String>,
    clients: usize,
    executions: u64,
    /// Operations that no client invokes.
    left_out: Vec<String>,
    /// What is wrong.
    message: Option<String>,
    minimum_test: Option<MinimumTest>,
    minimal_proven: bool,
    outcome: Option<Vec<serde_json::Value>>,
    causes: Vec<Cause>,
    critical_races: Vec<CriticalRaces>,
    seconds: f64,
}

impl Report {
    fn of(about: &About<'_>, checked: &Checked, explanation: Option<&Explanation>) -> Report {
        let (coverage, bounds) = match &checked.coverage {
            Coverage::Complete => ("complete", &[][..]),
            Coverage::Bounded(bounds) => ("bounded", &bounds[..]),
        };
        let (client, minimum, exploration) = match &checked.failure {
            Some(Failure::Execution { client, minimum, exploration, .. }) => {
                (Some(client), minimum.as_ref(), Some(exploration))
            }
            _ => (None, None, None),
        };
        Report {
            object: about.name.to_owned(),
            verdict: match (&checked.failure, &checked.coverage) {
                (Some(Failure::NoClients(_)), _) | (None, Coverage::Bounded(_)) => "unknown",
                (Some(_), _) => "violation",
                (None, Coverage::Complete) => "linearizable",
            },
            coverage,
            bounded_by: bounds.iter().map(ToString::to_string).collect(),
            clients: checked.clients,
            executions: checked.executions,
            left_out: checked.left_out.iter().map(ToString::to_string).collect(),
            message: checked.failure.as_ref().map(ToString::to_string),
            minimum_test: client.map(MinimumTest::of),
            minimal_proven: minimum.is_some_and(|minimum| minimum.is_proven),
            outcome: exploration.and_then(|exploration| exploration.violation.as_ref()).map(|violation| {
                violation.calls.iter().map(|call| call.result.as_ref().map(json).unwrap_or_default()).collect()
            }),
            causes: explanation.map(causes).unwrap_or_default(),
            critical_races: explanation.map(critical_races).unwrap_or_default(),
            seconds: checked.elapsed.as_secs_f64(),
        }
    }
}

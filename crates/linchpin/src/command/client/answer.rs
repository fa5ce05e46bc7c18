//! What is known of one client.

use linchpin_report::report::Kind;
use serde::Serialize;

use crate::command::{About, Answer, Choice, ClientRequest, Exit, Model, Tester, json};
use crate::{Bound, Call, Client, Coverage, MemoryModel, Object, Outcome, Settings, Violation, report, reports};

/// What `--json` prints.
#[derive(Default, Serialize)]
pub(super) struct Report {
    pub object: String,
    pub client: String,
    pub tester: &'static str,
    /// `sc`, `c11`, or `native`.
    pub model: &'static str,
    pub verdict: &'static str,
    pub coverage: &'static str,
    /// The budgets that ran out.
    pub bounded_by: Vec<String>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// Executions or runs that were looked at.
    pub runs: u64,
    pub seconds: f64,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<Finding>,
    /// Where the schedule came from, if that was random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How often each outcome was seen on native threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequencies: Option<Vec<Frequency>>,
}

#[derive(Serialize)]
pub(super) struct Finding {
    pub kind: String,
    /// What the invocations returned, in the order of the text; `null` also where one has not returned.
    pub outcome: Option<Vec<serde_json::Value>>,
    /// The number of the run, if runs are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u64>,
    /// The whole report, as people read it.
    pub report: String,
}

#[derive(Serialize)]
pub(super) struct Frequency {
    /// What was returned; `null` if something panicked.
    pub outcome: Option<Vec<serde_json::Value>>,
    /// The messages of panics.
    pub panics: Vec<String>,
    pub admitted: bool,
    pub count: u64,
}

impl Report {
    /// Nothing is known yet.
    pub fn of(about: &About<'_>, client: &Client, request: &ClientRequest) -> Report {
        let model = match request.tester {
            Tester::Explore => model_of(request).name(),
            Tester::Sample => Model::Sc.name(),
            Tester::Stress => "native",
        };
        let (object, client) = (about.name.to_owned(), client.to_string());
        Report { object, client, tester: request.tester.name(), model, ..Report::default() }
    }

    /// Puts down what was looked at, and returns how that ends.
    pub fn conclude(&mut self, is_violated: bool, coverage: &Coverage) -> Exit {
        let bounds = match coverage {
            Coverage::Complete => &[][..],
            Coverage::Bounded(bounds) => bounds,
        };
        self.bounded_by = bounds.iter().map(ToString::to_string).collect();
        let (coverage, exit) = match (coverage, is_violated) {
            (Coverage::Complete, true) => ("complete", Exit::Violation),
            (Coverage::Complete, false) => ("complete", Exit::Holds),
            (Coverage::Bounded(_), true) => ("bounded", Exit::Violation),
            (Coverage::Bounded(_), false) => ("bounded", Exit::Undecided),
        };
        self.coverage = coverage;
        self.verdict = match exit {
            Exit::Violation => "violation",
            Exit::Holds => "linearizable",
            Exit::Unusable | Exit::Undecided => "unknown",
        };
        exit
    }
}

impl Finding {
    pub fn of(violation: &Violation) -> Finding {
        let returned = |call: &Call| call.result.as_ref().map(json).unwrap_or_default();
        Finding {
            kind: violation.kind.name().to_owned(),
            outcome: Some(violation.calls.iter().map(returned).collect()),
            run: None,
            report: report::violation(violation),
        }
    }
}

/// An outcome as JSON.
pub(super) fn values(outcome: &Outcome) -> Vec<serde_json::Value> {
    outcome.0.iter().map(json).collect()
}

/// By whose rules a client is explored.
pub(super) fn model_of(request: &ClientRequest) -> Model {
    request.model.unwrap_or(match Settings::here().model {
        Some(MemoryModel::Sc) => Model::Sc,
        Some(MemoryModel::C11) | None => Model::C11,
    })
}

/// What is wrong without any concurrency.
pub(super) fn alone<O: Object>(
    about: &About<'_>,
    client: &Client,
    request: &ClientRequest,
    kind: Kind,
    message: String,
) -> Answer {
    let mut report = Report::of(about, client, request);
    let exit = report.conclude(true, &Coverage::Bounded(vec![Bound::FirstViolation]));
    let text = format!("{}\n", heading(about, client));
    let found = reports::told::<O>(kind, &message).of_client(O::name(), client);
    report.violation = Some(Finding { kind: "sequential".into(), outcome: None, run: None, report: message });
    Answer::new(exit, text, &report).with_report(Some(about.reported(found)))
}

/// The first line of everything that people read.
pub(super) fn heading(about: &About<'_>, client: &Client) -> String {
    format!("{client} as a client of {about}")
}

//! What is known of one client.

use linchpin_report::Report;
use serde::Serialize;

use crate::command::known::{Keep, Known};
use crate::command::{About, Answer, Choice, ClientRequest, Exit, Model, Tester};
use crate::{Bound, Client, Coverage, MemoryModel, Settings};

/// What `--json` prints besides.
#[derive(Default, Serialize)]
pub(super) struct Details {
    pub client: String,
    pub tester: &'static str,
    /// `sc`, `c11`, or `native`.
    pub model: &'static str,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// Executions or runs that were looked at.
    pub runs: u64,
    /// Where the schedule came from, if that was random,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// and the number of the run that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u64>,
    /// How often each outcome was seen on native threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequencies: Option<Vec<Frequency>>,
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

impl Details {
    /// Nothing is known yet.
    pub fn of(client: &Client, request: &ClientRequest) -> Details {
        let model = match request.tester {
            Tester::Explore => model_of(request).name(),
            Tester::Sample => Model::Sc.name(),
            Tester::Stress => "native",
        };
        Details { client: client.to_string(), tester: request.tester.name(), model, ..Details::default() }
    }
}

/// How that ends.
pub(super) fn exit(is_violated: bool, coverage: &Coverage) -> Exit {
    match (is_violated, coverage) {
        (true, _) => Exit::Violation,
        (false, Coverage::Complete) => Exit::Holds,
        (false, Coverage::Bounded(_)) => Exit::Undecided,
    }
}

/// Where the failing execution goes.
pub(super) fn keep(request: &ClientRequest) -> Keep {
    request.save_replay.clone().map_or(Keep::Nowhere, Keep::At)
}

/// By whose rules a client is explored.
pub(super) fn model_of(request: &ClientRequest) -> Model {
    request.model.unwrap_or(match Settings::here().model {
        Some(MemoryModel::Sc) => Model::Sc,
        Some(MemoryModel::C11) | None => Model::C11,
    })
}

/// What is wrong without any concurrency.
pub(super) fn alone(about: &About<'_>, client: &Client, request: &ClientRequest, report: Report) -> Answer {
    let known = Known {
        exit: Exit::Violation,
        text: format!("{}\n", heading(about, client)),
        covered: (&Coverage::Bounded(vec![Bound::FirstViolation])).into(),
        seconds: Default::default(),
        found: Some(report.into()),
        details: Details::of(client, request),
    };
    known.answer(about, &Keep::Nowhere)
}

/// The first line of everything that people read.
pub(super) fn heading(about: &About<'_>, client: &Client) -> String {
    format!("{client} as a client of {about}")
}

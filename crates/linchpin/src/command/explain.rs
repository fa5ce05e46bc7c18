//! The smallest client that fails, what would have to be atomic, and the races that decide.

use linchpin_localize::Explanation;
use linchpin_model::{Client, Coverage, MemoryModel, Object};
use serde::Serialize;

use super::hunt::{Cause, CriticalRaces, MinimumTest, causes, critical_races};
use super::{About, Answer, Exit, ExplainRequest, Session, Subject, json, library, replay};
use crate::{Builder, Check, ClientTest, Left, Replay, Shrunk, Violation, ViolationKind, check, report};

/// So many clients are generated to hold the cause of one against them.
const CLIENTS: usize = 50;

pub(super) fn answer<O: Object>(
    about: &About<'_>,
    request: &ExplainRequest,
    session: &Session<'_>,
) -> Result<Answer, String> {
    let (client, model, replayed): (ClientTest<O>, MemoryModel, Option<Violation>) = match &request.subject {
        Subject::Client(text) => (text.parse().map_err(|error| format!("{error}"))?, MemoryModel::C11, None),
        Subject::Replay(text) => {
            let (client, violation) = replay::again(about, text)?;
            let replay: Replay = text.parse().map_err(|error| format!("{error}"))?;
            (client, replay.model, violation)
        }
        Subject::Library => return Ok(library::answer::<O>(about, request, session)),
    };
    (session.progress)(None, &format!("looking for the cause of {}", client.client()));
    let builder = builder(request, model);
    let check = check::<O>().with(builder.clone()).clients(request.clients.unwrap_or(CLIENTS)).seed(request.seed);
    let explained = explain(client.clone(), builder, replayed, &check);
    let text = text(about, client.client(), &explained);
    Ok(Answer::new(explained.exit(), text, &Report::of(about, client.client(), &explained)))
}

pub(super) fn builder(request: &ExplainRequest, usual: MemoryModel) -> Builder {
    let builder = Builder::new().memory_model(request.model.map_or(usual, Into::into));
    match request.time_limit {
        Some(limit) => builder.max_time(limit),
        None => builder,
    }
}

/// What is known about a client.
struct Explained {
    /// The smallest one that fails like it, if it fails.
    shrunk: Option<Shrunk>,
    /// How much of the client itself was looked at.
    coverage: Coverage,
    /// What the smallest client violates; or if no execution that was explored does, what the one of the file does.
    violation: Option<Violation>,
    /// Why the smallest client fails, if what it returns is wrong.
    explanation: Option<Explanation>,
    /// Which generated clients fail, and still do if the cause is ruled out.
    left: Option<Left>,
}

fn explain<O: Object>(
    client: ClientTest<O>,
    builder: Builder,
    replayed: Option<Violation>,
    check: &Check<O>,
) -> Explained {
    let client = client.with(builder.clone());
    let exploration = client.explore();
    let smallest = exploration.violation.as_ref().and_then(|_| client.shrink());
    let violation = match &smallest {
        Some(smallest) => smallest.exploration.violation.clone(),
        None => exploration.violation.or(replayed),
    };
    let is_explained = violation.as_ref().is_some_and(|found| matches!(found.kind, ViolationKind::Rejected { .. }));
    let (explanation, left) = smallest
        .as_ref()
        .filter(|_| is_explained)
        .and_then(|smallest| smallest.minimum.client.to_string().parse::<ClientTest<O>>().ok())
        .map(|smallest| {
            let smallest = smallest.with(builder);
            let explanation = smallest.explain();
            let is_of_use = !explanation.cause.sections.is_empty();
            let left = is_of_use.then(|| check.verify(&smallest, &explanation));
            (explanation, left)
        })
        .unzip();
    Explained { shrunk: smallest, coverage: exploration.coverage, violation, explanation, left: left.flatten() }
}

impl Explained {
    fn exit(&self) -> Exit {
        match (&self.violation, &self.coverage) {
            (Some(_), _) => Exit::Violation,
            (None, Coverage::Complete) => Exit::Holds,
            (None, Coverage::Bounded(_)) => Exit::Undecided,
        }
    }
}

fn text(about: &About<'_>, client: &Client, explained: &Explained) -> String {
    let mut text = format!("{client} as a client of {about}\n");
    match &explained.shrunk {
        Some(shrunk) => text.push_str(&format!("{}\n", shrunk.minimum)),
        None if explained.violation.is_none() => {
            text.push_str(&format!("no violation; coverage: {}\n", explained.coverage));
        }
        None => text.push_str(
            "Smaller clients were not looked for: none of the executions that were explored fails, or the failure is of the \
             client's own making.\n",
        ),
    }
    if let Some(violation) = &explained.violation {
        text.push_str(&format!("\n{}", report::violation(violation)));
    }
    if let Some(explanation) = &explained.explanation {
        text.push_str(&format!("\n{}", report::explanation(explanation)));
    }
    if let Some(left) = &explained.left {
        text.push_str(&format!("\n{left}\n"));
    }
    text
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    object: String,
    client: String,
    verdict: &'static str,
    coverage: &'static str,
    kind: Option<String>,
    minimum_test: Option<MinimumTest>,
    minimal_proven: bool,
    outcome: Option<Vec<serde_json::Value>>,
    /// What leaves no failing execution of the smallest client, first; then what rules one of them out, by cost.
    causes: Vec<Cause>,
    critical_races: Vec<CriticalRaces>,
    /// How many clients were generated to hold the first cause against them,
    generated_clients: usize,
    /// how many of them fail,
    failing_clients: usize,
    /// and which still do if it is ruled out.
    clients_left: Vec<String>,
    /// The whole report, as people read it.
    report: String,
}

impl Report {
    fn of(about: &About<'_>, client: &Client, explained: &Explained) -> Report {
        let Explained { shrunk, coverage, violation, explanation, left } = explained;
        let left = left.as_ref();
        Report {
            object: about.name.to_owned(),
            client: client.to_string(),
            verdict: match explained.exit() {
                Exit::Violation => "violation",
                Exit::Holds => "linearizable",
                Exit::Unusable | Exit::Undecided => "unknown",
            },
            coverage: if coverage.is_complete() { "complete" } else { "bounded" },
            kind: violation.as_ref().map(|violation| violation.kind.name().to_owned()),
            minimum_test: shrunk.as_ref().map(|shrunk| MinimumTest::of(&shrunk.minimum.client)),
            minimal_proven: shrunk.as_ref().is_some_and(|shrunk| shrunk.minimum.is_proven),
            outcome: violation.as_ref().map(|violation| {
                violation.calls.iter().map(|call| call.result.as_ref().map(json).unwrap_or_default()).collect()
            }),
            causes: explanation.as_ref().map(causes).unwrap_or_default(),
            critical_races: explanation.as_ref().map(critical_races).unwrap_or_default(),
            generated_clients: left.map_or(0, |left| left.clients),
            failing_clients: left.map_or(0, |left| left.failing),
            clients_left: left.map_or(Vec::new(), |left| left.clients_left.iter().map(ToString::to_string).collect()),
            report: text(about, client, explained),
        }
    }
}

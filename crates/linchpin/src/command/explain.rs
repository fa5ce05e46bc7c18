//! The smallest client that fails, what would have to be atomic, and the races that decide.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use linchpin_localize::Explanation;
use linchpin_localize::eliminate::Limits;
use linchpin_model::{AnyObject, Client, Coverage, MemoryModel};
use linchpin_report::Report;
use serde::Serialize;

use super::known::{Keep, Known};
use super::{About, Answer, Exit, ExplainRequest, Session, Subject, library, replay};
use crate::{Builder, Check, ClientTest, Hooks, Left, Replay, Shrunk, Violation, ViolationKind};

/// So many clients are generated to hold the cause of one against them.
const CLIENTS: usize = 50;

pub(super) fn answer(
    object: AnyObject,
    about: &About<'_>,
    request: &ExplainRequest,
    session: &Session<'_>,
) -> Result<Answer, String> {
    let start = Instant::now();
    let (client, model, replayed): (ClientTest, MemoryModel, Option<Violation>) = match &request.subject {
        Subject::Client(text) => {
            (ClientTest::of(object, text).map_err(|error| error.to_string())?, MemoryModel::C11, None)
        }
        Subject::Replay(text) => {
            let (client, violation) = replay::again(object, about, text)?;
            let replay: Replay = text.parse().map_err(|error| format!("{error}"))?;
            (client, replay.model, violation)
        }
        Subject::Library => return Ok(library::answer(object, about, request, session)),
    };
    (session.progress)(None, &format!("looking for the cause of {}", client.client()));
    let builder = builder(request, model);
    let check = Check::of(object).with(builder.clone()).clients(request.clients.unwrap_or(CLIENTS)).seed(request.seed);
    let explained = explain(client.clone(), builder, replayed, &check, session.interrupt);
    let left = explained.left.as_ref();
    let known = Known {
        exit: match (&explained.violation, &explained.coverage) {
            (Some(_), _) => Exit::Violation,
            (None, Coverage::Complete) => Exit::Holds,
            (None, Coverage::Bounded(_)) => Exit::Undecided,
        },
        text: text(about, client.client(), &explained),
        covered: (&explained.coverage).into(),
        seconds: [("explaining".to_owned(), start.elapsed().as_secs_f64())].into(),
        details: Details {
            client: client.client().to_string(),
            generated_clients: left.map_or(0, |left| left.clients),
            failing_clients: left.map_or(0, |left| left.failing),
            clients_left: left.map_or(Vec::new(), |left| left.clients_left.iter().map(ToString::to_string).collect()),
        },
        found: explained.report(&client).map(Into::into),
    };
    Ok(known.answer(about, &Keep::Nowhere))
}

/// What `--json` prints besides.
#[derive(Serialize)]
struct Details {
    client: String,
    /// How many clients were generated to hold the first cause against them,
    generated_clients: usize,
    /// how many of them fail,
    failing_clients: usize,
    /// and which still do if it is ruled out.
    clients_left: Vec<String>,
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

fn explain(
    client: ClientTest,
    builder: Builder,
    replayed: Option<Violation>,
    check: &Check,
    interrupt: &AtomicBool,
) -> Explained {
    let client = client.with(builder.clone());
    let exploration = client.explore_with(Hooks { interrupt: Some(interrupt), ..Hooks::default() });
    let smallest = client.shrink_until(exploration.clone(), interrupt);
    let violation = match &smallest {
        Some(smallest) => smallest.exploration.violation.clone(),
        None => exploration.violation.or(replayed),
    };
    let is_explained = violation.as_ref().is_some_and(|found| matches!(found.kind, ViolationKind::Rejected { .. }));
    let (explanation, left) = smallest
        .as_ref()
        .filter(|_| is_explained)
        .map(|smallest| {
            let smallest = ClientTest::new(client.object, smallest.minimum.client.clone()).with(builder);
            let explanation = smallest.explain_until(&Limits::default(), interrupt);
            let is_of_use = !explanation.cause.sections.is_empty() && !interrupt.load(Relaxed);
            let left = is_of_use.then(|| check.verify_until(&smallest, &explanation, interrupt));
            (explanation, left)
        })
        .unzip();
    Explained { shrunk: smallest, coverage: exploration.coverage, violation, explanation, left: left.flatten() }
}

impl Explained {
    /// What is known about how the smallest client fails, or else `client`.
    fn report(&self, client: &ClientTest) -> Option<Report> {
        let violation = self.violation.as_ref()?;
        let mut report = match &self.shrunk {
            Some(Shrunk { minimum, exploration }) => {
                let smallest = ClientTest::new(client.object, minimum.client.clone());
                let report = smallest.reported(violation).explored(exploration).shrunk(minimum);
                Report { original_test: Some(client.client().into()), ..report }
            }
            None => client.reported(violation),
        };
        if let Some(explanation) = &self.explanation {
            report = report.explained(explanation);
        }
        report.other_clients = self.left.as_ref().map(ToString::to_string);
        Some(report)
    }
}

fn text(about: &About<'_>, client: &Client, explained: &Explained) -> String {
    let mut text = format!("{client} as a client of {about}\n");
    match (&explained.shrunk, &explained.violation) {
        (Some(_), _) => {}
        (None, None) => text.push_str(&format!("no violation; coverage: {}\n", explained.coverage)),
        (None, Some(_)) => text.push_str(
            "Smaller clients were not looked for: none of the executions that were explored fails, or the failure is of the \
             client's own making.\n",
        ),
    }
    text
}

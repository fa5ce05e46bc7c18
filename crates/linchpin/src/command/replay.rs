//! One execution of a client again.

use linchpin_engine::{Replay, Violation};
use linchpin_model::{Client, Object};
use serde::Serialize;

use super::{About, Answer, Exit, ReplayRequest};
use crate::{Builder, ClientTest, Reuse, report};

pub(super) fn answer<O: Object>(about: &About<'_>, request: &ReplayRequest) -> Result<Answer, String> {
    let (client, violation) = again::<O>(about, &request.replay)?;
    let exit = if violation.is_some() { Exit::Violation } else { Exit::Undecided };
    let report = Report::of(about, client.client(), violation.as_ref());
    Ok(Answer::new(exit, text(about, client.client(), violation.as_ref()), &report))
}

/// The client of a replay, and what its execution violates, if it still does.
pub(super) fn again<O: Object>(about: &About<'_>, replay: &str) -> Result<(ClientTest<O>, Option<Violation>), String> {
    let replay: Replay = replay.parse().map_err(|error| format!("{error}"))?;
    let text = replay.origin.client.as_deref().unwrap_or_default();
    let client: ClientTest<O> = text.parse().map_err(|error| format!("{error}"))?;
    let client = client.with(builder(&replay));
    let violation = client
        .replay(&replay)
        .map_err(|diverged| format!("the replay does not fit {} any more: {diverged}", about.name))?;
    Ok((client, violation))
}

/// The settings that fit a replay. Who lets addresses come again is after what an old pointer does then, and that is a use
/// after free first.
fn builder(replay: &Replay) -> Builder {
    let may_reuse = matches!(replay.reuse, Some(Reuse::Lifo | Reuse::Fifo));
    Builder::new().memory_model(replay.model).use_after_free(!may_reuse)
}

fn text(about: &About<'_>, client: &Client, violation: Option<&Violation>) -> String {
    let outcome = match violation {
        Some(violation) => report::violation(violation),
        None => "This execution violates nothing any more. That says nothing about others.\n".to_owned(),
    };
    format!("{client} as a client of {about}\n\n{outcome}")
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    object: String,
    client: String,
    verdict: &'static str,
    /// The kind of violation,
    kind: Option<String>,
    /// and the whole report, as people read it.
    report: Option<String>,
}

impl Report {
    fn of(about: &About<'_>, client: &Client, violation: Option<&Violation>) -> Report {
        Report {
            object: about.name.to_owned(),
            client: client.to_string(),
            verdict: if violation.is_some() { "violation" } else { "unknown" },
            kind: violation.map(|violation| violation.kind.name().to_owned()),
            report: violation.map(report::violation),
        }
    }
}

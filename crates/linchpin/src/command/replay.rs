//! One execution of a client again.

use std::time::Instant;

use linchpin_engine::{Replay, Violation};
use linchpin_model::AnyObject;
use linchpin_report::report::{Covered, Extent};
use serde::Serialize;

use super::known::{Keep, Known};
use super::{About, Answer, Exit, ReplayRequest};
use crate::{Builder, ClientTest, Reuse};

pub(super) fn answer(object: AnyObject, about: &About<'_>, request: &ReplayRequest) -> Result<Answer, String> {
    let start = Instant::now();
    let (client, violation) = again(object, about, &request.replay)?;
    let heading = format!("{} as a client of {about}\n", client.client());
    let known = Known {
        exit: if violation.is_some() { Exit::Violation } else { Exit::Undecided },
        text: match &violation {
            Some(_) => heading,
            None => format!("{heading}\nThis execution violates nothing any more. That says nothing about others.\n"),
        },
        covered: Covered { coverage: Extent::Bounded, bounded_by: vec!["one execution".to_owned()] },
        seconds: [("replaying".to_owned(), start.elapsed().as_secs_f64())].into(),
        found: violation.map(|violation| client.reported(&violation).into()),
        details: Details { client: client.client().to_string() },
    };
    Ok(known.answer(about, &Keep::Nowhere))
}

/// The client of a replay, and what its execution violates, if it still does.
pub(super) fn again(
    object: AnyObject,
    about: &About<'_>,
    replay: &str,
) -> Result<(ClientTest, Option<Violation>), String> {
    let replay: Replay = replay.parse().map_err(|error| format!("{error}"))?;
    let text = replay.origin.client.as_deref().unwrap_or_default();
    let client = ClientTest::of(object, text).map_err(|error| error.to_string())?;
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

/// What `--json` prints besides.
#[derive(Serialize)]
struct Details {
    client: String,
}

//! What is known of an object after something was looked for in it: the same shape, for people and for programs, whatever the command.

use std::collections::BTreeMap;
use std::path::PathBuf;

use linchpin_report::Report;
use linchpin_report::report::{Candidate, Covered, Explained, Kind, RaceSequence, SCHEMA, ShownClient, Verified};
use serde::Serialize;

use super::{About, Answer, Exit, serve};
use crate::replay_file;
use crate::reports::Found;

/// What is known, before it is told. `details` are what only one command has to say.
pub(super) struct Known<Details> {
    /// How it ended.
    pub exit: Exit,
    /// For people: what is said before the report.
    pub text: String,
    /// How much was looked at.
    pub covered: Covered,
    /// How long what took.
    pub seconds: BTreeMap<String, f64>,
    /// What fails.
    pub found: Option<Found>,
    /// The rest, for programs.
    pub details: Details,
}

/// What `--json` prints. What is known about a failure is in `report`; what programs ask for most stands beside it.
#[derive(Serialize)]
struct Printed<'a, Details> {
    schema: u32,
    object: &'a str,
    verdict: &'static str,
    #[serde(flatten)]
    covered: Covered,
    seconds: BTreeMap<String, f64>,
    kind: Option<Kind>,
    minimum_test: Option<&'a ShownClient>,
    minimal_proven: bool,
    outcome: &'a [serde_json::Value],
    /// What leaves no failing execution of the smallest client, first; then what rules one of them out, by cost.
    causes: Vec<Cause<'a>>,
    critical_races: &'a [RaceSequence],
    /// The file with the failing execution.
    replay: Option<&'a str>,
    #[serde(flatten)]
    details: Details,
    report: Option<&'a Report>,
}

#[derive(Serialize)]
struct Cause<'a> {
    #[serde(flatten)]
    candidate: &'a Candidate,
    /// Does no execution of the smallest client fail if these are atomic?
    verified: bool,
}

impl<Details: Serialize> Known<Details> {
    /// The answer, with a report that names the object as it was asked for.
    pub fn answer(self, about: &About<'_>, keep: &Keep) -> Answer {
        let Known { exit, text, covered, seconds, found, details } = self;
        let (report, replay) = match found {
            Some(Found { report, replay }) => {
                let replay = replay.map(|replay| about.named(replay));
                let file = replay.as_ref().and_then(|replay| keep.file(about, replay));
                (Some(about.reported(replayed_from(report, file))), replay)
            }
            None => (None, None),
        };
        let explained = report.as_ref().and_then(|report| report.explanation.as_ref());
        let races = explained.and_then(|explained| explained.races.as_ref());
        let printed = Printed {
            schema: SCHEMA,
            object: about.name,
            verdict: exit.verdict(),
            covered,
            seconds,
            kind: report.as_ref().map(|report| report.kind),
            minimum_test: report.as_ref().and_then(|report| report.minimum_test.as_ref()),
            minimal_proven: report.as_ref().is_some_and(|report| report.minimal_proven),
            outcome: report.as_ref().map_or(&[], |report| &report.outcome),
            causes: explained.map(causes).unwrap_or_default(),
            critical_races: races.map_or(&[], |races| &races.sequences),
            replay: report.as_ref().and_then(|report| report.replay.as_deref()),
            details,
            report: report.as_ref(),
        };
        let answer = Answer::new(exit, text, &printed);
        Answer { report: report.map(Box::new), replay, ..answer }
    }
}

/// Where a failing execution goes.
pub(super) enum Keep {
    /// To this file, which whoever has asked writes.
    At(PathBuf),
    /// To the place that executions of this object have.
    ByName,
    /// It came from a file, or nobody wants it.
    Nowhere,
}

impl Keep {
    /// The file that a replay goes to. That it cannot be written is no reason to lose the rest.
    fn file(&self, about: &About<'_>, replay: &str) -> Option<PathBuf> {
        match self {
            Keep::At(file) => Some(file.clone()),
            Keep::ByName => replay_file::keep_of_object(about.name, replay).ok(),
            Keep::Nowhere => None,
        }
    }
}

fn replayed_from(mut report: Report, file: Option<PathBuf>) -> Report {
    let file = file.map(|file| file.display().to_string());
    report.replay_command = file.as_ref().map(|file| format!("{} replay {file}", serve::asked_by()));
    report.replay = file;
    report
}

/// The cause of the client, then what would rule single executions out; each set of sections once.
fn causes(explained: &Explained) -> Vec<Cause<'_>> {
    let verified = explained.verification == Verified::Yes;
    let mut causes = vec![Cause { candidate: &explained.cause, verified }];
    for candidate in explained.rankings.iter().flat_map(|ranking| &ranking.candidates) {
        if causes.iter().all(|known| known.candidate.sections != candidate.sections) {
            causes.push(Cause { candidate, verified: false });
        }
    }
    causes
}

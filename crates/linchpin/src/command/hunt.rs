//! Long runs of an object until one is wrong, and the smallest client that fails like it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use linchpin_localize::eliminate::{Extent, Section, Sections};
use linchpin_localize::tree::{Race, Sequence};
use linchpin_localize::{Explanation, Verification};
use linchpin_model::{Client, Invocation, MemoryModel, Object};
use serde::Serialize;

use super::{About, Answer, Exit, HuntRequest, Session, choice, json, serve};
use crate::{Builder, ClientTest, Hunt, Hunted, Scheduler, Settings, Shrunk, hunt, replay_file};

pub(super) fn answer<O: Object>(about: &About<'_>, request: &HuntRequest, session: &Session<'_>) -> Answer {
    (session.progress)(None, &format!("hunting {}", about.name));
    let hunted = hunting::<O>(request).explore_until(session.interrupt);
    (session.progress)(None, "looking for the cause");
    let explanation = if hunted.is_interrupted { None } else { explain::<O>(&hunted) };
    let exit = if hunted.detected.is_some() { Exit::Violation } else { Exit::Undecided };
    let replay = kept::<O>(about, &hunted, request);
    let found = found::<O>(&hunted, explanation.as_ref()).map(|report| linchpin_report::Report {
        replay: replay.clone(),
        replay_command: replay.as_ref().map(|file| format!("{} replay {file}", serve::asked_by())),
        ..report
    });
    let report = Report { replay, ..Report::of(about, &hunted, explanation.as_ref(), session.interrupt) };
    let mut answer = Answer::new(exit, format!("{about}\n{hunted}\n"), &report);
    answer = answer.with_report(found.map(|report| about.reported(report)));
    if request.emit_test {
        answer.test = hunted.shrunk.as_ref().map(|shrunk| {
            let test = ClientTest::<O>::new(shrunk.minimum.client.clone());
            test.emit_test(about.imports).map_err(|error| error.to_string())
        });
    }
    answer
}

/// Where the failing execution of the smallest client is kept. That it cannot be written is no reason to lose the rest.
fn kept<O: Object>(about: &About<'_>, hunted: &Hunted, request: &HuntRequest) -> Option<String> {
    let Shrunk { minimum, exploration } = hunted.shrunk.as_ref()?;
    let test = ClientTest::<O>::new(minimum.client.clone()).with(builder(request));
    let replay = about.named(test.replay_of(exploration.violation.as_ref()?));
    let file = replay_file::keep_of_object(about.name, &replay).ok()?;
    Some(file.display().to_string())
}

/// Long runs have so many places where priorities change, unless told otherwise.
const DEPTH: u32 = 4;

fn hunting<O: Object>(request: &HuntRequest) -> Hunt<O> {
    let depth = request.depth.unwrap_or(DEPTH);
    let scheduler = match request.scheduler {
        choice::Scheduler::Native => Scheduler::Native,
        choice::Scheduler::Random => Scheduler::Random,
        choice::Scheduler::Pct => Scheduler::Pct { depth },
        choice::Scheduler::DPct => Scheduler::DPct { depth },
    };
    let mut hunt = hunt::<O>().with(builder(request)).scheduler(scheduler).one_operation(request.one_operation);
    if let Some(threads) = request.threads {
        hunt = hunt.threads(threads);
    }
    if let Some(operations) = request.operations {
        hunt = hunt.operations(operations);
    }
    if let Some(histories) = request.histories {
        hunt = hunt.histories(histories);
    }
    if let Some(values) = request.values {
        hunt = hunt.values(values);
    }
    if let Some(seed) = request.seed {
        hunt = hunt.seed(seed);
    }
    hunt
}

/// Where clients are explored.
fn builder(request: &HuntRequest) -> Builder {
    let set = Settings::here().model.unwrap_or(MemoryModel::Sc);
    Builder::new().memory_model(request.model.map_or(set, Into::into))
}

/// Why the smallest client fails, if it does so without weak memory.
fn explain<O: Object>(hunted: &Hunted) -> Option<Explanation> {
    let client: ClientTest<O> = hunted.shrunk.as_ref()?.minimum.client.to_string().parse().ok()?;
    Some(client.with(Builder::new().memory_model(MemoryModel::Sc)).explain())
}

/// The report of how the smallest client fails.
fn found<O: Object>(hunted: &Hunted, explanation: Option<&Explanation>) -> Option<linchpin_report::Report> {
    let Shrunk { minimum, exploration } = hunted.shrunk.as_ref()?;
    let test = ClientTest::<O>::new(minimum.client.clone());
    let mut report = test.reported(exploration.violation.as_ref()?).explored(exploration).shrunk(minimum);
    report.original_test = hunted.located.as_ref().map(|located| (&located.client).into());
    report.seconds.extend(hunted.phases.seconds());
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
    histories: usize,
    /// What is wrong with the history of the long run.
    message: Option<String>,
    minimum_test: Option<MinimumTest>,
    minimal_proven: bool,
    outcome: Option<Vec<serde_json::Value>>,
    /// What leaves no failing execution of the smallest client, first; then what rules one of them out, by cost.
    causes: Vec<Cause>,
    critical_races: Vec<CriticalRaces>,
    /// The file with the failing execution of the smallest client.
    replay: Option<String>,
    seconds: Seconds,
}

#[derive(Serialize)]
pub(super) struct Cause {
    sections: Vec<AtomicSection>,
    /// How many linearizable executions would be forbidden as well.
    disables: u64,
    /// Does no execution of the smallest client fail if these are atomic?
    verified: bool,
}

/// Without lines: all of the operation.
#[derive(Serialize, PartialEq)]
pub(super) struct AtomicSection {
    operation: String,
    file: Option<&'static str>,
    first_line: Option<u32>,
    last_line: Option<u32>,
}

#[derive(Serialize)]
pub(super) struct CriticalRaces {
    pattern: String,
    races: Vec<Vec<String>>,
}

pub(crate) fn sections(sections: &Sections) -> Vec<AtomicSection> {
    let section = |section: &Section| {
        let operation = section.operation.to_string();
        match section.extent {
            Extent::Lines { file, first, last } => {
                AtomicSection { operation, file: Some(file), first_line: Some(first), last_line: Some(last) }
            }
            Extent::Whole => AtomicSection { operation, file: None, first_line: None, last_line: None },
        }
    };
    sections.iter().map(section).collect()
}

pub(super) fn causes(explanation: &Explanation) -> Vec<Cause> {
    let cause = &explanation.cause;
    let verified = explanation.verification() == Verification::Verified;
    let of_client = Cause { sections: sections(&cause.sections), disables: cause.disables, verified };
    let ranked = explanation.rankings.iter().flat_map(|ranking| &ranking.ranked);
    let mut causes = vec![of_client];
    for ranked in ranked {
        let sections = sections(&ranked.sections);
        if causes.iter().all(|known| known.sections != sections) {
            causes.push(Cause { sections, disables: ranked.disables, verified: false });
        }
    }
    causes
}

pub(super) fn critical_races(explanation: &Explanation) -> Vec<CriticalRaces> {
    let races = |race: &Race| race.choices.iter().map(|choice| choice.place.to_string()).collect();
    let sequence = |sequence: &Sequence| CriticalRaces {
        pattern: sequence.pattern(),
        races: sequence.races.iter().map(races).collect(),
    };
    explanation.races.iter().flat_map(|races| &races.sequences).map(sequence).collect()
}

#[derive(Serialize)]
pub(super) struct MinimumTest {
    setup: Vec<String>,
    threads: Vec<Vec<String>>,
    epilogue: Vec<String>,
}

impl MinimumTest {
    pub fn of(client: &Client) -> MinimumTest {
        let texts = |invocations: &Vec<Invocation>| invocations.iter().map(ToString::to_string).collect();
        MinimumTest {
            setup: texts(&client.setup),
            threads: client.threads.iter().map(texts).collect(),
            epilogue: texts(&client.epilogue),
        }
    }
}

#[derive(Serialize)]
struct Seconds {
    running: f64,
    deciding: f64,
    locating: f64,
    shrinking: f64,
}

impl Report {
    fn of(about: &About<'_>, hunted: &Hunted, explanation: Option<&Explanation>, interrupt: &AtomicBool) -> Report {
        let is_interrupted = interrupt.load(Relaxed);
        let shrunk = hunted.shrunk.as_ref();
        let phases = &hunted.phases;
        Report {
            object: about.name.to_owned(),
            verdict: if hunted.detected.is_some() { "violation" } else { "unknown" },
            coverage: "bounded",
            bounded_by: match is_interrupted {
                true => vec!["an interrupt".into()],
                false => vec![format!("{} histories", hunted.histories)],
            },
            histories: hunted.histories,
            message: hunted.detected.as_ref().map(|detected| detected.message.clone()),
            minimum_test: shrunk.map(|shrunk| MinimumTest::of(&shrunk.minimum.client)),
            minimal_proven: shrunk.is_some_and(|shrunk| shrunk.minimum.is_proven),
            outcome: shrunk.and_then(|shrunk| shrunk.exploration.violation.as_ref()).map(|violation| {
                violation.calls.iter().map(|call| call.result.as_ref().map(json).unwrap_or_default()).collect()
            }),
            causes: explanation.map(causes).unwrap_or_default(),
            critical_races: explanation.map(critical_races).unwrap_or_default(),
            replay: None,
            seconds: Seconds {
                running: phases.running.as_secs_f64(),
                deciding: phases.deciding.as_secs_f64(),
                locating: phases.locating.as_secs_f64(),
                shrinking: phases.shrinking.as_secs_f64(),
            },
        }
    }
}

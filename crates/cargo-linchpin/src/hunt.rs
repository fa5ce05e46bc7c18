//! `linchpin hunt`: long runs of an object until one is wrong, and the smallest client that fails like it.

use std::sync::atomic::AtomicBool;

use linchpin::localize::eliminate::{Extent, Section, Sections};
use linchpin::localize::tree::{Race, Sequence};
use linchpin::localize::{Explanation, Verification};
use linchpin::{Builder, ClientTest, Hunt, Hunted, Invocation, MemoryModel, Object, Scheduler, hunt, report};
use linchpin_zoo::{Entry, Visitor, visit};
use serde::Serialize;

use crate::arguments::{self, Model};
use crate::exit::Exit;
use crate::output::{json, line, printed};
use crate::{interrupt, progress, zoo};

pub(crate) fn run(options: &arguments::Hunt) -> Exit {
    let result = zoo::find::entry(&options.object).and_then(|entry| {
        if options.scheduler == arguments::Scheduler::Native && !entry.memory_safe {
            return Err(format!(
                "{} may leave its memory when it goes wrong, so it is not run on native threads; use another scheduler",
                entry.name
            ));
        }
        visit(entry.name, Go(options)).ok_or_else(|| format!("{} is not in the zoo", entry.name))
    });
    result.unwrap_or_else(|message| {
        eprintln!("error: {message}");
        Exit::Unusable
    })
}

/// Hunts whatever type the object has.
struct Go<'a>(&'a arguments::Hunt);

impl Visitor for Go<'_> {
    type Answer = Exit;

    fn visit<O: Object>(self, entry: &'static Entry) -> Exit {
        let interrupt = interrupt::flag();
        let spinner = progress::spinner(format!("hunting {}", entry.name));
        let hunted = hunting::<O>(self.0).explore_until(&interrupt);
        spinner.set_message("looking for the cause".to_owned());
        let explanation = if hunted.is_interrupted { None } else { explain::<O>(&hunted) };
        spinner.finish_and_clear();
        let exit = if hunted.detected.is_some() { Exit::Violation } else { Exit::Undecided };
        match self.0.json {
            true => printed(&line(&Report::of(entry, &hunted, explanation.as_ref(), &interrupt)), exit),
            false => printed(&text(entry, &hunted, explanation.as_ref()), exit),
        }
    }
}

fn hunting<O: Object>(options: &arguments::Hunt) -> Hunt<O> {
    let depth = options.depth;
    let scheduler = match options.scheduler {
        arguments::Scheduler::Native => Scheduler::Native,
        arguments::Scheduler::Random => Scheduler::Random,
        arguments::Scheduler::Pct => Scheduler::Pct { depth },
        arguments::Scheduler::DPct => Scheduler::DPct { depth },
    };
    let model = match options.model {
        Model::Sc => MemoryModel::Sc,
        Model::C11 => MemoryModel::C11,
    };
    let hunt = hunt::<O>()
        .with(Builder::new().memory_model(model))
        .threads(options.threads)
        .operations(options.operations)
        .histories(options.histories)
        .scheduler(scheduler)
        .one_operation(options.one_operation)
        .seed(options.seed);
    match options.values {
        Some(values) => hunt.values(values),
        None => hunt,
    }
}

/// Why the smallest client fails, if it does so without weak memory.
fn explain<O: Object>(hunted: &Hunted) -> Option<Explanation> {
    let client: ClientTest<O> = hunted.shrunk.as_ref()?.minimum.client.to_string().parse().ok()?;
    Some(client.with(Builder::new().memory_model(MemoryModel::Sc)).explain())
}

fn text(entry: &Entry, hunted: &Hunted, explanation: Option<&Explanation>) -> String {
    let mut text = format!("{} ({})\n{hunted}\n", entry.name, entry.description);
    let violation = hunted.shrunk.as_ref().and_then(|shrunk| shrunk.exploration.violation.as_ref());
    if let Some(violation) = violation {
        text.push_str(&format!("\n{}", report::violation(violation)));
    }
    if let Some(explanation) = explanation {
        text.push_str(&format!("\n{}", report::explanation(explanation)));
    }
    text
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    object: &'static str,
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
    seconds: Seconds,
}

#[derive(Serialize)]
struct Cause {
    sections: Vec<AtomicSection>,
    /// How many linearizable executions would be forbidden as well.
    disables: u64,
    /// Does no execution of the smallest client fail if these are atomic?
    verified: bool,
}

/// Without lines: all of the operation.
#[derive(Serialize, PartialEq)]
struct AtomicSection {
    operation: String,
    file: Option<&'static str>,
    first_line: Option<u32>,
    last_line: Option<u32>,
}

#[derive(Serialize)]
struct CriticalRaces {
    pattern: String,
    races: Vec<Vec<String>>,
}

fn sections(sections: &Sections) -> Vec<AtomicSection> {
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

fn causes(explanation: &Explanation) -> Vec<Cause> {
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

fn critical_races(explanation: &Explanation) -> Vec<CriticalRaces> {
    let races = |race: &Race| race.choices.iter().map(|choice| choice.place.to_string()).collect();
    let sequence = |sequence: &Sequence| CriticalRaces {
        pattern: sequence.pattern(),
        races: sequence.races.iter().map(races).collect(),
    };
    explanation.races.iter().flat_map(|races| &races.sequences).map(sequence).collect()
}

#[derive(Serialize)]
struct MinimumTest {
    setup: Vec<String>,
    threads: Vec<Vec<String>>,
    epilogue: Vec<String>,
}

#[derive(Serialize)]
struct Seconds {
    running: f64,
    deciding: f64,
    locating: f64,
    shrinking: f64,
}

impl Report {
    fn of(entry: &Entry, hunted: &Hunted, explanation: Option<&Explanation>, interrupt: &AtomicBool) -> Report {
        let is_interrupted = interrupt.load(std::sync::atomic::Ordering::Relaxed);
        let texts =
            |invocations: &Vec<Invocation>| -> Vec<String> { invocations.iter().map(ToString::to_string).collect() };
        let shrunk = hunted.shrunk.as_ref();
        let phases = &hunted.phases;
        Report {
            object: entry.name,
            verdict: if hunted.detected.is_some() { "violation" } else { "unknown" },
            coverage: "bounded",
            bounded_by: match is_interrupted {
                true => vec!["an interrupt".into()],
                false => vec![format!("{} histories", hunted.histories)],
            },
            histories: hunted.histories,
            message: hunted.detected.as_ref().map(|detected| detected.message.clone()),
            minimum_test: shrunk.map(|shrunk| {
                let client = &shrunk.minimum.client;
                MinimumTest {
                    setup: texts(&client.setup),
                    threads: client.threads.iter().map(texts).collect(),
                    epilogue: texts(&client.epilogue),
                }
            }),
            minimal_proven: shrunk.is_some_and(|shrunk| shrunk.minimum.is_proven),
            outcome: shrunk.and_then(|shrunk| shrunk.exploration.violation.as_ref()).map(|violation| {
                violation.calls.iter().map(|call| call.result.as_ref().map(json).unwrap_or_default()).collect()
            }),
            causes: explanation.map(causes).unwrap_or_default(),
            critical_races: explanation.map(critical_races).unwrap_or_default(),
            seconds: Seconds {
                running: phases.running.as_secs_f64(),
                deciding: phases.deciding.as_secs_f64(),
                locating: phases.locating.as_secs_f64(),
                shrinking: phases.shrinking.as_secs_f64(),
            },
        }
    }
}

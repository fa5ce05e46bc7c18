//! `linchpin hunt`: long runs of an object until one is wrong, and the smallest client that fails like it.

use std::sync::atomic::AtomicBool;

use linchpin::{Builder, Hunt, Hunted, Invocation, MemoryModel, Object, Scheduler, hunt, report};
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
        spinner.finish_and_clear();
        let exit = if hunted.detected.is_some() { Exit::Violation } else { Exit::Undecided };
        match self.0.json {
            true => printed(&line(&Report::of(entry, &hunted, &interrupt)), exit),
            false => printed(&text(entry, &hunted), exit),
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

fn text(entry: &Entry, hunted: &Hunted) -> String {
    let mut text = format!("{} ({})\n{hunted}\n", entry.name, entry.description);
    let violation = hunted.shrunk.as_ref().and_then(|shrunk| shrunk.exploration.violation.as_ref());
    if let Some(violation) = violation {
        text.push_str(&format!("\n{}", report::violation(violation)));
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
    seconds: Seconds,
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
    fn of(entry: &Entry, hunted: &Hunted, interrupt: &AtomicBool) -> Report {
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
            seconds: Seconds {
                running: phases.running.as_secs_f64(),
                deciding: phases.deciding.as_secs_f64(),
                locating: phases.locating.as_secs_f64(),
                shrinking: phases.shrinking.as_secs_f64(),
            },
        }
    }
}

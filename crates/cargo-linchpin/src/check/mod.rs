//! `linchpin check`: recorded histories, one verdict each.

mod describe;
mod json;
mod lists;
mod picture;
mod text;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linchpin::command::{self, CheckRequest, Choice, Exit, Request};
use linchpin_check::{Limits, Verdict};
use linchpin_history::models::{Model, Options};
use linchpin_history::{FailedCas, Format, ReadOptions, Recording, read};
use linchpin_model::Value;

use crate::arguments::{self, Check, NilRead};
use crate::object::{self, Called};
use crate::output::printed;
use crate::{interrupt, progress};

/// A file that was decided.
struct Checked<'a> {
    /// Its name, as it was given.
    file: &'a str,
    model: &'a Model,
    recording: &'a Recording,
    verdict: &'a Verdict,
    /// How long reading and deciding took.
    reading: Duration,
    deciding: Duration,
}

pub(crate) fn run(options: &Check, called: Called) -> Exit {
    if options.list_models || options.list_formats {
        let listed = if options.list_models { lists::models() } else { lists::formats() };
        return printed(&listed, Exit::Holds);
    }
    match object_of(options) {
        Ok(Some((name, request))) => return object::check(name, Request::Check(request), options, called),
        Ok(None) => {}
        Err(message) => return object::unusable(&message),
    }
    let (model, reading) = match (model(options), reading(options)) {
        (Ok(model), Ok(reading)) => (model, reading),
        (Err(message), _) | (_, Err(message)) => {
            eprintln!("error: {message}");
            return Exit::Unusable;
        }
    };
    if options.output.report.is_some() || options.output.sarif.is_some() || options.emit.emit_test.is_some() {
        return object::unusable("--report, --sarif and --emit-test are for objects; --html and --svg draw a history");
    }
    if options.files.len() > 1 && (options.html.is_some() || options.svg.is_some()) {
        eprintln!("error: a picture shows one history; give one file with --html or --svg");
        return Exit::Unusable;
    }
    let interrupt = interrupt::flag();
    let mut exit = Exit::Holds;
    for file in &options.files {
        exit = exit.or(check_file(file, &model, &reading, options, &interrupt));
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
    }
    exit
}

/// The object that is meant, and what is asked about it, if it is not files that are.
fn object_of(options: &Check) -> Result<Option<(&str, CheckRequest)>, String> {
    let memory_model = options.model.as_deref().and_then(command::Model::of_name);
    let [one] = &options.files[..] else { return Ok(None) };
    let is_a_file = one == Path::new("-") || one.exists();
    match (one.to_str(), is_a_file, &options.model) {
        (Some(name), false, model) if model.is_none() || memory_model.is_some() => {
            let emit_test = options.emit.emit_test.is_some();
            Ok(Some((name, options.generated.check(memory_model, options.time_limit, emit_test))))
        }
        (_, _, None) => Err("what is it a history of? --model NAME says it; --list-models lists the names".into()),
        _ => Ok(None),
    }
}

/// Reads, decides, draws and reports one file.
fn check_file(file: &Path, model: &Model, options: &ReadOptions, check: &Check, interrupt: &Arc<AtomicBool>) -> Exit {
    let name = if file == Path::new("-") { "standard input".into() } else { file.display().to_string() };
    let unusable = |message: &dyn std::fmt::Display| {
        if check.output.json {
            return printed(&json::unusable(&name, &message.to_string()), Exit::Unusable);
        }
        eprintln!("{name}: {message}");
        Exit::Unusable
    };
    let progress = progress::spinner(format!("{name}: reading"));
    let start = Instant::now();
    let input: io::Result<Box<dyn BufRead>> = match file == Path::new("-") {
        true => Ok(Box::new(io::stdin().lock())),
        false => File::open(file).map(|file| Box::new(BufReader::with_capacity(1 << 16, file)) as Box<dyn BufRead>),
    };
    let recording = match input.map(|input| read(input, options)) {
        Err(error) => return unusable(&error),
        Ok(Err(error)) => return unusable(&error),
        Ok(Ok(recording)) => recording,
    };
    let reading = start.elapsed();
    progress.set_message(format!("{name}: {} operations, deciding", recording.history.len()));

    let limits = Limits {
        time: check.time_limit,
        memory: check.memory_limit,
        workers: check.workers,
        interrupt: Some(interrupt.clone()),
    };
    let start = Instant::now();
    let verdict = match model.check(&recording, &limits) {
        Err(error) => return unusable(&error),
        Ok(verdict) => verdict,
    };
    let checked =
        Checked { file: &name, model, recording: &recording, verdict: &verdict, reading, deciding: start.elapsed() };
    progress.finish_and_clear();

    let report =
        if check.output.json { json::checked(&checked, check.witness) } else { text::checked(&checked, check.witness) };
    let exit = match verdict {
        Verdict::Linearizable(_) => Exit::Holds,
        Verdict::Violation(_) => Exit::Violation,
        Verdict::Unknown(_) => Exit::Undecided,
    };
    let exit = printed(&report, exit);
    exit.or(drawn(&checked, check, &limits))
}

/// Writes the pictures that were asked for, after the verdict is out: what goes wrong here loses nothing.
fn drawn(checked: &Checked<'_>, check: &Check, limits: &Limits) -> Exit {
    let mut exit = Exit::Holds;
    let wanted = [(&check.html, true), (&check.svg, false)];
    for (file, interactive) in wanted {
        let Some(file) = file else { continue };
        let picture = picture::draw(checked, interactive, limits);
        match std::fs::write(file, picture) {
            Ok(()) if !check.output.json => eprintln!("drawn: {}", file.display()),
            Ok(()) => {}
            Err(error) => {
                eprintln!("error: cannot write {}: {error}", file.display());
                exit = Exit::Unusable;
            }
        }
    }
    exit
}

fn model(options: &Check) -> Result<Model, String> {
    let initial = options.initial.as_deref().map(initial).transpose()?;
    let name = options.model.as_deref().unwrap_or_default();
    let start = Options { initial, capacity: options.capacity, permits: options.permits };
    Model::by_name(name, start).map_err(|error| format!("{error}\n\nlinchpin check --list-models explains each"))
}

fn reading(options: &Check) -> Result<ReadOptions, String> {
    let format = match options.format.as_deref() {
        None => None,
        Some(name) => Some(Format::from_name(name).ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            format!("there is no format {name:?}; there are {}", names.join(", "))
        })?),
    };
    let failed_cas = options.failed_cas.map(|reading| match reading {
        arguments::FailedCas::Compared => FailedCas::Compared,
        arguments::FailedCas::DidNotHappen => FailedCas::DidNotHappen,
    });
    let nil_read_says_nothing = options.nil_read.map(|reading| reading == NilRead::Nothing);
    Ok(ReadOptions { format, failed_cas, nil_read_says_nothing })
}

/// An initial value: JSON, or the words that EDN has for nothing.
fn initial(text: &str) -> Result<Value, String> {
    if text == "nil" {
        return Ok(Value::Nil);
    }
    let wrong =
        || format!("--initial {text}: expected a value as in JSON: a whole number, null, true, \"text\" or a list");
    let json: serde_json::Value = serde_json::from_str(text).map_err(|_| wrong())?;
    value(&json).ok_or_else(wrong)
}

fn value(json: &serde_json::Value) -> Option<Value> {
    Some(match json {
        serde_json::Value::Null => Value::Nil,
        serde_json::Value::Bool(truth) => Value::Bool(*truth),
        serde_json::Value::Number(number) => Value::Integer(number.as_i64()?),
        serde_json::Value::String(text) => Value::from(text.as_str()),
        serde_json::Value::Array(items) => Value::list(items.iter().map(value).collect::<Option<Vec<_>>>()?),
        serde_json::Value::Object(_) => return None,
    })
}

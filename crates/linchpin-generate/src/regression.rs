//! A client and its admitted outcomes as a Rust test that needs nothing but the standard library.
//!
//! Results are compared as `{:?}` prints them: that asks least of their types, and reads well in the file. The threads keep
//! what they got and print it later, since printing would keep them apart.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::{self, Write};

use linchpin_model::{AnyObject, Client, Invocation, ObjectSource, OperationSource, Value};

use crate::Outcomes;
use crate::outcomes::Places;

/// Writes a test that runs the client of these outcomes and fails when its own is none of them: natively, under Miri, and
/// under linchpin. The file says how.
///
/// What counts are the outcomes: what only real time forbids passes.
///
/// `imports` are lines for the head of the file, which bring into scope what the object's description names. Without them,
/// the types that the description mentions are imported from where they are defined, which is right where that is public.
///
/// # Errors
/// When something cannot be written as Rust.
///
/// # Panics
/// When the client is not [valid](crate::validate).
pub fn regression_test(object: AnyObject, outcomes: &Outcomes, imports: Option<&str>) -> Result<String, NotWritten> {
    let source = object.source().ok_or(NotWritten::NoSource { object: object.name() })?;
    let imports = imports.map_or_else(|| import(&source.types), str::to_owned);
    let writer =
        Writer { object: object.name(), client: outcomes.client(), calls: calls(object, outcomes.client(), &source)? };
    let admitted = admitted(outcomes, &writer.calls)?;
    Ok(writer.file(&source, imports.trim(), &admitted).expect("a string takes all that is written"))
}

/// Why a test cannot be written as source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotWritten {
    /// The object was not described by `object!`, so there is no source text.
    NoSource {
        /// The object's name.
        object: &'static str,
    },
    /// Nobody has said how an argument is written in Rust.
    Argument {
        /// The invocation.
        invocation: Invocation,
        /// The name of the argument.
        argument: &'static str,
    },
    /// Nobody has said how a result is printed.
    Result {
        /// The invocation.
        invocation: Invocation,
        /// What it returned.
        value: Value,
    },
}

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotWritten::NoSource { object } => write!(
                f,
                "there is no source text of {object}; describe it with `object!`, or give it an `Object::source`"
            ),
            NotWritten::Argument { invocation, argument } => write!(
                f,
                "`{invocation}`: how to write `{argument}` in Rust is not known; give its type an `Argument::source`"
            ),
            NotWritten::Result { invocation, value } => write!(
                f,
                "`{invocation}`: how {{:?}} prints its result {value} is not known; give its type a `Comparable::debug`, \
                 or map it to another type with `=>`"
            ),
        }
    }
}

impl Error for NotWritten {}

/// An invocation as source.
struct Call {
    invocation: Invocation,
    operation: OperationSource,
    /// The expression, with the object as `object`.
    expression: String,
}

/// The invocations, in the order of the text.
fn calls(object: AnyObject, client: &Client, source: &ObjectSource) -> Result<Vec<Call>, NotWritten> {
    let operations = object.operations();
    let call = |invocation: &Invocation| {
        let position = operations.iter().position(|operation| *operation.name == *invocation.operation);
        let position = position.expect("the client is valid");
        let operation = source.operations[position].clone();
        let arguments = invocation.arguments.iter().zip(&operation.arguments).zip(&operations[position].arguments);
        let written = arguments.map(|((value, write), argument)| {
            let (invocation, argument) = (invocation.clone(), argument.name);
            write(value).ok_or(NotWritten::Argument { invocation, argument })
        });
        let arguments = written.collect::<Result<Vec<String>, NotWritten>>()?;
        let called = match operation.function {
            None => format!("object.{}({})", invocation.operation, arguments.join(", ")),
            Some(function) => {
                format!("({function})({})", [&["&object".to_owned()], &arguments[..]].concat().join(", "))
            }
        };
        let expression = operation.map.map_or(called.clone(), |map| format!("({map})({called})"));
        Ok(Call { invocation: invocation.clone(), operation, expression })
    };
    client.invocations().map(call).collect()
}

/// The outcomes as the test prints them.
fn admitted(outcomes: &Outcomes, calls: &[Call]) -> Result<BTreeSet<String>, NotWritten> {
    let print = |(call, value): (&Call, &Value)| {
        let unknown = || NotWritten::Result { invocation: call.invocation.clone(), value: value.clone() };
        (call.operation.debug)(value).ok_or_else(unknown)
    };
    let line = |values: &[Value]| Ok(calls.iter().zip(values).map(print).collect::<Result<Vec<_>, _>>()?.join(", "));
    outcomes.iter().map(|(outcome, _)| line(&outcome.0)).collect()
}

/// A line for each type that is not of the standard library. What is generic is taken apart.
fn import(types: &[&str]) -> String {
    let paths = types.iter().flat_map(|name| name.split(|c: char| !(c.is_alphanumeric() || "_:".contains(c))));
    let is_foreign =
        |path: &&str| path.contains("::") && !["std::", "core::", "alloc::"].iter().any(|s| path.starts_with(s));
    let lines: BTreeSet<String> = paths.filter(is_foreign).map(|path| format!("use {path};")).collect();
    Vec::from_iter(lines).join("\n")
}

/// The text before the imports, after the line that names the client.
const HOW_TO_RUN: &str = r#"//!
//! Written by linchpin. It needs the standard library and what it imports; put it into `tests/`.
//!
//! - `cargo test` runs the client on native threads, many times. What it does not see may still happen.
//! - `cargo miri test` runs it a few times; with `MIRIFLAGS=-Zmiri-many-seeds` under many schedules.
//! - `cargo test --features linchpin` explores all of its executions as well. That takes linchpin as a dev-dependency, an object
//!   that is built on the types of linchpin-sync, and a feature of that name: `linchpin = []`.

#![allow(unexpected_cfgs, unused_variables, clippy::all)]

#[cfg(feature = "linchpin")]
use linchpin::thread;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
#[cfg(not(feature = "linchpin"))]
use std::thread;
"#;

/// The text after the client.
const TESTS: &str = r#"
fn check(outcome: &str) {
    assert!(ADMITTED.contains(&outcome), "no order of the invocations returns {outcome}, but one of {ADMITTED:#?}");
}

#[test]
fn native_threads_see_nothing_else() {
    let rounds = if cfg!(miri) { 10 } else { 5_000 };
    for _ in 0..rounds {
        let missing = AtomicUsize::new(THREADS);
        let outcome = client(|| {
            missing.fetch_sub(1, SeqCst);
            let mut patience = 1_000;
            while missing.load(SeqCst) > 0 {
                if patience > 0 {
                    patience -= 1;
                    std::hint::spin_loop();
                } else {
                    std::thread::yield_now();
                }
            }
        });
        check(&outcome);
    }
}

#[test]
#[cfg(feature = "linchpin")]
fn no_execution_shows_anything_else() {
    linchpin::model(|| check(&client(|| ())));
}
"#;

struct Writer<'a> {
    object: &'static str,
    client: &'a Client,
    calls: Vec<Call>,
}

impl Writer<'_> {
    fn file(&self, source: &ObjectSource, imports: &str, admitted: &BTreeSet<String>) -> Result<String, fmt::Error> {
        let mut file = String::new();
        writeln!(file, "//! `{}` as a client of `{}`: what its threads may see.", self.client, self.object)?;
        file.push_str(HOW_TO_RUN);
        if !imports.is_empty() {
            writeln!(file, "\n{imports}")?;
        }
        writeln!(file, "\nconst THREADS: usize = {};\n", self.client.threads.len())?;
        writeln!(file, "/// What the invocations return, in the order of the text, if they run one after another.")?;
        writeln!(file, "#[rustfmt::skip]")?;
        writeln!(file, "const ADMITTED: [&str; {}] = [", admitted.len())?;
        for outcome in admitted {
            writeln!(file, "    {outcome:?},")?;
        }
        writeln!(file, "];\n")?;
        self.client_function(&mut file, source)?;
        file.push_str(TESTS);
        Ok(file)
    }

    /// The function that runs the client once.
    fn client_function(&self, file: &mut String, source: &ObjectSource) -> fmt::Result {
        let Places { setup, threads, epilogue } = Places::of(self.client);
        writeln!(file, "/// Runs the client once. Each thread calls `start` first.")?;
        writeln!(file, "fn client(start: impl Fn() + Sync) -> String {{")?;
        writeln!(file, "    let object: {} = {};", source.instance, source.create)?;
        self.sequence(file, &setup)?;
        if !threads.is_empty() {
            let results = |name: &dyn Fn(usize) -> String| -> Vec<String> {
                threads.iter().map(|places| tuple(places.iter().map(|&place| name(place)).collect())).collect()
            };
            writeln!(file, "    let {} = thread::scope(|scope| {{", tuple(results(&|place| format!("r{place}"))))?;
            for (thread, results) in results(&|place| self.calls[place].expression.clone()).iter().enumerate() {
                writeln!(file, "        let thread{thread} = scope.spawn(|| {{")?;
                writeln!(file, "            start();")?;
                writeln!(file, "            {results}")?;
                writeln!(file, "        }});")?;
            }
            let join = |thread: usize| format!("thread{thread}.join().unwrap()");
            writeln!(file, "        {}", tuple((0..threads.len()).map(join).collect()))?;
            writeln!(file, "    }});")?;
        }
        self.sequence(file, &epilogue)?;
        let results: Vec<String> = (0..self.calls.len()).map(|place| format!("{{r{place}:?}}")).collect();
        writeln!(file, "    format!(\"{}\")", results.join(", "))?;
        writeln!(file, "}}")
    }

    fn sequence(&self, file: &mut String, places: &[usize]) -> fmt::Result {
        places.iter().try_for_each(|&place| writeln!(file, "    let r{place} = {};", self.calls[place].expression))
    }
}

/// A tuple of these items.
fn tuple(items: Vec<String>) -> String {
    match &items[..] {
        [item] => format!("({item},)"),
        items => format!("({})", items.join(", ")),
    }
}

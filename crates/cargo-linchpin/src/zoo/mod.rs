//! `linchpin zoo`: the objects that there are.

pub(crate) mod find;

use std::fmt::Write;

use linchpin::command::Exit;
use linchpin_zoo::{Entry, Known, all};
use serde::Serialize;

use crate::arguments::Zoo;
use crate::output::{line, printed};

pub(crate) fn run(options: &Zoo) -> Exit {
    let text = if options.json { json() } else { text() };
    printed(&text, Exit::Holds)
}

/// A table, with a command to try below each object that has a fault.
fn text() -> String {
    let width = |of: fn(&Entry) -> &str| all().iter().map(|entry| of(entry).len()).max().unwrap_or(0);
    let (name, paper, is) = (width(|entry| entry.name), width(|entry| entry.paper), width(|entry| entry.specification));
    let mut text = format!("{:name$}  {:paper$}  {:is$}  description\n", "object", "paper", "is a");
    for entry in all() {
        let row =
            format!("{:name$}  {:paper$}  {:is$}  {}", entry.name, entry.paper, entry.specification, entry.description);
        text.push_str(&row);
        if entry.faulty {
            let _ = write!(text, "\n{:name$}    faulty; right: {}", "", entry.twin);
        }
        if let Some(Known { client, forbidden }) = entry.known.first() {
            let _ = write!(text, "; {client} returns {}", forbidden.join(" or "));
        }
        text.push('\n');
    }
    text.push_str(
        "\nTry one: linchpin client treiber-stack \"[push(1)] { pop() } || { pop() }\"\nMore about each: linchpin zoo --json\n",
    );
    text
}

/// What is printed for each object.
#[derive(Serialize)]
struct Object {
    name: &'static str,
    paper: &'static str,
    specification: &'static str,
    faulty: bool,
    /// The name of an object that does the same without the fault; its own if it has none.
    twin: &'static str,
    description: &'static str,
    /// May it be run on native threads?
    memory_safe: bool,
    operations: Vec<Operation>,
    /// Clients that show the fault.
    known: Vec<Shows>,
}

#[derive(Serialize)]
struct Operation {
    name: &'static str,
    arguments: Vec<&'static str>,
    read_only: bool,
}

#[derive(Serialize)]
struct Shows {
    client: &'static str,
    /// The outcomes that no order of the invocations explains.
    forbidden: &'static [&'static str],
}

fn json() -> String {
    let objects: Vec<Object> = all().iter().map(Object::of).collect();
    line(&objects)
}

impl Object {
    fn of(entry: &'static Entry) -> Object {
        let operation = |operation: linchpin::ObjectOperation| Operation {
            name: operation.name,
            arguments: operation.arguments.iter().map(|argument| argument.name).collect(),
            read_only: operation.read_only,
        };
        Object {
            name: entry.name,
            paper: entry.paper,
            specification: entry.specification,
            faulty: entry.faulty,
            twin: entry.twin,
            description: entry.description,
            memory_safe: entry.memory_safe,
            operations: entry.object.operations().into_iter().map(operation).collect(),
            known: entry.known.iter().map(|known| Shows { client: known.client, forbidden: known.forbidden }).collect(),
        }
    }
}

//! `linchpin demo`: from a stack that looks right to the lines that are to blame for it.
//!
//! The stack is the one of Figure 1 in the root-cause paper: `pop` reads a slot and empties it in two steps.

mod stack;

use linchpin::AnyObject;
use linchpin::command::{About, CheckRequest, ClientRequest, Exit, Model, Request, Session, run as ask};
use linchpin::{Builder, MemoryModel, client, dot};

use crate::arguments::Demo;
use crate::object::{Wanted, told, unusable};
use stack::{Faulty, Repaired};

/// The source of the stack, to be shown beside the report.
const SOURCE: &str = include_str!("stack.rs");

/// The smallest client that shows the fault.
const SMALLEST: &str = "[push(1)] { pop() } || { pop() }";

const NEXT: &str = "
What to type next:
  linchpin demo --repaired   the same client when `pop` takes the item by one swap
  linchpin demo --dot        the execution above as a drawing
  linchpin zoo               more objects with faults
  linchpin hunt k-stack      one whose fault takes a long run to show
To test your own code, see \"From nothing to a found bug\" in README.md.";

pub(crate) fn run(options: &Demo) -> Exit {
    match (options.repaired, options.dot) {
        (true, _) => show_repaired(),
        (false, true) => show_drawing(),
        (false, false) => show_fault(),
    }
}

fn about(name: &str) -> About<'_> {
    About { name, description: None, imports: None }
}

fn show_fault() -> Exit {
    println!("A stack in an array, from crates/cargo-linchpin/src/demo/stack.rs:\n\n{}", excerpt(&["push", "pop"]));
    println!(
        "Find it, shrink it, pin it: clients are generated, and every execution of each is compared with the same operations,\n\
         run one after another. What fails is shrunk, and explained.\n"
    );
    let request = Request::Check(CheckRequest { model: Some(Model::Sc), ..CheckRequest::default() });
    match ask(AnyObject::of::<Faulty>(), &about("the stack"), &request, &Session::quiet()) {
        Ok(mut answer) if answer.exit == Exit::Violation => {
            // Nobody could find the stack again by its name.
            if let Some(report) = &mut answer.report {
                report.replay_command = None;
            }
            told(&[answer], &Wanted::default());
            println!("{NEXT}");
            Exit::Holds
        }
        Ok(_) => nothing_found(),
        Err(message) => unusable(&message),
    }
}

fn show_drawing() -> Exit {
    let explored = client::<Faulty>(SMALLEST).with(Builder::new().memory_model(MemoryModel::Sc)).explore();
    let Some(violation) = explored.violation else {
        return nothing_found();
    };
    print!("{}", dot::execution(&violation.execution));
    Exit::Holds
}

fn show_repaired() -> Exit {
    println!("The stack with a `pop` that takes the item by one swap:\n\n{}", excerpt(&["pop_repaired"]));
    let request = ClientRequest { client: SMALLEST.to_owned(), model: Some(Model::Sc), ..ClientRequest::default() };
    match ask(AnyObject::of::<Repaired>(), &about("the repaired stack"), &Request::Client(request), &Session::quiet()) {
        Ok(answer) => told(&[answer], &Wanted::default()),
        Err(message) => unusable(&message),
    }
}

/// The demo has to find its fault.
fn nothing_found() -> Exit {
    eprintln!("The fault of the stack was not found. That is a bug in Linchpin.");
    Exit::Undecided
}

/// The named functions of the stack, as in the source, with line numbers.
fn excerpt(functions: &[&str]) -> String {
    let mut text = String::new();
    for function in functions {
        let head = format!("    fn {function}(");
        let lines = SOURCE.lines().zip(1..).skip_while(|(line, _)| !line.starts_with(&head));
        for (line, number) in lines {
            text.push_str(&format!("{number:4}  {line}\n"));
            if line == "    }" {
                break;
            }
        }
    }
    text
}

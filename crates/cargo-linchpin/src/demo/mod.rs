//! `linchpin demo`: from a stack that looks right to the execution that shows it is not.
//!
//! The stack is the one of Figure 1 in the root-cause paper: `pop` reads a slot and empties it in two steps.

mod stack;

use linchpin::command::Exit;
use linchpin::{Builder, Exploration, MemoryModel, dot, report};

use crate::arguments::Demo;

/// The source of the stack, to be shown beside the report.
const SOURCE: &str = include_str!("stack.rs");

const NEXT: &str = "\
The fault: `pop` loads a slot and empties it in two steps, and another `pop` comes in between.

What to type next:
  linchpin demo --repaired   the same client when `pop` takes the item by one swap
  linchpin demo --dot        the execution above as a drawing
  linchpin zoo               more objects with faults, and what to type to see them
To check your own code, see \"In your own crate\" in README.md.
";

pub(crate) fn run(options: &Demo) -> Exit {
    match (options.repaired, options.dot) {
        (true, _) => show_repaired(),
        (false, true) => show_drawing(),
        (false, false) => show_fault(),
    }
}

fn explore(test: fn()) -> Exploration {
    Builder::new().memory_model(MemoryModel::Sc).explore(test)
}

fn show_fault() -> Exit {
    println!("A stack in an array, from crates/cargo-linchpin/src/demo/stack.rs:\n\n{}", excerpt(&["push", "pop"]));
    println!("The client {{ push(1) }} || {{ push(2); pop() }} || {{ pop() }} must not pop an element twice.");
    println!("Exploring every interleaving until one fails …\n");
    let exploration = explore(stack::faulty);
    print!("{}", report::summary(&exploration));
    let Some(violation) = &exploration.violation else {
        return nothing_found();
    };
    println!("\n{}\n{NEXT}", report::violation(violation));
    Exit::Holds
}

fn show_drawing() -> Exit {
    let Some(violation) = explore(stack::faulty).violation else {
        return nothing_found();
    };
    print!("{}", dot::execution(&violation.execution));
    Exit::Holds
}

fn show_repaired() -> Exit {
    println!("The stack with a `pop` that takes the item by one swap:\n\n{}", excerpt(&["pop_repaired"]));
    let exploration = explore(stack::repaired);
    print!("{}", report::summary(&exploration));
    match &exploration.violation {
        Some(violation) => {
            println!("\n{}", report::violation(violation));
            Exit::Violation
        }
        None if exploration.coverage.is_complete() => Exit::Holds,
        None => Exit::Undecided,
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

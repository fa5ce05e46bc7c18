//! Linchpin side by side with its peers: the same programs and the same histories, one after the other.
//!
//! `cargo run --release -p linchpin-bench -- engine` measures exhaustive exploration, `… -- histories` measures how
//! long it takes to decide whether a history is linearizable, `… -- clients` how fast clients of objects are run, `… -- contracts`
//! how long contracts under C11 take, `… -- pin` how long it takes to say why a client fails, and `… -- peers` runs tools that are
//! not crates, where they are installed. What a figure means is said where it is taken, in the modules of [`engine`], [`tools`],
//! [`histories`], [`clients`], [`contracts`], [`pin`] and [`peers`]. Timings are never asserted; numbers of executions and
//! verdicts are.

mod arguments;
mod clients;
mod contracts;
mod engine;
mod histories;
mod measurement;
mod output;
mod peers;
mod pin;
mod processor;
mod programs;
mod progress;
mod resident;
mod shrink;
mod text;
mod tools;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Engine(options) => engine::run(&options),
        Command::Histories(options) => histories::run(&options),
        Command::Clients(options) => clients::run(&options),
        Command::Shrink(options) => shrink::run(&options),
        Command::Peers(options) => peers::run(&options),
        Command::Pin(options) => pin::run(&options),
        Command::Contracts(options) => contracts::run(&options),
        Command::Decide(order) => histories::decide(&order),
    }
}

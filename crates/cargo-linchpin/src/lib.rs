//! The commands `linchpin …` and `cargo linchpin …`: arguments, output and exit codes. What they do is done by the
//! `linchpin` crate.

mod arguments;
mod check;
mod client;
mod demo;
mod exit;
mod explain;
mod generate_history;
mod hunt;
mod interrupt;
mod output;
mod progress;
mod quantity;
mod replay;
mod reproduce;
mod zoo;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

/// Runs the program with the arguments of a process, its name first.
///
/// Wrong usage, `--help` and `--version` print what they have to and end the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = Arguments::parse_from(without_subcommand_name(arguments));
    let exit = match arguments.command {
        Command::Demo(options) => demo::run(&options),
        Command::Zoo(options) => zoo::run(&options),
        Command::Client(options) => client::run(&options),
        Command::Stress(options) => client::run(&(*options).into()),
        Command::Hunt(options) => hunt::run(&options),
        Command::Replay(options) => replay::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Check(options) => check::run(&options),
        Command::GenerateHistory(options) => generate_history::run(&options),
        Command::Reproduce(options) => reproduce::run(&options.paper),
    };
    exit.into()
}

/// Cargo passes the subcommand's name as the first argument; `linchpin` itself is never called like that.
fn without_subcommand_name(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|first| first == "linchpin") {
        arguments.remove(1);
    }
    arguments
}

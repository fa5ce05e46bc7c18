//! The commands `linchpin …` and `cargo linchpin …`: arguments, output and exit codes. What they do is done by the
//! `linchpin` crate.

mod arguments;
mod audit;
mod check;
mod completions;
mod demo;
mod explain;
mod generate_history;
mod init;
mod interrupt;
mod names;
mod object;
mod output;
mod progress;
mod quantity;
mod replay;
mod reproduce;
mod test;
mod workspace;
mod zoo;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use linchpin::Settings;
use linchpin::command::Exit;

use arguments::{Arguments, Command};
use object::Called;

/// Runs the program with the arguments of a process, its name first.
///
/// Wrong usage, `--help` and `--version` print what they have to and end the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let (called, arguments) = without_subcommand_name(arguments);
    let arguments = Arguments::parse_from(arguments);
    // Whoever asks for settings later finds them in order.
    let exit = match Settings::read() {
        Ok(_) => command(&arguments.command, called),
        Err(error) => object::unusable(&error.to_string()),
    };
    exit.into()
}

fn command(command: &Command, called: Called) -> Exit {
    match command {
        Command::Demo(options) => demo::run(options),
        Command::Zoo(options) => zoo::run(options),
        Command::Client(options) => object::client(options, called),
        Command::Stress(options) => object::client(&(**options).clone().into(), called),
        Command::Hunt(options) => object::hunt(options, called),
        Command::Replay(options) => replay::run(options, called),
        Command::Explain(options) => explain::run(options, called),
        Command::Check(options) => check::run(options, called),
        Command::Audit(options) => audit::run(options, called),
        Command::Init(options) => init::run(options),
        Command::Test(options) => test::run(options),
        Command::GenerateHistory(options) => generate_history::run(options),
        Command::Reproduce(options) => reproduce::run(&options.paper),
        Command::Completions(options) => completions::run(options),
    }
}

/// Cargo passes the subcommand's name as the first argument; `linchpin` itself is never called like that.
fn without_subcommand_name(arguments: impl IntoIterator<Item = OsString>) -> (Called, Vec<OsString>) {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|first| first == "linchpin") {
        arguments.remove(1);
        return (Called::ByCargo, arguments);
    }
    (Called::Alone, arguments)
}

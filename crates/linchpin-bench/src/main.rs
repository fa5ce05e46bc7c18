//! Linchpin side by side with its peers: the same programs, in the same process, one after the other.
//!
//! `cargo run --release -p linchpin-bench -- engine` measures exhaustive exploration. What a figure means is said where
//! it is taken, in the modules of [`engine`] and [`tools`]. Timings are never asserted; numbers of executions are.

mod arguments;
mod engine;
mod measurement;
mod programs;
mod progress;
mod text;
mod tools;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Engine(options) => engine::run(&options),
    }
}

//! Runs one program of the bench's catalogue once: `linchpin-bench-miri PROGRAM`. Which of its executions that is, is up to
//! Miri and its seed.

mod programs;

use std::env;
use std::process::ExitCode;

use programs::CATALOGUE;

fn main() -> ExitCode {
    let name = env::args().nth(1).unwrap_or_default();
    let Some(&(_, program)) = CATALOGUE.iter().find(|(entry, _)| *entry == name) else {
        let names: Vec<&str> = CATALOGUE.iter().map(|(name, _)| *name).collect();
        eprintln!("no program «{name}»; there are {}", names.join(", "));
        return ExitCode::FAILURE;
    };
    programs::run(program);
    ExitCode::SUCCESS
}

//! Miri: it interprets a program, and does so once for every seed.
//!
//! How often it fails is counted over so many seeds; how long it takes until a fault is seen is the time of trying all seeds up
//! to the first that fails. Both are of the whole command as a user types it, which takes some tenths of a second to start. It
//! uses all cores, so times are those of processors, all cores together, and linchpin's are, too. Building the standard library
//! and the programs comes before.

use std::process::Command;
use std::time::Duration;

use crate::arguments::Peers;
use crate::programs::{CATALOGUE, Program};
use crate::progress;

use super::comparison::{Comparison, Found, Looked, Trial};
use super::{Section, ours, process, scratch, sources};

const NAME: &str = "Miri";

/// More than building the standard library takes, or trying some thousand seeds.
const PATIENCE: Duration = Duration::from_secs(1800);

/// Tries the programs that are asked for.
pub(super) fn measure(options: &Peers) -> Option<Result<Section<Comparison>, String>> {
    let wanted: Vec<_> = CATALOGUE.iter().filter(|(name, _)| options.wants(NAME, name)).collect();
    let &&(first, _) = wanted.first()?;
    let miri = Miri { toolchain: &options.toolchain };
    progress::begin(format_args!("{NAME}: building"));
    let version = match process::version(miri.command().arg("--version")) {
        Ok(version) => version,
        Err(error) => return Some(Err(missing(&options.toolchain, &error))),
    };
    if let Err(error) = miri.build(first) {
        return Some(Err(format!("{NAME}: {version} does not build the programs: {error}")));
    }
    let rows = wanted.into_iter().map(|&(program, body)| {
        progress::begin(format_args!("{NAME}: {program}"));
        let theirs = Trial { tool: NAME, outcome: miri.look(program, options.seeds).into() };
        Comparison { program, is_faulty: matches!(body, Program::Faulty(_)), tools: vec![ours::measure(body), theirs] }
    });
    Some(Ok(Section { version, rows: rows.collect() }))
}

fn missing(toolchain: &str, error: &str) -> String {
    format!(
        "{NAME}: «rustup run {toolchain} cargo miri» does not work: {error}. \
         Install it with «rustup toolchain install {toolchain} --component miri,rust-src», or name another toolchain with --toolchain."
    )
}

struct Miri<'a> {
    toolchain: &'a str,
}

impl Miri<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new("rustup");
        command.args(["run", self.toolchain, "cargo", "miri"]);
        command.current_dir(sources("miri")).env("CARGO_TARGET_DIR", scratch("miri")).env_remove("MIRIFLAGS");
        command
    }

    /// Builds the standard library and the programs, so that no time has that.
    fn build(&self, program: &str) -> Result<(), String> {
        process::run(self.command().arg("setup"), PATIENCE)?.succeeded()?;
        self.seeds(program, 1).map(drop)
    }

    /// Tries so many seeds on a program.
    fn seeds(&self, program: &str, seeds: u64) -> Result<(Seeds, f64), String> {
        // Nodes of stacks and queues are never freed.
        let flags = format!("-Zmiri-ignore-leaks -Zmiri-many-seeds=0..{seeds} -Zmiri-many-seeds-keep-going");
        let run = ["run", "--quiet", "--", program];
        let ended = process::run(self.command().args(run).env("MIRIFLAGS", flags), PATIENCE)?;
        let read = Seeds::read(&ended.stderr);
        if read.tried != seeds || read.failing.is_empty() != ended.success {
            return Err(ended.last_words());
        }
        Ok((read, ended.processor_seconds))
    }

    fn look(&self, program: &str, seeds: u64) -> Result<Looked, String> {
        let (all, seconds) = self.seeds(program, seeds)?;
        let found = match all.failing.iter().min() {
            Some(first) => {
                let after = first + 1;
                Some(Found { after, seconds: self.seeds(program, after)?.1 })
            }
            None => None,
        };
        Ok(Looked {
            executions: seeds,
            failing: all.failing.len() as u64,
            are_all: false,
            seconds: Some(seconds),
            found,
        })
    }
}

/// What Miri says of many seeds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seeds {
    /// How many it has begun with.
    tried: u64,
    /// Those with which the program failed, in any order: several are tried at once.
    failing: Vec<u64>,
}

impl Seeds {
    fn read(said: &str) -> Self {
        let mut seeds = Seeds::default();
        for line in said.lines() {
            if line.starts_with("Trying seed: ") {
                seeds.tried += 1;
            } else if let Some(seed) = line.strip_prefix("FAILING SEED: ") {
                seeds.failing.extend(seed.trim().parse::<u64>());
            }
        }
        seeds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of miri 0.1.0 (92b5b8c87c 2026-10-29), shortened.
    const SAID: &str = "\
Trying seed: 0
Trying seed: 3
Trying seed: 1

thread 'main' (1000) panicked at src/programs/../../../../src/programs/faults.rs:64:9:
Some(1) is popped twice
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
note: in Miri, you may have to set `MIRIFLAGS=-Zmiri-env-forward=RUST_BACKTRACE` for the environment variable to have an effect
Trying seed: 2
FAILING SEED: 1

thread 'main' (1000) panicked at src/programs/../../../../src/programs/faults.rs:64:9:
Some(1) is popped twice
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
FAILING SEED: 2
2/4 SEEDS FAILED
";

    #[test]
    fn seeds_are_counted_and_failing_ones_are_known() {
        assert_eq!(Seeds::read(SAID), Seeds { tried: 4, failing: vec![1, 2] });
    }

    #[test]
    fn who_says_something_else_has_tried_nothing() {
        let said = "error: the option `Z` is only accepted on the nightly compiler\n";
        assert_eq!(Seeds::read(said), Seeds::default());
    }
}

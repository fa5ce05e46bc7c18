//! What can be typed.

mod choice;
mod failures;
mod location;
mod objects;
mod output;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use linchpin::command::duration;

use crate::quantity::bytes;

pub(crate) use failures::{Explain, Replay};
pub(crate) use location::Location;
pub(crate) use objects::{Audit, Cgvt, Client, Emit, Generated, Hunt, Paper, Reproduce, Rows, Stress, Violat, Zoo};
pub(crate) use output::Output;

const EXAMPLES: &str = r#"Examples:
  linchpin demo              find the fault of a small concurrent stack
  linchpin demo --repaired   explore the repaired stack: nothing left to find
  linchpin demo --dot        draw the failing execution: pipe it into `dot -Tsvg`
  linchpin zoo               objects to try things on
  linchpin client treiber-stack "[push(1)] { pop() } || { pop() }"
                             every execution of one client of an object
  linchpin stress treiber-stack "[push(1)] { pop() } || { pop() }"
                             the same client on native threads
  linchpin explain treiber-stack "[push(1)] { pop() } || { pop() }"
                             why it fails
  linchpin check treiber-stack
                             generated clients of an object, each through every execution
  linchpin check history.jsonl --model queue
                             decide whether a recorded history is linearizable
  linchpin generate-history --model queue --violate > bad.jsonl
                             make a history to try that on
  cargo linchpin init        write a first test into your crate
  cargo linchpin client Fifo "[push(1)] { pop() } || { pop() }"
                             the same with an object of your tests

`cargo linchpin …` is the same as `linchpin …`, and looks for objects in the tests of your crate, too. Defaults can be set in
linchpin.toml and by variables such as LINCHPIN_MODEL.

Exit codes: 0 holds, 1 violation, 2 wrong usage or unreadable input, 3 undecided within the budget."#;

/// A model checker for concurrent Rust.
#[derive(Debug, Parser)]
#[command(name = "linchpin", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The two-minute tour: a stack that looks right, the execution that shows it is not, and what to do about it.
    Demo(Demo),
    /// List the objects of the zoo: from the literature, each with its fault and without.
    #[command(after_help = objects::ZOO_EXAMPLES)]
    Zoo(Zoo),
    /// Try one client of an object: in every execution, with random schedules, or on native threads.
    #[command(after_help = objects::CLIENT_EXAMPLES)]
    Client(Box<Client>),
    /// Run one client of an object on native threads, and count its outcomes.
    #[command(after_help = objects::STRESS_EXAMPLES)]
    Stress(Box<Stress>),
    /// Runs an object through long random clients until one is wrong, and finds the smallest client that fails like it.
    #[command(after_help = objects::HUNT_EXAMPLES)]
    Hunt(Box<Hunt>),
    /// Run the one execution of a replay file again, and show it.
    #[command(after_help = failures::REPLAY_EXAMPLES)]
    Replay(Replay),
    /// Say why a client fails: the smallest one that does, what would have to be atomic, and the races that decide.
    #[command(after_help = failures::EXPLAIN_EXAMPLES)]
    Explain(Box<Explain>),
    /// Try generated clients of an object, or decide whether recorded histories are linearizable; say why or why not.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<Check>),
    /// Say of every atomic access whether its memory order is needed, and which to strengthen when a test fails.
    #[command(after_help = objects::AUDIT_EXAMPLES)]
    Audit(Box<Audit>),
    /// Write a first test into the crate in which this is run.
    #[command(after_help = INIT_EXAMPLES)]
    Init(Init),
    /// Run the tests of the crate in which this is run, with progress, and say where the reports are.
    #[command(after_help = TEST_EXAMPLES)]
    Test(Test),
    /// Make a history whose verdict is known, in the JSON lines format that `check` reads.
    #[command(after_help = GENERATE_EXAMPLES)]
    GenerateHistory(GenerateHistory),
    /// The tables of a paper, theirs and ours side by side.
    Reproduce(Reproduce),
    /// Print what makes a shell complete these commands.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(Completions),
}

const INIT_EXAMPLES: &str = "\
Examples:
  cargo linchpin init
  cargo linchpin init --linchpin ../linchpin
  cargo linchpin init --file tests/queue.rs

Writes a test that passes as it is, for you to put your type in, and adds the dev-dependency. Overwrites nothing.

Exit codes: 0 written; 2 not, and why.";

#[derive(Args, Clone, Debug)]
pub(crate) struct Init {
    /// Where to write the test.
    #[arg(long, value_name = "FILE", default_value = "tests/linchpin.rs")]
    pub file: PathBuf,
    /// Where Linchpin's sources are; otherwise where this command was built from, if they are still there.
    #[arg(long, value_name = "DIRECTORY")]
    pub linchpin: Option<PathBuf>,
    /// Do not touch Cargo.toml: say what to add.
    #[arg(long)]
    pub no_add: bool,
    /// Do not use the network.
    #[arg(long)]
    pub offline: bool,
}

const TEST_EXAMPLES: &str = "\
Examples:
  cargo linchpin test
  cargo linchpin test --release the_queue_is_linearizable
  cargo linchpin test -p my-queues -- --test-threads 1

All arguments go to `cargo test`.

Exit codes: 0 all tests pass; 1 a test fails; 2 the tests do not build.";

#[derive(Args, Clone, Debug)]
pub(crate) struct Test {
    /// Arguments of `cargo test`.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<std::ffi::OsString>,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  linchpin completions bash > ~/.local/share/bash-completion/completions/linchpin
  linchpin completions zsh > ~/.zfunc/_linchpin
  linchpin completions fish > ~/.config/fish/completions/linchpin.fish

Exit code: 0.";

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Demo {
    /// Explore the stack with its fault repaired.
    #[arg(long)]
    pub repaired: bool,
    /// Print the failing execution as a drawing in the DOT language, and nothing else.
    #[arg(long, conflicts_with = "repaired")]
    pub dot: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  linchpin check treiber-stack
  linchpin check pair-snapshot --threads 3 --invocations 5 --values 3 --max-clients 2000 --model sc
  linchpin check striped-map --report reports --sarif striped-map.sarif
  cargo linchpin check Fifo --emit-test tests/fifo.rs
  linchpin check history.jsonl --model queue
  linchpin check jepsen.edn --model cas-register --time-limit 10s --memory-limit 1GB --json
  linchpin check history.jsonl --model stack --html stack.html
  some-recorder | linchpin check - --model register --initial 0
  linchpin check --list-models

The formats are described in docs/src/history-formats.md; which one a file has is found out from its beginning.

What is not a file is an object: of the zoo, or with `cargo linchpin` one of your tests. The options up to --emit-test, --report and --sarif are for objects; a history is drawn by --html and --svg.

Exit codes: 0 linearizable, 1 violation, 2 wrong usage or unusable input, 3 undecided within the limits.
Of an object, 0 says that no execution of the clients that were generated is wrong. Of several files, a violation counts most, then unusable input, then an undecided file.";

#[derive(Args, Clone, Debug)]
pub(crate) struct Check {
    /// The recorded histories, where `-` is standard input; or an object.
    #[arg(value_name = "FILE|OBJECT", required_unless_present_any = ["list_models", "list_formats"])]
    pub files: Vec<PathBuf>,
    /// What the history is a history of: queue, cas-register, … (see --list-models). Of an object, the memory model: sc or
    /// c11.
    #[arg(long, short, value_name = "NAME")]
    pub model: Option<String>,
    #[command(flatten)]
    pub generated: Generated,
    #[command(flatten)]
    pub emit: Emit,
    /// List the models, with their operations and the names these go by.
    #[arg(long)]
    pub list_models: bool,
    /// List the file formats.
    #[arg(long)]
    pub list_formats: bool,
    /// The format of the files, instead of finding it out.
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// What registers, keys and counters hold at first, as JSON (`0`, `null`, `"text"`); otherwise the format's
    /// convention.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub initial: Option<String>,
    /// How many elements a bounded queue has room for.
    #[arg(long, value_name = "N")]
    pub capacity: Option<u64>,
    /// How many permits a semaphore starts with.
    #[arg(long, value_name = "N")]
    pub permits: Option<u64>,
    /// What a compare-and-set did that is recorded as failed; otherwise the format's convention.
    #[arg(long, value_enum, value_name = "READING")]
    pub failed_cas: Option<FailedCas>,
    /// What a read says that is recorded to have returned nil; otherwise the format's convention.
    #[arg(long, value_enum, value_name = "READING")]
    pub nil_read: Option<NilRead>,
    /// Give up after this time, per file or client: 10s, 500ms, 2m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    /// Give up when the search needs more memory than this: 1GB, 512MB.
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "4GB")]
    pub memory_limit: usize,
    /// Decide this many independent parts (keys) at once; otherwise as many as there are cores.
    #[arg(long, value_name = "N")]
    pub workers: Option<NonZeroUsize>,
    #[command(flatten)]
    pub output: Output,
    /// Print the order that explains a linearizable history.
    #[arg(long)]
    pub witness: bool,
    /// Draw the history as a page for a browser.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Draw the history as a picture.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub location: Location,
}

const GENERATE_EXAMPLES: &str = "\
Examples:
  linchpin generate-history --model queue --operations 10000 --processes 16 --seed 7 > ok.jsonl
  linchpin generate-history --model stack --violate --output bad.jsonl
  linchpin generate-history --model queue --values 5 | linchpin check - --model queue

The same options give the same history everywhere. `linchpin check --list-models` lists the models.

Exit codes: 0 written, 2 wrong usage, or there is no such history.";

#[derive(Args, Clone, Debug)]
pub(crate) struct GenerateHistory {
    /// What it is a history of.
    #[arg(long, short, value_name = "NAME")]
    pub model: String,
    /// How many operations are called.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub operations: usize,
    /// How many processes call them; each is always inside an operation.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub processes: usize,
    /// Chooses among the possible histories.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Make one that is certainly not linearizable.
    #[arg(long)]
    pub violate: bool,
    /// Use only so many different values, over and over, instead of distinct ones.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub values: Option<u64>,
    /// How many keys there are, in models that have keys.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub keys: u64,
    /// Which fraction of the operations never returns, from 0 to 1.
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0, value_parser = fraction)]
    pub pending: f64,
    /// How many elements a bounded queue has room for.
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub capacity: u64,
    /// How many permits a semaphore starts with.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub permits: u64,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(fraction) if (0.0..=1.0).contains(&fraction) => Ok(fraction),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

/// The two readings of a compare-and-set that is recorded as failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailedCas {
    /// It happened: the comparison was made, and failed.
    Compared,
    /// It did not happen.
    DidNotHappen,
}

/// The two readings of a read that returned nil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NilRead {
    /// The register was nil.
    Nil,
    /// Nothing: what was read is not known.
    Nothing,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}

//! What can be typed.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::quantity::{bytes, duration};

const EXAMPLES: &str = "\
Examples:
  linchpin demo              find the fault of a small concurrent stack
  linchpin demo --repaired   explore the repaired stack: nothing left to find
  linchpin demo --dot        draw the failing execution: pipe it into `dot -Tsvg`
  linchpin check history.jsonl --model queue
                             decide whether a recorded history is linearizable

`cargo linchpin …` is the same as `linchpin …`.

Exit codes: 0 holds, 1 violation, 2 wrong usage or unreadable input, 3 undecided within the budget.";

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
    /// Decide whether recorded histories are linearizable, and say why or why not.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<Check>),
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
  linchpin check history.jsonl --model queue
  linchpin check jepsen.edn --model cas-register --time-limit 10s --memory-limit 1GB --json
  linchpin check history.jsonl --model stack --html stack.html
  some-recorder | linchpin check - --model register --initial 0
  linchpin check --list-models

The formats are described in docs/history-formats.md; which one a file has is found out from its beginning.

Exit codes: 0 linearizable, 1 violation, 2 wrong usage or unusable input, 3 undecided within the limits.
Of several files, a violation counts most, then unusable input, then an undecided file.";

#[derive(Args, Clone, Debug)]
pub(crate) struct Check {
    /// The recorded histories; `-` is standard input.
    #[arg(value_name = "FILE", required_unless_present_any = ["list_models", "list_formats"])]
    pub files: Vec<PathBuf>,
    /// What the history is a history of: queue, cas-register, … (see --list-models).
    #[arg(long, short, value_name = "NAME", required_unless_present_any = ["list_models", "list_formats"])]
    pub model: Option<String>,
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
    /// Give up after this time, per file: 10s, 500ms, 2m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    /// Give up when the search needs more memory than this: 1GB, 512MB.
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "4GB")]
    pub memory_limit: usize,
    /// Decide this many independent parts (keys) at once; otherwise as many as there are cores.
    #[arg(long, value_name = "N")]
    pub workers: Option<NonZeroUsize>,
    /// Print one JSON object per file.
    #[arg(long)]
    pub json: bool,
    /// Print the order that explains a linearizable history.
    #[arg(long)]
    pub witness: bool,
    /// Draw the history as a page for a browser.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Draw the history as a picture.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
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

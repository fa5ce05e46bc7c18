//! What can be typed.

use clap::{Args, Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  linchpin demo              find the fault of a small concurrent stack
  linchpin demo --repaired   explore the repaired stack: nothing left to find
  linchpin demo --dot        draw the failing execution: pipe it into `dot -Tsvg`

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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}

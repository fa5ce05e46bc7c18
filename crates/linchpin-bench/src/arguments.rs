//! What can be typed.

use std::time::Duration;

use clap::{Args, Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  linchpin-bench engine                        everything; about eight minutes
  linchpin-bench engine --quick                short budgets, no memory row; a minute or two
  linchpin-bench engine --filter treiber       the rows whose name contains «treiber»
  linchpin-bench engine --json > engine.json   one JSON document instead of tables

Measure release builds on an otherwise idle machine: cargo run --release -p linchpin-bench -- engine";

/// Linchpin, loom and shuttle on the same programs in the same run.
#[derive(Debug, Parser)]
#[command(name = "linchpin-bench", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Exhaustive exploration: executions, time, rate, memory, cost of an access.
    ///
    /// Exits with 1 if linchpin finds another number of executions than it must.
    #[command(after_help = EXAMPLES)]
    Engine(Engine),
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Engine {
    /// Print one JSON document instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Only rows whose name contains this; case does not matter, and x may stand for ×.
    #[arg(long, value_name = "NAME")]
    pub filter: Option<String>,
    /// Short budgets, and no row that takes long.
    #[arg(long)]
    pub quick: bool,
    /// How long each tool may spend on each program; 20 unless told, 2 if quick.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub budget: Option<Duration>,
}

impl Engine {
    /// How long each tool may spend on each program.
    pub fn budget(&self) -> Duration {
        self.budget.unwrap_or(Duration::from_secs(if self.quick { 2 } else { 20 }))
    }

    /// Is the row of this name asked for?
    pub fn wants(&self, name: &str) -> bool {
        let plain = |name: &str| name.to_lowercase().replace('×', "x");
        self.filter.as_ref().is_none_or(|part| plain(name).contains(&plain(part)))
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("not a time span".into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::{Arguments, Command, Engine};

    fn engine(arguments: &[&str]) -> Engine {
        let typed = ["linchpin-bench", "engine"].iter().chain(arguments);
        let Command::Engine(options) = Arguments::parse_from(typed).command;
        options
    }

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_filter_need_not_be_typed_exactly() {
        assert!(engine(&["--filter", "treiber 2x2"]).wants("Treiber 2×2"));
        assert!(!engine(&["--filter", "treiber 2x2"]).wants("Treiber 2×1"));
        assert!(engine(&[]).wants("anything"));
    }

    #[test]
    fn a_budget_is_a_positive_number_of_seconds() {
        assert_eq!(engine(&["--budget", "0.5"]).budget().as_millis(), 500);
        assert_eq!(engine(&["--quick"]).budget().as_secs(), 2);
        for wrong in ["0", "-1", "soon", "NaN"] {
            let budget = format!("--budget={wrong}");
            assert!(Arguments::try_parse_from(["linchpin-bench", "engine", &budget]).is_err(), "{wrong}");
        }
    }
}

//! What can be typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  linchpin-bench engine                        everything; about ten minutes
  linchpin-bench engine --quick                short budgets, no memory row; a minute or two
  linchpin-bench engine --filter treiber       the rows whose name contains «treiber»
  linchpin-bench engine --json > engine.json   one JSON document instead of tables
  linchpin-bench histories                     everything; about ten minutes, nearly all of them the peers'
  linchpin-bench histories --budget 1          give up on a history after a second; about two minutes
  linchpin-bench histories --filter stack      the rows whose name contains «stack»
  linchpin-bench clients                       everything about clients of objects
  linchpin-bench clients --filter stress       the sections whose name contains «stress»
  linchpin-bench clients --filter defaults     what checking finds in each object of the zoo
  linchpin-bench pin                           the tables of the papers, and eliminators; a few seconds
  linchpin-bench contracts                     the structures of the paper on CDSSpec; seconds
  linchpin-bench peers                         Miri, Porcupine and GenMC, as far as they are installed; about ten minutes
  linchpin-bench peers --filter miri           one of them

Measure release builds on an otherwise idle machine: cargo run --release -p linchpin-bench -- engine";

/// Linchpin and its peers on the same programs and the same histories in the same run.
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
    /// Deciding histories: verdict, time, memory, and how time grows with the history.
    ///
    /// Exits with 1 if linchpin's verdict is not the one that is known, or if it cannot prove it.
    #[command(after_help = EXAMPLES)]
    Histories(Histories),
    /// Clients of objects: how fast they are run, and what checking all objects of the zoo finds.
    ///
    /// Exits with 1 if a faulty object is not found, or a correct one does not pass with nothing left out.
    #[command(after_help = EXAMPLES)]
    Clients(Clients),
    /// Saying why clients fail: causes, races, eliminators.
    #[command(after_help = EXAMPLES)]
    Pin(Pin),
    /// Tools that are not crates, as far as they are installed: Miri, Porcupine, GenMC.
    ///
    /// Exits with 1 if linchpin or a tool says of a program or a history what is known to be false. That a tool is not installed,
    /// or fails, is said, and no error.
    #[command(after_help = EXAMPLES)]
    Peers(Peers),
    /// Long runs: how long it takes to notice that one is wrong, and to make a small client of it.
    #[command(after_help = EXAMPLES)]
    Shrink(Shrink),
    /// Contracts under C11: the structures of the paper on CDSSpec, and its injected bugs.
    ///
    /// Exits with 1 if a structure does not pass, or if fewer injections are found than in the paper.
    #[command(after_help = EXAMPLES)]
    Contracts(Contracts),
    /// One checker on one row of `histories`, in a process that can be stopped. The command line is a JSON document.
    #[command(hide = true)]
    Decide(Order),
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
    /// How long each tool may spend on each program; 20 unless told, 2 if quick. Unless told, loom has as long as it takes to decide
    /// whether it takes 1,000 times as long, where that is a target.
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
        wants(self.filter.as_deref(), name)
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Contracts {
    /// Print one JSON document instead of tables.
    #[arg(long)]
    pub json: bool,
    /// How often each structure is measured; the best counts.
    #[arg(long, default_value_t = 3)]
    pub rounds: u32,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Histories {
    /// Print one JSON document instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Only rows whose name contains this; case does not matter, and x may stand for ×.
    #[arg(long, value_name = "NAME")]
    pub filter: Option<String>,
    /// How long each checker may spend on each history.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10")]
    pub budget: Duration,
}

impl Histories {
    /// Is the row of this name asked for?
    pub fn wants(&self, name: &str) -> bool {
        wants(self.filter.as_deref(), name)
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Shrink {
    /// Print one JSON document instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Only objects whose name contains this; case does not matter.
    #[arg(long, value_name = "NAME")]
    pub filter: Option<String>,
}

impl Shrink {
    /// Is the object of this name asked for?
    pub fn wants(&self, name: &str) -> bool {
        wants(self.filter.as_deref(), name)
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Clients {
    /// Print one JSON document instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Only rows whose name contains this; case does not matter, and x may stand for ×.
    #[arg(long, value_name = "NAME")]
    pub filter: Option<String>,
    /// How long each tool may spend on each program.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "3")]
    pub budget: Duration,
}

impl Clients {
    /// Is the row of this name asked for?
    pub fn wants(&self, name: &str) -> bool {
        wants(self.filter.as_deref(), name)
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Pin {
    /// Print one JSON document instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Only rows whose name contains this; case does not matter, and x may stand for ×.
    #[arg(long, value_name = "NAME")]
    pub filter: Option<String>,
}

impl Pin {
    /// Is the row of this name asked for?
    pub fn wants(&self, name: &str) -> bool {
        wants(self.filter.as_deref(), name)
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Peers {
    /// Print one JSON document instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Only rows whose name contains this, with the tool's before it («miri, treiber-2x2»); case does not matter, and x may stand for ×.
    #[arg(long, value_name = "NAME")]
    pub filter: Option<String>,
    /// How many seeds Miri tries on each program.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: u64,
    /// How long Porcupine may spend on each history.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10")]
    pub budget: Duration,
    /// The rustup toolchain that has Miri.
    #[arg(long, value_name = "NAME", default_value = "nightly")]
    pub toolchain: String,
    /// The command of Go, with which Porcupine is built.
    #[arg(long, value_name = "PATH", default_value = "go")]
    pub go: PathBuf,
    /// A folder with Porcupine's sources; otherwise Go fetches them.
    #[arg(long, value_name = "FOLDER")]
    pub porcupine: Option<PathBuf>,
    /// The command of GenMC.
    #[arg(long, value_name = "PATH", default_value = "genmc")]
    pub genmc: PathBuf,
}

impl Peers {
    /// Is this row of this tool asked for?
    pub fn wants(&self, tool: &str, row: &str) -> bool {
        wants(self.filter.as_deref(), &format!("{tool}, {row}"))
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Order {
    /// Who decides what.
    pub json: String,
}

fn wants(filter: Option<&str>, name: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace('×', "x");
    filter.is_none_or(|part| plain(name).contains(&plain(part)))
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
        let Command::Engine(options) = Arguments::parse_from(typed).command else { panic!("another command") };
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

//! What can be typed about objects and their clients.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use crate::quantity::duration;

pub(super) const ZOO_EXAMPLES: &str = "\
Examples:
  linchpin zoo
  linchpin zoo --json

Exit code: 0.";

#[derive(Args, Clone, Debug)]
pub(crate) struct Zoo {
    /// Print a JSON array with all that is known about each.
    #[arg(long)]
    pub json: bool,
}

pub(super) const CLIENT_EXAMPLES: &str = r#"Examples:
  linchpin client treiber-stack "[push(1)] { pop() } || { pop() }"
                             every execution: the element that is popped twice, or a proof that there is none
  linchpin client treiber-stack-fixed "[push(1)] { pop() } || { pop() }" --model sc --json
  linchpin client snark-deque "[push_right(1)] { pop_right() } || { push_right(2); pop_left() }" \
      --tester sample --strategy pct --seed 7
  linchpin client boxed-stack "[push(1); push(2)] { pop() } || { pop(); pop(); push(3) } [pop(); pop()]" \
      --tester sample --reuse fifo
  linchpin client k-stack "{ push(1) } || { pop() } [pop()]" --tester stress --emit-test k_stack.rs

A client is a setup, threads, and an epilogue: [setup] { a; b } || { c } [epilogue]. `linchpin zoo` lists the objects.

Exit codes: 0 holds, which only exploring can say; 1 violation; 2 wrong usage; 3 undecided: a budget ran out, or nothing
was found by sampling or on native threads, which is no proof."#;

/// A client of an object, and by what means it is tried.
#[derive(Args, Clone, Debug)]
pub(crate) struct Client {
    /// The object: treiber-stack, striped-map, … (see `linchpin zoo`).
    #[arg(value_name = "OBJECT")]
    pub object: String,
    /// The client: "[push(1)] { pop() } || { pop() }".
    #[arg(value_name = "CLIENT")]
    pub client: String,
    /// How it is run.
    #[arg(long, value_enum, value_name = "TESTER", default_value_t)]
    pub tester: Tester,
    /// By whose rules reads see writes; for exploring. C11 unless told otherwise.
    #[arg(long, value_enum, value_name = "MODEL")]
    pub model: Option<Model>,
    /// How the next thread is chosen; for sampling. At random unless told otherwise.
    #[arg(long, value_enum, value_name = "STRATEGY")]
    pub strategy: Option<Strategy>,
    /// How many ordering constraints the faults have that PCT and D-PCT look for. 3 unless told otherwise.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Where freed memory goes; for sampling. An ABA fault needs addresses that come again. Then uses after free do not
    /// count, only what comes of them.
    #[arg(long, value_enum, value_name = "WHEN")]
    pub reuse: Option<Reuse>,
    /// Another seed gives other schedules; for sampling. 0 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub budget: Budget,
    #[command(flatten)]
    pub output: Output,
}

/// When to stop.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Stop after so many runs or executions. Sampling makes 10000 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// Stop after this time: 10s, 500ms, 2m. Native threads run for 1s unless --runs or this says otherwise.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
}

/// What is written where.
#[derive(Args, Clone, Debug)]
pub(crate) struct Output {
    /// Write the client and its admitted outcomes as a Rust test that needs the standard library alone.
    #[arg(long, value_name = "FILE")]
    pub emit_test: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tester {
    /// Every execution that the memory model allows.
    #[default]
    Explore,
    /// Random schedules under sequential consistency.
    Sample,
    /// Native threads, as fast as they can.
    Stress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    /// Sequential consistency.
    Sc,
    /// The memory model of C++ and Rust.
    C11,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strategy {
    /// Each thread that can go on is as likely as the others.
    Random,
    /// Random priorities, and a few places where they change.
    Pct,
    /// The same, with places that follow from the structure of the code.
    #[value(name = "d-pct")]
    DPct,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reuse {
    /// No address is used twice, so that every use after free is seen.
    Never,
    /// What was freed last is used again first.
    Lifo,
    /// What was freed first is used again first.
    Fifo,
}

pub(super) const HUNT_EXAMPLES: &str = "\
Examples:
  linchpin hunt treiber-stack
  linchpin hunt size-list --operations 500 --histories 20
  linchpin hunt simple-list --scheduler native --json
  linchpin hunt optimistic-queue --scheduler pct --depth 3 --seed 7

Runs random clients of so many threads and operations until the history of one is not linearizable. Then finds the step that
triggers the fault, and the smallest client that fails like it. Ctrl-C ends it with what is known so far.

Exit codes: 1 violation; 2 wrong usage; 3 nothing was found, which is no proof.";

/// Long runs of an object.
#[derive(Args, Clone, Debug)]
pub(crate) struct Hunt {
    /// The object: treiber-stack, striped-map, … (see `linchpin zoo`).
    #[arg(value_name = "OBJECT")]
    pub object: String,
    /// How many threads run at the same time.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub threads: usize,
    /// How many operations each of them runs.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub operations: usize,
    /// How many values arguments take. 2, 3, 4 and 8 in turns unless told otherwise.
    #[arg(long, value_name = "N")]
    pub values: Option<usize>,
    /// How many runs to make until one is wrong.
    #[arg(long, value_name = "N", default_value_t = 80)]
    pub histories: usize,
    /// Who decides which thread goes on.
    #[arg(long, value_enum, value_name = "SCHEDULER", default_value_t)]
    pub scheduler: Scheduler,
    /// How many ordering constraints the faults have that PCT and D-PCT look for.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: u32,
    /// Let the last thread run a single operation.
    #[arg(long)]
    pub one_operation: bool,
    /// Another seed gives other runs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// By whose rules reads see writes where clients are explored; long runs are sequentially consistent.
    #[arg(long, value_enum, value_name = "MODEL", default_value = "sc")]
    pub model: Model,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scheduler {
    /// The machine.
    Native,
    /// Each thread that can go on is as likely as the others.
    Random,
    /// Random priorities, and a few places where they change.
    Pct,
    /// The same, with places that follow from the structure of the code.
    #[default]
    #[value(name = "d-pct")]
    DPct,
}

pub(super) const STRESS_EXAMPLES: &str = r#"Examples:
  linchpin stress treiber-stack "[push(1)] { pop() } || { pop() }"
  linchpin stress striped-map "{ get(1); contains_value(1) } || { put(1, 1); put(0, 1); put(1, 0) }" --time-limit 10s
  linchpin stress k-stack "{ push(1) } || { pop() } [pop()]" --runs 1000000 --json

The same as `linchpin client … --tester stress`.

Exit codes: 1 violation; 2 wrong usage; 3 nothing was found, which is no proof."#;

#[derive(Args, Clone, Debug)]
pub(crate) struct Stress {
    /// The object: treiber-stack, striped-map, … (see `linchpin zoo`).
    #[arg(value_name = "OBJECT")]
    pub object: String,
    /// The client: "[push(1)] { pop() } || { pop() }".
    #[arg(value_name = "CLIENT")]
    pub client: String,
    #[command(flatten)]
    pub budget: Budget,
    #[command(flatten)]
    pub output: Output,
}

impl From<Stress> for Client {
    fn from(stress: Stress) -> Client {
        let Stress { object, client, budget, output } = stress;
        let (model, strategy, depth, reuse, seed) = (None, None, None, None, None);
        Client { object, client, tester: Tester::Stress, model, strategy, depth, reuse, seed, budget, output }
    }
}

pub(super) const REPRODUCE_EXAMPLES: &str = "\
Examples:
  linchpin reproduce violat
  linchpin reproduce violat --time-limit 10s --json
  linchpin reproduce cdsspec
  linchpin reproduce cgvt --share 0.25
  linchpin reproduce causes
  linchpin reproduce fgvt --json

Exit codes: 0 all that can agree agrees, 1 something differs, 3 it was interrupted.";

#[derive(Args, Clone, Debug)]
pub(crate) struct Reproduce {
    #[command(subcommand)]
    pub paper: Paper,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Paper {
    /// Figures 2 and 4 of Violat (Emmi and Enea, CAV 2019): outcomes of a hash map that no order of its operations explains.
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Violat(Violat),
    /// Figures 7 and 8 of CDSSpec (Ou and Demsky, PPoPP 2017): contracts of lock-free structures, and weakened memory orders
    /// that they notice.
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Cdsspec(Rows),
    /// Tables I and II of CGVT (Zhang, Wu and Zhang): how often long runs show a fault, and the smallest clients.
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Cgvt(Cgvt),
    /// Tables 1 and 2 of the paper on root causes of linearizability failures (CAV 2020): which sections have to be atomic.
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Causes(Rows),
    /// Table 2 of FGVT: the races that decide between right and wrong.
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Fgvt(Rows),
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Cgvt {
    /// How many of the paper's runs to make: 1 for all, 0.1 for a tenth.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    pub share: f64,
    /// Print a JSON array with a row for each claim: id, paper, ours, agrees.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// Print a JSON array with a row for each claim: id, paper, ours, agrees.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Violat {
    /// How long native threads run the client of figure 4: 10s, 500ms.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1s")]
    pub time_limit: Duration,
    /// Print a JSON array with a row for each claim: id, paper, ours, agrees.
    #[arg(long)]
    pub json: bool,
}

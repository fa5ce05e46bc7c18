//! What can be typed about objects and their clients.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use linchpin::command::{
    AuditRequest, CheckRequest, ClientRequest, Clients, HuntRequest, Model, Question, Reuse, Scheduler, Strategy,
    Tester, duration,
};

use super::choice::choice;
use super::location::Location;
use super::output::Output;

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
  cargo linchpin client Fifo "[push(1)] { pop() } || { pop() }" --test queue
                             an object as it stands in your tests, here in tests/queue.rs

A client is a setup, threads, and an epilogue: [setup] { a; b } || { c } [epilogue]. `linchpin zoo` lists the objects.

Exit codes: 0 holds, which only exploring can say; 1 violation; 2 wrong usage; 3 undecided: a budget ran out, or nothing
was found by sampling or on native threads, which is no proof."#;

/// A client of an object, and by what means it is tried.
#[derive(Args, Clone, Debug)]
pub(crate) struct Client {
    /// The object: treiber-stack, striped-map, … (see `linchpin zoo`); with `cargo linchpin` also one of your tests.
    #[arg(value_name = "OBJECT")]
    pub object: String,
    /// The client: "[push(1)] { pop() } || { pop() }".
    #[arg(value_name = "CLIENT")]
    pub client: String,
    /// How it is run.
    #[arg(long, value_parser = choice::<Tester>(), value_name = "TESTER", default_value = "explore")]
    pub tester: Tester,
    /// By whose rules reads see writes; for exploring. C11 unless told otherwise.
    #[arg(long, value_parser = choice::<Model>(), value_name = "MODEL")]
    pub model: Option<Model>,
    /// How the next thread is chosen; for sampling. At random unless told otherwise.
    #[arg(long, value_parser = choice::<Strategy>(), value_name = "STRATEGY")]
    pub strategy: Option<Strategy>,
    /// How many ordering constraints the faults have that PCT and D-PCT look for. 3 unless told otherwise.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Where freed memory goes; for sampling. An ABA fault needs addresses that come again. Then uses after free do not
    /// count, only what comes of them.
    #[arg(long, value_parser = choice::<Reuse>(), value_name = "WHEN")]
    pub reuse: Option<Reuse>,
    /// Another seed gives other schedules; for sampling. 0 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub budget: Budget,
    /// Write the failing execution to a file that `linchpin replay` and `linchpin explain` read.
    #[arg(long, value_name = "FILE")]
    pub save_replay: Option<PathBuf>,
    #[command(flatten)]
    pub emit: Emit,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub location: Location,
}

impl Client {
    pub fn request(&self) -> ClientRequest {
        ClientRequest {
            client: self.client.clone(),
            tester: self.tester,
            model: self.model,
            strategy: self.strategy,
            depth: self.depth,
            reuse: self.reuse,
            seed: self.seed,
            runs: self.budget.runs,
            time_limit: self.budget.time_limit,
            emit_test: self.emit.emit_test.is_some(),
            save_replay: self.save_replay.clone(),
        }
    }
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

/// A test to keep.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Emit {
    /// Write the client and its admitted outcomes as a Rust test that needs the standard library alone.
    #[arg(long, value_name = "FILE")]
    pub emit_test: Option<PathBuf>,
}

pub(super) const HUNT_EXAMPLES: &str = "\
Examples:
  linchpin hunt treiber-stack
  linchpin hunt size-list --operations 500 --histories 20
  linchpin hunt simple-list --scheduler native --json
  linchpin hunt optimistic-queue --scheduler pct --depth 3 --seed 7
  cargo linchpin hunt Fifo -p my-queues --emit-test tests/fifo.rs

Runs random clients of so many threads and operations until the history of one is not linearizable. Then finds the step that
triggers the fault, and the smallest client that fails like it. Ctrl-C ends it with what is known so far.

Exit codes: 1 violation; 2 wrong usage; 3 nothing was found, which is no proof.";

/// Long runs of an object.
#[derive(Args, Clone, Debug)]
pub(crate) struct Hunt {
    /// The object: treiber-stack, striped-map, … (see `linchpin zoo`); with `cargo linchpin` also one of your tests.
    #[arg(value_name = "OBJECT")]
    pub object: String,
    /// How many threads run at the same time. 2 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// How many operations each of them runs. 50 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub operations: Option<usize>,
    /// How many values arguments take. 2, 3, 4 and 8 in turns unless told otherwise.
    #[arg(long, value_name = "N")]
    pub values: Option<usize>,
    /// How many runs to make until one is wrong. 80 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub histories: Option<usize>,
    /// Who decides which thread goes on.
    #[arg(long, value_parser = choice::<Scheduler>(), value_name = "SCHEDULER", default_value = "d-pct")]
    pub scheduler: Scheduler,
    /// How many ordering constraints the faults have that PCT and D-PCT look for. 4 unless told otherwise.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Let one thread run a single operation at a time, and the others overtake it. For D-PCT.
    #[arg(long)]
    pub one_operation: bool,
    /// Another seed gives other runs. 0 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// By whose rules reads see writes where clients are explored; long runs are sequentially consistent. SC unless told
    /// otherwise.
    #[arg(long, value_parser = choice::<Model>(), value_name = "MODEL")]
    pub model: Option<Model>,
    #[command(flatten)]
    pub emit: Emit,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub location: Location,
}

impl Hunt {
    pub fn request(&self) -> HuntRequest {
        HuntRequest {
            threads: self.threads,
            operations: self.operations,
            values: self.values,
            histories: self.histories,
            scheduler: self.scheduler,
            depth: self.depth,
            one_operation: self.one_operation,
            seed: self.seed,
            model: self.model,
            emit_test: self.emit.emit_test.is_some(),
        }
    }
}

/// Which clients are generated.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Generated {
    /// How many clients of the object are generated.
    #[arg(long, value_name = "N")]
    pub max_clients: Option<usize>,
    /// Up to how many threads they have. 2 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Up to how many invocations they have in all threads together. 6 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub invocations: Option<usize>,
    /// How many values their arguments take. 2 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub values: Option<usize>,
    /// Another seed gives other clients. 0 unless told otherwise.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl Generated {
    pub fn clients(&self) -> Clients {
        let Generated { max_clients, threads, invocations, values, seed } = *self;
        Clients { max_clients, threads, invocations, values, seed }
    }

    /// A check of the object by these clients.
    pub fn check(&self, model: Option<Model>, time_limit: Option<Duration>, emit_test: bool) -> CheckRequest {
        CheckRequest { clients: self.clients(), model, time_limit, emit_test }
    }
}

pub(super) const AUDIT_EXAMPLES: &str = r#"Examples:
  linchpin audit ticket-lock
  linchpin audit chase-lev-deque --weakest
  linchpin audit m-s-queue-dequeue-loads-the-tail-relaxed --repair
  linchpin audit treiber-stack-fixed "{ push(1) } || { pop() }" --json
  linchpin audit --list
  cargo linchpin audit Fifo                       an object of your tests
  cargo linchpin audit a_letter_that_arrives_is_whole
                                                  one of your tests: what it gives to `linchpin::model`, `Builder::check`,
                                                  `client(…).run()` or `contract(…).check(…)`

Weakens one memory order at a time, by its place in the source and without compiling anything again, and explores the tests:
of a structure its own, of an object the clients that are given, or else generated ones.

Exit codes: 0 the tests pass and all was tried; 1 a test fails as it is; 2 wrong usage; 3 undecided within the budget."#;

/// Memory orders on trial.
#[derive(Args, Clone, Debug)]
pub(crate) struct Audit {
    /// The structure or object: ticket-lock, treiber-stack-fixed, …; with `cargo linchpin` an object or a test of yours.
    #[arg(value_name = "OBJECT", required_unless_present = "list")]
    pub object: Option<String>,
    /// Clients of the object that the orders are held against.
    #[arg(value_name = "CLIENT")]
    pub clients: Vec<String>,
    /// How weak could all orders be together?
    #[arg(long)]
    pub weakest: bool,
    /// A test fails: what would have to be stronger? Up to so many sets of changes.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "3", conflicts_with = "weakest")]
    pub repair: Option<usize>,
    /// List the structures of the zoo whose tests come with them.
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub generated: Generated,
    /// How long one test may take with one set of orders: 10s, 500ms, 2m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub location: Location,
}

impl Audit {
    pub fn question(&self) -> Question {
        match (self.weakest, self.repair) {
            (true, _) => Question::Weakest,
            (false, Some(most)) => Question::Repair(most),
            (false, None) => Question::Needed,
        }
    }

    pub fn request(&self) -> AuditRequest {
        AuditRequest {
            question: self.question(),
            clients: self.clients.clone(),
            generated: self.generated.clients(),
            time_limit: self.time_limit,
        }
    }
}

pub(super) const STRESS_EXAMPLES: &str = r#"Examples:
  linchpin stress treiber-stack "[push(1)] { pop() } || { pop() }"
  linchpin stress striped-map "{ get(1); contains_value(1) } || { put(1, 1); put(0, 1); put(1, 0) }" --time-limit 10s
  linchpin stress k-stack "{ push(1) } || { pop() } [pop()]" --runs 1000000 --json
  cargo linchpin stress Fifo "[push(1)] { pop() } || { pop() }" --release

The same as `linchpin client … --tester stress`.

Exit codes: 1 violation; 2 wrong usage; 3 nothing was found, which is no proof."#;

#[derive(Args, Clone, Debug)]
pub(crate) struct Stress {
    /// The object: treiber-stack, striped-map, … (see `linchpin zoo`); with `cargo linchpin` also one of your tests.
    #[arg(value_name = "OBJECT")]
    pub object: String,
    /// The client: "[push(1)] { pop() } || { pop() }".
    #[arg(value_name = "CLIENT")]
    pub client: String,
    #[command(flatten)]
    pub budget: Budget,
    #[command(flatten)]
    pub emit: Emit,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub location: Location,
}

impl From<Stress> for Client {
    fn from(stress: Stress) -> Client {
        let Stress { object, client, budget, emit, output, location } = stress;
        let (model, strategy, depth, reuse, seed, save_replay) = (None, None, None, None, None, None);
        let tester = Tester::Stress;
        Client {
            object,
            client,
            tester,
            model,
            strategy,
            depth,
            reuse,
            seed,
            budget,
            save_replay,
            emit,
            output,
            location,
        }
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

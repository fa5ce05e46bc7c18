//! What can be typed about failures that were found.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use linchpin::command::{Model, duration};

use super::choice::choice;
use super::{Location, Output};

pub(super) const REPLAY_EXAMPLES: &str = r#"Examples:
  linchpin client treiber-stack "[push(1)] { pop() } || { pop() }" --save-replay twice.replay
  linchpin replay twice.replay
  linchpin replay target/linchpin/replay/two_pops.replay

Objects of the zoo are here. Of a test in a crate of yours, it says what to type there.

Exit codes: 1 the violation is still there; 2 wrong usage, or the code is elsewhere or has changed; 3 this execution
violates nothing any more, which says nothing about others."#;

#[derive(Args, Clone, Debug)]
pub(crate) struct Replay {
    /// The file that a failing test or `--save-replay` has written.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub location: Location,
}

pub(super) const EXPLAIN_EXAMPLES: &str = r#"Examples:
  linchpin explain twice.replay
  linchpin explain treiber-stack "[push(1)] { pop() } || { pop() }"
  linchpin explain coarse-list-add "{ add(1) } || { add(1) }" --model sc --json
  linchpin explain coarse-list-add-remove --library

The cause of a client is held against generated clients of the same object. With --library, the causes of all of these are put
together: what would have to be atomic for none of them to fail.

Exit codes: 0 nothing fails; 1 violation; 2 wrong usage, or the code is elsewhere; 3 nothing was found within the budget."#;

#[derive(Args, Clone, Debug)]
pub(crate) struct Explain {
    /// A replay file, or an object: treiber-stack, striped-map, … (see `linchpin zoo`).
    #[arg(value_name = "FILE|OBJECT")]
    pub subject: String,
    /// The client, if an object is given: "[push(1)] { pop() } || { pop() }".
    #[arg(value_name = "CLIENT")]
    pub client: Option<String>,
    /// Explain all that goes wrong in generated clients of the object, instead of one client.
    #[arg(long, conflicts_with = "client")]
    pub library: bool,
    /// How many clients are generated. 50 unless told otherwise, 200 with --library.
    #[arg(long, value_name = "N")]
    pub clients: Option<usize>,
    /// Another seed gives other clients.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// By whose rules reads see writes. The replay's, or C11, unless told otherwise.
    #[arg(long, value_parser = choice::<Model>(), value_name = "MODEL")]
    pub model: Option<Model>,
    /// Give up on each client that is explored after this time: 10s, 500ms, 2m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub location: Location,
}

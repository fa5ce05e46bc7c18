//! What can be asked of an object, as plain values that can be sent to another process.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::choice::{Model, Reuse, Scheduler, Strategy, Tester};

/// Something to do with an object. What is `None` is as [`Settings`](crate::Settings) have it, or as it is by default.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Try one client.
    Client(ClientRequest),
    /// Make long runs until one is wrong.
    Hunt(HuntRequest),
    /// Run one execution again.
    Replay(ReplayRequest),
    /// Say why a client fails.
    Explain(ExplainRequest),
    /// Try generated clients.
    Check(CheckRequest),
    /// Find out which memory orders are needed.
    Audit(AuditRequest),
}

/// Try one client.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClientRequest {
    /// The client, as text.
    pub client: String,
    /// How it is run.
    pub tester: Tester,
    /// For exploring.
    pub model: Option<Model>,
    /// For sampling.
    pub strategy: Option<Strategy>,
    /// For sampling by PCT and D-PCT.
    pub depth: Option<u32>,
    /// For sampling.
    pub reuse: Option<Reuse>,
    /// For sampling.
    pub seed: Option<u64>,
    /// Stop after so many runs or executions.
    pub runs: Option<u64>,
    /// Stop after this time.
    pub time_limit: Option<Duration>,
    /// Is the client to be written as a test as well?
    pub emit_test: bool,
    /// Where the failing execution is going to be written as a replay, by whoever asks.
    pub save_replay: Option<PathBuf>,
}

/// Run one execution again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplayRequest {
    /// The replay, as text.
    pub replay: String,
}

/// Say why a client fails.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExplainRequest {
    /// What fails.
    pub subject: Subject,
    /// Where clients are explored; otherwise the replay's, or C11.
    pub model: Option<Model>,
    /// How long the exploration of one client may take.
    pub time_limit: Option<Duration>,
    /// How many clients are generated, to hold the cause against them or to find all causes.
    pub clients: Option<usize>,
    /// Another seed gives other clients.
    pub seed: u64,
}

/// What is to be explained.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Subject {
    /// A client, as text.
    Client(String),
    /// A replay, as text.
    Replay(String),
    /// All that goes wrong in generated clients.
    Library,
}

/// Make long runs until one is wrong.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct HuntRequest {
    /// How many threads.
    pub threads: Option<usize>,
    /// How many operations in each.
    pub operations: Option<usize>,
    /// How many values arguments take.
    pub values: Option<usize>,
    /// How many runs.
    pub histories: Option<usize>,
    /// Who decides which thread goes on.
    pub scheduler: Scheduler,
    /// For PCT and D-PCT.
    pub depth: Option<u32>,
    /// Does one thread run a single operation at a time?
    pub one_operation: bool,
    /// Another seed gives other runs.
    pub seed: Option<u64>,
    /// Where clients are explored.
    pub model: Option<Model>,
    /// Is the smallest client to be written as a test as well?
    pub emit_test: bool,
}

/// What generated clients look like.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Clients {
    /// How many clients.
    pub max_clients: Option<usize>,
    /// Up to how many threads.
    pub threads: Option<usize>,
    /// Up to how many invocations in all threads together.
    pub invocations: Option<usize>,
    /// How many values arguments take.
    pub values: Option<usize>,
    /// Another seed gives other clients.
    pub seed: Option<u64>,
}

/// Try generated clients.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CheckRequest {
    /// Which clients.
    pub clients: Clients,
    /// By whose rules reads see writes.
    pub model: Option<Model>,
    /// How long each client may take.
    pub time_limit: Option<Duration>,
    /// Is the smallest client to be written as a test as well?
    pub emit_test: bool,
}

/// Find out which memory orders are needed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AuditRequest {
    /// The question.
    pub question: Question,
    /// The clients that the orders are held against, as text; if there are none, generated ones.
    pub clients: Vec<String>,
    /// Which clients are generated.
    pub generated: Clients,
    /// How long one test with one set of orders may take.
    pub time_limit: Option<Duration>,
}

/// What an audit is to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// Which orders are needed, one at a time.
    #[default]
    Needed,
    /// How weak all of them could be together.
    Weakest,
    /// What to strengthen so that no test fails: up to so many sets of changes.
    Repair(usize),
}

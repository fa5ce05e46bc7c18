//! One finding with all that is known about it, as plain data. Every rendering is made from it.

pub(crate) mod advice;
mod client;
mod conflict;
mod execution;
mod explained;
mod kind;
mod source;

use std::collections::BTreeMap;
use std::fmt;

use linchpin_engine::{Call, Exploration, Sampled, Violation, ViolationKind};
use linchpin_graph::MemoryModel;
use linchpin_localize::{Explanation, Minimum};
use linchpin_model::{Client, Coverage, Value};
use serde::{Deserialize, Serialize};

pub use client::ShownClient;
pub use conflict::{ConflictEdge, ConflictGraph};
pub use execution::{Access, Location, Operation, Position, Row, ShownExecution, ShownThread, Sort};
pub use explained::{
    Calls, Candidate, Choice, CyclePart, Explained, Race, RaceSequence, Races, Ranking, Section, TreeBranch, TreePoint,
    TreeStep, Verified, Weak,
};
pub use kind::Kind;
pub use source::Excerpt;

use crate::picture::Picture;
use crate::text::finding::{Staging, Tale};

/// The version of the schema that reports are written in; `docs/src/report-format.md` describes it.
pub const SCHEMA: u32 = 1;

/// A finding with all that is known about it.
///
/// Whoever has found something starts with [`Report::of`] or [`Report::told`] and fills in what else is known: all fields are
/// public. [`text::report`](crate::text::report) shows it.
///
/// ```
/// use linchpin_report::report::{Kind, Report};
///
/// # #[global_allocator]
/// # static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);
/// let exploration = linchpin_engine::explore(&Default::default(), &|| panic!("no luck"));
/// let report = Report::of(exploration.violation.as_ref().unwrap()).explored(&exploration);
/// assert_eq!(report.kind, Kind::Panic);
///
/// let json = report.to_json();
/// assert_eq!(Report::from_json(&json).unwrap(), report);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of the schema: [`SCHEMA`].
    pub schema: u32,
    /// What it is a report of, as a name that no other finding of the run has: files are named after it.
    pub name: String,
    /// The test that failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub test: Option<String>,
    /// What sort of finding it is.
    pub kind: Kind,
    /// What happened, in one line.
    pub headline: String,
    /// Why that is wrong, and whose fault it is, in paragraphs.
    pub why: Vec<String>,
    /// What to do.
    pub next: Vec<String>,
    /// The object.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub object: Option<String>,
    /// The client whose execution is shown: the smallest one that was found to fail.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub minimum_test: Option<ShownClient>,
    /// Is it proven that no client with an invocation less in its threads fails?
    pub minimal_proven: bool,
    /// What is known about smaller clients, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub minimality: Option<String>,
    /// What other clients of the object say about the cause, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub other_clients: Option<String>,
    /// The client that was found to fail first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original_test: Option<ShownClient>,
    /// What the invocations of the client returned, in the order of its text; `null` also where one has not returned.
    pub outcome: Vec<serde_json::Value>,
    /// The invocations that have not returned, by their positions in the client's text.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unreturned: Vec<usize>,
    /// Outcomes that some order of the invocations explains and that come closest, if none explains this one.
    pub closest: Vec<Closest>,
    /// The execution that fails.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub execution: Option<ShownExecution>,
    /// Why the client fails.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub explanation: Option<Explained>,
    /// How much was looked at on the way to the finding.
    #[serde(flatten)]
    pub covered: Covered,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// How many executions or runs were looked at; of some kinds of findings nobody counts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub executions: Option<u64>,
    /// The file that leads to this execution again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replay: Option<String>,
    /// The command that does it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replay_command: Option<String>,
    /// How long what took.
    pub seconds: BTreeMap<String, f64>,
    /// When it was found: seconds since 1970.
    pub time: u64,
    /// Reports with the same text here are of the same run of tests.
    pub run: String,
    /// Lines of the source that the report is about, as they were when it was made.
    pub sources: Vec<Excerpt>,
}

/// An outcome that some order of the invocations explains.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Closest {
    /// The order.
    pub order: Vec<String>,
    /// What would be different, in words: `pop() of thread 1 returned 1 instead of nil`.
    pub differences: Vec<String>,
    /// What would be returned, in the order of the client's text.
    pub outcome: Vec<serde_json::Value>,
}

/// How much was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// Everything, or not.
    pub coverage: Extent,
    /// The budgets that ran out.
    pub bounded_by: Vec<String>,
}

/// Everything, or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// Every execution was looked at.
    #[default]
    Complete,
    /// Budgets ran out.
    Bounded,
}

impl From<&Coverage> for Covered {
    fn from(coverage: &Coverage) -> Covered {
        let bounds = match coverage {
            Coverage::Complete => return Covered::default(),
            Coverage::Bounded(bounds) => bounds,
        };
        Covered { coverage: Extent::Bounded, bounded_by: bounds.iter().map(ToString::to_string).collect() }
    }
}

impl fmt::Display for Covered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.coverage {
            Extent::Complete => f.write_str("complete"),
            Extent::Bounded => write!(f, "bounded by {}", self.bounded_by.join(" and ")),
        }
    }
}

/// What an operation takes or returns, as JSON.
pub fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Nil => serde_json::Value::Null,
        Value::Bool(truth) => (*truth).into(),
        Value::Integer(number) => (*number).into(),
        Value::Text(text) => (**text).into(),
        Value::List(items) => items.iter().map(json).collect(),
    }
}

impl Report {
    /// What a violation has to say for itself: what happened, the execution, why it is wrong and what to do.
    pub fn of(violation: &Violation) -> Report {
        let staging = Staging::of(violation);
        let picture = Picture::of(violation, &staging);
        let tale = Tale::of(violation, &staging, &picture);
        let (outcome, unreturned) = outcome(&violation.calls);
        let kind = match &violation.kind {
            // Contracts name their calls, clients only tag them.
            ViolationKind::Rejected { .. } if violation.calls.iter().any(|call| call.target.is_some()) => {
                Kind::Contract
            }
            ViolationKind::Rejected { .. } if !violation.calls.is_empty() => Kind::NotLinearizable,
            kind => Kind::from(kind),
        };
        Report {
            why: tale.why,
            next: tale.next,
            outcome,
            unreturned,
            execution: Some(picture.shown()),
            ..Report::told(kind, tale.headline)
        }
    }

    /// A finding without an execution, in one line.
    pub fn told(kind: Kind, headline: impl Into<String>) -> Report {
        Report {
            schema: SCHEMA,
            name: kind.id().to_owned(),
            test: None,
            kind,
            headline: headline.into(),
            why: Vec::new(),
            next: Vec::new(),
            object: None,
            minimum_test: None,
            minimal_proven: false,
            minimality: None,
            other_clients: None,
            original_test: None,
            outcome: Vec::new(),
            unreturned: Vec::new(),
            closest: Vec::new(),
            execution: None,
            explanation: None,
            covered: Covered { coverage: Extent::Bounded, bounded_by: vec!["the first violation".to_owned()] },
            assumptions: Vec::new(),
            executions: None,
            replay: None,
            replay_command: None,
            seconds: BTreeMap::new(),
            time: 0,
            run: String::new(),
            sources: Vec::new(),
        }
    }

    /// With what the exploration that found it has looked at.
    pub fn explored(mut self, exploration: &Exploration) -> Report {
        self.covered = Covered::from(&exploration.coverage);
        self.assumptions = exploration.assumptions.iter().map(ToString::to_string).collect();
        self.executions = Some(exploration.complete + exploration.violations);
        self.seconds.insert("exploring".to_owned(), exploration.elapsed.as_secs_f64());
        self
    }

    /// With what the sampling that found it has looked at.
    pub fn sampled(mut self, sampled: &Sampled) -> Report {
        if let Some(found) = &sampled.found {
            self.why.push(format!("Found with seed {} in run {}.", sampled.seed, found.run));
        }
        self.covered = Covered { coverage: Extent::Bounded, bounded_by: vec![format!("{} random runs", sampled.runs)] };
        self.executions = Some(sampled.complete + sampled.violations);
        self.seconds.insert("sampling".to_owned(), sampled.elapsed.as_secs_f64());
        self
    }

    /// As one of this client of this object.
    pub fn of_client(mut self, object: &str, client: &Client) -> Report {
        self.object = Some(object.to_owned());
        self.minimum_test = Some(client.into());
        // What was not even called comes after what was.
        if !self.outcome.is_empty() {
            self.unreturned.extend(self.outcome.len()..client.len());
            self.outcome.resize(client.len(), serde_json::Value::Null);
        }
        self
    }

    /// With what is known about smaller clients.
    pub fn shrunk(mut self, minimum: &Minimum) -> Report {
        self.minimal_proven = minimum.is_proven;
        self.minimality = Some(format!("{minimum}."));
        self
    }

    /// With an explanation of why the client fails. If its cause is verified, that is the first thing to do something about.
    pub fn explained(mut self, explanation: &Explanation) -> Report {
        let explained = Explained::from(explanation);
        if let Some(advice) = advice::advice(&explained, self.execution.as_ref()) {
            self.next.insert(0, advice);
        }
        self.explanation = Some(explained);
        self
    }

    /// The report's name as one of files, without an ending: `queue.two_pops` for `queue::two_pops`.
    pub fn file_name(&self) -> String {
        let plain = |c: char| {
            if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '.' }
        };
        let name: String = self.name.replace("::", ".").chars().map(plain).collect();
        // A name that begins with a point is hidden, or a directory.
        let name = name.trim_start_matches('.');
        if name.is_empty() { "report".to_owned() } else { name.to_owned() }
    }

    /// The report as JSON, for people who look into the file.
    pub fn to_json(&self) -> String {
        // No key is anything but text, which is all that could fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The report that was written as JSON.
    ///
    /// # Errors
    /// If it is none, or one of another version.
    pub fn from_json(text: &str) -> Result<Report, NotAReport> {
        /// What all versions have.
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let Version { schema } = serde_json::from_str(text).map_err(|error| NotAReport(error.to_string()))?;
        if schema != SCHEMA {
            return Err(NotAReport(format!("it has version {schema} of the schema, not {SCHEMA}")));
        }
        serde_json::from_str(text).map_err(|error| NotAReport(error.to_string()))
    }
}

/// What calls returned, and which have not. The tag of a client's call is its position in the text; calls of contracts have no
/// position, and come one after another.
fn outcome(calls: &[Call]) -> (Vec<serde_json::Value>, Vec<usize>) {
    let position = |number: usize, call: &Call| if call.target.is_some() { number } else { call.tag as usize };
    let length = calls.iter().enumerate().map(|(number, call)| position(number, call) + 1).max().unwrap_or(0);
    let mut values = vec![None; length];
    for (number, call) in calls.iter().enumerate() {
        values[position(number, call)] = call.result.as_ref().map(json);
    }
    let unreturned = (0..length).filter(|&position| values[position].is_none()).collect();
    (values.into_iter().map(Option::unwrap_or_default).collect(), unreturned)
}

/// Why a text is not a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAReport(String);

impl fmt::Display for NotAReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a report of this version of Linchpin: {}", self.0)
    }
}

impl std::error::Error for NotAReport {}

/// The name of a memory model.
pub(crate) fn model(model: MemoryModel) -> String {
    match model {
        MemoryModel::Sc => "SC".to_owned(),
        MemoryModel::C11 => "C11".to_owned(),
    }
}

//! What is known of one client: for people, for programs, and for the shell.

use linchpin::{Call, Coverage, Outcome, Replay, Violation, report};
use linchpin_zoo::Entry;
use serde::Serialize;

use crate::arguments::{self, Tester};
use crate::exit::Exit;
use crate::output::json;

pub(super) struct Answer {
    pub exit: Exit,
    /// For people.
    pub text: String,
    /// For programs.
    pub report: Report,
    /// For any later time: the execution that is wrong, if there is one that can be run again.
    pub replay: Option<Replay>,
}

/// What `--json` prints.
#[derive(Default, Serialize)]
pub(super) struct Report {
    pub object: &'static str,
    pub client: String,
    pub tester: &'static str,
    /// `sc`, `c11`, or `native`.
    pub model: &'static str,
    pub verdict: &'static str,
    pub coverage: &'static str,
    /// The budgets that ran out.
    pub bounded_by: Vec<String>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// Executions or runs that were looked at.
    pub runs: u64,
    pub seconds: f64,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<Finding>,
    /// Where the schedule came from, if that was random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How often each outcome was seen on native threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequencies: Option<Vec<Frequency>>,
}

#[derive(Serialize)]
pub(super) struct Finding {
    pub kind: String,
    /// What the invocations returned, in the order of the text; `null` also where one has not returned.
    pub outcome: Option<Vec<serde_json::Value>>,
    /// The number of the run, if runs are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u64>,
    /// The whole report, as people read it.
    pub report: String,
}

#[derive(Serialize)]
pub(super) struct Frequency {
    /// What was returned; `null` if something panicked.
    pub outcome: Option<Vec<serde_json::Value>>,
    /// The messages of panics.
    pub panics: Vec<String>,
    pub admitted: bool,
    pub count: u64,
}

impl Report {
    /// Nothing is known yet.
    pub fn of(entry: &Entry, client: &linchpin::Client, options: &arguments::Client) -> Report {
        let (tester, model) = match options.tester {
            Tester::Explore => ("explore", if options.model == Some(arguments::Model::Sc) { "sc" } else { "c11" }),
            Tester::Sample => ("sample", "sc"),
            Tester::Stress => ("stress", "native"),
        };
        Report { object: entry.name, client: client.to_string(), tester, model, ..Report::default() }
    }

    /// Puts down what was looked at, and returns how that ends.
    pub fn conclude(&mut self, is_violated: bool, coverage: &Coverage) -> Exit {
        let bounds = match coverage {
            Coverage::Complete => &[][..],
            Coverage::Bounded(bounds) => bounds,
        };
        self.bounded_by = bounds.iter().map(ToString::to_string).collect();
        let (coverage, exit) = match (coverage, is_violated) {
            (Coverage::Complete, true) => ("complete", Exit::Violation),
            (Coverage::Complete, false) => ("complete", Exit::Holds),
            (Coverage::Bounded(_), true) => ("bounded", Exit::Violation),
            (Coverage::Bounded(_), false) => ("bounded", Exit::Undecided),
        };
        self.coverage = coverage;
        self.verdict = match exit {
            Exit::Violation => "violation",
            Exit::Holds => "linearizable",
            Exit::Unusable | Exit::Undecided => "unknown",
        };
        exit
    }
}

impl Finding {
    pub fn of(violation: &Violation) -> Finding {
        let returned = |call: &Call| call.result.as_ref().map(json).unwrap_or_default();
        Finding {
            kind: violation.kind.name().to_owned(),
            outcome: Some(violation.calls.iter().map(returned).collect()),
            run: None,
            report: report::violation(violation),
        }
    }
}

/// An outcome as JSON.
pub(super) fn values(outcome: &Outcome) -> Vec<serde_json::Value> {
    outcome.0.iter().map(json).collect()
}

impl Answer {
    /// What is wrong without any concurrency.
    pub fn alone(entry: &Entry, client: &linchpin::Client, options: &arguments::Client, message: String) -> Answer {
        let mut report = Report::of(entry, client, options);
        let exit = report.conclude(true, &Coverage::Bounded(vec![linchpin::Bound::FirstViolation]));
        let text = format!("{}\nviolation: {message}\n", heading(entry, client));
        report.violation = Some(Finding { kind: "sequential".into(), outcome: None, run: None, report: message });
        Answer { exit, text, report, replay: None }
    }
}

/// The first line of everything that people read.
pub(super) fn heading(entry: &Entry, client: &linchpin::Client) -> String {
    format!("{client} as a client of {} ({})", entry.name, entry.description)
}

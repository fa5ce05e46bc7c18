//! A verdict for programs: one object in one line.

use linchpin_check::{Contradiction, Evidence, Verdict};
use linchpin_model::{Interval, OperationId, Value};
use serde::Serialize;

use super::Checked;
use super::describe::{counts, kind, undecided};
use crate::output::line;

/// What is printed for a file that was decided.
#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    model: &'a str,
    format: Option<&'a str>,
    verdict: &'static str,
    operations: usize,
    processes: usize,
    pending: usize,
    /// Failed operations that are in the file but not in the history.
    left_out: usize,
    reading_seconds: f64,
    deciding_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Vec<Operation>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Proof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

#[derive(Serialize)]
struct Proof {
    sentence: String,
    kind: &'static str,
    part: Option<String>,
    /// The operation whose return ends the shortest failing prefix.
    fails_at: Option<Operation>,
    operations: Vec<Operation>,
    /// The states the object can have been in before the first of the operations, if that is not its initial state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    since: Vec<String>,
    /// The states the object can have been in when no order could go on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<String>,
}

#[derive(Serialize)]
struct Operation {
    id: u32,
    line: Option<usize>,
    process: u64,
    operation: String,
    call: Option<i64>,
    #[serde(rename = "return")]
    ret: Option<i64>,
}

/// What is printed for a file that cannot be used.
#[derive(Serialize)]
struct Unusable<'a> {
    file: &'a str,
    verdict: &'static str,
    error: &'a str,
}

pub(super) fn checked(checked: &Checked<'_>, witness: bool) -> String {
    let counts = counts(checked);
    let origin = checked.recording.origin;
    let mut report = Report {
        file: checked.file,
        model: checked.model.name(),
        format: origin.map(|origin| origin.format.name()),
        verdict: "linearizable",
        operations: counts.operations,
        processes: counts.processes,
        pending: counts.pending,
        left_out: origin.map_or(0, |origin| origin.left_out.failed),
        reading_seconds: checked.reading.as_secs_f64(),
        deciding_seconds: checked.deciding.as_secs_f64(),
        witness: None,
        evidence: None,
        reason: None,
    };
    match checked.verdict {
        Verdict::Linearizable(order) => report.witness = witness.then(|| operations(checked, &order.order)),
        Verdict::Violation(evidence) => {
            report.verdict = "violation";
            report.evidence = Some(proof(checked, evidence));
        }
        Verdict::Unknown(reason) => {
            report.verdict = "unknown";
            report.reason = Some(undecided(*reason).0);
        }
    }
    line(&report)
}

pub(super) fn unusable(file: &str, error: &str) -> String {
    line(&Unusable { file, verdict: "unusable", error })
}

fn proof(checked: &Checked<'_>, evidence: &Evidence) -> Proof {
    let (since, states) = match &evidence.contradiction {
        Contradiction::Stuck { since, states, .. } => (since.clone(), states.clone()),
        _ => Default::default(),
    };
    Proof {
        sentence: evidence.sentence.clone(),
        kind: kind(&evidence.contradiction),
        part: evidence.part.as_ref().map(Value::to_string),
        fails_at: evidence.fails_at.map(|id| operation(checked, id)),
        operations: operations(checked, &evidence.contradiction.operations()),
        since,
        states,
    }
}

fn operations(checked: &Checked<'_>, ids: &[OperationId]) -> Vec<Operation> {
    ids.iter().map(|&id| operation(checked, id)).collect()
}

fn operation(checked: &Checked<'_>, id: OperationId) -> Operation {
    let recording = checked.recording;
    let interval = recording.history.intervals().map(|intervals| intervals[id.index()]);
    Operation {
        id: id.0,
        line: recording.lines.get(id.index()).map(|lines| lines.call).filter(|&line| line > 0),
        process: recording.history[id].process,
        operation: checked.model.describe_operation(recording, id),
        call: interval.map(|interval| interval.call),
        ret: interval.map(|interval| interval.ret).filter(|&ret| ret != Interval::NEVER),
    }
}

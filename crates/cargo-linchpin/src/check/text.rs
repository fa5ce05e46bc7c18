//! A verdict for people.

use std::fmt::Write;

use linchpin_check::{Evidence, Verdict};
use linchpin_model::{Interval, OperationId};

use super::Checked;
use super::describe::{counts, undecided};

/// More operations than this are not read in a terminal.
const OPERATIONS_SHOWN: usize = 16;

pub(super) fn checked(checked: &Checked<'_>, witness: bool) -> String {
    let mut text = String::new();
    let verdict = match checked.verdict {
        Verdict::Linearizable(_) => "linearizable",
        Verdict::Violation(_) => "NOT linearizable",
        Verdict::Unknown(_) => "undecided",
    };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}: {verdict}", checked.file);
    let _ = writeln!(text, "  {}", setting(checked));
    match checked.verdict {
        Verdict::Linearizable(order) if witness => {
            text.push_str("  in this order:\n");
            for &id in &order.order {
                let _ = writeln!(text, "    {}", operation(checked, id));
            }
        }
        Verdict::Linearizable(_) => {}
        Verdict::Violation(evidence) => violation(&mut text, checked, evidence),
        Verdict::Unknown(reason) => {
            let (why, help) = undecided(*reason);
            let _ = writeln!(text, "  {why}; {help}");
        }
    }
    text
}

/// What was looked at, and how long it took.
fn setting(checked: &Checked<'_>) -> String {
    let counts = counts(checked);
    let plural = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut text = plural(counts.operations, "operation", "operations");
    let _ = write!(text, " by {}", plural(counts.processes, "process", "processes"));
    if counts.pending > 0 {
        let _ = write!(text, " ({} pending)", counts.pending);
    }
    let _ = write!(text, ", model {}", checked.model.name());
    if let Some(origin) = checked.recording.origin {
        let _ = write!(text, ", format {}", origin.format.name());
        if origin.left_out.failed > 0 {
            let failed = plural(origin.left_out.failed, "failed operation", "failed operations");
            let _ = write!(text, ", without {failed}");
        }
    }
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    let _ = write!(text, "; read in {:.1} ms, decided in {:.1} ms", ms(checked.reading), ms(checked.deciding));
    text
}

fn violation(text: &mut String, checked: &Checked<'_>, evidence: &Evidence) {
    if let Some(part) = &evidence.part {
        let _ = writeln!(text, "  in the part {part}:");
    }
    let _ = writeln!(text, "\n  {}\n", evidence.sentence);
    let operations = evidence.contradiction.operations();
    let shown = match operations.len() {
        n if n <= OPERATIONS_SHOWN => n,
        _ => OPERATIONS_SHOWN,
    };
    for &id in &operations[..shown] {
        let _ = writeln!(text, "    {}", operation(checked, id));
    }
    if operations.len() > shown {
        let _ = writeln!(text, "    … and {} more (--json lists all, --html draws them)", operations.len() - shown);
    }
    if let Some(id) = evidence.fails_at {
        let _ = writeln!(
            text,
            "\n  The history up to the return of {} is the shortest that fails.",
            operation(checked, id)
        );
    }
}

/// One operation in a line: where it stands, who called it, what, when.
fn operation(checked: &Checked<'_>, id: OperationId) -> String {
    let recording = checked.recording;
    let mut text = match recording.lines.get(id.index()).map(|lines| lines.call) {
        Some(line) if line > 0 => format!("line {line}: "),
        _ => format!("{id}: "),
    };
    let label = checked.model.describe_operation(recording, id);
    let _ = write!(text, "{label} by process {}", recording.history[id].process);
    if let Some(intervals) = recording.history.intervals() {
        let Interval { call, ret } = intervals[id.index()];
        let _ = match ret {
            Interval::NEVER => write!(text, ", called {call}, pending"),
            _ => write!(text, ", called {call}, returned {ret}"),
        };
    }
    text
}

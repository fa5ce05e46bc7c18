//! Reports as SARIF 2.1.0, which code hosts and editors show beside the source.
//!
//! A result for each report, a rule for each kind of finding. The place of a result is where its cause begins, or else what its
//! headline is about. The sections of the cause are related locations, and the execution is a code flow with a thread flow for
//! each thread; `executionOrder` says in which order their rows come.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::report::{Kind, Position, Report, Row, Section, ShownExecution, ShownThread, Sort};
use crate::text::explanation::must_be_atomic;

/// Reports as one SARIF log, with a run that holds them all.
///
/// ```
/// use linchpin_report::report::{Kind, Report};
///
/// let log = linchpin_report::sarif::log(&[Report::told(Kind::Leak, "two blocks leak")]);
/// let log: serde_json::Value = serde_json::from_str(&log).unwrap();
/// assert_eq!(log["runs"][0]["results"][0]["ruleId"], "leak");
/// ```
pub fn log(reports: &[Report]) -> String {
    let mut kinds: Vec<Kind> = reports.iter().map(|report| report.kind).collect();
    kinds.sort();
    kinds.dedup();
    let results = reports.iter().map(|report| {
        let rule = kinds.binary_search(&report.kind).unwrap_or_default();
        result(report, rule)
    });
    let log = json!({
        "$schema": "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Linchpin",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": kinds.iter().copied().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    });
    // No key is anything but text, which is all that could fail.
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn level(kind: Kind) -> &'static str {
    if kind.is_fault_of_code() { "error" } else { "warning" }
}

fn rule(kind: Kind) -> Value {
    json!({
        "id": kind.id(),
        "shortDescription": { "text": kind.title() },
        "fullDescription": { "text": kind.meaning() },
        "defaultConfiguration": { "level": level(kind) },
    })
}

fn result(report: &Report, rule: usize) -> Value {
    let mut result = json!({
        "ruleId": report.kind.id(),
        "ruleIndex": rule,
        "level": level(report.kind),
        "message": { "text": message(report) },
        "locations": primary(report).into_iter().collect::<Vec<_>>(),
        // The same finding of another run is the same to those who keep track.
        "partialFingerprints": { "linchpin/v1": format!("{} {}", report.name, report.kind.id()) },
    });
    let related: Vec<Value> =
        sections(report).enumerate().filter_map(|(id, section)| of_section(section, id)).collect();
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    if let Some(execution) = report.execution.as_ref().filter(|execution| !execution.rows.is_empty()) {
        result["codeFlows"] = json!([code_flow(execution)]);
    }
    result
}

/// The headline, the cause, and how to see it again.
fn message(report: &Report) -> String {
    let mut text = report.headline.clone();
    let sections: Vec<Section> = sections(report).cloned().collect();
    // Writing to a string does not fail.
    if !sections.is_empty() {
        let _ = write!(text, "\nCause: {}.", must_be_atomic(&sections));
    }
    if let Some(command) = &report.replay_command {
        let _ = write!(text, "\nReplay: {command}");
    }
    text
}

/// The sections of the cause.
fn sections(report: &Report) -> impl Iterator<Item = &Section> {
    report.explanation.iter().flat_map(|explained| &explained.cause.sections)
}

/// The place that a result is about.
fn primary(report: &Report) -> Option<Value> {
    let rows = || report.execution.iter().flat_map(|execution| &execution.rows);
    let cause = sections(report)
        .find_map(|section| physical(section.file.as_ref()?, section.first_line?, None, section.last_line));
    let marked =
        rows().filter(|row| row.mark.is_some()).min_by_key(|row| row.mark).and_then(|row| row.position.as_ref());
    let last = rows().filter_map(|row| row.position.as_ref()).next_back();
    let at = |position: &Position| physical(&position.file, position.line, position.column, None);
    let physical = cause.or_else(|| marked.or(last).and_then(at))?;
    Some(json!({ "physicalLocation": physical }))
}

fn of_section(section: &Section, id: usize) -> Option<Value> {
    let physical = physical(section.file.as_ref()?, section.first_line?, None, section.last_line)?;
    let text = format!("{} must be atomic here", section.operation);
    Some(json!({ "id": id, "physicalLocation": physical, "message": { "text": text } }))
}

/// A place in a file; lines count from 1 on.
fn physical(file: &str, line: u32, column: Option<u32>, last_line: Option<u32>) -> Option<Value> {
    let mut region = json!({ "startLine": line });
    if let Some(column) = column.filter(|&column| column > 0) {
        region["startColumn"] = column.into();
    }
    if let Some(last) = last_line {
        region["endLine"] = last.into();
    }
    (line > 0).then(|| json!({ "artifactLocation": { "uri": uri(file) }, "region": region }))
}

/// The execution, with a flow for each thread.
fn code_flow(execution: &ShownExecution) -> Value {
    let flow = |(number, thread): (usize, &ShownThread)| {
        let own = execution.rows.iter().enumerate().filter(|(_, row)| row.thread == number);
        let locations: Vec<Value> = own.map(|(order, row)| step(row, order)).collect();
        (!locations.is_empty()).then(|| json!({ "id": thread.name, "locations": locations }))
    };
    let flows: Vec<Value> = execution.threads.iter().enumerate().filter_map(flow).collect();
    json!({ "threadFlows": flows })
}

fn step(row: &Row, order: usize) -> Value {
    let text = match (row.sort, &row.seen) {
        (Sort::Call, _) => format!("calls {}", row.text),
        (Sort::Return, _) => format!("returns {}", row.text),
        (_, Some(seen)) => format!("{} ← {seen}", row.text),
        (_, None) => row.text.clone(),
    };
    let mut location = json!({ "message": { "text": text } });
    let place = row.position.as_ref();
    if let Some(physical) = place.and_then(|position| physical(&position.file, position.line, position.column, None)) {
        location["physicalLocation"] = physical;
    }
    let importance = if row.mark.is_some() { "essential" } else { "important" };
    json!({ "location": location, "executionOrder": order + 1, "importance": importance })
}

/// A path as a reference: relative ones stay so, to whatever the viewer takes for the root of the sources.
fn uri(file: &str) -> String {
    let mut uri = if file.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

//! `--json`, `--report` and `--sarif`, which all commands have that can find a failure.

use linchpin_report::Report;
use serde_json::Value;

use super::TWICE;
use super::typed::{Temporary, error, json, run};

/// What the JSON of every command has that looks for what fails of an object.
const SHARED: [&str; 14] = [
    "schema",
    "object",
    "verdict",
    "coverage",
    "bounded_by",
    "seconds",
    "kind",
    "minimum_test",
    "minimal_proven",
    "outcome",
    "causes",
    "critical_races",
    "replay",
    "report",
];

/// Runs a command that finds something, and holds against each other what it prints, the directory of reports and the SARIF log.
#[track_caller]
fn found(name: &str, command: &[&str]) -> (Value, Report) {
    let (directory, log) = (Temporary::new(&format!("{name}-reports")), Temporary::new(&format!("{name}.sarif")));
    let printed = json(&[command, &["--report", directory.typed(), "--sarif", log.typed()]].concat(), 1);
    let report = Report::from_json(&printed["report"].to_string()).expect("a report");
    assert!(directory.path().join("index.html").is_file());
    for ending in ["html", "txt"] {
        assert!(directory.path().join(format!("{}.{ending}", report.file_name())).is_file(), "{ending}");
    }
    let kept = std::fs::read_to_string(directory.path().join(format!("{}.json", report.file_name())));
    assert_eq!(Report::from_json(&kept.expect("a file")).as_ref(), Ok(&report));
    let log: Value = serde_json::from_str(&log.read()).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!((results.len(), &results[0]["ruleId"]), (1, &report.kind.id().into()));
    (printed, report)
}

/// The same; what stands beside the report is what the report says.
#[track_caller]
fn found_in_object(name: &str, command: &[&str]) -> Report {
    let (printed, report) = found(name, command);
    assert!(SHARED.iter().all(|key| printed.get(key).is_some()), "{:?}", printed.as_object().map(|all| all.keys()));
    let whole = &printed["report"];
    for key in ["object", "kind", "minimal_proven", "outcome"] {
        assert_eq!(printed[key], whole[key], "{key}");
    }
    for key in ["minimum_test", "replay"] {
        assert_eq!(printed[key], *whole.get(key).unwrap_or(&Value::Null), "{key}");
    }
    assert_eq!((&printed["schema"], &printed["verdict"]), (&1.into(), &"violation".into()));
    match whole.get("explanation") {
        Some(explanation) => {
            assert_eq!(printed["causes"][0]["sections"], explanation["cause"]["sections"]);
            assert_eq!(printed["causes"][0]["verified"], explanation["verification"] == "yes");
            // What rules single executions out has not been held against all of them.
            let others = printed["causes"].as_array().expect("a list").iter().skip(1);
            assert!(others.into_iter().all(|cause| cause["verified"] == false), "{}", printed["causes"]);
            assert_eq!(printed["critical_races"], explanation["races"]["sequences"]);
        }
        None => {
            assert_eq!((&printed["causes"], &printed["critical_races"]), (&Value::Array(vec![]), &Value::Array(vec![])))
        }
    }
    report
}

#[test]
fn every_way_to_try_a_client_has_a_report() {
    let explored = found_in_object("explored", &["client", "treiber-stack", TWICE]);
    assert!(explored.explanation.is_some(), "what fails is explained without asking");
    assert!(
        explored.next[0].starts_with("Make lines ") && explored.next[0].contains("verified"),
        "{:?}",
        explored.next
    );
    let sampled = found_in_object("sampled", &["client", "treiber-stack", TWICE, "--tester", "sample"]);
    assert_eq!(explored.outcome, sampled.outcome);
    let alone = "{ add(1); remove(1); remove(1) }";
    assert_eq!(found_in_object("stressed", &["stress", "unknown-list-2", alone]).kind.id(), "disagreement");
}

#[test]
fn a_large_client_is_not_explained_but_says_how() {
    let large = "{ pop(); push(1); pop() } || { push(2); pop(); push(3) } || { pop(); push(4) }";
    let report = found_in_object("large", &["client", "array-stack", large, "--model", "sc"]);
    assert_eq!((report.kind.id(), report.explanation), ("not-linearizable", None));
    let explain = format!("linchpin explain array-stack '{large}' makes the client smaller");
    assert!(report.next.iter().any(|next| next.starts_with(&explain)), "{:?}", report.next);
}

#[test]
fn checks_and_hunts_have_a_report_and_keep_the_execution() {
    for (command, object) in [("check", "coarse-list-add"), ("hunt", "treiber-stack")] {
        let report = found_in_object(command, &[command, object]);
        let replayed = run(&["replay", &report.replay.expect("a file")], 1);
        assert!(replayed.contains(&report.headline), "{replayed}");
    }
}

#[test]
fn what_is_replayed_or_explained_has_a_report() {
    let file = Temporary::new("reported.replay");
    run(&["client", "treiber-stack", TWICE, "--save-replay", file.typed()], 1);
    let replayed = found_in_object("replayed", &["replay", file.typed()]);
    let explained = found_in_object("explained", &["explain", file.typed(), "--clients", "5"]);
    assert_eq!(replayed.execution, explained.execution);
    assert!(explained.other_clients.is_some_and(|others| others.starts_with("Of 5 generated clients ")));
}

#[test]
fn a_saved_execution_is_named_in_the_report() {
    let file = Temporary::new("named.replay");
    let report = found_in_object("named", &["client", "treiber-stack", TWICE, "--save-replay", file.typed()]);
    assert_eq!(report.replay_command, Some(format!("linchpin replay {}", file.typed())));
    assert!(file.path().is_file());
}

#[test]
fn a_test_that_fails_before_its_audit_has_a_report() {
    let (_, report) = found("audited", &["audit", "m-s-queue-dequeue-loads-the-tail-relaxed"]);
    assert_eq!((report.kind.id(), report.execution.is_some()), ("contract", true));
}

#[test]
fn where_nothing_fails_the_log_is_empty_and_there_is_no_report() {
    let (directory, log) = (Temporary::new("nothing"), Temporary::new("nothing.sarif"));
    let command =
        ["check", "treiber-stack-fixed", "--max-clients", "5", "--report", directory.typed(), "--sarif", log.typed()];
    let printed = json(&command, 0);
    assert_eq!((&printed["verdict"], &printed["report"]), (&"linearizable".into(), &Value::Null));
    assert!(SHARED.iter().all(|key| printed.get(key).is_some()), "{printed}");
    assert!(!directory.path().exists());
    let log: Value = serde_json::from_str(&log.read()).expect("JSON");
    assert_eq!(log["runs"][0]["results"], Value::Array(vec![]));
}

#[test]
fn reports_are_for_objects() {
    let history = Temporary::containing("history.jsonl", r#"{"c":0,"call":1,"ret":2,"f":"enq","a":3,"o":null}"#);
    let said = error(&["check", history.typed(), "--model", "queue", "--report", "reports"]);
    assert!(said.contains("--html and --svg draw a history"), "{said}");
}

#[test]
fn the_book_says_what_every_key_is() {
    let book = include_str!("../../../../docs/src/report-format.md");
    for key in SHARED {
        assert!(book.contains(&format!("`{key}`")), "docs/src/report-format.md does not say what {key} is");
    }
}

//! `linchpin audit` as it is typed, on the zoo.

use serde_json::{Value, json};

use super::typed;

#[track_caller]
fn run(arguments: &[&str], exit: i32) -> String {
    typed::run(&[&["audit"], arguments].concat(), exit)
}

#[track_caller]
fn json(arguments: &[&str], exit: i32) -> Value {
    typed::json(&[&["audit"], arguments].concat(), exit)
}

#[track_caller]
fn error(arguments: &[&str]) -> String {
    typed::error(&[&["audit"], arguments].concat())
}

/// The orders of accesses, and whether they are needed.
fn needs(report: &Value) -> Vec<(&str, &str)> {
    let rows = report["rows"].as_array().expect("rows").iter().filter(|row| !row["order"].is_null());
    rows.map(|row| (row["order"].as_str().expect("an order"), row["need"].as_str().expect("a need"))).collect()
}

#[test]
fn both_orders_of_the_ticket_lock_are_needed() {
    let report = json(&["ticket-lock"], 0);
    assert_eq!(needs(&report), [("Acquire", "needed"), ("Release", "needed")]);
    assert!(report["rows"][0]["failure"]["what"].as_str().is_some_and(|what| what.contains("contract is broken")));
    let text = run(&["ticket-lock"], 0);
    assert!(text.starts_with("ticket-lock (Ticket Lock)\n") && text.contains("2 needed, 0 not needed by these tests"));
    let text = run(&["ticket-lock", "--weakest"], 0);
    assert!(text.contains("no order can be weakened without a test failing"), "{text}");
}

#[test]
fn what_fails_as_it_is_can_only_be_repaired() {
    let name = "m-s-queue-dequeue-loads-the-tail-relaxed";
    let text = run(&[name], 1);
    assert!(text.contains("fails as it is") && text.contains("--repair"), "{text}");
    let report = json(&[name, "--repair", "1"], 1);
    assert_eq!(report["repairs"]["sets"][0]["changes"][0]["order"], "Acquire", "{report}");
    let text = run(&["ticket-lock", "--repair"], 0);
    assert!(text.contains("no test fails, so there is nothing to strengthen"), "{text}");
}

#[test]
fn an_object_is_audited_by_clients() {
    let report = json(&["treiber-stack-fixed", "[push(1)] { pop() } || { pop() }"], 0);
    assert_eq!(report["tests"], json!(["[push(1)] { pop() } || { pop() }"]));
    assert!(needs(&report).iter().all(|(order, _)| *order == "SeqCst"), "{report}");
    let generated = json(&["treiber-stack-fixed", "--max-clients", "2", "--invocations", "3"], 0);
    assert_eq!(generated["tests"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_cannot_be_audited_says_what_can() {
    let errors = error(&["ticket-lok"]);
    assert!(errors.contains("there is no object \"ticket-lok\"; did you mean ticket-lock?"), "{errors}");
    let errors = error(&["ticket-lock", "{ lock() }"]);
    assert!(errors.contains("comes with its tests"), "{errors}");
    let errors = error(&["treiber-stack-fixed", "{ peek() }"]);
    assert!(errors.contains("is not a client of"), "{errors}");
    let text = run(&["--list"], 0);
    assert!(text.lines().filter(|line| !line.starts_with(' ')).any(|line| line == "chase-lev-deque"), "{text}");
}

//! `linchpin audit` as it is typed, on the zoo.

use std::process::Command;

use serde_json::{Value, json};

/// What a command prints, and what it says besides.
#[track_caller]
fn run(arguments: &[&str], exit: i32) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_linchpin")).arg("audit").args(arguments).output();
    let output = output.expect("the command runs");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(exit), "{text}{errors}");
    (text.into_owned(), errors.into_owned())
}

#[track_caller]
fn json(arguments: &[&str], exit: i32) -> Value {
    serde_json::from_str(&run(&[arguments, &["--json"]].concat(), exit).0).expect("JSON")
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
    let (text, _) = run(&["ticket-lock"], 0);
    assert!(text.starts_with("ticket-lock (Ticket Lock)\n") && text.contains("2 needed, 0 not needed by these tests"));
    let (text, _) = run(&["ticket-lock", "--weakest"], 0);
    assert!(text.contains("no order can be weakened without a test failing"), "{text}");
}

#[test]
fn what_fails_as_it_is_can_only_be_repaired() {
    let name = "m-s-queue-dequeue-loads-the-tail-relaxed";
    let (text, _) = run(&[name], 1);
    assert!(text.contains("fails as it is") && text.contains("--repair"), "{text}");
    let report = json(&[name, "--repair", "1"], 1);
    assert_eq!(report["repairs"]["sets"][0]["changes"][0]["order"], "Acquire", "{report}");
    let (text, _) = run(&["ticket-lock", "--repair"], 0);
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
    let (_, errors) = run(&["ticket-lok"], 2);
    assert!(errors.contains("there is no object \"ticket-lok\"; did you mean ticket-lock?"), "{errors}");
    let (_, errors) = run(&["ticket-lock", "{ lock() }"], 2);
    assert!(errors.contains("comes with its tests"), "{errors}");
    let (_, errors) = run(&["treiber-stack-fixed", "{ peek() }"], 2);
    assert!(errors.contains("is not a client of"), "{errors}");
    let (text, _) = run(&["--list"], 0);
    assert!(text.lines().filter(|line| !line.starts_with(' ')).any(|line| line == "chase-lev-deque"), "{text}");
}

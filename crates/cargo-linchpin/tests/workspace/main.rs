//! `cargo linchpin …` on the objects and tests of a throwaway crate.

mod init;
mod project;
mod test;

use std::process::{Command, Stdio};
use std::time::Duration;

use project::{cargo_linchpin, ended, json, queues, run};
use serde_json::json;

const TWICE: &str = "[push(1)] { pop() } || { pop() }";

#[test]
fn a_client_of_the_users_object_is_tried_in_three_ways() {
    let explored = json(&["client", "Fifo", TWICE], 1);
    assert_eq!((&explored["object"], &explored["verdict"]), (&json!("Fifo"), &json!("violation")));
    assert_eq!(explored["outcome"], json!([null, 1, 1]));
    let sampled = json(&["client", "Fifo", TWICE, "--tester", "sample", "--seed", "7"], 1);
    assert_eq!((&sampled["seed"], &sampled["outcome"]), (&json!(7), &json!([null, 1, 1])));
    let stressed = json(&["stress", "Steady", TWICE, "--runs", "1000"], 3);
    assert_eq!((&stressed["runs"], &stressed["model"]), (&json!(1000), &json!("native")));

    let (text, _) = run(queues(), &["client", "Steady", TWICE], 0);
    assert!(
        text.starts_with("[push(1)] { pop() } || { pop() } as a client of Steady\nno violation in 2 executions"),
        "{text}"
    );
}

#[test]
fn objects_are_found_in_unit_tests_and_in_the_bodies_of_functions() {
    json(&["client", "Inner", TWICE, "--lib"], 1);
    json(&["client", "Local", TWICE], 0);
}

#[test]
fn generated_clients_and_long_runs_find_the_smallest_client() {
    for command in ["check", "hunt"] {
        let report = json(&[command, "Fifo"], 1);
        let threads = &report["minimum_test"]["threads"];
        assert_eq!((threads, &report["minimal_proven"]), (&json!([["pop()"], ["pop()"]]), &json!(true)), "{command}");
    }
    let report = json(&["check", "Steady", "--max-clients", "7", "--values", "1", "--invocations", "3"], 0);
    assert_eq!((&report["clients"], &report["verdict"]), (&json!(7), &json!("linearizable")));
}

#[test]
fn a_report_of_the_users_object_has_its_source_and_leads_to_its_execution_again() {
    let directory = std::env::temp_dir().join(format!("linchpin-workspace-reports-{}", std::process::id()));
    let (_, errors) = run(queues(), &["check", "Fifo", "--report", directory.to_str().expect("a path")], 1);
    assert!(errors.contains("Fifo.html"), "{errors}");
    let report = std::fs::read_to_string(directory.join("Fifo.json")).expect("the report was written");
    std::fs::remove_dir_all(&directory).expect("the directory can be removed");
    let report = linchpin::Report::from_json(&report).expect("a report");
    assert!(report.sources.iter().any(|source| source.file == "src/lib.rs"), "{:?}", report.sources);
    assert!(
        report.next[0].starts_with("Make lines ") && report.next[0].contains("src/lib.rs (pop)"),
        "{:?}",
        report.next
    );
    let command = report.replay_command.expect("a command");
    let file = command.strip_prefix("cargo linchpin replay ").expect("what can be typed here");
    let (text, _) = run(queues(), &["replay", file], 1);
    assert!(text.contains(&report.headline), "{text}");
}

#[test]
fn a_test_that_is_written_names_the_users_types() {
    let file = std::env::temp_dir().join(format!("linchpin-workspace-{}.rs", std::process::id()));
    let (_, errors) = run(queues(), &["hunt", "Fifo", "--emit-test", file.to_str().expect("a path")], 1);
    assert!(errors.contains("written: "), "{errors}");
    let source = std::fs::read_to_string(&file).expect("the file was written");
    std::fs::remove_file(&file).expect("the file can be removed");
    assert!(source.contains("use queues::Queue;"), "{source}");
}

#[test]
fn names_that_are_not_enough_say_what_there_is() {
    let error = |arguments: &[&str]| run(queues(), arguments, 2).1;
    let unknown = error(&["client", "fifo", TWICE]);
    assert!(unknown.contains("there is no object \"fifo\"; did you mean Fifo?"), "{unknown}");
    assert!(
        unknown.contains("the objects in these tests: Crash, Fifo, Flag, Inner, Local, Steady, Twice"),
        "{unknown}"
    );
    let ambiguous = error(&["client", "Twice", "{ push(1) }"]);
    assert!(ambiguous.contains("    queue::again::Twice at tests/queue.rs:"), "{ambiguous}");
    assert!(ambiguous.contains("    queue::Twice at tests/queue.rs:"), "{ambiguous}");
    json(&["client", "again::Twice", "{ push(1) } || { push(1) }"], 0);
    let wrong = error(&["client", "Fifo", "{ peek() }"]);
    assert!(wrong.contains("is not a client of Fifo"), "{wrong}");
}

#[test]
fn an_object_that_takes_the_process_with_it_is_no_answer() {
    let (text, errors) = run(queues(), &["stress", "Crash", "{ crash() }"], 2);
    assert!(text.is_empty() && errors.contains("ended before there was an answer (signal: 6"), "{text}{errors}");
}

#[test]
fn the_zoo_is_there_for_cargo_too() {
    run(queues(), &["client", "treiber-stack-fixed", TWICE], 0);
}

#[test]
fn memory_orders_of_an_object_are_audited() {
    let report = json(&["audit", "Flag", "{ raise() } || { raise() }"], 0);
    let row = &report["rows"][0];
    assert_eq!((&row["access"], &row["order"]), (&json!("Swap"), &json!("SeqCst")));
    assert_eq!((&row["need"], &row["weakest"]), (&json!("not needed"), &json!("Relaxed")));
    let failing = json(&["audit", "Fifo", TWICE], 1);
    assert_eq!((&failing["verdict"], &failing["failure"]["test"]), (&json!("violation"), &json!(TWICE)));
}

#[test]
fn memory_orders_of_a_test_are_audited() {
    let report = json(&["audit", "a_letter_arrives_whole"], 0);
    let rows = report["rows"].as_array().expect("rows").iter().filter(|row| !row["order"].is_null());
    let needs: Vec<(&str, &str)> =
        rows.map(|row| (row["order"].as_str().expect("an order"), row["need"].as_str().expect("a need"))).collect();
    assert_eq!(needs, [("Release", "needed"), ("SeqCst", "not needed")]);
    let (text, _) = run(queues(), &["audit", "a_letter_arrives_whole", "--weakest"], 0);
    assert!(text.contains("SeqCst → Acquire"), "{text}");
    let (_, errors) = run(queues(), &["audit", "one_and_one_is_two"], 2);
    assert!(errors.contains("explores nothing that could be audited"), "{errors}");
}

#[test]
fn settings_are_for_commands_and_tests_alike() {
    let model = |variable: &str| {
        let output =
            cargo_linchpin(queues(), &["client", "Steady", TWICE, "--json"]).env("LINCHPIN_MODEL", variable).output();
        let (text, _) = ended(output.expect("the command runs"), 0);
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["model"].clone()
    };
    assert_eq!((model("sc"), model("c11")), (json!("sc"), json!("c11")));
    let output = cargo_linchpin(queues(), &["client", "Steady", TWICE]).env("LINCHPIN_MODEL", "tso").output();
    let (_, errors) = ended(output.expect("the command runs"), 2);
    assert_eq!(errors, "error: LINCHPIN_MODEL=tso: expected sc or c11\n");
}

#[test]
fn an_interrupt_reaches_the_test_binary() {
    json(&["client", "Steady", TWICE], 0); // All is built now.
    let mut command = cargo_linchpin(queues(), &["stress", "Steady", TWICE, "--runs", "1000000000000"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    // Until the binary runs, its interrupt would be that of cargo.
    let is_running = || {
        let list =
            Command::new("ps").args(["-o", "args=", "--ppid", &child.id().to_string()]).output().expect("ps runs");
        String::from_utf8_lossy(&list.stdout).contains("/queue-")
    };
    while !is_running() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let (text, _) = ended(child.wait_with_output().expect("the command ends"), 3);
    assert!(text.contains("until it was interrupted"), "{text}");
}

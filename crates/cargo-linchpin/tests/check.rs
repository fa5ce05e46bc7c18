//! `linchpin check` and `linchpin generate-history` as they are typed.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A queue in which 5 comes out before 3, although 3 went in first.
const OVERTAKEN: &str = r#"{"c":0,"call":1,"ret":2,"f":"enq","a":3,"o":null}
{"c":3,"call":3,"ret":4,"f":"enq","a":5,"o":null}
{"c":2,"call":5,"ret":6,"f":"deq","a":null,"o":5}
{"c":1,"call":7,"ret":8,"f":"deq","a":null,"o":3}
"#;

/// The same with the dequeues at the same time.
const CONCURRENT: &str = r#"{"c":0,"call":1,"ret":2,"f":"enq","a":3,"o":null}
{"c":3,"call":3,"ret":4,"f":"enq","a":5,"o":null}
{"c":2,"call":5,"ret":8,"f":"deq","a":null,"o":5}
{"c":1,"call":6,"ret":7,"f":"deq","a":null,"o":3}
"#;

fn linchpin(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linchpin"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command runs");
    // A command that does not read its input closes it early.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("the command ends")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// What is said, without the times it took.
fn timeless(text: &str) -> String {
    let cut = |line: &str| line.split("; read in").next().unwrap_or_default().to_owned() + "\n";
    text.lines().map(cut).collect()
}

/// A path for a file of this test.
fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("linchpin-check-{}-{name}", std::process::id()))
}

#[test]
fn a_violation_is_said_in_words_and_exits_with_1() {
    let output = linchpin(&["check", "-", "--model", "queue"], OVERTAKEN);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(timeless(&stdout(&output)), @"
    standard input: NOT linearizable
      4 operations by 4 processes, model queue, format json-operations

      `deq() → 5` by process 2 returned before `deq() → 3` by process 1 was called, although `enq(3)` by process 0 had returned before `enq(5)` by process 3 was called: what is first in must be first out.

        line 1: enq(3) by process 0, called 1, returned 2
        line 2: enq(5) by process 3, called 3, returned 4
        line 3: deq() → 5 by process 2, called 5, returned 6
        line 4: deq() → 3 by process 1, called 7, returned 8

      The history up to the return of line 3: deq() → 5 by process 2, called 5, returned 6 is the shortest that fails.
    ");
}

#[test]
fn a_linearizable_history_exits_with_0_and_shows_its_order_when_asked() {
    let output = linchpin(&["check", "-", "--model", "queue", "--witness"], CONCURRENT);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(timeless(&stdout(&output)), @"
    standard input: linearizable
      4 operations by 4 processes, model queue, format json-operations
      in this order:
        line 1: enq(3) by process 0, called 1, returned 2
        line 2: enq(5) by process 3, called 3, returned 4
        line 4: deq() → 3 by process 1, called 6, returned 7
        line 3: deq() → 5 by process 2, called 5, returned 8
    ");
}

#[test]
fn json_has_the_evidence() {
    let output = linchpin(&["check", "-", "--model", "queue", "--json"], OVERTAKEN);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(report["verdict"], "violation");
    assert_eq!(report["evidence"]["kind"], "queue-order");
    assert_eq!(report["evidence"]["fails_at"]["line"], 3);
    assert_eq!(report["evidence"]["operations"].as_array().map(Vec::len), Some(4));
}

#[test]
fn unusable_input_exits_with_2_and_says_where_and_why() {
    let cases = [
        ("", "empty"),
        ("{\"c\":0,\"call\":1,\"ret\":2,\"f\":\"enq\",\"a\":1e400,\"o\":null}\n", "line 1"),
        ("{\"c\":0,\"call\":5,\"ret\":2,\"f\":\"enq\",\"a\":1,\"o\":null}\n", "line 1"),
        (
            "{\"c\":0,\"call\":1,\"ret\":2,\"f\":\"peek\",\"a\":1,\"o\":null}\n",
            "line 1: model queue has no operation \"peek\"",
        ),
        ("{\"c\":0,\"call\":1", "line 1"),
    ];
    for (input, expected) in cases {
        let output = linchpin(&["check", "-", "--model", "queue"], input);
        assert_eq!(output.status.code(), Some(2), "{input}");
        assert!(stderr(&output).contains(expected), "{input}: {}", stderr(&output));
        let output = linchpin(&["check", "-", "--model", "queue", "--json"], input);
        let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!((output.status.code(), &report["verdict"]), (Some(2), &"unusable".into()), "{input}");
    }
}

#[test]
fn wrong_usage_says_what_to_do() {
    let cases: [(&[&str], &str); 8] = [
        (&["check"], "FILE|OBJECT"),
        (&["check", "Cargo.toml"], "--model NAME"),
        (&["check", "-", "--model", "queu"], "--list-models"),
        (&["check", "-", "--model", "bounded-queue"], "capacity"),
        (&["check", "-", "--model", "queue", "--initial", "0"], "takes no initial value"),
        (&["check", "-", "--model", "queue", "--format", "csv"], "json-operations"),
        (&["check", "-", "--model", "queue", "--time-limit", "soon"], "10s, 500ms"),
        (&["check", "/no/such/file", "--model", "queue"], "/no/such/file"),
    ];
    for (arguments, expected) in cases {
        let output = linchpin(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn what_cannot_be_decided_in_time_exits_with_3() {
    let make = ["generate-history", "--model", "deque", "--operations", "4000", "--processes", "24", "--values", "3"];
    let history = stdout(&linchpin(&make, ""));
    let output = linchpin(&["check", "-", "--model", "deque", "--time-limit", "200ms"], &history);
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    assert!(stdout(&output).contains("the time limit was reached; a longer --time-limit may help"));
    let output = linchpin(&["check", "-", "--model", "deque", "--memory-limit", "1MB"], &history);
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    assert!(stdout(&output).contains("the memory limit was reached"));
}

#[test]
fn of_several_files_the_worst_counts() {
    let (good, bad) = (temporary("good.jsonl"), temporary("bad.jsonl"));
    std::fs::write(&good, CONCURRENT).expect("written");
    std::fs::write(&bad, OVERTAKEN).expect("written");
    let (good, bad) = (good.to_str().expect("text"), bad.to_str().expect("text"));
    let code = |files: &[&str]| linchpin(&[&["check", "--model", "queue"], files].concat(), "").status.code();
    assert_eq!(code(&[good, good]), Some(0));
    assert_eq!(code(&[good, "/no/such/file"]), Some(2));
    assert_eq!(code(&["/no/such/file", bad, good]), Some(1));
    for file in [good, bad] {
        std::fs::remove_file(file).expect("removed");
    }
}

#[test]
fn generated_histories_get_their_verdicts() {
    for model in ["register", "cas-register", "kv", "set", "queue", "stack", "priority-queue", "mutex", "counter"] {
        for (violate, expected) in [(&[][..], 0), (&["--violate"], 1)] {
            let make = ["generate-history", "--model", model, "--operations", "300", "--processes", "4", "--seed", "7"];
            let history = linchpin(&[&make, violate].concat(), "");
            assert_eq!(history.status.code(), Some(0), "{model}: {}", stderr(&history));
            let output = linchpin(&["check", "-", "--model", model], &stdout(&history));
            assert_eq!(output.status.code(), Some(expected), "{model}: {}{}", stdout(&output), stderr(&output));
        }
    }
}

#[test]
fn pictures_are_files_of_their_own() {
    let (page, picture) = (temporary("picture.html"), temporary("picture.svg"));
    let (html, svg) = (page.to_str().expect("text"), picture.to_str().expect("text"));
    let output = linchpin(&["check", "-", "--model", "queue", "--html", html, "--svg", svg], OVERTAKEN);
    assert_eq!(output.status.code(), Some(1));
    let (html, svg) =
        (std::fs::read_to_string(&page).expect("a page"), std::fs::read_to_string(&picture).expect("one"));
    assert!(html.contains("deq() → 5") && !html.contains("http-equiv=\"refresh\""));
    assert!(svg.starts_with("<svg") || svg.starts_with("<?xml"));
    for file in [page, picture] {
        std::fs::remove_file(file).expect("removed");
    }
}

#[test]
fn the_lists_name_every_model_and_format() {
    let models = stdout(&linchpin(&["check", "--list-models"], ""));
    for name in ["register", "cas-register", "kv", "map", "set", "queue", "bounded-queue", "stack", "deque"] {
        assert!(models.lines().any(|line| line.split(' ').next() == Some(name)), "{name}: {models}");
    }
    assert!(models.contains("enqueue"), "{models}");
    assert!(stdout(&linchpin(&["check", "--list-formats"], "")).contains("jepsen-edn"));
}

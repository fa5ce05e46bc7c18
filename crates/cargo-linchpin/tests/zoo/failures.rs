//! `linchpin replay` and `linchpin explain` as they are typed.

use serde_json::{Value, json};

use super::TWICE;
use super::typed::{Temporary, error, json as as_json, run};

/// Lets a client fail, and keeps the execution.
fn saved(name: &str, client: &[&str]) -> Temporary {
    let file = Temporary::new(name);
    run(&[&["client"], client, &["--save-replay", file.typed()]].concat(), 1);
    assert!(file.path().is_file());
    file
}

#[test]
fn a_saved_failure_is_shown_again_by_its_file_alone() {
    let explored = as_json(&["client", "treiber-stack", TWICE], 1);
    let file = saved("again", &["treiber-stack", TWICE]);
    let report = as_json(&["replay", file.typed()], 1);
    assert_eq!((&report["object"], &report["client"]), (&json!("treiber-stack"), &json!(TWICE)));
    assert_eq!((&report["verdict"], &report["kind"]), (&json!("violation"), &json!("not-linearizable")));
    let text = run(&["replay", file.typed()], 1);
    assert!(text.contains("no order of the invocations returns nil, 1, 1"), "{text}");
    // The execution is the same, in another process.
    assert_eq!(report["report"]["execution"], explored["report"]["execution"]);
}

#[test]
fn a_sampled_failure_is_shown_again_and_explained() {
    let options = ["treiber-stack", TWICE, "--tester", "sample", "--seed", "3"];
    let file = saved("sampled", &options);
    assert_eq!(as_json(&["replay", file.typed()], 1)["kind"], "not-linearizable");
    let report = as_json(&["explain", file.typed(), "--clients", "0"], 1);
    assert_eq!(report["causes"][0]["sections"][0]["operation"], "pop");
}

#[test]
fn an_explanation_has_the_smallest_client_its_cause_and_its_races() {
    let larger = "[push(1); push(2)] { pop(); push(3) } || { pop() } [pop()]";
    let file = saved("explained", &["treiber-stack", larger, "--model", "sc"]);
    for arguments in [&["explain", file.typed()][..], &["explain", "treiber-stack", larger, "--model", "sc"]] {
        let arguments = &[arguments, &["--clients", "10"]].concat()[..];
        let report = as_json(arguments, 1);
        assert_eq!(report["client"], larger);
        assert_eq!(report["minimum_test"]["threads"], json!([["pop()"], ["pop()"]]));
        assert_eq!(report["minimal_proven"], true);
        assert_eq!(report["causes"][0]["sections"][0]["operation"], "pop");
        assert_eq!(report["causes"][0]["verified"], true);
        assert!(!report["critical_races"].as_array().expect("a list").is_empty());
        assert_eq!((&report["generated_clients"], &report["clients_left"]), (&json!(10), &json!([])));
        assert!(report["failing_clients"].as_u64() > Some(0));
        let text = run(arguments, 1);
        for part in [
            "With the sections of the cause atomic, none does",
            "is the smallest client that was found to fail like that",
            "Cause: lines",
            "verified",
            "Decisive races",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}

#[test]
fn the_library_has_the_causes_of_all_its_clients() {
    let options = ["--library", "--clients", "25", "--model", "sc"];
    let report = as_json(&[&["explain", "coarse-list-add-remove"][..], &options].concat(), 1);
    let sections = report["sections"].as_array().expect("a list");
    let operations: Vec<&Value> = sections.iter().map(|section| &section["operation"]).collect();
    assert_eq!(operations, ["add", "remove"]);
    assert_eq!((&report["clients"], &report["left"]), (&json!(25), &json!(0)));
    let text = run(&[&["explain", "coarse-list-fixed"][..], &options].concat(), 3);
    assert!(text.contains("25 clients, none of which returns what it should not"), "{text}");
}

#[test]
fn what_does_not_fail_has_nothing_to_explain() {
    assert_eq!(as_json(&["explain", "treiber-stack-fixed", TWICE], 0)["verdict"], "linearizable");
    let text = run(&["explain", "treiber-stack-fixed", TWICE], 0);
    assert!(text.ends_with("no violation; coverage: complete\n"), "{text}");
}

#[test]
fn a_file_of_a_test_elsewhere_says_what_to_type() {
    let fields = "model sc\nspin-is-wait true\nspurious-failures false\nthread 0\nevents\n";
    let free = format!("linchpin replay 1\n# panic\npackage queue\ntest two::pops\n{fields}");
    let file = Temporary::containing("free", &free);
    let command = |variable: &str, file: &Temporary| {
        format!("{variable}={} cargo test -p queue two::pops -- --exact --nocapture", file.typed())
    };
    assert!(error(&["replay", file.typed()]).contains(&command("LINCHPIN_REPLAY", &file)));
    let said = error(&["explain", file.typed()]);
    assert!(said.contains("explanations are for clients") && said.contains(&command("LINCHPIN_REPLAY", &file)));

    let client =
        format!("linchpin replay 1\n# panic\npackage queue\ntest two::pops\nobject Fifo\nclient {TWICE}\n{fields}");
    let file = Temporary::containing("client", &client);
    assert!(error(&["explain", file.typed()]).contains(&command("LINCHPIN_EXPLAIN", &file)));

    // Written before files said whose they are.
    let file = Temporary::containing("old", &format!("linchpin replay 1\n# panic\n{fields}"));
    let said = error(&["replay", file.typed()]);
    assert!(said.contains(&format!("run the test that wrote it with LINCHPIN_REPLAY={}", file.typed())), "{said}");
}

#[test]
fn what_cannot_be_used_is_said() {
    assert!(error(&["replay", "no-such-file"]).contains("no-such-file: "));
    assert!(error(&["explain", "treiber-stac"]).contains("did you mean treiber-stack"));
    assert!(error(&["explain", "treiber-stack"]).contains("linchpin explain treiber-stack CLIENT"));
    assert!(error(&["explain", "treiber-stack", "{ jump() }"]).contains("jump"));
    let file = Temporary::containing("other", "linchpin replay 9\n");
    assert!(error(&["replay", file.typed()]).contains("line 1 of the replay"));
    let stress = ["client", "treiber-stack", TWICE, "--tester", "stress", "--save-replay", file.typed()];
    assert!(error(&stress).contains("--save-replay goes with"));
    // The client of the file is not the one of its events any more.
    let file = saved("changed", &["treiber-stack", TWICE]);
    std::fs::write(file.path(), file.read().replace(TWICE, "[push(1)] { pop() } || { push(2) }"))
        .expect("it can be written");
    assert!(error(&["replay", file.typed()]).contains("does not fit treiber-stack any more"));
}

//! `linchpin zoo`, `client`, `stress` and `reproduce` as they are typed.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::TWICE;
use super::typed::{Temporary, error, json, linchpin, run};

/// Text without the time at the end of the second line, and without the numbers of lines in source files.
fn timeless(text: &str) -> String {
    let is_excerpt = |line: &str| line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(" |");
    let cut = |(number, line): (usize, &str)| match (number, line.rsplit_once("; "), line.rsplit_once(".rs:")) {
        (1, Some((before, _)), _) => format!("{before}\n"),
        (_, _, Some((before, _))) => format!("{before}.rs\n"),
        _ if is_excerpt(line) || line.contains(" lines ") => line.replace(|c: char| c.is_ascii_digit(), "_") + "\n",
        _ => format!("{line}\n"),
    };
    text.lines().enumerate().map(cut).collect()
}

#[test]
fn hunt_shrinks_a_long_run_to_the_smallest_client() {
    let text = run(&["hunt", "simple-list", "--json"], 1);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["verdict"], "violation");
    assert_eq!(report["minimum_test"]["threads"], serde_json::json!([["add(1)"], ["add(1)"]]));
    assert_eq!(report["minimum_test"]["setup"], serde_json::json!([]));
    assert_eq!(report["outcome"], serde_json::json!([true, true]));
    assert_eq!(report["minimal_proven"], true);
    // What `add` found before it took the lock, and what it did behind the lock.
    assert_eq!(report["causes"][0]["sections"][0]["operation"], "add");
    assert_eq!(report["causes"][0]["verified"], true);
    assert!(!report["critical_races"].as_array().unwrap().is_empty());
    let again = run(&["replay", report["replay"].as_str().unwrap()], 1);
    assert!(again.contains("{ add(1) } || { add(1) }: no order of the invocations returns true, true"), "{again}");

    let nothing = run(&["hunt", "simple-list-fixed", "--histories", "3", "--operations", "10"], 3);
    assert!(nothing.contains("no run of 3 was wrong, which is no proof"), "{nothing}");
}

#[test]
fn each_command_has_help_with_examples() {
    for command in [
        &["zoo"][..],
        &["client"],
        &["stress"],
        &["hunt"],
        &["replay"],
        &["explain"],
        &["reproduce"],
        &["reproduce", "violat"],
    ] {
        let help = run(&[command, &["--help"]].concat(), 0);
        insta::assert_snapshot!(format!("help_{}", command.join("_")), help);
    }
}

#[test]
fn the_zoo_lists_every_object() {
    let text = run(&["zoo"], 0);
    let objects = json(&["zoo"], 0);
    let objects = objects.as_array().expect("a list");
    assert_eq!(objects.len(), linchpin_zoo::all().len());
    for (object, entry) in objects.iter().zip(linchpin_zoo::all()) {
        assert!(text.lines().any(|line| line.starts_with(&format!("{} ", entry.name))), "{text}");
        assert_eq!(
            (&object["name"], &object["paper"], &object["faulty"], &object["specification"], &object["twin"]),
            (
                &entry.name.into(),
                &entry.paper.into(),
                &entry.faulty.into(),
                &entry.specification.into(),
                &entry.twin.into()
            )
        );
        assert_eq!(object["known"].as_array().map(Vec::len), Some(entry.known.len()));
        assert!(object["operations"].as_array().is_some_and(|operations| operations.len() >= 2));
    }
}

#[test]
fn exploring_a_faulty_stack_shows_the_execution_and_exits_with_1() {
    insta::assert_snapshot!(timeless(&run(&["client", "treiber-stack", TWICE, "--model", "sc"], 1)));
}

#[test]
fn exploring_its_twin_is_a_proof_and_exits_with_0() {
    insta::assert_snapshot!(timeless(&run(&["client", "treiber-stack-fixed", TWICE], 0)), @"
    [push(1)] { pop() } || { pop() } as a client of treiber-stack-fixed (Treiber's stack)
    no violation in 2 executions (2 more blocked); coverage: complete
    ");
    let report = json(&["client", "treiber-stack-fixed", TWICE], 0);
    assert_eq!((&report["verdict"], &report["coverage"]), (&"linearizable".into(), &"complete".into()));
    assert_eq!((&report["model"], &report["bounded_by"]), (&"c11".into(), &Value::Array(vec![])));
}

#[test]
fn a_budget_that_runs_out_is_no_proof_and_exits_with_3() {
    let client = "{ push(1); pop() } || { push(2); pop() }";
    let report = json(&["client", "treiber-stack-fixed", client, "--runs", "2"], 3);
    assert_eq!((&report["verdict"], &report["coverage"]), (&"unknown".into(), &"bounded".into()));
    assert_eq!(report["bounded_by"], Value::from(vec!["2 executions"]));
}

#[test]
fn every_tester_says_what_was_returned() {
    let report = json(&["client", "treiber-stack", TWICE], 1);
    assert_eq!(report["outcome"], serde_json::json!([null, 1, 1]));
    let report = json(&["client", "treiber-stack", TWICE, "--tester", "sample", "--seed", "5"], 1);
    assert_eq!(report["outcome"], serde_json::json!([null, 1, 1]));
    assert_eq!((&report["kind"], &report["seed"]), (&"not-linearizable".into(), &5.into()));
    assert!(report["run"].is_u64() && report["report"]["execution"].is_object());
}

#[test]
fn a_seed_gives_the_same_runs_again() {
    for strategy in ["random", "pct", "d-pct"] {
        let options =
            ["client", "k-stack", "{ push(1) } || { pop() } [pop()]", "--tester", "sample", "--strategy", strategy];
        let [first, second] = [(); 2].map(|()| timeless(&run(&options, 1)));
        assert_eq!(first, second);
        assert!(first.contains("no order of the invocations returns nil, 1, 1"), "{first}");
    }
}

#[test]
fn sampling_that_finds_nothing_is_no_proof() {
    let text = run(&["client", "treiber-stack-fixed", TWICE, "--tester", "sample", "--runs", "100"], 3);
    assert!(text.contains("no violation in 100 random runs, which is no proof; seed 0"), "{text}");
}

#[test]
fn an_aba_fault_needs_addresses_that_come_again() {
    let client = "[push(1); push(2)] { pop() } || { pop(); pop(); push(3) } [pop(); pop()]";
    let sample = ["client", "boxed-stack", client, "--tester", "sample"];
    let kind = |options: &[&str]| json(&[&sample, options].concat(), 1)["kind"].clone();
    assert_eq!((kind(&[]), kind(&["--reuse", "fifo"])), ("use-after-free".into(), "not-linearizable".into()));
}

#[test]
fn native_threads_are_counted() {
    for command in [&["stress"][..], &["client", "--tester", "stress"]] {
        let options = [command, &["treiber-stack-fixed", TWICE, "--runs", "2000"]].concat();
        let text = run(&options, 3);
        assert!(text.contains("2,000 runs in ") && text.contains("that is no proof"), "{text}");
        let report = json(&options, 3);
        let frequencies = report["frequencies"].as_array().expect("a list");
        let count: u64 = frequencies.iter().filter_map(|frequency| frequency["count"].as_u64()).sum();
        assert_eq!((count, &report["runs"], &report["model"]), (2000, &2000.into(), &"native".into()));
        let outcomes = frequencies.iter().map(|frequency| (&frequency["outcome"], &frequency["admitted"]));
        let admitted = [serde_json::json!([null, 1, null]), serde_json::json!([null, null, 1])];
        assert!(outcomes.clone().count() == 2, "{frequencies:?}");
        assert!(outcomes.into_iter().all(|(outcome, is_admitted)| admitted.contains(outcome) && *is_admitted == true));
    }
}

#[test]
fn what_is_wrong_in_one_thread_is_said_before_anything_else() {
    for tester in ["explore", "sample", "stress"] {
        let text = run(&["client", "unknown-list-2", "{ add(1); remove(1); remove(1) }", "--tester", tester], 1);
        assert!(text.contains("in one thread, remove(1) after add(1); remove(1) returns true"), "{text}");
    }
}

#[test]
fn what_cannot_be_used_says_what_can() {
    let said: Vec<String> = [
        &["client", "treiber_stak", TWICE][..],
        &["client", "unicorn", TWICE],
        &["client", "treiber-stack", "{ pop }"],
        &["client", "treiber-stack", "{ peek() }"],
        &["client", "treiber-stack", "{ push(\"a\") }"],
        &["client", "treiber-stack", TWICE, "--tester", "sample", "--model", "sc"],
        &["client", "treiber-stack", TWICE, "--seed", "1"],
        &["client", "treiber-stack", TWICE, "--tester", "sample", "--depth", "2"],
        &["stress", "boxed-stack", TWICE],
        &["hunt", "treiber-stack", "--scheduler", "pct", "--one-operation"],
        &["hunt", "treiber-stack", "--scheduler", "native", "--depth", "2"],
    ]
    .map(error)
    .to_vec();
    insta::assert_snapshot!(said.concat());
}

#[test]
fn the_emitted_test_is_the_one_that_the_zoo_keeps_and_runs() {
    let file = Temporary::new("emitted.rs");
    let client = "[write(0, 2)] { write(1, 2) } || { read() }";
    run(&["client", "pair-snapshot-fixed", client, "--emit-test", file.typed()], 0);
    let kept = include_str!("../../../linchpin-zoo/tests/emitted_by_command.rs");
    assert_eq!(file.read(), kept, "to take it over: copy the left side to tests/emitted_by_command.rs of the zoo");
}

#[test]
fn a_file_that_cannot_be_written_loses_nothing() {
    let output = linchpin(&["client", "treiber-stack", TWICE, "--emit-test", "/no/such/directory/test.rs"]);
    let text = String::from_utf8(output.stdout).expect("text");
    // The violation is what has to be told.
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("no order of the invocations returns nil, 1, 1"), "{text}");
    assert!(String::from_utf8(output.stderr).expect("text").contains("cannot write /no/such/directory/test.rs"));
}

/// Waits until the process has something to do on Ctrl-C, and sends it that: twice, as `timeout` does.
fn interrupt(process: u32) {
    /// The bit of SIGINT in the masks of `/proc`.
    const SIGINT: u64 = 1 << 1;
    let catches = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("the process runs");
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask");
        u64::from_str_radix(mask.trim(), 16).expect("a mask") & SIGINT != 0
    };
    while !catches() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let process = process.to_string();
    let sent = Command::new("kill").args(["-INT", &process, &process]).status().expect("kill runs");
    assert!(sent.success());
}

#[test]
fn an_interrupt_ends_with_what_is_known() {
    let client = "{ push(1); push(2); pop() } || { push(3); push(4); pop() } || { push(5); push(6); pop() }";
    for (tester, said) in [
        ("explore", "coverage: bounded by an interrupt"),
        ("sample", "which is no proof"),
        ("stress", "until it was interrupted"),
    ] {
        let runs: &[&str] = if tester == "explore" { &[] } else { &["--runs", "1000000000000"] };
        let mut command = Command::new(env!("CARGO_BIN_EXE_linchpin"));
        command.args([&["client", "treiber-stack-fixed", client, "--tester", tester], runs].concat());
        let child = command.stdout(Stdio::piped()).spawn().expect("the command runs");
        interrupt(child.id());
        let output = child.wait_with_output().expect("the command ends");
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn an_interrupted_hunt_says_how_far_it_got() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linchpin"));
    command.args(["hunt", "lock-free-list-fixed", "--operations", "200", "--histories", "1000000000"]);
    let child = command.stdout(Stdio::piped()).spawn().expect("the command runs");
    interrupt(child.id());
    let output = child.wait_with_output().expect("the command ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("was wrong, which is no proof"), "{text}");
}

#[test]
fn violats_figures_agree() {
    let rows = json(&["reproduce", "violat", "--time-limit", "50ms"], 0);
    let rows = rows.as_array().expect("a list");
    assert_eq!(rows.len(), 18);
    for row in rows {
        assert!(row["id"].is_string() && row["paper"].is_string() && row["ours"].is_string(), "{row}");
        assert_ne!(row["agrees"], Value::Bool(false), "{row}");
    }
    let text = run(&["reproduce", "violat", "--time-limit", "50ms"], 0);
    assert!(
        text.contains("figure 2: containsValue") && text.contains("1, false, nil, nil, 1 in 1 of 8 executions"),
        "{text}"
    );
    assert!(text.contains("  isEmpty        { put(1, 1) } || { put(1, 2); is_empty() }"), "{text}");
}

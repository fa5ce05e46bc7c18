//! The commands as they are typed.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linchpin")).args(arguments).output().expect("the command runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[test]
fn the_demo_shows_an_element_that_is_popped_twice() {
    let output = run(&["demo"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("panic: the main thread says \"both pops return [Some("), "{text}");
    assert!(text.contains("C.load(SeqCst) = 2") && text.contains("src/demo/stack.rs:"), "{text}");
    assert!(text.contains("linchpin demo --repaired"), "{text}");
}

#[test]
fn the_repaired_stack_holds() {
    let output = run(&["demo", "--repaired"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("coverage: complete"), "{text}");
}

#[test]
fn the_drawing_is_nothing_but_a_drawing() {
    let text = stdout(&run(&["demo", "--dot"]));
    assert!(text.starts_with("digraph execution {") && text.ends_with("}\n"), "{text}");
}

#[test]
fn cargo_may_put_the_name_of_the_subcommand_first() {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-linchpin")).args(["linchpin", "demo", "--dot"]).output();
    assert_eq!(output.expect("the command runs").status.code(), Some(0));
}

#[test]
fn help_has_examples_and_exit_codes() {
    let output = run(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("Examples:") && stdout(&output).contains("3 undecided"));
}

#[test]
fn wrong_usage_exits_with_2() {
    for arguments in [&["no-such-command"][..], &["demo", "--no-such-option"], &[]] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish"] {
        let output = run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("generate-history"), "{shell}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let help = stdout(&run(&["--help"]));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() >= 12, "{commands:?}");
    for command in commands.iter().filter(|command| !matches!(**command, "help" | "demo" | "reproduce")) {
        let help = stdout(&run(&[command, "--help"]));
        assert!(help.contains("Examples:") && help.contains("Exit code"), "{command}: {help}");
    }
}

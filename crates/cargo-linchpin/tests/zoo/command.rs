//! The commands as they are typed.

use std::process::{Command, Output};

use super::typed::linchpin;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[test]
fn the_demo_finds_shrinks_and_pins() {
    let output = linchpin(&["demo"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    // Found, shrunk, pinned: the lines are those of the two accesses, which stand one below the other.
    assert!(text.contains("[push(1)] { pop() } || { pop() }: no order of the invocations returns nil, 1, 1"), "{text}");
    assert!(text.contains("it does not fail, which is proven"), "{text}");
    let source = include_str!("../../src/demo/stack.rs");
    let load = source.lines().position(|line| line.contains("let item = self.items[slot].load")).unwrap() + 1;
    let cause = format!("Cause: lines {load} to {} of crates/cargo-linchpin/src/demo/stack.rs (pop)", load + 1);
    assert!(text.contains(&cause) && text.contains("With it, none does: verified."), "{text}");
    assert!(text.contains("linchpin demo --repaired"), "{text}");
    // The stack is not in the zoo, so nothing could be run again.
    assert!(text.contains("What to do:\n- Make lines") && !text.contains("linchpin replay"), "{text}");
}

#[test]
fn the_repaired_stack_holds() {
    let output = linchpin(&["demo", "--repaired"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("coverage: complete"), "{text}");
}

#[test]
fn the_drawing_is_nothing_but_a_drawing() {
    let text = stdout(&linchpin(&["demo", "--dot"]));
    assert!(text.starts_with("digraph execution {") && text.ends_with("}\n"), "{text}");
}

#[test]
fn cargo_may_put_the_name_of_the_subcommand_first() {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-linchpin")).args(["linchpin", "demo", "--dot"]).output();
    assert_eq!(output.expect("the command runs").status.code(), Some(0));
}

#[test]
fn help_has_examples_and_exit_codes() {
    let output = linchpin(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("Examples:") && stdout(&output).contains("3 undecided"));
}

#[test]
fn wrong_usage_exits_with_2() {
    for arguments in [&["no-such-command"][..], &["demo", "--no-such-option"], &[]] {
        assert_eq!(linchpin(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish"] {
        let output = linchpin(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("generate-history"), "{shell}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let help = stdout(&linchpin(&["--help"]));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() >= 12, "{commands:?}");
    for command in commands.iter().filter(|command| !matches!(**command, "help" | "demo" | "reproduce")) {
        let help = stdout(&linchpin(&[command, "--help"]));
        assert!(help.contains("Examples:") && help.contains("Exit code"), "{command}: {help}");
    }
}

//! Ctrl-C while a command runs in a terminal: the signal is real, and so is the terminal, where the command shows what it does.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::thread;

use nix::errno::Errno;
use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

/// Types a command, and Ctrl-C as soon as it shows `moment`. Returns what it prints, and whether it has shown that at all.
fn interrupted(arguments: &[&str], moment: &str) -> (Output, bool) {
    let size = Winsize { ws_row: 24, ws_col: 400, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = openpty(&size, None).expect("a terminal");
    let child = Command::new(env!("CARGO_BIN_EXE_linchpin"))
        .args(arguments)
        .env("TERM", "xterm")
        .stdout(Stdio::piped())
        .stderr(terminal.slave)
        .spawn()
        .expect("the command runs");
    let pid = Pid::from_raw(child.id() as i32);
    let (mut screen, moment) = (File::from(terminal.master), moment.to_owned());
    // It is read to its end, so that the command never waits for somebody to look.
    let watching = thread::spawn(move || {
        let (mut shown, mut is_sent) = (Vec::new(), false);
        let mut part = [0; 4096];
        loop {
            match screen.read(&mut part) {
                // That is how a terminal ends whose command has ended.
                Err(error) if error.raw_os_error() == Some(Errno::EIO as i32) => break,
                Err(error) => panic!("{error}"),
                Ok(0) => break,
                Ok(read) => shown.extend_from_slice(&part[..read]),
            }
            if !is_sent && String::from_utf8_lossy(&shown).contains(&moment) {
                is_sent = true;
                // If it has ended by now it is a zombie, which takes no notice, until somebody waits for it below.
                kill(pid, Signal::SIGINT).expect("the command has not been waited for");
            }
        }
        is_sent
    });
    // The terminal ends when the command does, and until then there is a process with its number.
    let is_sent = watching.join().expect("somebody watches");
    (child.wait_with_output().expect("the command ends"), is_sent)
}

#[test]
fn an_interrupt_while_a_hunt_shrinks_prints_the_smallest_client_so_far() {
    // Shrinking the first of these takes a second, the last one ten, and a signal no time to speak of. Should the machine have been busy with
    // something else all that time, the answer is complete, which is noticed, and the next one is tried.
    for seed in ["1", "5", "3"] {
        let hunt = ["hunt", "snark-deque", "--model", "c11", "--threads", "4", "--operations", "100", "--seed", seed];
        let (output, is_sent) = interrupted(&[&hunt[..], &["--json"]].concat(), "making it smaller");
        let text = String::from_utf8(output.stdout).expect("text");
        if !is_sent {
            continue;
        }
        let report: Value = serde_json::from_str(&text).expect("JSON");
        // What was found is a violation, whether or not it could be made smaller.
        assert_eq!((output.status.code(), &report["verdict"]), (Some(1), &json!("violation")), "{text}");
        let threads = report["minimum_test"]["threads"].as_array().expect("the smallest client so far");
        assert!(threads.len() >= 2, "{text}");
        let minimality = report["report"]["minimality"].as_str().expect("a sentence");
        let is_interrupted = minimality.contains("the search was interrupted");
        assert_eq!(report["minimal_proven"], json!(!is_interrupted), "{text}");
        if is_interrupted {
            assert!(minimality.contains("is the smallest client that was found to fail like that"), "{minimality}");
            return;
        }
    }
    panic!("no hunt was shrinking when the signal came");
}

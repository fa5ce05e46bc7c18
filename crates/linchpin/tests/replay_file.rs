//! What a failing test leaves behind, and what it does when that is given back to it: the tests run this program again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
use linchpin::{Builder, MemoryModel, Replay, Sampling};

linchpin::object! {
    Counter: AtomicU8 = AtomicU8::new(0);
    fn add(&self) -> u8 = |counter: &AtomicU8| {
        let before = counter.load(SeqCst);
        counter.store(before + 1, SeqCst);
        before
    };
}

const CLIENT: &str = "{ add() } || { add() }";

#[test]
#[ignore = "fails on purpose; the other tests run it"]
fn checked() {
    linchpin::check::<Counter>().run();
}

#[test]
#[ignore = "fails on purpose; the other tests run it"]
fn hunted() {
    linchpin::hunt::<Counter>().operations(10).run();
}

#[test]
#[ignore = "fails on purpose; the other tests run it"]
fn client() {
    linchpin::client::<Counter>(CLIENT).run();
}

#[test]
#[ignore = "fails on purpose; the other tests run it"]
fn sampled() {
    linchpin::client::<Counter>(CLIENT).run_sampled(&Sampling::default());
}

#[test]
#[ignore = "fails on purpose; the other tests run it"]
fn free() {
    Builder::new().memory_model(MemoryModel::Sc).check(|| panic!("no luck"));
}

/// What one of the tests above prints, with these variables in its environment.
fn output(test: &str, environment: &[(&str, &PathBuf)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([test, "--exact", "--ignored", "--nocapture"]);
    command.env("CARGO_PKG_NAME", "counters").env_remove("LINCHPIN_REPLAY").env_remove("LINCHPIN_EXPLAIN");
    command.envs(environment.iter().copied());
    let output = command.output().expect("this program runs");
    assert!(!output.status.success(), "it fails on purpose");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// A test that has failed.
struct Failed {
    /// What it prints.
    text: String,
    /// The file that it says it has left behind,
    file: PathBuf,
    /// and what is in it.
    replay: Replay,
}

/// The tests above by name, each run once: two at a time would write the same file.
static FAILED: LazyLock<BTreeMap<&str, Failed>> =
    LazyLock::new(|| ["checked", "hunted", "client", "sampled", "free"].map(|test| (test, fail(test))).into());

fn fail(test: &str) -> Failed {
    let text = output(test, &[]);
    let (_, after) = text.split_once("LINCHPIN_REPLAY=").expect("how to see it again");
    let (file, command) = after.split_once(' ').expect("a command");
    assert!(command.starts_with(&format!("cargo test -p counters {test} -- --exact --nocapture\n")), "{text}");
    let replay = std::fs::read_to_string(file).expect("the file is there").parse().expect("a replay");
    Failed { file: file.into(), text, replay }
}

#[test]
fn the_file_says_whose_execution_it_is() {
    for test in ["checked", "hunted", "client", "sampled"] {
        let origin = &FAILED[test].replay.origin;
        assert_eq!(origin.package.as_deref(), Some("counters"));
        assert_eq!(origin.test.as_deref(), Some(test));
        assert_eq!((origin.object.as_deref(), origin.client.as_deref()), (Some("Counter"), Some(CLIENT)));
    }
    let origin = &FAILED["free"].replay.origin;
    assert_eq!((origin.test.as_deref(), &origin.object, &origin.client), (Some("free"), &None, &None));
}

#[test]
fn what_was_explored_ends_with_the_cause_and_what_was_sampled_says_how_to_get_it() {
    for test in ["checked", "hunted", "client"] {
        let text = &FAILED[test].text;
        let (report, cause) = text.split_once("Cause: ").expect("a cause");
        assert!(report.contains("no order of the invocations returns 0, 0"), "{text}");
        assert!(cause.contains("(add) must be atomic") && cause.contains("verified"), "{text}");
    }
    let text = &FAILED["sampled"].text;
    assert!(!text.contains("Cause: ") && text.contains("LINCHPIN_EXPLAIN="), "{text}");
    let text = &FAILED["free"].text;
    assert!(!text.contains("LINCHPIN_EXPLAIN="), "{text}");
}

#[test]
fn a_file_that_is_given_back_has_its_execution_run_alone() {
    for test in ["checked", "hunted", "client", "sampled"] {
        let file = &FAILED[test].file;
        let text = output(test, &[("LINCHPIN_REPLAY", file)]);
        assert!(text.contains("no order of the invocations returns 0, 0"), "{text}");
        assert!(!text.contains("Cause: ") && !text.contains("of 500 clients") && !text.contains("run 1 is wrong"));
        let text = output(test, &[("LINCHPIN_EXPLAIN", file)]);
        assert!(text.contains("Cause: "), "{text}");
    }
}

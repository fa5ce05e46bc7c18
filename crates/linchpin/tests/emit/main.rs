//! Tests that are written as source: what they look like, and that they do what they say.
//!
//! A crate is made for them, with the name of this test, so that what is imported from here is found there.

mod counters;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use linchpin::{Argument, Comparable, Object, Value, client};

use counters::{Atomic, Racy};

linchpin::object! {
    RacyCounter: Racy = Racy::default();
    fn add(&self, by: Option<usize>) -> usize;
    fn digits(&self) => |digits| String::from_iter(digits) + ".";
    fn is(&self, count: char) -> bool = |counter: &Racy, count| counter.digits().eq([count]);
}

linchpin::object! {
    AtomicCounter: Atomic = Atomic::default();
    fn add(&self, by: Option<usize>) -> usize;
    fn digits(&self) => |digits| String::from_iter(digits) + ".";
    fn is(&self, count: char) -> bool = |counter: &Atomic, count| counter.digits().eq([count]);
}

const CLIENT: &str = "[add(nil)] { add(nil); digits() } || { add([2]) } || { } [digits(); is(\"4\")]";

fn emitted<O: Object>() -> String {
    client::<O>(CLIENT).emit_test(None).unwrap()
}

#[test]
fn a_test_reads_as_if_somebody_had_written_it() {
    insta::assert_snapshot!(emitted::<AtomicCounter>());
}

/// A crate of its own below the directory that cargo keeps for tests.
fn throwaway(files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emit");
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

#[test]
fn emitted_tests_compile_without_warnings_fail_on_the_faulty_object_and_pass_on_the_right_one() {
    let manifest = "[package]\nname = \"emit\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";
    let root = throwaway(&[
        ("Cargo.toml", manifest),
        ("src/lib.rs", "pub mod counters;\n"),
        ("src/counters.rs", include_str!("counters.rs")),
        ("tests/racy.rs", &emitted::<RacyCounter>()),
        ("tests/atomic.rs", &emitted::<AtomicCounter>()),
    ]);
    let output = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--no-fail-fast", "--test", "*"])
        .current_dir(&root)
        .env("CARGO_TARGET_DIR", root.join("target"))
        .env("RUSTFLAGS", "-D warnings")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let all = format!("{out}\n{err}");
    assert_eq!(all.matches("test native_threads_see_nothing_else ... ok").count(), 1, "{all}");
    assert_eq!(all.matches("test native_threads_see_nothing_else ... FAILED").count(), 1, "{all}");
    assert!(err.contains("error: 1 target failed:\n    `--test racy`"), "{all}");
    assert!(out.contains("no order of the invocations returns "), "{all}");
}

/// A type of the user's, of which it may be known how it is written.
#[derive(Debug, Default, Clone, Copy)]
struct Side<const WRITTEN: bool>(bool);

impl<const WRITTEN: bool> Argument for Side<WRITTEN> {
    fn domain(most: usize) -> Vec<Value> {
        bool::domain(most)
    }

    fn from_value(value: &Value) -> Option<Self> {
        value.as_bool().map(Side)
    }

    fn source(value: &Value) -> Option<String> {
        bool::source(value).filter(|_| WRITTEN).map(|side| format!("Side({side})"))
    }
}

impl<const WRITTEN: bool> Comparable for Side<WRITTEN> {
    fn to_value(&self) -> Value {
        self.0.to_value()
    }

    fn debug(value: &Value) -> Option<String> {
        bool::debug(value).filter(|_| WRITTEN).map(|side| format!("Side({side})"))
    }
}

struct Door;

impl Door {
    fn turn(&self, side: Side<true>) -> Side<true> {
        Side(!side.0)
    }

    fn open(&self, _: Side<false>) {}

    fn which(&self) -> Side<false> {
        Side(true)
    }
}

linchpin::object! {
    DoorObject: Door = Door;
    fn turn(&self, side: Side<true>) -> Side<true>;
    fn open(&self, side: Side<false>);
    fn which(&self) -> Side<false>;
}

#[test]
fn what_cannot_be_written_is_named_with_what_to_do() {
    let file = client::<DoorObject>("{ turn(true) }").emit_test(None).unwrap();
    assert!(file.contains("\nuse emit::Door;\nuse emit::Side;\n"), "{file}");
    assert!(file.contains("(object.turn(Side(true)),)"), "{file}");
    assert!(file.contains("    \"Side(false)\",\n"), "{file}");
    let message = |text: &str| client::<DoorObject>(text).emit_test(None).unwrap_err().to_string();
    assert_eq!(
        message("{ open(true) }"),
        "`open(true)`: how to write `side` in Rust is not known; give its type an `Argument::source`"
    );
    assert_eq!(
        message("{ } [which()]"),
        "`which()`: how {:?} prints its result true is not known; give its type a `Comparable::debug`, or map it to \
         another type with `=>`"
    );
}

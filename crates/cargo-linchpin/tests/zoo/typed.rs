//! Commands, typed, and what comes of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub fn linchpin(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linchpin")).args(arguments).output().expect("the command runs")
}

/// What a command prints, given how it exits.
#[track_caller]
pub fn run(arguments: &[&str], exit: i32) -> String {
    let output = linchpin(arguments);
    let text = String::from_utf8(output.stdout).expect("text");
    let errors = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(exit), "{text}{errors}");
    assert!(!text.contains('\x1b') && !errors.contains('\x1b'), "colours where nobody can see them: {text}{errors}");
    text
}

/// The same with `--json`.
#[track_caller]
pub fn json(arguments: &[&str], exit: i32) -> Value {
    serde_json::from_str(&run(&[arguments, &["--json"]].concat(), exit)).expect("JSON")
}

/// What a command says that cannot be used.
#[track_caller]
pub fn error(arguments: &[&str]) -> String {
    let output = linchpin(arguments);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]));
    String::from_utf8(output.stderr).expect("text")
}

/// A file or directory of one test, which goes away with it.
pub struct Temporary(PathBuf);

impl Temporary {
    pub fn new(name: &str) -> Temporary {
        Temporary(std::env::temp_dir().join(format!("linchpin-zoo-{}-{name}", std::process::id())))
    }

    pub fn containing(name: &str, text: &str) -> Temporary {
        let file = Temporary::new(name);
        std::fs::write(&file.0, text).expect("temporary files can be written");
        file
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// As it is typed.
    pub fn typed(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }

    pub fn read(&self) -> String {
        std::fs::read_to_string(&self.0).expect("the file was written")
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It may never have been there.
        let _ = if self.0.is_dir() { std::fs::remove_dir_all(&self.0) } else { std::fs::remove_file(&self.0) };
    }
}

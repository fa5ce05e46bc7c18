//! `cargo linchpin test`: the user's tests, with progress and with a word on where the reports are.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

use linchpin::command::Exit;
use serde::Deserialize;

use crate::arguments::Test;
use crate::object::unusable;
use crate::workspace::cargo;

pub(crate) fn run(options: &Test) -> Exit {
    let start = SystemTime::now();
    // What comes after `--` is for the tests, and not for building them.
    let for_cargo: Vec<&OsString> = options.arguments.iter().take_while(|argument| *argument != "--").collect();
    let is_built = cargo().args(["test", "--no-run"]).args(for_cargo).status();
    match is_built {
        Err(error) => return unusable(&format!("cannot run cargo: {error}; is it installed?")),
        Ok(status) if !status.success() => return unusable("the tests do not build; cargo says why above"),
        Ok(_) => {}
    }
    let is_passed = cargo()
        .args(["test", "--no-fail-fast"])
        .args(&options.arguments)
        .env("LINCHPIN_PROGRESS", "1")
        .status()
        .is_ok_and(|status| status.success());
    let files = target_directory(&options.arguments).map(|target| written_since(&target.join("linchpin"), start));
    for line in told(&files.unwrap_or_default()) {
        eprintln!("{line}");
    }
    if is_passed { Exit::Holds } else { Exit::Violation }
}

/// Cargo's target directory, as it is for these arguments.
fn target_directory(arguments: &[OsString]) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Metadata {
        target_directory: PathBuf,
    }
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version=1"]);
    if let Some(at) = arguments.iter().position(|argument| argument == "--manifest-path") {
        command.args(arguments.get(at..at + 2)?);
    }
    let output = command.stderr(Stdio::null()).output().ok()?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout).ok()?;
    Some(metadata.target_directory)
}

/// Pages and replays that are at least as new as that, in the order of their names.
fn written_since(directory: &Path, start: SystemTime) -> Vec<PathBuf> {
    let files = ["report", "replay"].into_iter().filter_map(|inner| fs::read_dir(directory.join(inner)).ok());
    let is_new = |path: &PathBuf| {
        let time = fs::metadata(path).and_then(|metadata| metadata.modified());
        time.is_ok_and(|time| time >= start)
    };
    let is_for_people = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "replay") || path.ends_with("report/index.html")
    };
    let mut files: Vec<PathBuf> = files.flatten().flatten().map(|file| file.path()).collect();
    files.retain(|file| is_new(file) && is_for_people(file));
    files.sort();
    files
}

fn told(files: &[PathBuf]) -> Vec<String> {
    let (pages, replays): (Vec<&PathBuf>, Vec<&PathBuf>) =
        files.iter().partition(|file| file.ends_with("report/index.html"));
    let mut lines: Vec<String> = pages.iter().map(|page| format!("the report: {}", page.display())).collect();
    lines.extend(replays.iter().map(|replay| format!("a failing execution, to be run again: {}", replay.display())));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_new_is_told() {
        let root = std::env::temp_dir().join(format!("linchpin-test-{}", std::process::id()));
        fs::create_dir_all(root.join("report")).unwrap();
        fs::create_dir_all(root.join("replay")).unwrap();
        for file in ["report/index.html", "report/other.json", "replay/a.replay"] {
            fs::write(root.join(file), "").unwrap();
        }
        let before = SystemTime::UNIX_EPOCH;
        let files = written_since(&root, before);
        assert_eq!(files, [root.join("replay/a.replay"), root.join("report/index.html")]);
        assert_eq!(told(&files).len(), 2);
        let later = SystemTime::now() + std::time::Duration::from_secs(3600);
        assert!(written_since(&root, later).is_empty());
        fs::remove_dir_all(root).unwrap();
    }
}

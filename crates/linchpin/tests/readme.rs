//! Somebody who has read the README and nothing else gets from `cargo new` to a found bug by copying from it.

use std::env;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const README: &str = include_str!("../../../README.md");

/// The blocks of a section, in order: the language that each is marked with, and its text.
fn blocks(section: &str) -> Vec<(&'static str, &'static str)> {
    let (_, text) = README.split_once(&format!("\n## {section}\n")).expect("the README has this section");
    let text = text.split_once("\n## ").map_or(text, |(text, _)| text);
    let fenced = text.split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').expect("a block has a first line")).collect()
}

/// A directory with nothing in it but this repository, as `linchpin`. It is not below the repository: what is made there would belong to
/// the repository's workspace. It is always the same, so that what cargo has built for it once is not built again: cargo knows packages
/// by their paths.
struct Desk {
    directory: PathBuf,
    /// Is locked for as long as it is open.
    _lock: File,
}

impl Desk {
    /// Waits until nobody else is at the desk.
    fn new() -> Desk {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let lock = File::create(target.join("readme.lock")).expect("a file to lock");
        // SAFETY: the descriptor is open.
        assert_eq!(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) }, 0, "the desk can be locked");
        let mut hasher = DefaultHasher::new();
        target.hash(&mut hasher);
        let directory = env::temp_dir().join(format!("linchpin-readme-{:016x}", hasher.finish()));
        // Somebody may have been killed here.
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir(&directory).expect("a new directory");
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
        std::os::unix::fs::symlink(repository, directory.join("linchpin")).expect("a link to the repository");
        Desk { directory, _lock: lock }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // The directory is a temporary one: if it cannot be removed, the system will.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Runs commands as they stand in the README, without a network.
fn sh(commands: &str, directory: &Path) -> Output {
    let cargo = Path::new(env!("CARGO")).parent().expect("cargo is in a directory");
    let path = env::join_paths(
        [cargo.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    Command::new("sh")
        .args(["-ec", commands])
        .current_dir(directory)
        .env("PATH", path.expect("a search path"))
        .env("CARGO_NET_OFFLINE", "true")
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme"))
        .output()
        .expect("a shell")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn what_stands_in_the_readme_finds_the_bug() {
    let desk = Desk::new();
    let mut directory = desk.directory.clone();
    let mut said = String::new();
    for (language, block) in blocks("From nothing to a found bug") {
        match language {
            "sh" if block.trim() == "cargo test" => {
                let output = sh(block, &directory);
                said = words(&text(&output));
                assert!(!output.status.success(), "the bug was not found: {said}");
            }
            "sh" => {
                // Where the reader's shell would be afterwards.
                let output = sh(&format!("{block}\npwd"), &directory);
                assert!(output.status.success(), "{}", text(&output));
                directory = String::from_utf8_lossy(&output.stdout).lines().last().expect("a directory").into();
            }
            "text" => {
                for line in block.lines().filter(|line| *line != "…") {
                    assert!(said.contains(&words(line)), "the README shows {line:?}, what comes is\n{said}");
                }
            }
            _ => {
                let (first, _) = block.split_once('\n').expect("a file has lines");
                let file = directory.join(first.strip_prefix("//! ").expect("the name of the file"));
                fs::create_dir_all(file.parent().expect("a file is in a directory")).expect("a directory");
                fs::write(file, block).expect("a file");
            }
        }
    }
    assert!(said.contains("the_queue_is_linearizable ... FAILED"), "no test has run: {said}");
}

/// The text with all white space alike: paths of other lengths make other columns and other breaks between lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

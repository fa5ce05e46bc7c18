//! Somebody who has read the README, or the tutorial, and nothing else gets from `cargo new` to a found bug by copying from it.

use std::env;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const README: &str = include_str!("../../../README.md");
const TUTORIAL: &str = include_str!("../../../docs/src/tutorial.md");

/// The fenced blocks of a text, in order: what stands before each, the language that it is marked with, and the block.
fn blocks(text: &'static str) -> Vec<(&'static str, &'static str, &'static str)> {
    let parts: Vec<&str> = text.split("```").collect();
    let block = |pair: &[&'static str]| {
        let (language, block) = pair[1].split_once('\n').expect("a block has a first line");
        (pair[0], language, block)
    };
    parts.chunks_exact(2).map(block).collect()
}

/// A section of the README.
fn section(name: &str) -> &'static str {
    let (_, text) = README.split_once(&format!("\n## {name}\n")).expect("the README has this section");
    text.split_once("\n## ").map_or(text, |(text, _)| text)
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

/// Somebody who copies what they read.
struct Reader {
    _desk: Desk,
    /// Where the reader's shell is.
    directory: PathBuf,
}

impl Reader {
    fn new() -> Reader {
        let desk = Desk::new();
        Reader { directory: desk.directory.clone(), _desk: desk }
    }

    /// Types commands that have to succeed.
    fn types(&mut self, commands: &str) {
        let output = sh(&format!("{commands}\npwd"), &self.directory);
        assert!(output.status.success(), "{}", text(&output));
        self.directory = String::from_utf8_lossy(&output.stdout).lines().last().expect("a directory").into();
    }

    fn writes(&self, file: &str, content: &str) {
        let file = self.directory.join(file);
        fs::create_dir_all(file.parent().expect("a file is in a directory")).expect("a directory");
        fs::write(file, content).expect("a file");
    }

    fn reads(&self, file: &str) -> String {
        fs::read_to_string(self.directory.join(file)).expect("a file")
    }

    /// What `cargo test` says, and whether all is well.
    fn tests(&self) -> (bool, String) {
        let output = sh("cargo test", &self.directory);
        (output.status.success(), words(&text(&output)))
    }
}

#[test]
fn what_stands_in_the_readme_finds_the_bug() {
    let mut reader = Reader::new();
    let mut said = String::new();
    for (_, language, block) in blocks(section("From nothing to a found bug")) {
        match language {
            "sh" if block.trim() == "cargo test" => {
                let (is_well, heard) = reader.tests();
                assert!(!is_well, "the bug was not found: {heard}");
                said = heard;
            }
            "sh" => reader.types(block),
            "text" => {
                for line in block.lines().filter(|line| *line != "…") {
                    assert!(said.contains(&words(line)), "the README shows {line:?}, what comes is\n{said}");
                }
            }
            _ => {
                let (first, _) = block.split_once('\n').expect("a file has lines");
                reader.writes(first.strip_prefix("//! ").expect("the name of the file"), block);
            }
        }
    }
    assert!(said.contains("the_queue_is_linearizable ... FAILED"), "no test has run: {said}");
}

#[test]
fn what_stands_in_the_tutorial_finds_the_bug_and_mends_it() {
    let mut reader = Reader::new();
    let (mut found, mut passed) = (0, 0);
    for (before, language, block) in blocks(TUTORIAL) {
        let file = before.trim_end().lines().last().and_then(|line| line.strip_prefix('`')?.strip_suffix("`:"));
        match (language, file) {
            ("sh", _) => reader.types(block),
            (_, Some(file)) => {
                reader.writes(file, block);
                if file == "tests/queue.rs" {
                    let (is_well, said) = reader.tests();
                    let headline = "[push(1)] { pop() } || { pop() }: no order of the invocations returns nil, 1, 1";
                    assert!(!is_well && TUTORIAL.contains(headline) && said.contains(headline), "{said}");
                    let advice = "take the lock once, and keep it from the first access to the last";
                    assert!(TUTORIAL.contains(advice) && said.contains(advice), "{said}");
                    found += 1;
                }
            }
            (_, None) => {
                match block.trim_start().starts_with("pub fn pop") {
                    true => {
                        let source = reader.reads("src/lib.rs");
                        let (kept, _) = source.split_once("    pub fn pop").expect("there is a `pop`");
                        reader.writes("src/lib.rs", &format!("{kept}{block}}}\n"));
                    }
                    false => reader.writes("tests/queue.rs", &format!("{}\n{block}", reader.reads("tests/queue.rs"))),
                }
                let (is_well, said) = reader.tests();
                assert!(is_well, "{said}");
                passed += 1;
            }
        }
    }
    assert_eq!((found, passed), (1, 2), "found once; passes when mended, and with the client that failed");
}

/// The text with all white space alike: paths of other lengths make other columns and other breaks between lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

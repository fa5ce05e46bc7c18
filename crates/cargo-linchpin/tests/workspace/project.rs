//! A throwaway crate below the directory that cargo keeps for tests. It stays there, so that only the first run builds it all.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::{env, fs};

use serde_json::Value;

/// The directory of Linchpin's crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is among others").to_owned()
}

fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Makes a crate of these files.
pub fn make(name: &str, dependencies: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = temporary().join("workspace").join(name);
    let _ = fs::remove_dir_all(&root);
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n{dependencies}\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n\n[profile.dev.package]\nlinchpin-engine = {{ opt-level = 3 }}\n\
         linchpin-graph = {{ opt-level = 3 }}\n"
    );
    let lock = fs::read_to_string(crates().join("../Cargo.lock")).expect("a lock file");
    for (path, text) in [("Cargo.toml", manifest.as_str()), ("Cargo.lock", &lock)].iter().chain(files) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    root
}

/// The crate that all tests share, and change nothing in.
pub fn queues() -> &'static Path {
    static QUEUES: OnceLock<PathBuf> = OnceLock::new();
    QUEUES.get_or_init(|| {
        let crates = crates();
        let crates = crates.display();
        let dependencies = format!(
            "[dependencies]\nlinchpin-sync = {{ path = \"{crates}/linchpin-sync\" }}\n\n\
             [dev-dependencies]\nlinchpin = {{ path = \"{crates}/linchpin\" }}\n"
        );
        let files =
            [("src/lib.rs", include_str!("project/lib.rs")), ("tests/queue.rs", include_str!("project/queue.rs"))];
        make("queues", &dependencies, &files)
    })
}

/// `cargo linchpin …`, without a network.
pub fn cargo_linchpin(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-linchpin"));
    command
        .arg("linchpin")
        .args(arguments)
        .current_dir(directory)
        .env("CARGO", env!("CARGO"))
        .env("CARGO_NET_OFFLINE", "true")
        .env("CARGO_TARGET_DIR", temporary().join("workspace/target"))
        // Cargo sets it for this test; it is not set where people type commands.
        .env_remove("CARGO_MANIFEST_DIR");
    command
}

/// What a command prints, and what it says besides.
#[track_caller]
pub fn run(directory: &Path, arguments: &[&str], exit: i32) -> (String, String) {
    ended(cargo_linchpin(directory, arguments).output().expect("the command runs"), exit)
}

#[track_caller]
pub fn ended(output: Output, exit: i32) -> (String, String) {
    let text = String::from_utf8(output.stdout).expect("text");
    let errors = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(exit), "{text}{errors}");
    (text, errors)
}

#[track_caller]
pub fn json(arguments: &[&str], exit: i32) -> Value {
    let (text, _) = run(queues(), &[arguments, &["--json"]].concat(), exit);
    serde_json::from_str(&text).expect("JSON")
}

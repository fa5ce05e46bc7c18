//! The small file that every violation leaves behind.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use linchpin_engine::Replay;

/// Names a replay file: the test whose violation it is runs that execution only.
const VARIABLE: &str = "LINCHPIN_REPLAY";

/// The name of the running test: the test harness gives it to the thread.
fn test_name() -> String {
    std::thread::current().name().unwrap_or("main").to_owned()
}

fn file_name(test: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '.' }
    };
    test.replace("::", ".").chars().map(plain).chain(".replay".chars()).collect()
}

/// Cargo's target directory, which it tags as a cache: above the running program, or for programs that are built elsewhere,
/// as documentation tests are, next to the sources.
fn target_directory() -> PathBuf {
    let is_tagged = |directory: &PathBuf| directory.join("CACHEDIR.TAG").is_file();
    let program = env::current_exe().unwrap_or_default();
    let sources = env::current_dir().unwrap_or_default();
    let above = program.ancestors().map(Path::to_owned);
    let beside = sources.ancestors().map(|directory| directory.join("target"));
    above.chain(beside).find(is_tagged).unwrap_or_else(env::temp_dir)
}

/// Writes the replay of the running test's violation and says how to use it. The finding must not be lost, so where
/// writing fails the replay itself is returned.
pub(crate) fn keep(replay: &Replay) -> String {
    let test = test_name();
    let path = target_directory().join("linchpin").join("replay").join(file_name(&test));
    match write(&path, replay) {
        Ok(()) => format!(
            "This execution again, and only this one:\n    {VARIABLE}={} cargo test {test} -- --exact --nocapture\n",
            path.display()
        ),
        Err(error) => format!("The replay could not be written to {}: {error}. It is:\n{replay}", path.display()),
    }
}

fn write(path: &Path, replay: &Replay) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, replay.to_string())
}

/// The replay that the user asks for, if it is one of the running test.
///
/// # Panics
/// If the file cannot be read or is not a replay.
pub(crate) fn asked_for() -> Option<Replay> {
    let path = PathBuf::from(env::var_os(VARIABLE)?);
    if path.file_name()?.to_str()? != file_name(&test_name()) {
        return None;
    }
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{VARIABLE}={}: {error}", path.display()));
    Some(text.parse().unwrap_or_else(|error| panic!("{VARIABLE}={}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_plain() {
        assert_eq!(file_name("queue::two_pops"), "queue.two_pops.replay");
        assert_eq!(file_name("a/../b c"), "a....b.c.replay");
    }
}

//! The small file that every violation leaves behind.

use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use linchpin_engine::Replay;

/// Names a replay file: the test whose violation it is runs that execution only.
const REPLAY: &str = "LINCHPIN_REPLAY";
/// The same; besides, what is known about why such executions are wrong is printed, if the test is a client of an object.
const EXPLAIN: &str = "LINCHPIN_EXPLAIN";

/// The name of the running test: the test harness gives it to the thread.
pub(crate) fn test_name() -> String {
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
pub(crate) fn target_directory() -> PathBuf {
    let is_tagged = |directory: &PathBuf| directory.join("CACHEDIR.TAG").is_file();
    let program = env::current_exe().unwrap_or_default();
    let sources = env::current_dir().unwrap_or_default();
    let above = program.ancestors().map(Path::to_owned);
    let beside = sources.ancestors().map(|directory| directory.join("target"));
    above.chain(beside).find(is_tagged).unwrap_or_else(env::temp_dir)
}

/// Where the replay of the running test's violation is, and what to type.
pub(crate) struct Kept {
    pub file: PathBuf,
    /// For the execution again.
    pub replay: String,
    /// For an explanation, if the test is a client of an object.
    pub explain: Option<String>,
}

/// Writes the replay of the running test's violation. The finding must not be lost, so where writing fails the replay itself is in
/// what is said about that.
pub(crate) fn keep(mut replay: Replay) -> Result<Kept, String> {
    let test = test_name();
    // Cargo tells the programs that it runs.
    replay.origin.package = env::var("CARGO_PKG_NAME").ok();
    replay.origin.test = Some(test.clone());
    let file = place(&test);
    match write(&file, &replay.to_string()) {
        Ok(()) => {
            let explain = explain_command(&replay, &file);
            Ok(Kept { replay: commands(REPLAY, &replay, &file).unwrap_or_default(), explain, file })
        }
        Err(error) => Err(format!("The replay could not be written to {}: {error}. It is:\n{replay}", file.display())),
    }
}

/// Writes the replay of what a command has found about an object, and returns where it is.
pub(crate) fn keep_of_object(name: &str, replay: &str) -> io::Result<PathBuf> {
    let file = place(name);
    write(&file, replay)?;
    Ok(file)
}

fn place(name: &str) -> PathBuf {
    target_directory().join("linchpin").join("replay").join(file_name(name))
}

/// What to type for the execution of this file again, if it is known which test it belongs to.
///
/// ```
/// let replay: linchpin::Replay = "linchpin replay 1\n# panic\npackage queue\ntest two_pops\nmodel sc\nspin-is-wait true\n\
///                                 spurious-failures false\nthread 0\nevents\n".parse()?;
/// assert_eq!(
///     linchpin::replay_command(&replay, "two_pops.replay".as_ref()).unwrap(),
///     "LINCHPIN_REPLAY=two_pops.replay cargo test -p queue two_pops -- --exact --nocapture"
/// );
/// # Ok::<(), linchpin::ParseReplayError>(())
/// ```
pub fn replay_command(replay: &Replay, file: &Path) -> Option<String> {
    commands(REPLAY, replay, file)
}

/// What to type for an explanation of the failure in this file, if it is known which test it belongs to, and that is a client of
/// an object.
pub fn explain_command(replay: &Replay, file: &Path) -> Option<String> {
    replay.origin.client.as_ref().and_then(|_| commands(EXPLAIN, replay, file))
}

fn commands(variable: &str, replay: &Replay, file: &Path) -> Option<String> {
    let test = replay.origin.test.as_ref()?;
    let package = replay.origin.package.as_ref().map(|package| format!(" -p {package}")).unwrap_or_default();
    Some(format!("{variable}={} cargo test{package} {test} -- --exact --nocapture", file.display()))
}

/// Writes a file that is there as a whole or not at all: two programs may have found something in the same object.
fn write(path: &Path, replay: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let part = path.with_extension(format!("{}.part", process::id()));
    fs::write(&part, replay)?;
    fs::rename(&part, path)
}

/// What the user asks of the running test.
pub(crate) struct Asked {
    /// The execution to run again.
    pub replay: Replay,
    /// Is it to be explained?
    pub explain: bool,
}

/// The replay that the user asks for, if it is one of the running test.
///
/// # Panics
/// If the file cannot be read or is not a replay.
pub(crate) fn asked_for() -> Option<Asked> {
    let (variable, path) = [EXPLAIN, REPLAY].into_iter().find_map(|name| Some((name, env::var_os(name)?)))?;
    let path = PathBuf::from(path);
    if path.file_name()?.to_str()? != file_name(&test_name()) {
        return None;
    }
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{variable}={}: {error}", path.display()));
    let replay = text.parse().unwrap_or_else(|error| panic!("{variable}={}: {error}", path.display()));
    Some(Asked { replay, explain: variable == EXPLAIN })
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

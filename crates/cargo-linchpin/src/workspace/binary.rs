//! Test binaries, as cargo builds them.

use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// A test binary.
pub(super) struct Binary {
    pub executable: PathBuf,
    /// The directory of its package, where cargo runs it.
    pub directory: PathBuf,
}

/// A line of what cargo says; of most lines nothing is wanted.
#[derive(Deserialize)]
struct Line {
    reason: String,
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// The cargo that called this command, or whichever is found.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Builds the tests.
pub(super) fn build(arguments: &[OsString]) -> Result<Vec<Binary>, String> {
    let mut command = cargo();
    command.args(["test", "--no-run", "--message-format=json-render-diagnostics"]).args(arguments);
    if !std::io::stderr().is_terminal() {
        command.arg("--quiet");
    }
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}; is it installed?"))?;
    if !output.status.success() {
        return Err("the tests do not build; cargo says why above".into());
    }
    let binaries: Vec<Binary> = output.stdout.split(|&byte| byte == b'\n').filter_map(binary).collect();
    if binaries.is_empty() {
        return Err("there is no test to build here; cargo linchpin init writes a first one".into());
    }
    Ok(binaries)
}

fn binary(line: &[u8]) -> Option<Binary> {
    let line: Line = serde_json::from_slice(line).ok()?;
    let is_test = line.reason == "compiler-artifact" && line.profile.is_some_and(|profile| profile.test);
    let directory = line.manifest_path.as_deref().and_then(Path::parent).map(Path::to_owned)?;
    line.executable.filter(|_| is_test).map(|executable| Binary { executable, directory })
}

#[cfg(test)]
mod tests {
    use super::binary;

    #[test]
    fn of_what_cargo_says_only_test_binaries_count() {
        let line = |reason: &str, executable: &str, test: bool| {
            format!(
                r#"{{"reason":"{reason}","manifest_path":"/a/Cargo.toml","executable":{executable},"profile":{{"test":{test}}}}}"#
            )
        };
        let found = |text: String| binary(text.as_bytes()).map(|binary| binary.directory);
        assert_eq!(found(line("compiler-artifact", "\"/t/a\"", true)), Some("/a".into()));
        assert_eq!(found(line("compiler-artifact", "null", true)), None);
        assert_eq!(found(line("compiler-artifact", "\"/t/a\"", false)), None);
        assert_eq!(found(r#"{"reason":"build-finished","success":true}"#.into()), None);
        assert_eq!(found("no JSON".into()), None);
    }
}

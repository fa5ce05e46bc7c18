//! A tool's process: what it said, and how long processors were busy with it.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::processor::{Whom, busy_with};
use crate::text::time;

/// How many of a tool's last lines are shown when it fails.
const LAST: usize = 4;

/// A process that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Did it say that all is well?
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
    /// How long processors were busy with it, all of them together, where this system tells; otherwise, how long it took.
    pub processor_seconds: f64,
}

impl Ended {
    /// The last lines, of the error stream if there are any.
    pub fn last_words(&self) -> String {
        let said = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if lines.is_empty() { "it says nothing".into() } else { lines[lines.len().saturating_sub(LAST)..].join("\n") }
    }

    /// The process, if it has succeeded; its last words, if not.
    pub fn succeeded(self) -> Result<Ended, String> {
        if self.success { Ok(self) } else { Err(self.last_words()) }
    }
}

/// The first line that a tool prints when it is asked what it is. Fails with the first line of its complaint.
pub(super) fn version(command: &mut Command) -> Result<String, String> {
    let ended = run(command, Duration::from_secs(60))?;
    let first = |said: &str| said.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    match first(if ended.success { &ended.stdout } else { &ended.stderr }) {
        Some(line) if ended.success => Ok(line),
        Some(line) => Err(line),
        None => Err("it says nothing".into()),
    }
}

/// Runs a command to its end, for no longer than `patience`. Fails if it cannot be started, or does not end.
pub(super) fn run(command: &mut Command, patience: Duration) -> Result<Ended, String> {
    let begin = Instant::now();
    let before = busy_with(Whom::Children);
    let streams = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().map_err(|error| error.to_string())?;
    let stdout = read_all(child.stdout.take().expect("the output is a pipe"));
    let stderr = read_all(child.stderr.take().expect("the errors are a pipe"));
    let read = || {
        let stdout = stdout.recv_timeout(patience)?;
        Ok::<_, RecvTimeoutError>((stdout, stderr.recv_timeout(patience.saturating_sub(begin.elapsed()))?))
    };
    let Ok((stdout, stderr)) = read() else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("not done after {}", time(patience.as_secs_f64())));
    };
    let status = child.wait().map_err(|error| error.to_string())?;
    let processor_seconds = match (before, busy_with(Whom::Children)) {
        (Some(before), Some(after)) => after - before,
        _ => begin.elapsed().as_secs_f64(),
    };
    Ok(Ended { success: status.success(), stdout, stderr, processor_seconds })
}

/// All that comes from a stream, when it has ended.
fn read_all(mut stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is all there is.
        let _ = stream.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, patience: Duration) -> Result<Ended, String> {
        run(Command::new("sh").args(["-c", script]), patience)
    }

    #[test]
    fn what_a_process_says_is_kept() {
        let ended = shell("echo one; echo two >&2", Duration::from_secs(60)).expect("it ends");
        assert_eq!((ended.success, &*ended.stdout, &*ended.stderr), (true, "one\n", "two\n"));
    }

    #[test]
    fn who_works_keeps_processors_busy() {
        let worked = shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", Duration::from_secs(60));
        assert!(worked.expect("it ends").processor_seconds > 0.0);
    }

    #[test]
    fn who_fails_has_last_words() {
        let ended = shell("for i in 1 2 3 4 5 6; do echo $i >&2; echo; done; exit 3", Duration::from_secs(60));
        assert_eq!(ended.and_then(Ended::succeeded).expect_err("it fails"), "3\n4\n5\n6");
        let silent = shell("exit 1", Duration::from_secs(60)).and_then(Ended::succeeded);
        assert_eq!(silent.expect_err("it fails"), "it says nothing");
    }

    #[test]
    fn a_tool_says_in_its_first_line_what_it_is_or_what_is_wrong() {
        let version = |script: &str| super::version(Command::new("sh").args(["-c", script]));
        assert_eq!(version("echo; echo tool 1.2; echo more"), Ok("tool 1.2".into()));
        assert_eq!(version("echo no; echo not installed >&2; echo more >&2; exit 1"), Err("not installed".into()));
        assert_eq!(version("true"), Err("it says nothing".into()));
    }

    #[test]
    fn who_does_not_end_is_ended() {
        let error = shell("exec sleep 600", Duration::from_millis(20)).expect_err("it does not end");
        assert_eq!(error, "not done after 20.0 ms");
    }

    #[test]
    fn who_is_not_there_cannot_be_run() {
        assert!(run(&mut Command::new("/nowhere/linchpin"), Duration::from_secs(1)).is_err());
    }
}

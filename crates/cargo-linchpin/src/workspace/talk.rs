//! Talking to a test binary: the other side is `linchpin::command::serve`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use linchpin::command::serve::{Ask, Message, VARIABLE};

use super::binary::Binary;

/// How soon an interrupt is noticed.
const SOON: Duration = Duration::from_millis(50);

/// Of what a binary prints, so much of the end is kept for when something goes wrong.
const LAST_WORDS: usize = 4_000;

/// How a binary ended.
pub(super) struct Ended {
    pub status: ExitStatus,
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to standard output, which is the test harness speaking.
    pub printed: String,
    errors: String,
}

impl Ended {
    /// The end of what it has said, if it has said something.
    pub fn last_words(&self) -> String {
        let all = format!("{}{}", self.printed, self.errors);
        let start = all.len().saturating_sub(LAST_WORDS);
        let end = (start..=all.len()).find_map(|at| all.get(at..)).unwrap_or_default().trim();
        if end.is_empty() { String::new() } else { format!("; it said:\n{end}") }
    }
}

/// Runs a binary, asks it something and listens until it ends. When `interrupt` becomes true, it is asked to come to an end.
pub(super) fn talk(
    binary: &Binary,
    ask: &Ask,
    arguments: &[&str],
    interrupt: &AtomicBool,
    listen: &mut dyn FnMut(Message),
) -> Result<Ended, String> {
    let failed = |error: std::io::Error| format!("cannot talk to {}: {error}", binary.executable.display());
    let (mut ours, theirs) = UnixStream::pair().map_err(failed)?;
    let mut child = Command::new(&binary.executable)
        .args(arguments)
        .current_dir(&binary.directory)
        .env("CARGO_MANIFEST_DIR", &binary.directory)
        .env(VARIABLE, "1")
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C is for this process, which passes it on in its own way.
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let printed = child.stdout.take().map(collect);
    let errors = child.stderr.take().map(collect);

    // A binary without objects does not listen and may be gone already.
    let _ = ours.write_all((serde_json::to_string(ask).unwrap_or_default() + "\n").as_bytes());
    let (sender, receiver) = channel();
    let reader = BufReader::new(ours.try_clone().map_err(failed)?);
    thread::spawn(move || {
        for line in reader.lines().map_while(Result::ok) {
            if let Ok(message) = serde_json::from_str(&line) {
                let _ = sender.send(message);
            }
        }
    });
    let mut is_asked_to_end = false;
    loop {
        match receiver.recv_timeout(SOON) {
            Ok(message) => listen(message),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if interrupt.load(Relaxed) && !is_asked_to_end {
            is_asked_to_end = true;
            let _ = ours.shutdown(Shutdown::Write);
        }
    }
    let status = child.wait().map_err(failed)?;
    let text = |collected: Option<thread::JoinHandle<String>>| {
        collected.and_then(|thread| thread.join().ok()).unwrap_or_default()
    };
    Ok(Ended { status, code: status.code(), printed: text(printed), errors: text(errors) })
}

/// Reads all of it on the side, so that nobody has to wait.
fn collect(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

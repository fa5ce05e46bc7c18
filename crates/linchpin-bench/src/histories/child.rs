//! The process that decides one row for one checker.
//!
//! It says [`READY`] when the histories are there, [`DECIDED`] when they have been decided for the first time, and in the
//! end its [`Answer`], each on a line of its own.

use std::io::{Read, Write, stdin, stdout};
use std::process::{self, ExitCode};
use std::thread;

use serde::{Deserialize, Serialize};

use crate::measurement::median;
use crate::resident::megabytes;

use super::checkers::{Checker, Proof};
use super::rows::Source;
use super::sample::Sample;

pub(super) const READY: &str = "ready";
pub(super) const DECIDED: &str = "decided";

/// What a peer may have, in bytes: enough for all it decides, and not enough to bring this machine down.
pub(crate) const MEMORY: u64 = 4_000_000_000;

/// Who decides what.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub checker: Checker,
    pub source: Source,
}

/// What came out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The shortest time, in seconds.
    pub best: f64,
    /// The middle one of all times.
    pub median: f64,
    /// How many times the histories were decided.
    pub repetitions: usize,
    /// How many histories there are.
    pub histories: usize,
    /// How many of them the checker says are linearizable.
    pub linearizable: usize,
    /// Of how many it says what is known to be false.
    pub wrong: usize,
    /// The most memory that the process ever had, the histories included, in megabytes of 10⁶ bytes.
    pub peak_mb: Option<f64>,
    /// What linchpin's verdicts rest on.
    pub proof: Option<Proof>,
}

/// Does what it is told.
pub(super) fn run(task: &str) -> ExitCode {
    // Whoever started this process holds its input open: when that ends, nobody waits for an answer.
    thread::spawn(|| {
        let _ = stdin().read(&mut [0]);
        process::exit(1);
    });
    match serde_json::from_str(task).map_err(|error| error.to_string()).and_then(|task| answer(&task)) {
        Ok(answer) => {
            say(&serde_json::to_string(&answer).expect("an answer is plain data"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer(task: &Task) -> Result<Answer, String> {
    let sample = Sample::of(&task.source)?;
    if task.checker != Checker::Linchpin {
        limit_memory();
    }
    say(READY);
    let mut peak_mb = None;
    let mut decided = task.checker.decide(&sample, || {
        // What comes after the first time is for the sake of measuring.
        peak_mb = megabytes("VmHWM:");
        say(DECIDED);
    })?;
    let known = sample.histories.iter().map(|(_, linearizable)| linearizable);
    Ok(Answer {
        best: decided.times.iter().min().map_or(0.0, |time| time.as_secs_f64()),
        median: median(&mut decided.times).as_secs_f64(),
        repetitions: decided.times.len(),
        histories: sample.histories.len(),
        linearizable: decided.verdicts.iter().filter(|verdict| **verdict).count(),
        wrong: decided.verdicts.iter().zip(known).filter(|(verdict, known)| verdict != known).count(),
        peak_mb,
        proof: decided.proof,
    })
}

fn say(line: &str) {
    let mut stream = stdout().lock();
    let _ = writeln!(stream, "{line}").and_then(|()| stream.flush());
}

/// Whoever wants more than [`MEMORY`] from here on is ended.
fn limit_memory() {
    #[cfg(unix)]
    {
        let limit = libc::rlimit { rlim_cur: MEMORY as libc::rlim_t, rlim_max: MEMORY as libc::rlim_t };
        // SAFETY: the limit outlives the call, which only reads it.
        unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
    }
}

//! One checker on the histories of one row, in a process that can really be stopped.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::text::time;

use super::checkers::Checker;
use super::child::{Answer, DECIDED, READY, Task};
use super::rows::Source;

/// More than it takes to make a history, to decide it a few times more, or to verify a proof.
const PATIENCE: Duration = Duration::from_secs(120);

/// How a trial ended.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// With an answer.
    Answered(Answer),
    /// There was none when the time was up.
    Cut,
    /// The process wanted more memory than it was given.
    OutOfMemory,
    /// The process ended without an answer, and with this message.
    Failed(String),
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Outcome::Answered(answer) => answer.serialize(serializer),
            Outcome::Cut => serializer.serialize_str("cut"),
            Outcome::OutOfMemory => serializer.serialize_str("out of memory"),
            Outcome::Failed(message) => serializer.serialize_str(&format!("failed: {message}")),
        }
    }
}

impl Outcome {
    /// The median, with a note if not all verdicts are right; or what there is instead of an answer, when the budget had so
    /// many seconds.
    pub fn in_words(&self, budget: f64) -> String {
        match self {
            Outcome::Answered(answer) if answer.wrong > 0 => {
                format!("{} ({} of {} wrong)", time(answer.median), answer.wrong, answer.histories)
            }
            Outcome::Answered(answer) => time(answer.median),
            Outcome::Cut => format!("> {}", time(budget)),
            Outcome::OutOfMemory => "out of memory".into(),
            Outcome::Failed(message) => format!("failed: {message}"),
        }
    }

    /// The answer, if there is one.
    pub fn answer(&self) -> Option<&Answer> {
        match self {
            Outcome::Answered(answer) => Some(answer),
            _ => None,
        }
    }
}

/// Lets a checker decide; it has `budget` from when it has the histories.
pub(crate) fn measure(checker: Checker, source: &Source, budget: Duration) -> Outcome {
    let task = serde_json::to_string(&Task { checker, source: source.clone() }).expect("a task is plain data");
    let program = env::current_exe().expect("this program is a file");
    let piped = || (Stdio::piped(), Stdio::piped(), Stdio::piped());
    let (input, output, error) = piped();
    let child = Command::new(program).args(["decide", &task]).stdin(input).stdout(output).stderr(error).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let lines = lines_of(&mut child);
    let outcome = follow(&lines, budget);
    // It may have ended already.
    let _ = child.kill();
    let _ = child.wait();
    outcome.unwrap_or_else(|| failure(&mut child))
}

/// The answer, or that there was none in time. Nothing if the process has ended without.
fn follow(lines: &Receiver<String>, budget: Duration) -> Option<Outcome> {
    for (expected, time) in [(READY, PATIENCE), (DECIDED, budget)] {
        match lines.recv_timeout(time) {
            Ok(line) if line == expected => {}
            Ok(line) => return Some(Outcome::Failed(format!("{line} instead of {expected}"))),
            Err(RecvTimeoutError::Timeout) => return Some(Outcome::Cut),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    match lines.recv_timeout(PATIENCE) {
        Ok(line) => Some(match serde_json::from_str(&line) {
            Ok(answer) => Outcome::Answered(answer),
            Err(error) => Outcome::Failed(error.to_string()),
        }),
        Err(RecvTimeoutError::Timeout) => Some(Outcome::Failed("no answer after the decision".into())),
        Err(RecvTimeoutError::Disconnected) => None,
    }
}

fn lines_of(child: &mut Child) -> Receiver<String> {
    let output = BufReader::new(child.stdout.take().expect("the output is a pipe"));
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// What a process said that has ended.
fn failure(child: &mut Child) -> Outcome {
    let mut text = String::new();
    let _ = child.stderr.take().expect("the errors are a pipe").read_to_string(&mut text);
    if text.contains("memory allocation") {
        return Outcome::OutOfMemory;
    }
    Outcome::Failed(text.trim().lines().next().unwrap_or("no message").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn following(lines: &[&str], is_running: bool) -> Option<Outcome> {
        let (sender, receiver) = channel();
        for line in lines {
            sender.send((*line).to_owned()).expect("somebody listens");
        }
        let _running = is_running.then_some(sender);
        follow(&receiver, Duration::from_millis(1))
    }

    #[test]
    fn who_has_not_decided_in_time_is_cut() {
        assert!(matches!(following(&[READY], true), Some(Outcome::Cut)));
    }

    #[test]
    fn who_has_ended_without_an_answer_has_failed() {
        assert!(following(&[READY], false).is_none());
        assert!(following(&[READY, DECIDED], false).is_none());
        assert!(matches!(following(&[READY, DECIDED, "?"], false), Some(Outcome::Failed(_))));
    }
}

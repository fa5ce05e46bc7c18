//! Porcupine, which is written in Go, on the histories of `histories`.
//!
//! The driver is built with Go from `peers/porcupine`. It gets each history as a file of JSON lines, and times deciding alone,
//! as often as the bench does that with everybody. What linchpin's times have in them is said in [`histories`].

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use linchpin_history::write_json_lines;
use serde::{Deserialize, Serialize};

use crate::arguments::Peers;
use crate::histories::{self, Answer, Checker, MEMORY, Outcome, Row, Sample, Source};
use crate::measurement::median;
use crate::progress;

use super::comparison::LINCHPIN;
use super::{Section, process, scratch, sources};

const NAME: &str = "Porcupine";

/// More than fetching and building takes, or reading a history and deciding it a few times more.
const PATIENCE: Duration = Duration::from_secs(300);

/// What both said of one history.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    /// The row's name.
    pub history: String,
    /// What is known about it.
    pub verdict: &'static str,
    pub linchpin: Outcome,
    pub porcupine: Outcome,
}

impl Comparison {
    /// Porcupine's median over linchpin's.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.porcupine.answer()?.median / self.linchpin.answer()?.median)
    }

    /// Who said what is known to be false, and whether linchpin has failed. If nobody did and both have answered, they agree.
    pub fn wrong(&self) -> Vec<String> {
        let of = |name: &str, outcome: &Outcome| match outcome {
            Outcome::Answered(Answer { wrong, histories, .. }) if *wrong > 0 => {
                Some(format!("{wrong} of {histories} verdicts are false"))
            }
            Outcome::Failed(message) if name == LINCHPIN => Some(message.clone()),
            Outcome::OutOfMemory if name == LINCHPIN => Some("out of memory".into()),
            _ => None,
        };
        let both = [(LINCHPIN, &self.linchpin), (NAME, &self.porcupine)];
        let wrong =
            |(name, outcome)| Some(format!("{}, {}, {name}: {}", self.history, self.verdict, of(name, outcome)?));
        both.into_iter().filter_map(wrong).collect()
    }
}

/// Decides the histories that are asked for.
pub(super) fn measure(options: &Peers) -> Option<Result<Section<Comparison>, String>> {
    let mut wanted: Vec<Row> = histories::rows();
    // Reading is ours: there is nothing to compare it with.
    wanted.retain(|row| !matches!(row.source, Source::Etcd { reading: true }) && options.wants(NAME, &row.name));
    if wanted.is_empty() {
        return None;
    }
    progress::begin(format_args!("{NAME}: building"));
    let driver = match Driver::build(options) {
        Ok(driver) => driver,
        Err(note) => return Some(Err(note)),
    };
    let mut rows = Vec::new();
    for row in wanted {
        for source in row.source.variants() {
            progress::begin(format_args!("{NAME}: {}, {}", row.name, source.verdict()));
            rows.push(Comparison {
                history: row.name.clone(),
                verdict: source.verdict(),
                linchpin: histories::try_checker(Checker::Linchpin, &source, options.budget),
                porcupine: driver.decide(&source, options.budget).unwrap_or_else(Outcome::Failed),
            });
        }
    }
    Some(Ok(Section { version: driver.version, rows }))
}

fn missing(go: &Path, error: &str) -> String {
    format!(
        "{NAME}: «{} version» does not work: {error}. \
         Install Go from https://go.dev/dl, and put it on the path or name it with --go.",
        go.display()
    )
}

/// The program that asks Porcupine.
struct Driver {
    path: PathBuf,
    version: String,
}

impl Driver {
    /// Builds it, in a folder that is not part of the repository, since Go writes down there what it has fetched.
    fn build(options: &Peers) -> Result<Driver, String> {
        let go = |arguments: &[&str], folder: &Path| {
            process::run(Command::new(&options.go).args(arguments).current_dir(folder), PATIENCE)?.succeeded()
        };
        let folder = scratch("porcupine");
        copy(&sources("porcupine"), &folder).map_err(|error| format!("{NAME}: {}: {error}", folder.display()))?;
        process::version(Command::new(&options.go).arg("version")).map_err(|error| missing(&options.go, &error))?;
        let own = |error: String| {
            format!(
                "{NAME}: it cannot be built: {error}\nWithout network, name a folder with its sources with --porcupine."
            )
        };
        if let Some(porcupine) = &options.porcupine {
            let porcupine =
                porcupine.canonicalize().map_err(|error| own(format!("{}: {error}", porcupine.display())))?;
            let replace = format!("-replace=github.com/anishathalye/porcupine={}", porcupine.display());
            go(&["mod", "edit", &replace], &folder).map_err(own)?;
        }
        go(&["build", "-mod=mod", "-o", "driver", "."], &folder).map_err(own)?;
        let path = folder.join("driver");
        let version = process::version(Command::new(&path).arg("-versions")).map_err(own)?;
        Ok(Driver { path, version })
    }

    /// Lets Porcupine decide the histories of a row.
    fn decide(&self, source: &Source, budget: Duration) -> Result<Outcome, String> {
        let sample = Sample::of(source)?;
        let files = write(&sample, &scratch("porcupine").join("histories")).map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.path);
        command.args(["-model", sample.model.name(), "-memory", &MEMORY.to_string()]);
        command.args(["-seconds", &budget.as_secs_f64().to_string()]).args(files);
        let ended = process::run(&mut command, budget + PATIENCE)?;
        if !ended.success && is_out_of_memory(&ended.stderr) {
            return Ok(Outcome::OutOfMemory);
        }
        let known: Vec<bool> = sample.histories.iter().map(|(_, linearizable)| *linearizable).collect();
        outcome(&ended.succeeded()?.stdout, &known)
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Writes each history of a sample to a file of its own.
fn write(sample: &Sample, folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let mut files = Vec::new();
    for (i, (recording, _)) in sample.histories.iter().enumerate() {
        let path = folder.join(format!("{i:03}.jsonl"));
        let mut file = BufWriter::new(File::create(&path)?);
        write_json_lines(&recording.history, &mut file)?;
        file.flush()?;
        files.push(path);
    }
    Ok(files)
}

/// Go's runtime has several ways to say this.
fn is_out_of_memory(said: &str) -> bool {
    said.contains("out of memory") || said.contains("cannot allocate memory")
}

/// What the driver prints.
#[derive(Deserialize)]
struct Said {
    verdicts: Vec<Verdict>,
    /// How long all histories took together, each time.
    seconds: Vec<f64>,
}

/// Porcupine's names.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
enum Verdict {
    Ok,
    Illegal,
    Unknown,
}

/// What the driver's answer comes to, given which histories are linearizable.
fn outcome(said: &str, known: &[bool]) -> Result<Outcome, String> {
    let Said { verdicts, seconds } = serde_json::from_str(said).map_err(|error| error.to_string())?;
    if verdicts.len() != known.len() || seconds.is_empty() {
        return Err(format!("{} verdicts and {} times on {} histories", verdicts.len(), seconds.len(), known.len()));
    }
    if verdicts.contains(&Verdict::Unknown) {
        return Ok(Outcome::Cut);
    }
    let times: Result<Vec<Duration>, _> = seconds.iter().map(|&seconds| Duration::try_from_secs_f64(seconds)).collect();
    let mut times = times.map_err(|error| error.to_string())?;
    Ok(Outcome::Answered(Answer {
        best: times.iter().min().map_or(0.0, Duration::as_secs_f64),
        median: median(&mut times).as_secs_f64(),
        repetitions: times.len(),
        histories: known.len(),
        linearizable: verdicts.iter().filter(|verdict| **verdict == Verdict::Ok).count(),
        wrong: verdicts.iter().zip(known).filter(|(verdict, known)| (**verdict == Verdict::Ok) != **known).count(),
        peak_mb: None,
        proof: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a run on a history of a queue, shortened.
    const SAID: &str = r#"{"verdicts":["Ok","Illegal"],"seconds":[0.003631457,0.002546231,0.002818429]}
"#;

    #[test]
    fn verdicts_are_compared_with_what_is_known() {
        let answered = |known: &[bool]| match outcome(SAID, known) {
            Ok(Outcome::Answered(answer)) => answer,
            other => panic!("{other:?}"),
        };
        let right = answered(&[true, false]);
        assert_eq!((right.wrong, right.linearizable, right.repetitions), (0, 1, 3));
        assert_eq!((right.best, right.median), (0.002546231, 0.002818429));
        assert_eq!(answered(&[false, false]).wrong, 1);
    }

    #[test]
    fn a_history_without_a_verdict_was_cut() {
        let said = r#"{"verdicts":["Ok","Unknown"],"seconds":[10.002819949]}"#;
        assert!(matches!(outcome(said, &[true, true]), Ok(Outcome::Cut)));
    }

    #[test]
    fn what_is_not_an_answer_is_not_taken_for_one() {
        assert!(outcome(SAID, &[true]).is_err());
        assert!(outcome(r#"{"verdicts":["Ok"],"seconds":[]}"#, &[true]).is_err());
        assert!(outcome(r#"{"verdicts":["Maybe"],"seconds":[1]}"#, &[true]).is_err());
        assert!(outcome("goroutine 1 [running]:", &[true]).is_err());
    }

    #[test]
    fn whoever_is_wrong_is_named_and_only_linchpin_may_not_fail() {
        let compared =
            |linchpin, porcupine| Comparison { history: "queue 200×4".into(), verdict: "ok", linchpin, porcupine };
        let comparison = compared(Outcome::Cut, outcome(SAID, &[false, false]).expect("an answer"));
        assert_eq!(comparison.wrong(), ["queue 200×4, ok, Porcupine: 1 of 2 verdicts are false"]);
        assert_eq!(comparison.ratio(), None);
        let failed = || Outcome::Failed("no such file".into());
        assert_eq!(compared(failed(), failed()).wrong(), ["queue 200×4, ok, linchpin: no such file"]);
    }
}

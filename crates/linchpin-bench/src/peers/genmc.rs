//! GenMC: all executions of a program in C, under RC11. The programs are those of the catalogue, written again in C.
//!
//! Its options are the defaults, except that it does not guess the number of executions before. Its time is the one that it
//! prints, in hundredths of a second.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::arguments::Peers;
use crate::measurement::Tool;
use crate::programs::{CATALOGUE, Program};
use crate::{progress, tools};

use super::comparison::{Comparison, Looked, Trial};
use super::{Section, ours, process, sources};

const NAME: &str = "GenMC";

/// What takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(600);

/// The programs that there are in C: a file, how many threads, how many rounds.
const PROGRAMS: [(&str, &str, u32, u32); 6] = [
    ("sb-seq-cst", "sb.c", 2, 1),
    ("mp-acq-rel", "mp.c", 2, 1),
    ("iriw-seq-cst", "iriw.c", 4, 1),
    ("treiber-2x2", "treiber.c", 2, 2),
    ("michael-scott-2x1", "michael_scott.c", 2, 1),
    ("michael-scott-2x2", "michael_scott.c", 2, 2),
];

/// Explores the programs that are asked for.
pub(super) fn measure(options: &Peers) -> Option<Result<Section<Comparison>, String>> {
    let mut wanted = PROGRAMS.iter().filter(|(name, ..)| options.wants(NAME, name)).peekable();
    wanted.peek()?;
    let genmc = &options.genmc;
    let version = match process::version(Command::new(genmc).arg("--version")) {
        Ok(version) => version,
        Err(error) => return Some(Err(missing(genmc, &error))),
    };
    let rows = wanted.map(|&(name, file, threads, rounds)| {
        progress::begin(format_args!("{NAME}: {name}"));
        let theirs = Trial { tool: NAME, outcome: look(genmc, file, threads, rounds).into() };
        let &(program, body) = CATALOGUE.iter().find(|(entry, _)| *entry == name).expect("it is in the catalogue");
        Comparison { program, is_faulty: false, tools: vec![ours::measure(body), reduced(body), theirs] }
    });
    Some(Ok(Section { version, rows: rows.collect() }))
}

fn missing(genmc: &Path, error: &str) -> String {
    format!(
        "{NAME}: «{} --version» does not work: {error}. \
         Build it as https://github.com/MPI-SWS/genmc says, and put it on the path or name it with --genmc.",
        genmc.display()
    )
}

/// Linchpin with loops reduced, which GenMC does as well.
fn reduced(program: Program) -> Trial {
    let measured = tools::measure(Tool::LinchpinReduced, program, PATIENCE);
    let looked = Looked {
        executions: measured.complete + measured.blocked,
        failing: 0,
        are_all: measured.is_finished(),
        seconds: Some(measured.seconds),
        found: None,
    };
    Trial { tool: measured.tool.name(), outcome: Ok(looked).into() }
}

fn look(genmc: &Path, file: &str, threads: u32, rounds: u32) -> Result<Looked, String> {
    let mut command = Command::new(genmc);
    command.args(["-rc11", "-disable-estimation", "--"]);
    command.args([format!("-DTHREADS={threads}"), format!("-DROUNDS={rounds}")]).arg(sources("genmc").join(file));
    let ended = process::run(&mut command, PATIENCE)?.succeeded()?;
    read(&ended.stdout).ok_or_else(|| ended.last_words())
}

/// What GenMC says of a program in which it finds no fault.
fn read(said: &str) -> Option<Looked> {
    let number = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
    said.lines().find(|line| line.starts_with("No errors were detected"))?;
    let complete: u64 = number("Number of complete executions explored:")?.parse().ok()?;
    // The line is left out if there are none.
    let blocked: u64 = match number("Number of blocked executions seen:") {
        Some(blocked) => blocked.parse().ok()?,
        None => 0,
    };
    let seconds: f64 = number("Total wall-clock time:")?.strip_suffix('s')?.parse().ok()?;
    Some(Looked {
        executions: complete + blocked,
        failing: 0,
        are_all: true,
        seconds: (seconds > 0.0).then_some(seconds),
        found: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As its manual and its sources have it.
    #[test]
    fn complete_and_blocked_executions_are_read_with_the_time() {
        let said = "\
No errors were detected.
Number of complete executions explored: 24
Number of blocked executions seen: 3
Total wall-clock time: 0.25s
";
        let looked = read(said).expect("this is what it says");
        assert_eq!((looked.executions, looked.failing, looked.seconds), (27, 0, Some(0.25)));
    }

    #[test]
    fn a_time_that_its_clock_does_not_show_is_no_time() {
        let said =
            "No errors were detected.\nNumber of complete executions explored: 3\nTotal wall-clock time: 0.00s\n";
        assert_eq!(read(said).expect("this is what it says").seconds, None);
    }

    #[test]
    fn an_error_is_no_result() {
        assert_eq!(read("Error: Safety violation!\nNumber of complete executions explored: 1\n"), None);
        assert_eq!(read("Number of complete executions explored: 1\nTotal wall-clock time: 0.25s\n"), None);
    }

    #[test]
    fn every_program_has_its_sources() {
        for (name, file, ..) in PROGRAMS {
            assert!(sources("genmc").join(file).is_file(), "{file}");
            assert!(CATALOGUE.iter().any(|(entry, _)| *entry == name), "{name}");
        }
    }
}

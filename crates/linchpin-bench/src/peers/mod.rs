//! `peers`: tools that are not crates, each in processes of its own, on what linchpin gets right before.
//!
//! [`miri`] and [`genmc`] look at executions of programs, [`porcupine`] decides histories. Whoever is not installed is named with
//! what to do about it. Nothing is said of a tool that it has not said itself: where it fails, its last words are shown.

mod comparison;
mod genmc;
mod miri;
mod ours;
mod porcupine;
mod process;
mod render;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use serde::Serialize;

use crate::arguments::Peers;
use crate::output;

use comparison::Comparison;

/// All that was measured.
#[derive(Debug, Serialize)]
struct Report {
    /// What this machine has.
    cores: usize,
    /// How many seeds Miri was to try.
    seeds: u64,
    /// What each checker had for each history.
    budget_seconds: f64,
    miri: Option<Section<Comparison>>,
    genmc: Option<Section<Comparison>>,
    porcupine: Option<Section<porcupine::Comparison>>,
    /// What could not be measured, and what to do about it.
    notes: Vec<String>,
    /// Who said what is known to be false. Must be empty.
    wrong: Vec<String>,
}

/// What was measured with one tool.
#[derive(Debug, Serialize)]
struct Section<Row> {
    /// What the tool says of itself.
    version: String,
    rows: Vec<Row>,
}

/// Measures what is asked for and prints it. Fails if somebody was wrong.
pub(crate) fn run(options: &Peers) -> ExitCode {
    let report = measure(options);
    output::print(&report, options.json, render::report);
    output::conclude(&report.wrong)
}

fn measure(options: &Peers) -> Report {
    let mut notes = Vec::new();
    let miri = noted(&mut notes, miri::measure(options));
    let genmc = noted(&mut notes, genmc::measure(options));
    let porcupine = noted(&mut notes, porcupine::measure(options));
    if options.wants("lincheck", "") {
        notes.push(
            "Lincheck: left out. It tests objects that run on the JVM, and there is no driver for it here.".into(),
        );
    }
    let programs = miri.iter().chain(&genmc).flat_map(|section| &section.rows).flat_map(Comparison::wrong);
    let histories = porcupine.iter().flat_map(|section| &section.rows).flat_map(porcupine::Comparison::wrong);
    Report {
        cores: thread::available_parallelism().map_or(1, usize::from),
        seeds: options.seeds,
        budget_seconds: options.budget.as_secs_f64(),
        wrong: programs.chain(histories).collect(),
        miri,
        genmc,
        porcupine,
        notes,
    }
}

/// What a tool did, if it was asked for and is there. If it is not there, that is noted.
fn noted<Row>(notes: &mut Vec<String>, measured: Option<Result<Section<Row>, String>>) -> Option<Section<Row>> {
    measured?.map_err(|note| notes.push(note)).ok()
}

/// The sources for a tool.
fn sources(tool: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(tool)
}

/// Where a tool may put files.
fn scratch(tool: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate is in the repository");
    root.join("target/peers").join(tool)
}

//! `contracts`: the structures of the paper on CDSSpec under their contracts, and its experiment with injected bugs.
//!
//! All on one core. A structure's time is that of all its unit tests; best of several rounds, since most take less than a
//! timer is good for. The paper's times are from its Figure 7, on its machine.

use std::process::ExitCode;
use std::time::Instant;

use linchpin::Builder;
use linchpin_reproduce::cdsspec::{self, FIGURE_7, Outcome};
use linchpin_zoo::cds;
use serde::Serialize;

use crate::arguments::Contracts;
use crate::output;
use crate::text::time;

/// The paper's ten structures took this long together.
const PAPER: f64 = 21.88;

#[derive(Serialize)]
struct Report {
    structures: Vec<Structure>,
    /// All ten together, in seconds.
    structures_seconds: f64,
    injections: usize,
    detected: usize,
    /// The whole experiment with injections, in seconds.
    injections_seconds: f64,
    /// Lines of specification per structure, on average.
    lines_of_specification: f64,
}

#[derive(Serialize)]
struct Structure {
    name: &'static str,
    complete: u64,
    blocked: u64,
    seconds: f64,
    seconds_of_the_paper: f64,
    passes: bool,
}

/// Measures and prints. Fails if a structure does not pass its tests, or fewer injections are found than in the paper.
pub(crate) fn run(options: &Contracts) -> ExitCode {
    let report = measure(options.rounds.max(1));
    output::print(&report, options.json, render);
    let is_right = report.structures.iter().all(|structure| structure.passes) && report.detected >= 53;
    output::exit_code(is_right)
}

fn measure(rounds: u32) -> Report {
    let builder = Builder::new().workers(1);
    let structures: Vec<Structure> = cds::structures()
        .iter()
        .zip(FIGURE_7)
        .map(|(structure, paper)| {
            let runs = (0..rounds).map(|_| cdsspec::run(structure, &builder));
            let best = runs.min_by_key(|run| run.elapsed).expect("there is a round");
            Structure {
                name: structure.name,
                complete: best.complete,
                blocked: best.blocked,
                seconds: best.elapsed.as_secs_f64(),
                seconds_of_the_paper: paper.seconds,
                passes: best.detection.is_none() && best.is_complete,
            }
        })
        .collect();
    let start = Instant::now();
    let tried = cdsspec::try_injections(&builder);
    let injections_seconds = start.elapsed().as_secs_f64();
    let outcomes = || tried.iter().flat_map(|(_, tried)| tried).map(|(_, outcome)| outcome);
    let lines = cds::structures().iter().map(cds::Structure::specification_lines).sum::<usize>();
    Report {
        structures_seconds: structures.iter().map(|structure| structure.seconds).sum(),
        injections: outcomes().count(),
        detected: outcomes().filter(|outcome| matches!(outcome, Outcome::Detected { .. })).count(),
        injections_seconds,
        lines_of_specification: lines as f64 / structures.len() as f64,
        structures,
    }
}

fn render(report: &Report) -> String {
    let mut text =
        format!("{:20} {:>10} {:>8} {:>12} {:>12}\n", "structure", "executions", "blocked", "linchpin", "paper");
    for structure in &report.structures {
        let (ours, paper) = (time(structure.seconds), time(structure.seconds_of_the_paper));
        let Structure { name, complete, blocked, passes, .. } = structure;
        let verdict = if *passes { "" } else { "  FAILS" };
        text.push_str(&format!("{name:20} {complete:>10} {blocked:>8} {ours:>12} {paper:>12}{verdict}\n"));
    }
    let reached = |is_reached: bool| if is_reached { "reached" } else { "MISSED" };
    text.push_str(&format!(
        "\nall ten: {}, aimed for less than {}: {}\n",
        time(report.structures_seconds),
        time(PAPER / 10.0),
        reached(report.structures_seconds < PAPER / 10.0)
    ));
    text.push_str(&format!(
        "{} of {} injections detected in {}, aimed for less than 60 s: {}\n",
        report.detected,
        report.injections,
        time(report.injections_seconds),
        reached(report.injections_seconds < 60.0)
    ));
    text.push_str(&format!(
        "{:.1} lines of specification per structure; the paper's: 11.5\n",
        report.lines_of_specification
    ));
    text
}

//! The report as tables.

use std::fmt::Write;

use crate::measurement::{End, Measurement};
use crate::text::{Lean, Table, grouped, rounded, time};

use super::by_turns::Round;
use super::comparison::{Comparison, Ratios};
use super::report::Report;

const LEGEND: &str = "\
Executions are complete + blocked. Time is that of one exploration; short ones are repeated and the median is shown.
Linchpin explores under C11 with one worker. Time with loops reduced includes the cross-check of the loops.
Against loom: how many times more executions per second, and how many times shorter to exhaust the program;
≥ where loom was cut: by its budget, or, if none was given, when the target for times was decided.
";

/// All tables there is something for.
pub(super) fn report(report: &Report) -> String {
    let mut text = String::new();
    if !report.comparisons.is_empty() {
        let cores = if report.cores == 1 { "core" } else { "cores" };
        let _ = writeln!(text, "{} {cores}, {} per tool and program", report.cores, time(report.budget_seconds));
        let _ = writeln!(text, "\n{}\n{LEGEND}", comparisons(&report.comparisons));
    }
    text.push_str(&sections(report));
    if !report.targets.is_empty() {
        let _ = writeln!(text, "{}", targets(report));
    }
    text
}

fn comparisons(comparisons: &[Comparison]) -> String {
    let mut table = Table::new(&[
        ("program", Lean::Left),
        ("tool", Lean::Left),
        ("executions", Lean::Right),
        ("time", Lean::Right),
        ("per second", Lean::Right),
        ("rate/loom", Lean::Right),
        ("time/loom", Lean::Right),
        ("end", Lean::Left),
    ]);
    for comparison in comparisons {
        for (i, measurement) in comparison.measurements.iter().enumerate() {
            let program = if i == 0 { comparison.program } else { "" };
            let ratios = comparison.ratios_of(measurement.tool);
            table.push([
                program.into(),
                measurement.tool.name().into(),
                executions(measurement),
                time(measurement.seconds),
                rounded(measurement.per_second),
                ratios.map(rate_ratio).unwrap_or_default(),
                ratios.map(time_ratio).unwrap_or_default(),
                end(measurement),
            ]);
        }
    }
    table.render()
}

fn executions(measurement: &Measurement) -> String {
    match measurement.blocked {
        0 => grouped(measurement.complete),
        blocked => format!("{} + {}", grouped(measurement.complete), grouped(blocked)),
    }
}

fn end(measurement: &Measurement) -> String {
    match &measurement.end {
        End::Finished => "finished".into(),
        End::Cut => "cut".into(),
        End::Sampled => "sampled".into(),
        End::Failed(message) => format!("failed: {message}"),
    }
}

fn rate_ratio(ratios: &Ratios) -> String {
    ratios.rate.map_or("–".into(), |ratio| format!("{}×", rounded(ratio)))
}

fn time_ratio(ratios: &Ratios) -> String {
    let at_least = if ratios.time_is_at_least { "≥ " } else { "" };
    ratios.time.map_or("–".into(), |ratio| format!("{at_least}{}×", rounded(ratio)))
}

/// What is about linchpin alone.
fn sections(report: &Report) -> String {
    let mut text = String::new();
    for by_turns in &report.by_turns {
        let (ours, loom) = (by_turns.spread(|round| round.linchpin).0, by_turns.spread(|round| round.loom).0);
        let (ratio, least, most) = by_turns.spread(Round::ratio);
        let _ = writeln!(
            text,
            "{} by turns with loom: {} and {} per second, {}× ({}× to {}×; medians of {} rounds)",
            by_turns.program,
            rounded(ours),
            rounded(loom),
            rounded(ratio),
            rounded(least),
            rounded(most),
            by_turns.rounds.len()
        );
    }
    for crowd in &report.crowds {
        let measurement = &crowd.measurement;
        let _ = writeln!(
            text,
            "{}, workers: {}: {} executions, {}, {} per second, {}",
            super::crowd::NAME,
            crowd.workers,
            executions(measurement),
            time(measurement.seconds),
            rounded(measurement.per_second),
            end(measurement)
        );
    }
    if let Some(workers) = &report.workers {
        let (one, two) = (time(workers.one_seconds), time(workers.two_seconds));
        let name = super::workers::NAME;
        let _ = writeln!(text, "{name}: {one} with one, {two} with two (medians of {})", workers.repetitions);
    }
    if let Some(memory) = &report.memory {
        let _ = writeln!(
            text,
            "{}: {} executions of {} in {}; resident {:.1} MB before, {:.1} MB after a tenth, {:.1} MB at the end",
            super::memory::NAME,
            grouped(memory.executions),
            memory.program,
            time(memory.seconds),
            memory.before_mb,
            memory.early_mb,
            memory.late_mb
        );
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn targets(report: &Report) -> String {
    let columns = [("target", Lean::Left), ("aim", Lean::Right), ("measured", Lean::Right), ("", Lean::Left)];
    let mut table = Table::new(&columns);
    for target in &report.targets {
        let reached = if target.reached { "reached" } else { "not reached" };
        table.push([target.about.clone(), target.aim.clone(), target.measured.clone(), reached.into()]);
    }
    table.render()
}

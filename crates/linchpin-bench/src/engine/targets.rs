//! What was aimed for, and what came out.

use serde::Serialize;

use crate::measurement::Tool;
use crate::text::{rounded, time};

use super::access_cost::AccessCost;
use super::by_turns::{ByTurns, Round};
use super::comparison::Comparison;
use super::report::Report;
use super::rows::{QUEUE, TREIBER};

/// An aim and what came of it.
#[derive(Debug, Serialize)]
pub(crate) struct Target {
    /// What it is about.
    pub about: String,
    /// What was aimed for.
    pub aim: String,
    /// What was measured.
    pub measured: String,
    /// Is that as good as the aim?
    pub reached: bool,
}

/// How many times shorter than loom's the time to exhaust a program is to be.
pub(super) const TIMES_SHORTER: f64 = 1_000.0;

/// Is the program of this name one whose rate and time have aims?
pub(super) fn has_target(program: &str) -> bool {
    [TREIBER, QUEUE].contains(&program)
}

fn target(about: impl Into<String>, aim: impl Into<String>, measured: String, reached: bool) -> Target {
    Target { about: about.into(), aim: aim.into(), measured, reached }
}

/// The aims that `report` can speak of.
pub(super) fn of(report: &Report) -> Vec<Target> {
    let mut targets = Vec::new();
    for (program, aim) in [(TREIBER, 300_000.0), (QUEUE, 200_000.0)] {
        let by_turns = report.by_turns.iter().find(|by_turns| by_turns.program == program);
        targets.extend(by_turns.into_iter().flat_map(|by_turns| rates(by_turns, aim)));
        let comparison = report.comparisons.iter().find(|comparison| comparison.program == program);
        let tools = [Tool::Linchpin, Tool::LinchpinReduced];
        targets.extend(
            comparison.iter().flat_map(|comparison| tools.map(|tool| time_to_exhaust(comparison, tool))).flatten(),
        );
    }
    targets.extend(crowd(report));
    targets.extend(workers(report));
    targets.extend(memory(report));
    targets.extend(access_cost(report));
    targets
}

fn rates(by_turns: &ByTurns, aim: f64) -> [Target; 2] {
    let name = by_turns.program;
    let (rate, ..) = by_turns.spread(|round| round.linchpin);
    let (ratio, ..) = by_turns.spread(Round::ratio);
    let about = format!("{name}: executions per second on one core");
    let against = format!("{name}: rate against loom's");
    [
        target(about, format!("≥ {}", rounded(aim)), rounded(rate), rate >= aim),
        target(against, "≥ 30×", format!("{}×", rounded(ratio)), ratio >= 30.0),
    ]
}

fn time_to_exhaust(comparison: &Comparison, tool: Tool) -> Option<Target> {
    let ratios = comparison.ratios_of(tool)?;
    let ratio = ratios.time?;
    let note = if ratios.time_is_at_least { ", loom was cut" } else { "" };
    let at_least = if ratios.time_is_at_least { "≥ " } else { "" };
    let about = format!("{}: time to exhaust against loom's, {}", comparison.program, tool.name());
    let aim = format!("≥ {}×", rounded(TIMES_SHORTER));
    Some(target(about, aim, format!("{at_least}{}×{note}", rounded(ratio)), ratio >= TIMES_SHORTER))
}

fn crowd(report: &Report) -> Vec<Target> {
    let of_crowd = |crowd: &super::crowd::Crowd| {
        let (seconds, finished) = (crowd.measurement.seconds, crowd.measurement.is_finished());
        let cut = if finished { "" } else { ", cut" };
        let about = format!("{}: time to exhaust, workers: {}", super::crowd::NAME, crowd.workers);
        target(about, "≤ 5 s", format!("{}{cut}", time(seconds)), finished && seconds <= 5.0)
    };
    report.crowds.iter().map(of_crowd).collect()
}

fn workers(report: &Report) -> Option<Target> {
    let speedup = report.workers.as_ref()?.speedup;
    Some(target(super::workers::NAME, "≥ 1.7×", format!("{speedup:.2}×"), speedup >= 1.7))
}

fn memory(report: &Report) -> Vec<Target> {
    let Some(memory) = &report.memory else {
        return Vec::new();
    };
    let growth = format!("{:.1} MB after a tenth, {:.1} MB at the end", memory.early_mb, memory.late_mb);
    let about = super::memory::NAME;
    vec![
        target(format!("{about}: peak"), "< 200 MB", format!("{:.1} MB", memory.peak_mb), memory.peak_mb < 200.0),
        target(format!("{about}: growth"), "flat", growth, memory.is_flat()),
    ]
}

fn access_cost(report: &Report) -> Vec<Target> {
    let of_cost = |cost: &AccessCost| {
        let about = format!("{}: {} on {}", super::access_cost::NAME, cost.accesses, cost.locations);
        let AccessCost { first_ns, first_after_many_ns, again_ns, sampled_ns, sampled_by_two_ns, .. } = cost;
        let measured = format!(
            "{first_ns:.0} first, {first_after_many_ns:.0} after many, {again_ns:.0} again; sampled: {sampled_ns:.0}, \
             {sampled_by_two_ns:.0} by two in turns"
        );
        let all = [first_ns, first_after_many_ns, again_ns, sampled_ns, sampled_by_two_ns];
        target(about, "< 50 ns", measured, all.into_iter().all(|&ns| ns < 50.0))
    };
    report.access_costs.iter().map(of_cost).collect()
}

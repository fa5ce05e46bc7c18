//! All that was measured, as data.

use std::time::Duration;

use serde::Serialize;

use super::access_cost::AccessCost;
use super::by_turns::ByTurns;
use super::comparison::Comparison;
use super::crowd::Crowd;
use super::memory::Memory;
use super::targets::{self, Target};
use super::workers::Workers;

/// All that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// What this machine has.
    pub cores: usize,
    /// What each tool had for each program.
    pub budget_seconds: f64,
    /// Programs on every tool.
    pub comparisons: Vec<Comparison>,
    /// The programs with targets, by turns with loom.
    pub by_turns: Vec<ByTurns>,
    /// Many threads, with one worker and with one per core.
    pub crowds: Vec<Crowd>,
    /// Two workers against one.
    pub workers: Option<Workers>,
    /// Memory over a long exploration.
    pub memory: Option<Memory>,
    /// The cost of an access.
    pub access_costs: Vec<AccessCost>,
    /// What was aimed for, as far as it was measured.
    pub targets: Vec<Target>,
    /// Where linchpin counted wrong. Must be empty.
    pub wrong: Vec<String>,
}

impl Report {
    /// A report of nothing yet.
    pub fn new(budget: Duration) -> Self {
        Report {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            budget_seconds: budget.as_secs_f64(),
            comparisons: Vec::new(),
            by_turns: Vec::new(),
            crowds: Vec::new(),
            workers: None,
            memory: None,
            access_costs: Vec::new(),
            targets: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// Draws the conclusions when all is measured.
    pub fn conclude(&mut self) {
        self.targets = targets::of(self);
        self.wrong = self.comparisons.iter().flat_map(Comparison::wrong).collect();
        self.wrong.extend(self.crowds.iter().filter_map(Crowd::wrong));
    }
}

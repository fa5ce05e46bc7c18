//! How linchpin's time grows with the history.

use std::time::Duration;

use serde::Serialize;

use crate::progress;

use super::checkers::Checker;
use super::rows::{GROWTH, Row};
use super::trial::{self, Outcome};

/// What the section's rows are called when they are asked for.
pub(super) const NAME: &str = "growth of";

/// Histories of one kind, small and large.
#[derive(Debug, Serialize)]
pub(crate) struct Growth {
    /// What they are histories of.
    pub object: String,
    /// What is known about them.
    pub verdict: &'static str,
    /// From the smallest to the largest.
    pub sizes: Vec<Size>,
}

/// One history among the others.
#[derive(Debug, Serialize)]
pub(crate) struct Size {
    /// The row's name.
    pub history: String,
    pub operations: usize,
    /// What linchpin said.
    pub linchpin: Outcome,
    /// Its best time in nanoseconds over n log₂ n: flat, if that is how it grows.
    pub per_n_log_n: Option<f64>,
}

/// Decides histories of one object, first those that are linearizable, then the others.
pub(super) fn measure(object: &str, rows: &[Row], budget: Duration) -> Vec<Growth> {
    let variants = rows[0].source.variants().len();
    let growth = |variant: usize| Growth {
        object: object.to_owned(),
        verdict: rows[0].source.variants()[variant].verdict(),
        sizes: rows.iter().zip(GROWTH).map(|(row, operations)| size(row, operations, variant, budget)).collect(),
    };
    (0..variants).map(growth).collect()
}

fn size(row: &Row, operations: usize, variant: usize, budget: Duration) -> Size {
    progress::begin(format_args!("{NAME} {}", row.name));
    let linchpin = trial::measure(Checker::Linchpin, &row.source.variants()[variant], budget);
    let n = operations as f64;
    let per_n_log_n = linchpin.answer().map(|answer| answer.best * 1e9 / (n * n.log2()));
    Size { history: row.name.clone(), operations, linchpin, per_n_log_n }
}

impl Growth {
    /// How much more the largest costs than the smallest, per n log n.
    pub fn steepness(&self) -> Option<f64> {
        Some(self.sizes.last()?.per_n_log_n? / self.sizes.first()?.per_n_log_n?)
    }
}

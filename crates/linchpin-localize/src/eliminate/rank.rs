//! Which eliminator of an execution is the likeliest cause.

use crate::eliminate::optimal::Eliminators;
use crate::eliminate::section::Sections;
use crate::eliminate::traces::{Costs, Traces};

/// An eliminator, and what it would cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// What would have to be atomic.
    pub sections: Sections,
    /// How many executions of the client that are right it would make impossible: the fewer, the likelier the cause.
    pub disables: u64,
}

/// Ranks the eliminators of an execution: those first that disable the fewest right executions of the client; of these the
/// smaller ones; of these those that come first in the source.
pub fn rank(eliminators: &Eliminators, traces: &Traces) -> Vec<Ranked> {
    rank_by(eliminators, &Costs::new(traces))
}

/// As [`rank`], with costs that may be known already.
pub(crate) fn rank_by(eliminators: &Eliminators, costs: &Costs<'_>) -> Vec<Ranked> {
    let cost = |sections: &Sections| Ranked { sections: sections.clone(), disables: costs.disabled_by(sections) };
    let mut ranked: Vec<Ranked> = eliminators.sets.iter().map(cost).collect();
    ranked.sort_by_cached_key(|ranked| (ranked.disables, ranked.sections.size(), ranked.sections.clone()));
    ranked
}

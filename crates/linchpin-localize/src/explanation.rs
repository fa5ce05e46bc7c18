//! What is known about why a client fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use linchpin_graph::Execution;
use linchpin_model::{Coverage, Outcome};

use crate::eliminate::{Cause, Costs, Limits, Ranked, Traces, cause_of, failing, rank_by};
use crate::sequential::NotSequential;
use crate::trace::{Accesses, Place};
use crate::tree::{Folded, Options, Sequence, Tree};

/// So many points of a folded tree have their branches: more are nothing to look at.
const MOST_POINTS: usize = 200;

/// The executions of a client, as far as they were explored.
#[derive(Debug)]
pub struct Explored {
    /// Which events count as accesses.
    pub accesses: Accesses,
    /// Those that are interleavings of their threads.
    pub traces: Traces,
    /// Those that are wrong and are not.
    pub weak: Option<Weak>,
    /// What those that are wrong return, and how many do.
    pub wrong: BTreeMap<Outcome, u64>,
    /// How many executions violate something else: they end in a panic, a data race, a deadlock and the like.
    pub otherwise: u64,
    /// How much was looked at.
    pub coverage: Coverage,
}

/// Executions that are wrong, and that no interleaving of their threads has.
#[derive(Debug)]
pub struct Weak {
    /// How many there are.
    pub executions: u64,
    /// The first of them.
    pub example: Execution,
    /// Why no interleaving has it.
    pub reason: NotSequential,
}

/// The eliminators of some failing executions, ranked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// For how many failing executions this is the ranking; those that are wrong for several reasons count for each.
    pub count: u64,
    /// The eliminators, the likeliest cause first. None: the executions are equivalent to some in which operations run one
    /// after another.
    pub ranked: Vec<Ranked>,
    /// Were all eliminators looked at?
    pub is_complete: bool,
}

/// Why a client fails: what would have to be atomic, and at what cost.
#[derive(Debug)]
pub struct Explanation {
    /// The executions.
    pub explored: Explored,
    /// The different rankings of failing executions, the most frequent first.
    pub rankings: Vec<Ranking>,
    /// What would have to be atomic for no failing execution to be possible.
    pub cause: Cause,
    /// What lines of operations do by calling functions: for each such line those in which its accesses are.
    pub within: BTreeMap<Place, BTreeSet<Place>>,
    /// The races that decide, if something fails and there are not too many interleavings.
    pub races: Option<Races>,
}

/// What the interleaving tree of a client shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Races {
    /// Were branches left out that only change the order of steps which have nothing to do with each other?
    pub is_reduced: bool,
    /// How many interleavings are right,
    pub right: u128,
    /// and how many are wrong.
    pub wrong: u128,
    /// Nodes of the tree, after merging.
    pub nodes: usize,
    /// Critical race sequences of different patterns, the shortest first.
    pub sequences: Vec<Sequence>,
    /// The tree, folded.
    pub tree: Folded,
    /// How much was looked at.
    pub coverage: Coverage,
}

impl Races {
    /// What this tree shows. At most `most` sequences are kept.
    pub fn of(tree: &Tree<'_>, options: Options, most: usize, coverage: Coverage) -> Races {
        Races {
            is_reduced: options.reduce,
            right: tree.right(),
            wrong: tree.wrong(),
            nodes: tree.len(),
            sequences: tree.sequences(most),
            tree: tree.folded(MOST_POINTS),
            coverage,
        }
    }
}

/// What is established about a cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// Nothing fails that could be explained.
    NothingFails,
    /// If its sections are atomic, no execution of the client fails.
    Verified,
    /// If its sections are atomic, no execution that was looked at fails. Others may.
    WithinBounds(Coverage),
    /// So many failing executions stay possible, whatever is atomic.
    Partly(u64),
}

impl Explanation {
    /// Explains what the executions of a client show, apart from races.
    pub fn of(explored: Explored, limits: &Limits) -> Explanation {
        let traces = &explored.traces;
        let costs = Costs::new(traces);
        let failing = failing(traces, limits);
        let mut rankings: Vec<Ranking> = Vec::new();
        for (class, found) in &failing {
            let ranked = rank_by(found, &costs);
            match rankings.iter_mut().find(|other| other.ranked == ranked) {
                Some(other) => {
                    other.count += class.violating;
                    other.is_complete &= found.is_complete;
                }
                None => rankings.push(Ranking { count: class.violating, ranked, is_complete: found.is_complete }),
            }
        }
        rankings.sort_by_key(|ranking| std::cmp::Reverse(ranking.count));
        let cause = cause_of(traces, &failing, &costs, limits);
        Explanation { explored, rankings, cause, within: BTreeMap::new(), races: None }
    }

    /// What is established about the cause.
    pub fn verification(&self) -> Verification {
        let left = self.cause.left + self.explored.weak.as_ref().map_or(0, |weak| weak.executions);
        match &self.explored.coverage {
            _ if left > 0 => Verification::Partly(left),
            _ if self.cause.violating == 0 => Verification::NothingFails,
            Coverage::Complete => Verification::Verified,
            bounded => Verification::WithinBounds(bounded.clone()),
        }
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verification::NothingFails => write!(f, "nothing fails"),
            Verification::Verified => write!(f, "verified"),
            Verification::WithinBounds(coverage) => write!(f, "verified within bounds: {coverage}"),
            Verification::Partly(left) => write!(f, "{left} failing executions stay possible"),
        }
    }
}

//! The cause of all failing executions, of one client or of many.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::eliminate::intervals::is_eliminated;
use crate::eliminate::optimal::{Eliminators, Limits, Lines, eliminators_in};
use crate::eliminate::section::Sections;
use crate::eliminate::traces::{Class, Costs, Traces};

/// What would have to be atomic for no failing execution to be possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The sections. Empty if there is nothing to rule out, or nothing that atomicity could.
    pub sections: Sections,
    /// How many executions that are right they would make impossible,
    pub disables: u64,
    /// of how many that are right.
    pub linearizable: u64,
    /// How many executions are wrong,
    pub violating: u64,
    /// of which so many would still be possible, whatever is atomic: the same accesses in the same order are possible when operations
    /// run one after another. Then there are accesses that are not seen, or operations are wrong by themselves.
    pub left: u64,
    /// Is it known that nothing that costs less would do? If not, a budget ran out.
    pub is_cheapest: bool,
}

/// The cheapest set of sections under which no failing execution of these is possible any more: the one that disables the
/// fewest right ones, and of those the smallest.
///
/// Every such set contains, for each failing execution, one of its eliminators. So the candidates are unions of eliminators. A
/// union costs no less than its parts, which makes it right to look at the cheapest first, and to stop at the first
/// that does.
pub fn cause(traces: &Traces, limits: &Limits) -> Cause {
    cause_of(traces, &failing(traces, limits), &Costs::new(traces), limits)
}

/// The classes of executions that are wrong, with their eliminators.
pub(crate) fn failing<'a>(traces: &'a Traces, limits: &Limits) -> Vec<(&'a Class, Eliminators)> {
    let lines = Lines::of(traces.classes().iter().map(|class| &*class.trace));
    traces.failing().map(|class| (class, eliminators_in(&class.trace, &lines, limits))).collect()
}

/// As [`cause`], given the eliminators, and costs that may be known already.
pub(crate) fn cause_of(
    traces: &Traces,
    failing: &[(&Class, Eliminators)],
    costs: &Costs<'_>,
    limits: &Limits,
) -> Cause {
    let mut is_cheapest = failing.iter().all(|(_, found)| found.is_complete);
    let (explained, unexplained): (Vec<_>, Vec<_>) = failing.iter().partition(|(_, found)| !found.sets.is_empty());
    let missing = |sections: &Sections| {
        explained.iter().find(|(class, _)| !is_eliminated(&class.trace, sections)).map(|(_, found)| &found.sets)
    };
    let cost = |sections: Sections| (costs.disabled_by(&sections), sections.size(), sections);
    let mut known = HashSet::new();
    let mut queue = BinaryHeap::from([Reverse(cost(Sections::default()))]);
    let mut left = limits.unions;
    let mut sections = Sections::default();
    while let Some(Reverse((_, _, cheapest))) = queue.pop() {
        sections = cheapest;
        let Some(sets) = missing(&sections) else { break };
        let Some(fewer) = left.checked_sub(1) else { break };
        left = fewer;
        let unions = sets.iter().map(|set| sections.with(set));
        let fresh: Vec<Sections> = unions.filter(|union| known.insert(union.clone())).collect();
        queue.extend(fresh.into_iter().map(|union| Reverse(cost(union))));
    }
    // If the budget ran out, from there on straight ahead: what seems best is taken for good.
    while let Some(sets) = missing(&sections) {
        is_cheapest = false;
        let unions = sets.iter().map(|set| cost(sections.with(set)));
        sections = unions.min().expect("what is missing has eliminators").2;
    }
    let is_left = |class: &&Class| !is_eliminated(&class.trace, &sections);
    Cause {
        disables: costs.disabled_by(&sections),
        linearizable: traces.linearizable(),
        violating: traces.violating(),
        left: unexplained.iter().map(|(class, _)| *class).filter(is_left).map(|class| class.violating).sum(),
        sections,
        is_cheapest,
    }
}

/// The cause of what goes wrong in many clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The cause. What it costs is counted over all clients in which something goes wrong; that nothing costs less is known for those
    /// that made it necessary to think again.
    pub cause: Cause,
    /// How many clients were looked at,
    pub clients: usize,
    /// in how many of which something goes wrong,
    pub failing: usize,
    /// and how many of these made it necessary to think again: something went wrong under the sections found so far.
    pub rounds: usize,
}

/// Goes through clients of an object, with the sections found so far assumed to be atomic, and finds others whenever
/// something still goes wrong, until nothing does: the loop of section 4 of the paper. No section of the set that comes out can
/// be left out.
///
/// The sections are always the cause of what went wrong so far, and never only added to: with more clients others may be cheaper.
/// So it is looked at all clients again.
pub fn repair(clients: impl IntoIterator<Item = Traces>, limits: &Limits) -> Repair {
    let mut seen = 0;
    let failing: Vec<Traces> =
        clients.into_iter().inspect(|_| seen += 1).filter(|client| client.violating() > 0).collect();
    let mut is_counted = vec![false; failing.len()];
    let mut counted = Traces::default();
    let mut found = cause(&counted, limits);
    let still_fails = |client: &Traces, found: &Cause| client.left_by(&found.sections) > 0;
    while let Some(next) = (0..failing.len()).find(|&at| !is_counted[at] && still_fails(&failing[at], &found)) {
        is_counted[next] = true;
        counted.extend(&failing[next]);
        found = cause(&counted, limits);
    }
    let sum = |count: &dyn Fn(&Traces) -> u64| failing.iter().map(count).sum();
    let cause = Cause {
        disables: sum(&|client| client.disabled_by(&found.sections)),
        linearizable: sum(&Traces::linearizable),
        violating: sum(&Traces::violating),
        left: sum(&|client| client.left_by(&found.sections)),
        ..found
    };
    let rounds = is_counted.iter().filter(|counted| **counted).count();
    Repair { cause, clients: seen, failing: failing.len(), rounds }
}

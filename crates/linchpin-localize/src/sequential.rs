//! Whether an execution is an interleaving of its threads, and if not, why.

use std::collections::VecDeque;
use std::fmt;

use linchpin_graph::{EventId, Execution};

/// The execution is not sequentially consistent: these events come before each other in turn, by po ∪ rf ∪ mo ∪ fr.
///
/// No section of the code that is made atomic changes that. What is missing is an order between accesses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotSequential {
    /// A shortest cycle; the last event comes before the first.
    pub cycle: Vec<EventId>,
}

impl fmt::Display for NotSequential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no interleaving of its threads has this execution: {} events form a cycle", self.cycle.len())
    }
}

impl std::error::Error for NotSequential {}

/// All events in an order that keeps po, rf, mo and fr.
///
/// # Errors
/// If there is none, a shortest cycle.
pub fn in_sequence(execution: &Execution) -> Result<Vec<EventId>, NotSequential> {
    let events = execution.len();
    let mut successors = vec![Vec::new(); events];
    let mut missing = vec![0_u32; events];
    for (to, missing) in missing.iter_mut().enumerate() {
        execution.each_predecessor(EventId(to as u32), |from| {
            successors[from.at()].push(to);
            *missing += 1;
        });
    }
    let mut order: Vec<usize> = (0..events).filter(|&event| missing[event] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for &to in &successors[order[next]] {
            missing[to] -= 1;
            if missing[to] == 0 {
                order.push(to);
            }
        }
        next += 1;
    }
    if order.len() < events {
        return Err(NotSequential { cycle: shortest_cycle(&successors, &missing) });
    }
    Ok(order.into_iter().map(|event| EventId(event as u32)).collect())
}

/// A shortest cycle among what could not be put in order.
fn shortest_cycle(successors: &[Vec<usize>], missing: &[u32]) -> Vec<EventId> {
    let left = (0..missing.len()).filter(|&event| missing[event] > 0);
    let shortest = left.filter_map(|start| cycle_through(start, successors)).min_by_key(Vec::len);
    shortest.unwrap_or_default().into_iter().map(|event| EventId(event as u32)).collect()
}

/// A shortest cycle through `start`, by breadth-first search.
fn cycle_through(start: usize, successors: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut come_from = vec![None; successors.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(event) = queue.pop_front() {
        for &to in &successors[event] {
            if to == start {
                let back = std::iter::successors(Some(event), |&at| if at == start { None } else { come_from[at] });
                let mut cycle: Vec<usize> = back.collect();
                cycle.reverse();
                return Some(cycle);
            }
            if come_from[to].is_none() {
                come_from[to] = Some(event);
                queue.push_back(to);
            }
        }
    }
    None
}

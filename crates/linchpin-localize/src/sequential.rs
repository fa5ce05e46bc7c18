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

/// All events in an order that keeps po, rf, mo and fr, and in which nothing comes between the halves of a read-modify-write.
///
/// # Errors
/// If there is none, a shortest cycle.
pub fn in_sequence(execution: &Execution) -> Result<Vec<EventId>, NotSequential> {
    let units = units(execution);
    let mut successors = vec![Vec::new(); execution.len()];
    let mut missing = vec![0_u32; execution.len()];
    for (event, &to) in units.iter().enumerate() {
        execution.each_predecessor(EventId(event as u32), |from| {
            let from = units[from.at()];
            if from != to {
                successors[from].push(to);
                missing[to] += 1;
            }
        });
    }
    let is_unit = |&event: &usize| units[event] == event;
    let mut order: Vec<usize> = (0..units.len()).filter(is_unit).filter(|&unit| missing[unit] == 0).collect();
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
    if order.len() < (0..units.len()).filter(is_unit).count() {
        return Err(NotSequential { cycle: shortest_cycle(&successors, &missing) });
    }
    let events = order.into_iter().flat_map(|unit| {
        let first = execution.event(EventId(unit as u32));
        let own = &execution.thread(first.thread).events()[first.index as usize..];
        own.iter().copied().take_while(|id| units[id.at()] == unit).collect::<Vec<EventId>>()
    });
    Ok(events.collect())
}

/// For each event the first event of what it is a part of: itself, or the first half of a read-modify-write.
fn units(execution: &Execution) -> Vec<usize> {
    let mut units: Vec<usize> = (0..execution.len()).collect();
    for (number, event) in execution.events().iter().enumerate() {
        if event.is_write() && event.exclusive {
            let id = EventId(number as u32);
            let read = execution.read_of(id);
            let own = execution.thread(event.thread).events();
            for part in &own[execution.event(read).index as usize..=event.index as usize] {
                units[part.at()] = read.at();
            }
        }
    }
    units
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

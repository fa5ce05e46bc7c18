//! Which operation must come before which, going by the accesses that conflict.

use std::collections::{BTreeMap, VecDeque};

use super::ShownExecution;

/// The operations of an execution and how their accesses order them; taking a lock is an access to it. Without a cycle, the
/// execution is equivalent to one in which operations run one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConflictGraph {
    /// The edges, each once, in the order of operations.
    pub edges: Vec<ConflictEdge>,
    /// A cycle of as few operations as possible: each comes before the next, and the last before the first.
    pub cycle: Vec<usize>,
}

/// One operation comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConflictEdge {
    /// The one that comes first, as a place among the execution's operations,
    pub from: usize,
    /// and the other one.
    pub to: usize,
    /// Rows that say so: an access of each. `None`: one thread runs both.
    pub rows: Option<(usize, usize)>,
}

impl ConflictGraph {
    /// Is this edge on the cycle?
    pub fn is_on_cycle(&self, edge: &ConflictEdge) -> bool {
        let next = self.cycle.iter().cycle().skip(1);
        self.cycle.iter().zip(next).any(|(&from, &to)| (from, to) == (edge.from, edge.to))
    }
}

impl ShownExecution {
    /// How accesses order operations.
    pub fn conflict_graph(&self) -> ConflictGraph {
        let mut edges: BTreeMap<(usize, usize), Option<(usize, usize)>> = BTreeMap::new();
        for (from, one) in self.operations.iter().enumerate() {
            for (to, other) in self.operations.iter().enumerate() {
                if one.thread == other.thread && one.first < other.first {
                    edges.insert((from, to), None);
                }
            }
        }
        for &(first, second) in &self.conflicts {
            let operation = |row: usize| self.rows.get(row).and_then(|row| row.operation);
            let pair = operation(first).zip(operation(second)).filter(|(from, to)| from != to);
            if let Some(pair) = pair {
                edges.entry(pair).or_insert(Some((first, second)));
            }
        }
        let cycle = shortest_cycle(self.operations.len(), &edges.keys().copied().collect::<Vec<_>>());
        let edges = edges.into_iter().map(|((from, to), rows)| ConflictEdge { from, to, rows }).collect();
        ConflictGraph { edges, cycle }
    }
}

/// A shortest cycle among the first ones; nothing if there is none.
fn shortest_cycle(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let cycles = (0..nodes).filter_map(|start| cycle_through(start, nodes, edges));
    cycles.min_by_key(Vec::len).unwrap_or_default()
}

/// Breadth first from a node until it is reached again.
fn cycle_through(start: usize, nodes: usize, edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut from = vec![None; nodes];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &(_, next) in edges.iter().filter(|(first, _)| *first == node) {
            if next == start {
                let mut cycle: Vec<usize> = std::iter::successors(Some(node), |&node| from[node]).collect();
                cycle.reverse();
                return Some(cycle);
            }
            if from[next].is_none() {
                from[next] = Some(node);
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use linchpin_model::SplitMix;

    use super::shortest_cycle;

    /// The length of the shortest cycle by matrix powers: the first k for which something leads to itself in k steps.
    fn girth(nodes: usize, edges: &[(usize, usize)]) -> usize {
        let mut reach: Vec<Vec<bool>> =
            (0..nodes).map(|from| (0..nodes).map(|to| edges.contains(&(from, to))).collect()).collect();
        for length in 1..=nodes {
            if (0..nodes).any(|node| reach[node][node]) {
                return length;
            }
            let step = |from: usize, to: usize| (0..nodes).any(|by| reach[from][by] && edges.contains(&(by, to)));
            reach = (0..nodes).map(|from| (0..nodes).map(|to| step(from, to)).collect()).collect();
        }
        0
    }

    #[test]
    fn a_cycle_is_one_and_no_other_is_shorter() {
        for seed in 0..3_000 {
            let mut random = SplitMix::of_part(7, seed);
            let nodes = 1 + random.below(6);
            let count = random.below(9);
            let edges: Vec<(usize, usize)> = (0..count)
                .map(|_| (random.below(nodes), random.below(nodes)))
                .filter(|(from, to)| from != to)
                .collect();
            let cycle = shortest_cycle(nodes, &edges);
            assert_eq!(cycle.len(), girth(nodes, &edges), "{edges:?}: {cycle:?}");
            let next = cycle.iter().cycle().skip(1);
            assert!(cycle.iter().zip(next).all(|(&from, &to)| edges.contains(&(from, to))), "{edges:?}: {cycle:?}");
        }
    }
}

//! Random traces.

use std::ops::Range;

use linchpin_localize::{Access, Operation, Place, Trace};

use super::FILE;

/// What random traces are like.
pub struct Shape {
    pub threads: Range<usize>,
    /// Operations of each thread.
    pub operations: Range<usize>,
    /// Accesses of each operation.
    pub accesses: Range<usize>,
    pub locations: Range<usize>,
    /// So many different names of operations; `None`: each has its own.
    pub names: Option<usize>,
    /// So many different lines of an operation, in any order; `None`: one after another.
    pub lines: Option<u32>,
}

/// A trace with at most so many accesses.
pub fn random_trace(random: &mut fastrand::Rng, shape: &Shape, most: usize) -> Trace {
    let locations = random.usize(shape.locations.clone());
    let mut operations = Vec::new();
    let mut threads: Vec<Vec<Access>> = Vec::new();
    let mut left = most;
    for thread in 0..random.usize(shape.threads.clone()) {
        threads.push(Vec::new());
        for _ in 0..random.usize(shape.operations.clone()) {
            let operation = operations.len();
            let name = shape.names.map_or(operation, |names| random.usize(..names));
            operations.push(Operation { name: format!("op{name}").into(), thread });
            for at in 0..random.usize(shape.accesses.clone()).min(left) {
                left -= 1;
                let line = shape.lines.map_or(at as u32, |lines| random.u32(..lines));
                let place = Place { file: FILE, line };
                let (location, is_write) = (random.usize(..locations), random.bool());
                threads[thread].push(Access { operation, location, is_write, place });
            }
        }
    }
    let mut shuffled = Vec::new();
    let mut next = vec![0; threads.len()];
    loop {
        let ready: Vec<usize> = (0..threads.len()).filter(|&thread| next[thread] < threads[thread].len()).collect();
        let Some(&thread) = random.choice(&ready) else {
            let times = random_times(random, &operations, &shuffled);
            return Trace::new(operations, shuffled).in_time(times);
        };
        shuffled.push(threads[thread][next[thread]]);
        next[thread] += 1;
    }
}

/// In half of the cases, some pairs of operations of different threads that do not overlap.
fn random_times(random: &mut fastrand::Rng, operations: &[Operation], accesses: &[Access]) -> Vec<(usize, usize)> {
    let chance = if random.bool() { 0.3 } else { 0.0 };
    let all = (0..operations.len()).flat_map(|first| (0..operations.len()).map(move |second| (first, second)));
    let is_before = |&(first, second): &(usize, usize)| {
        let last = accesses.iter().rposition(|access| access.operation == first);
        let next = accesses.iter().position(|access| access.operation == second);
        operations[first].thread != operations[second].thread
            && last.is_some_and(|last| next.is_some_and(|next| last < next))
    };
    all.filter(is_before).filter(|_| random.f64() < chance).collect()
}

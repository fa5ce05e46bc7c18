//! The cycles that visit each thread at most once.
//!
//! Such a cycle is a sequence of conflicts, each from one thread to the next; that an operation had returned before another was
//! called counts as one, too. Where it enters a thread and where it leaves it
//! are two accesses. If it leaves later in program order, or at the same access, nothing more is needed. If it leaves
//! earlier, the two must be of one operation, and what lies between them must be atomic: that is a critical segment.
//!
//! Of the conflicts from one thread to another only some are needed. Leaving a thread later and entering the other one earlier
//! makes segments shorter, or unnecessary, and never longer. So a conflict is left out if another one leaves no earlier and
//! enters no later.

use crate::trace::Trace;

/// Accesses of one thread from one to another, by their places in its program order; of one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Segment {
    pub thread: usize,
    pub first: usize,
    pub last: usize,
}

/// What is left to be done after so many cycles.
pub(crate) struct OutOfBudget;

/// Visits the critical segments of each cycle, in the order of the cycle.
///
/// # Errors
/// If there are more than `most` cycles.
pub(crate) fn each_cycle(trace: &Trace, most: usize, mut visit: impl FnMut(&[Segment])) -> Result<(), OutOfBudget> {
    let threads = trace.by_thread();
    let operations: Vec<Vec<usize>> =
        threads.iter().map(|own| own.iter().map(|&number| trace.accesses()[number].operation).collect()).collect();
    let conflicts = conflicts(trace, &threads);
    let mut search =
        Search { operations, conflicts, visited: vec![false; threads.len()], segments: Vec::new(), left: most };
    for start in 0..threads.len() {
        search.visited[start] = true;
        search.leave_first(start, &mut visit)?;
        // Later cycles do not visit it: they would be the same ones, told from another thread on.
    }
    Ok(())
}

/// For each pair of threads the conflicts from the first to the second that are needed: places in their program orders.
type Conflicts = Vec<Vec<Vec<(usize, usize)>>>;

fn conflicts(trace: &Trace, threads: &[Vec<usize>]) -> Conflicts {
    let between = |from: &[usize], to: &[usize]| {
        let mut needed: Vec<(usize, usize)> = Vec::new();
        // From the last access backwards: what leaves earlier is needed only if it enters earlier than all so far.
        let mut earliest = to.len();
        for (leaves, &number) in from.iter().enumerate().rev() {
            let access = &trace.accesses()[number];
            let comes_before = |&other: &usize| {
                let second = &trace.accesses()[other];
                let conflict = second.location == access.location && (second.is_write || access.is_write);
                conflict && other > number || trace.times().contains(&(access.operation, second.operation))
            };
            if let Some(enters) = to[..earliest].iter().position(comes_before) {
                needed.push((leaves, enters));
                earliest = enters;
            }
        }
        needed
    };
    let others = |number: usize, from: &[usize]| {
        let between = |(other, to): (usize, &Vec<usize>)| if other == number { Vec::new() } else { between(from, to) };
        threads.iter().enumerate().map(between).collect()
    };
    threads.iter().enumerate().map(|(number, from)| others(number, from)).collect()
}

struct Search {
    /// For each thread the operations of its accesses.
    operations: Vec<Vec<usize>>,
    conflicts: Conflicts,
    visited: Vec<bool>,
    segments: Vec<Segment>,
    left: usize,
}

impl Search {
    /// The cycle leaves its first thread, by each conflict that it may leave by.
    fn leave_first(&mut self, start: usize, visit: &mut impl FnMut(&[Segment])) -> Result<(), OutOfBudget> {
        for next in 0..self.visited.len() {
            for at in 0..self.conflicts[start][next].len() {
                let (left, entered) = self.conflicts[start][next][at];
                self.enter((start, left), next, entered, visit)?;
            }
        }
        Ok(())
    }

    /// The cycle is in `thread`, which it has entered at this place. It is to end where it began.
    fn enter(
        &mut self,
        start: (usize, usize),
        thread: usize,
        entered: usize,
        visit: &mut impl FnMut(&[Segment]),
    ) -> Result<(), OutOfBudget> {
        if thread == start.0 {
            if let Some(segment) = self.connect(thread, entered, start.1) {
                self.left = self.left.checked_sub(1).ok_or(OutOfBudget)?;
                let before = self.segments.len();
                self.segments.extend(segment);
                visit(&self.segments);
                self.segments.truncate(before);
            }
            return Ok(());
        }
        if self.visited[thread] {
            return Ok(());
        }
        self.visited[thread] = true;
        for next in 0..self.visited.len() {
            for at in 0..self.conflicts[thread][next].len() {
                let (left, then_entered) = self.conflicts[thread][next][at];
                let Some(segment) = self.connect(thread, entered, left) else { continue };
                let before = self.segments.len();
                self.segments.extend(segment);
                let result = self.enter(start, next, then_entered, visit);
                self.segments.truncate(before);
                if result.is_err() {
                    self.visited[thread] = false;
                    return result;
                }
            }
        }
        self.visited[thread] = false;
        Ok(())
    }

    /// From where a thread is entered to where it is left: needs nothing, or a segment; `None` if there is no way.
    fn connect(&self, thread: usize, entered: usize, left: usize) -> Option<Option<Segment>> {
        let operations = &self.operations[thread];
        match entered <= left {
            true => Some(None),
            false if operations[entered] == operations[left] => {
                Some(Some(Segment { thread, first: left, last: entered }))
            }
            false => None,
        }
    }
}

//! The interval graph of a trace under sections that are assumed to be atomic.

use crate::eliminate::section::{Extent, Sections};
use crate::trace::{Access, Trace};

/// Do these sections rule the trace out, and all that are equivalent to it? They do if their runs cannot be put one after
/// another: the interval graph has a cycle.
pub fn is_eliminated(trace: &Trace, sections: &Sections) -> bool {
    !sections.is_empty() && !is_acyclic(trace, &intervals(trace, sections))
}

/// For each access the interval that it belongs to: the run of a section, or one of its own.
///
/// A run of a section is a sequence of accesses of one operation within its lines, and within one pass of the loops around it: the
/// run is over when a line outside comes, or when the first line comes again. Accesses in other files are part of the run if
/// the run goes on after them, since somebody in these lines has called whoever makes them.
///
/// Lines do not tell everything. Accesses of the first line right after each other are taken to be of one pass: of a function
/// that has `#[track_caller]`, or of a loop within the line. They may be of two passes, if the first one has left all other
/// accesses out.
pub(crate) fn intervals(trace: &Trace, sections: &Sections) -> Vec<usize> {
    let accesses = trace.accesses();
    let mut interval: Vec<usize> = (0..accesses.len()).collect();
    let mut of_operation = vec![Vec::new(); trace.operations().len()];
    for (number, access) in accesses.iter().enumerate() {
        of_operation[access.operation].push(number);
    }
    for (operation, own) in trace.operations().iter().zip(&of_operation) {
        for section in sections.iter().filter(|section| section.operation == operation.name) {
            join_runs(accesses, own, &section.extent, &mut interval);
        }
    }
    interval
}

/// Gives the accesses of each run of a section within one operation the number of the first.
fn join_runs(accesses: &[Access], own: &[usize], extent: &Extent, interval: &mut [usize]) {
    /// A run that may go on.
    struct Run {
        /// Its first access.
        first: usize,
        /// The line that it is in.
        line: u32,
        /// Accesses in other files since.
        elsewhere: Vec<usize>,
    }
    let mut run: Option<Run> = None;
    for &number in own {
        let place = accesses[number].place;
        if !extent.has(place) {
            match (&mut run, extent) {
                (Some(run), Extent::Lines { file, .. }) if *file != place.file => run.elsewhere.push(number),
                _ => run = None,
            }
            continue;
        }
        let is_next_pass = |run: &Run| match *extent {
            Extent::Lines { first, .. } => place.line == first && run.line > first,
            Extent::Whole => false,
        };
        match run.as_mut().filter(|run| !is_next_pass(run)) {
            Some(run) => {
                for part in run.elsewhere.drain(..).chain([number]) {
                    interval[part] = run.first;
                }
                run.line = place.line;
            }
            None => run = Some(Run { first: number, line: place.line, elsewhere: Vec::new() }),
        }
    }
}

/// Can the intervals be put one after another, keeping program order and the order of accesses that conflict?
pub(crate) fn is_acyclic(trace: &Trace, interval: &[usize]) -> bool {
    let mut successors = vec![Vec::new(); interval.len()];
    let mut missing = vec![0_u32; interval.len()];
    each_edge(trace, |from, to| {
        let (from, to) = (interval[from], interval[to]);
        if from != to {
            successors[from].push(to);
            missing[to] += 1;
        }
    });
    let is_interval = |&number: &usize| interval[number] == number;
    let mut ready: Vec<usize> = (0..interval.len()).filter(is_interval).filter(|&own| missing[own] == 0).collect();
    let mut placed = 0;
    while let Some(own) = ready.pop() {
        placed += 1;
        for &to in &successors[own] {
            missing[to] -= 1;
            if missing[to] == 0 {
                ready.push(to);
            }
        }
    }
    placed == (0..interval.len()).filter(is_interval).count()
}

/// Visits enough of program order, of the order of conflicting accesses and of time: every other pair is a path of these, and so it is
/// between intervals.
fn each_edge(trace: &Trace, mut visit: impl FnMut(usize, usize)) {
    #[derive(Clone, Default)]
    struct Last {
        write: Option<usize>,
        reads: Vec<usize>,
    }
    let locations = trace.accesses().iter().map(|access| access.location + 1).max().unwrap_or(0);
    let mut of_location = vec![Last::default(); locations];
    let mut of_thread = vec![None; trace.threads()];
    for (number, access) in trace.accesses().iter().enumerate() {
        if let Some(before) = of_thread[trace.thread_of(access)].replace(number) {
            visit(before, number);
        }
        let last = &mut of_location[access.location];
        if let Some(write) = last.write {
            visit(write, number);
        }
        if access.is_write {
            last.reads.drain(..).for_each(|read| visit(read, number));
            last.write = Some(number);
        } else {
            last.reads.push(number);
        }
    }
    for &(first, second) in trace.times() {
        let of = |operation: usize| {
            let accesses = trace.accesses().iter().enumerate();
            accesses.filter(move |(_, access)| access.operation == operation).map(|(number, _)| number)
        };
        if let (Some(last), Some(next)) = (of(first).next_back(), of(second).next()) {
            visit(last, next);
        }
    }
}

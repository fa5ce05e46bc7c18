//! The interval graph of a trace under sections that are assumed to be atomic.

use std::ops::Range;

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
        let named = sections.iter().filter(|section| section.operation == operation.name);
        let mut runs: Vec<Range<usize>> = named.flat_map(|section| runs(accesses, own, &section.extent)).collect();
        // A run may call into a file where a section of its own begins: what has an access in common is one interval.
        runs.sort_by_key(|run| run.start);
        let mut joined = 0..0;
        for run in runs {
            joined = if run.start < joined.end { joined.start..joined.end.max(run.end) } else { run };
            for &part in &own[joined.clone()] {
                interval[part] = own[joined.start];
            }
        }
    }
    interval
}

/// The runs of a section within one operation, as places among the operation's own accesses.
fn runs(accesses: &[Access], own: &[usize], extent: &Extent) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    // The line of the last run, if it may go on.
    let mut line_of_run = None;
    for (at, &number) in own.iter().enumerate() {
        let place = accesses[number].place;
        if !extent.has(place) {
            // Whoever called into another file may come back.
            let is_called = matches!(extent, Extent::Lines { file, .. } if *file != place.file);
            line_of_run = line_of_run.filter(|_| is_called);
            continue;
        }
        let is_next_pass = |line: u32| match *extent {
            Extent::Lines { first, .. } => place.line == first && line > first,
            Extent::Whole => false,
        };
        match (line_of_run.filter(|&line| !is_next_pass(line)), runs.last_mut()) {
            (Some(_), Some(run)) => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
        line_of_run = Some(place.line);
    }
    runs
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

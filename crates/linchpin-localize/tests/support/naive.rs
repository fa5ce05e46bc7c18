//! What the paper says, done without any thought: all decompositions, all simple cycles, all sets of lines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use linchpin_localize::Trace;
use linchpin_localize::eliminate::{Section, Sections, is_eliminated};

use super::FILE;

/// Intervals of more than one access: operation, first and last access.
pub type Intervals = BTreeSet<(usize, usize, usize)>;

fn is_po(trace: &Trace, first: usize, second: usize) -> bool {
    first < second && trace.thread_of(&trace.accesses()[first]) == trace.thread_of(&trace.accesses()[second])
}

/// That an operation had returned before another was called is as good as a conflict.
fn is_cf(trace: &Trace, first: usize, second: usize) -> bool {
    let (left, right) = (&trace.accesses()[first], &trace.accesses()[second]);
    let conflict = first < second
        && trace.thread_of(left) != trace.thread_of(right)
        && left.location == right.location
        && (left.is_write || right.is_write);
    conflict || trace.times().contains(&(left.operation, right.operation))
}

/// All ways to cut the operations into intervals.
fn decompositions(trace: &Trace) -> Vec<Vec<Vec<usize>>> {
    let mut all = vec![Vec::new()];
    for operation in 0..trace.operations().len() {
        let own: Vec<usize> =
            (0..trace.accesses().len()).filter(|&at| trace.accesses()[at].operation == operation).collect();
        let cuts = own.len().saturating_sub(1);
        let ways: Vec<Vec<Vec<usize>>> = (0..1_usize << cuts)
            .map(|cut| {
                let mut intervals: Vec<Vec<usize>> = Vec::new();
                for (place, &access) in own.iter().enumerate() {
                    match intervals.last_mut().filter(|_| cut >> (place.max(1) - 1) & 1 == 0) {
                        Some(interval) => interval.push(access),
                        None => intervals.push(vec![access]),
                    }
                }
                intervals
            })
            .collect();
        all = all.iter().flat_map(|so_far| ways.iter().map(|way| [so_far.clone(), way.clone()].concat())).collect();
    }
    all
}

/// Does some access of the first interval come before one of the second, by program order or as a conflict? And which do?
fn edges(trace: &Trace, from: &[usize], to: &[usize]) -> Vec<(usize, usize)> {
    let pairs = from.iter().flat_map(|&first| to.iter().map(move |&second| (first, second)));
    pairs.filter(|&(first, second)| is_po(trace, first, second) || is_cf(trace, first, second)).collect()
}

/// Sets without those that subsume another one.
fn least(sets: BTreeSet<Intervals>) -> BTreeSet<Intervals> {
    let subsumes = |large: &Intervals, small: &Intervals| {
        let contains = |&(operation, first, last): &(usize, usize, usize)| {
            large.iter().any(|&(of, from, to)| of == operation && from <= first && last <= to)
        };
        small.iter().all(contains)
    };
    let is_least = |set: &&Intervals| !sets.iter().any(|other| other != *set && subsumes(set, other));
    sets.iter().filter(is_least).cloned().collect()
}

fn interval(trace: &Trace, first: usize, last: usize) -> (usize, usize, usize) {
    (trace.accesses()[first].operation, first, last)
}

/// The algorithm of section 5.2.
pub fn by_cycles(trace: &Trace) -> BTreeSet<Intervals> {
    let mut sets = BTreeSet::new();
    for intervals in decompositions(trace) {
        let all: Vec<Vec<Vec<(usize, usize)>>> =
            intervals.iter().map(|from| intervals.iter().map(|to| edges(trace, from, to)).collect()).collect();
        for start in 0..intervals.len() {
            cycles_from(trace, &all, &mut vec![start], &mut sets);
        }
    }
    least(sets)
}

/// All simple cycles that go on from this path, whose least interval is the first; and their critical segments.
fn cycles_from(
    trace: &Trace,
    edges: &[Vec<Vec<(usize, usize)>>],
    path: &mut Vec<usize>,
    sets: &mut BTreeSet<Intervals>,
) {
    let (start, last) = (path[0], path[path.len() - 1]);
    if path.len() > 1 && !edges[last][start].is_empty() {
        let steps: Vec<&Vec<(usize, usize)>> =
            (0..path.len()).map(|at| &edges[path[at]][path[(at + 1) % path.len()]]).collect();
        critical(trace, &steps, &mut Vec::new(), sets);
    }
    for next in start + 1..edges.len() {
        if !path.contains(&next) && !edges[last][next].is_empty() {
            path.push(next);
            cycles_from(trace, edges, path, sets);
            path.pop();
        }
    }
}

/// All choices of one edge for each step, and for each the segments from where an interval is left back to where it is entered.
fn critical(
    trace: &Trace,
    steps: &[&Vec<(usize, usize)>],
    chosen: &mut Vec<(usize, usize)>,
    sets: &mut BTreeSet<Intervals>,
) {
    if chosen.len() < steps.len() {
        for &edge in steps[chosen.len()] {
            chosen.push(edge);
            critical(trace, steps, chosen, sets);
            chosen.pop();
        }
        return;
    }
    let segments = (0..chosen.len()).map(|at| {
        let entered = chosen[at].1;
        let left = chosen[(at + 1) % chosen.len()].0;
        (left, entered)
    });
    let critical = segments.filter(|&(left, entered)| is_po(trace, left, entered));
    sets.insert(critical.map(|(left, entered)| interval(trace, left, entered)).collect());
}

/// Decompositions whose intervals cannot be put one after another, by what they have of more than one access.
pub fn by_definition(trace: &Trace) -> BTreeSet<Intervals> {
    let is_cyclic = |intervals: &&Vec<Vec<usize>>| {
        let mut left: Vec<&Vec<usize>> = intervals.iter().collect();
        loop {
            let is_first = |at: usize| {
                let comes_before = |(other, interval): (usize, &&Vec<usize>)| {
                    other != at && !edges(trace, interval, left[at]).is_empty()
                };
                !left.iter().enumerate().any(comes_before)
            };
            match (0..left.len()).find(|&at| is_first(at)) {
                Some(at) => drop(left.remove(at)),
                None => return !left.is_empty(),
            }
        }
    };
    let wide = |intervals: &Vec<Vec<usize>>| {
        let wide = intervals.iter().filter(|interval| interval.len() > 1);
        wide.map(|wide| interval(trace, wide[0], wide[wide.len() - 1])).collect()
    };
    least(decompositions(trace).iter().filter(is_cyclic).map(wide).collect())
}

/// All sets of sections from a line to a line, or of all of an operation.
pub fn sets_of_lines(traces: &[Trace]) -> BTreeSet<Sections> {
    let mut lines: BTreeMap<Arc<str>, BTreeSet<u32>> = BTreeMap::new();
    for trace in traces {
        for access in trace.accesses() {
            lines.entry(trace.operations()[access.operation].name.clone()).or_default().insert(access.place.line);
        }
    }
    let mut sections = Vec::new();
    for (name, lines) in &lines {
        for &first in lines {
            sections.extend(lines.range(first..).map(|&last| Section::lines(name, FILE, first, last)));
        }
        sections.push(Section::whole(name));
    }
    let sets = (0..1_usize << sections.len()).map(|set| {
        let chosen = (0..sections.len()).filter(|&at| set >> at & 1 == 1);
        chosen.map(|at| sections[at].clone()).collect::<Sections>()
    });
    sets.collect()
}

/// The least of all sets of lines that rule the trace out.
pub fn by_lines(trace: &Trace) -> BTreeSet<Sections> {
    let all = sets_of_lines(std::slice::from_ref(trace));
    let working: Vec<&Sections> = all.iter().filter(|set| is_eliminated(trace, set)).collect();
    let is_least = |set: &&Sections| !working.iter().any(|other| *other != *set && set.subsumes(other));
    working.iter().copied().filter(is_least).cloned().collect()
}

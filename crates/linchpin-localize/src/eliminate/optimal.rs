//! The optimal eliminators of a trace, and of several.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::eliminate::cycles::{Segment, each_cycle};
use crate::eliminate::intervals::is_eliminated;
use crate::eliminate::section::{Extent, Section, Sections};
use crate::trace::{Access, Place, Trace};

/// How much may be looked at.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Cycles of one trace.
    pub cycles: usize,
    /// Sets of sections that come from the cycles of one trace; of more, the smallest are kept.
    pub sets: usize,
    /// Unions of sets that are tried as the cause of all failing executions.
    pub unions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { cycles: 1_000_000, sets: 2_000, unions: 10_000 }
    }
}

/// Sets of atomic sections that rule a trace out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eliminators {
    /// The optimal ones: none contains what another one consists of. There are none if the trace is equivalent to one in
    /// which operations run one after another.
    pub sets: Vec<Sections>,
    /// Was everything looked at? If not, a smaller set or another one may be missing.
    pub is_complete: bool,
}

/// The optimal eliminators of a trace.
///
/// ```
/// use linchpin_localize::eliminate::{Limits, Section, Sections, eliminators};
/// use linchpin_localize::{Access, Operation, Place, Trace};
///
/// // Two threads read a counter and then write it: both read before either writes.
/// let increment = |thread| Operation { name: "increment".into(), thread };
/// let access = |operation, is_write, line| {
///     Access { operation, location: 0, is_write, place: Place { file: "counter.rs", line } }
/// };
/// let trace = Trace::new(
///     vec![increment(0), increment(1)],
///     vec![access(0, false, 7), access(1, false, 7), access(0, true, 8), access(1, true, 8)],
/// );
/// let found = eliminators(&trace, &Limits::default());
/// assert_eq!(found.sets, [Sections::new([Section::lines("increment", "counter.rs", 7, 8)])]);
/// ```
pub fn eliminators(trace: &Trace, limits: &Limits) -> Eliminators {
    eliminators_in(trace, &Lines::of([trace]), limits)
}

/// As [`eliminators`], where these lines are known.
pub(crate) fn eliminators_in(trace: &Trace, lines: &Lines, limits: &Limits) -> Eliminators {
    let mut candidates = Candidates::new(trace, lines);
    let enumerated = each_cycle(trace, limits.cycles, |segments| candidates.add(segments));
    let (candidates, all_kept) = candidates.smallest(limits.sets);
    // A section of lines contains the segment that it was made for. Should lines ever fail to say what a segment is, the set
    // must go before it is compared with others, or else it would hide sets that work.
    let working = candidates.into_iter().filter(|sections| is_eliminated(trace, sections));
    Eliminators { sets: optimal(working), is_complete: enumerated.is_ok() && all_kept }
}

/// The lines in which operations have accesses: by operation and file.
#[derive(Default)]
pub(crate) struct Lines(HashMap<(Arc<str>, &'static str), BTreeSet<u32>>);

impl Lines {
    /// The lines in these traces.
    pub fn of<'a>(traces: impl IntoIterator<Item = &'a Trace>) -> Lines {
        let mut lines = Lines::default();
        for trace in traces {
            for access in trace.accesses() {
                let name = trace.operations()[access.operation].name.clone();
                lines.0.entry((name, access.place.file)).or_default().insert(access.place.line);
            }
        }
        lines
    }

    /// The line of an operation before this one.
    fn before(&self, operation: &Arc<str>, place: Place) -> Option<u32> {
        self.0.get(&(operation.clone(), place.file))?.range(..place.line).next_back().copied()
    }
}

/// Sets of sections, as cycles give them.
struct Candidates<'a> {
    trace: &'a Trace,
    lines: &'a Lines,
    /// The accesses of each thread.
    threads: Vec<Vec<usize>>,
    /// The number of the section that a segment becomes.
    known: HashMap<Segment, usize>,
    /// Sections by number.
    sections: Vec<Section>,
    numbers: HashMap<Section, usize>,
    /// Sets of sections, by their numbers.
    sets: HashSet<Vec<usize>>,
}

impl<'a> Candidates<'a> {
    fn new(trace: &'a Trace, lines: &'a Lines) -> Self {
        Candidates {
            trace,
            lines,
            threads: trace.by_thread(),
            known: HashMap::new(),
            sections: Vec::new(),
            numbers: HashMap::new(),
            sets: HashSet::new(),
        }
    }

    fn add(&mut self, segments: &[Segment]) {
        let mut set: Vec<usize> = segments.iter().map(|&segment| self.number_of(segment)).collect();
        set.sort();
        set.dedup();
        self.sets.insert(set);
    }

    fn number_of(&mut self, segment: Segment) -> usize {
        if let Some(&number) = self.known.get(&segment) {
            return number;
        }
        let section = self.section_of(segment);
        let fresh = self.sections.len();
        let number = *self.numbers.entry(section.clone()).or_insert(fresh);
        if number == fresh {
            self.sections.push(section);
        }
        self.known.insert(segment, number);
        number
    }

    /// The least section of lines of which a segment is a part, as it ran.
    ///
    /// That is from its least line to its greatest one, unless the segment comes to the least line again: then it spans several
    /// passes of a loop, of which such a section is only one. The next line of the operation before it is outside of
    /// the loop. If there is none, or if the segment ends in another file than it begins in, only all of the operation will do.
    fn section_of(&self, segment: Segment) -> Section {
        let access = |&number: &usize| &self.trace.accesses()[number];
        let accesses: Vec<&Access> =
            self.threads[segment.thread][segment.first..=segment.last].iter().map(access).collect();
        let (begin, end) = (accesses[0], accesses[accesses.len() - 1]);
        let name = &self.trace.operations()[begin.operation].name;
        let file = begin.place.file;
        let lines: Vec<u32> =
            accesses.iter().filter(|access| access.place.file == file).map(|access| access.place.line).collect();
        let least = lines.iter().copied().min().unwrap_or_default();
        let comes_back = lines.windows(2).any(|pair| pair[0] > least && pair[1] == least);
        let first = if comes_back { self.lines.before(name, Place { file, line: least }) } else { Some(least) };
        let extent = match (first, lines.iter().max()) {
            (Some(first), Some(&last)) if end.place.file == file => Extent::Lines { file, first, last },
            _ => Extent::Whole,
        };
        Section { operation: name.clone(), extent }
    }

    /// At most so many sets, the smallest; and were these all?
    fn smallest(self, most: usize) -> (Vec<Sections>, bool) {
        let all_kept = self.sets.len() <= most;
        let size = |set: &Vec<usize>| -> u64 {
            let sizes = set.iter().map(|&number| self.sections[number].size().map_or(u64::from(u32::MAX), u64::from));
            sizes.sum()
        };
        let mut sets: Vec<(u64, &Vec<usize>)> = self.sets.iter().map(|set| (size(set), set)).collect();
        // By the sections themselves in the end, so that the same sets are kept every time.
        let sections = |set: &[usize]| -> Vec<&Section> { set.iter().map(|&number| &self.sections[number]).collect() };
        sets.sort_by(|(size, set), (other_size, other)| {
            size.cmp(other_size).then_with(|| sections(set).cmp(&sections(other)))
        });
        let sets = sets.into_iter().take(most);
        (sets.map(|(_, set)| set.iter().map(|&number| self.sections[number].clone()).collect()).collect(), all_kept)
    }
}

/// Those sets that do not subsume another one, in order.
fn optimal(sets: impl IntoIterator<Item = Sections>) -> Vec<Sections> {
    let mut sets: Vec<Sections> = sets.into_iter().collect();
    sets.sort();
    sets.dedup();
    let is_optimal = |set: &&Sections| !sets.iter().any(|other| other != *set && set.subsumes(other));
    sets.iter().filter(is_optimal).cloned().collect()
}

/// The optimal sets that rule all traces out, given those for each of them: section 4.2 of the paper.
pub fn flatten(traces: &[Eliminators], limits: &Limits) -> Eliminators {
    let nothing = Eliminators { sets: vec![Sections::default()], is_complete: true };
    traces.iter().fold(nothing, |so_far, next| {
        let unions = so_far.sets.iter().flat_map(|set| next.sets.iter().map(|other| set.with(other)));
        let mut sets = optimal(unions);
        sets.sort_by_key(Sections::size);
        let all_kept = sets.len() <= limits.sets;
        sets.truncate(limits.sets);
        sets.sort();
        Eliminators { sets, is_complete: so_far.is_complete && next.is_complete && all_kept }
    })
}

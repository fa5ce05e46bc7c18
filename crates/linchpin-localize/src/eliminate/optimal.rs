//! The optimal eliminators of a trace, and of several.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::eliminate::cycles::{Segment, each_cycle};
use crate::eliminate::intervals::is_eliminated;
use crate::eliminate::section::{Extent, Section, Sections};
use crate::trace::{Place, Trace};

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

/// The lines of a segment, in the file that it begins in.
#[derive(Clone, Copy)]
struct Span {
    least: u32,
    greatest: u32,
    /// The line of the last access.
    line: u32,
    /// Does it come to its least line from a greater one?
    comes_back: bool,
}

impl Span {
    fn new(line: u32) -> Span {
        Span { least: line, greatest: line, line, comes_back: false }
    }

    fn extended(self, line: u32) -> Span {
        Span {
            least: self.least.min(line),
            greatest: self.greatest.max(line),
            line,
            comes_back: line < self.least || self.comes_back || line == self.least && self.line > line,
        }
    }
}

/// A section in numbers, as there may be very many: an operation that has its name, an access that is in its file, and the lines; no
/// lines for all of the operation.
type Numbered = (usize, usize, Option<(u32, u32)>);

/// Sets of sections, as cycles give them.
struct Candidates<'a> {
    trace: &'a Trace,
    lines: &'a Lines,
    /// The accesses of each thread.
    threads: Vec<Vec<usize>>,
    /// For each operation the first one of the same name.
    names: Vec<usize>,
    /// For each access the first one in the same file.
    files: Vec<usize>,
    /// For each thread and access at which segments begin: what those are like that have one access, two, and so on.
    spans: HashMap<(usize, usize), Vec<Span>>,
    /// Sets of sections.
    sets: HashSet<Vec<Numbered>>,
}

impl<'a> Candidates<'a> {
    fn new(trace: &'a Trace, lines: &'a Lines) -> Self {
        Candidates {
            trace,
            lines,
            threads: trace.by_thread(),
            names: first_equal(trace.operations().iter().map(|operation| &*operation.name)),
            files: first_equal(trace.accesses().iter().map(|access| access.place.file)),
            spans: HashMap::new(),
            sets: HashSet::new(),
        }
    }

    fn add(&mut self, segments: &[Segment]) {
        let mut set: Vec<Numbered> = segments.iter().map(|&segment| self.section_of(segment)).collect();
        set.sort();
        set.dedup();
        self.sets.insert(set);
    }

    /// The least section of lines of which a segment is a part, as it ran.
    ///
    /// That is from its least line to its greatest one, unless the segment comes to the least line again: then it spans several
    /// passes of a loop, of which such a section is only one. The next line of the operation before it is outside of
    /// the loop. If there is none, or if the segment ends in another file than it begins in, only all of the operation will do.
    fn section_of(&mut self, segment: Segment) -> Numbered {
        let number = |place: usize| self.threads[segment.thread][place];
        let line = |place: usize| self.trace.accesses()[number(place)].place.line;
        let file = self.files[number(segment.first)];
        // Segments that begin at the same access are extended one by the other.
        let first = || vec![Span::new(line(segment.first))];
        let spans = self.spans.entry((segment.thread, segment.first)).or_insert_with(first);
        while spans.len() <= segment.last - segment.first {
            let next = segment.first + spans.len();
            let last = spans[spans.len() - 1];
            spans.push(if self.files[number(next)] == file { last.extended(line(next)) } else { last });
        }
        let span = spans[segment.last - segment.first];
        let begin = &self.trace.accesses()[number(segment.first)];
        let least = Place { line: span.least, ..begin.place };
        let name = &self.trace.operations()[begin.operation].name;
        let first = if span.comes_back { self.lines.before(name, least) } else { Some(span.least) };
        let is_in_file = self.files[number(segment.last)] == file;
        let lines = first.filter(|_| is_in_file).map(|first| (first, span.greatest));
        (self.names[begin.operation], if lines.is_some() { file } else { 0 }, lines)
    }

    /// At most so many sets, the smallest; and were these all?
    fn smallest(self, most: usize) -> (Vec<Sections>, bool) {
        let all_kept = self.sets.len() <= most;
        let lines = |section: &Numbered| section.2.map_or(u64::from(u32::MAX), |(first, last)| u64::from(last - first));
        // By the sections themselves in the end, so that the same sets are kept every time.
        let size = |set: &Vec<Numbered>| -> u64 { set.iter().map(lines).sum() };
        let mut sets: Vec<(u64, &Vec<Numbered>)> = self.sets.iter().map(|set| (size(set), set)).collect();
        if !all_kept {
            sets.select_nth_unstable(most);
            sets.truncate(most);
        }
        sets.sort_unstable();
        let section = |&(operation, access, lines): &Numbered| {
            let file = self.trace.accesses()[access].place.file;
            let extent = lines.map_or(Extent::Whole, |(first, last)| Extent::Lines { file, first, last });
            Section { operation: self.trace.operations()[operation].name.clone(), extent }
        };
        (sets.into_iter().map(|(_, set)| set.iter().map(section).collect()).collect(), all_kept)
    }
}

/// For each item the place of the first one that is equal.
fn first_equal<'a>(items: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    items.enumerate().map(|(place, item)| *places.entry(item).or_insert(place)).collect()
}

/// Those sets that do not subsume another one, in order.
///
/// What subsumes another set is larger than it, so each set is compared with the optimal ones among the smaller only. In the paper's
/// worst case all sets are of one size: there are as many cycles as its bound says, and nothing to compare.
fn optimal(sets: impl IntoIterator<Item = Sections>) -> Vec<Sections> {
    let mut sets: Vec<(_, Sections)> = sets.into_iter().map(|set| (set.size(), set)).collect();
    sets.sort();
    sets.dedup();
    let mut optimal: Vec<Sections> = Vec::new();
    for alike in sets.chunk_by(|(size, _), (other, _)| size == other) {
        let smaller = optimal.len();
        for (_, set) in alike {
            if !optimal[..smaller].iter().any(|other| set.subsumes(other)) {
                optimal.push(set.clone());
            }
        }
    }
    optimal.sort();
    optimal
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

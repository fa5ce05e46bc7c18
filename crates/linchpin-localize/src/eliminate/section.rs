//! Sections of code that are assumed to be atomic.

use std::fmt;
use std::sync::Arc;

use crate::trace::Place;

/// Which part of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Extent {
    /// From a line to a line of a file, both included. In a loop, one pass through these lines.
    Lines {
        /// The file.
        file: &'static str,
        /// The first line.
        first: u32,
        /// The last line.
        last: u32,
    },
    /// All of it.
    Whole,
}

/// A part of an operation that is assumed to be atomic, whoever runs it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Section {
    /// The operation's name.
    pub operation: Arc<str>,
    /// Which part of it.
    pub extent: Extent,
}

impl Section {
    /// From a line to a line of an operation.
    pub fn lines(operation: &str, file: &'static str, first: u32, last: u32) -> Section {
        Section { operation: operation.into(), extent: Extent::Lines { file, first, last } }
    }

    /// All of an operation.
    pub fn whole(operation: &str) -> Section {
        Section { operation: operation.into(), extent: Extent::Whole }
    }

    /// Is the other one a part of this one?
    pub fn contains(&self, other: &Section) -> bool {
        self.operation == other.operation && self.extent.contains(&other.extent)
    }

    /// How many lines it has; `None` for all of an operation.
    pub fn size(&self) -> Option<u32> {
        match self.extent {
            Extent::Lines { first, last, .. } => Some(last - first + 1),
            Extent::Whole => None,
        }
    }
}

impl Extent {
    fn contains(&self, other: &Extent) -> bool {
        match (self, other) {
            (Extent::Whole, _) => true,
            (_, Extent::Whole) => false,
            (Extent::Lines { file, first, last }, Extent::Lines { file: of, first: from, last: to }) => {
                file == of && first <= from && to <= last
            }
        }
    }

    /// Is this place in it?
    pub(crate) fn has(&self, place: Place) -> bool {
        match *self {
            Extent::Whole => true,
            Extent::Lines { file, first, last } => file == place.file && first <= place.line && place.line <= last,
        }
    }

    /// The least extent that contains both, if they have a line in common.
    fn joined(&self, other: &Extent) -> Option<Extent> {
        match (*self, *other) {
            (Extent::Whole, _) | (_, Extent::Whole) => Some(Extent::Whole),
            (Extent::Lines { file, first, last }, Extent::Lines { file: of, first: from, last: to }) => {
                let overlap = file == of && first.max(from) <= last.min(to);
                overlap.then_some(Extent::Lines { file, first: first.min(from), last: last.max(to) })
            }
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.extent {
            Extent::Lines { file, first, last } if first == last => write!(f, "{} {file}:{first}", self.operation),
            Extent::Lines { file, first, last } => write!(f, "{} {file}:{first}-{last}", self.operation),
            Extent::Whole => write!(f, "all of {}", self.operation),
        }
    }
}

/// Sections of which none overlaps another one, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Sections(Vec<Section>);

impl Sections {
    /// The least set that covers all of these: sections that overlap are joined.
    pub fn new(sections: impl IntoIterator<Item = Section>) -> Sections {
        let mut all = Sections::default();
        for mut section in sections {
            // Joining may make it overlap others.
            while let Some(at) = all.0.iter().position(|other| joined(other, &section).is_some()) {
                section = joined(&all.0.swap_remove(at), &section).expect("that was the question");
            }
            all.0.push(section);
        }
        all.0.sort();
        all
    }

    /// The sections.
    pub fn iter(&self) -> impl Iterator<Item = &Section> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Is each section of the other set part of one of this?
    pub fn subsumes(&self, other: &Sections) -> bool {
        other.iter().all(|part| self.iter().any(|section| section.contains(part)))
    }

    /// The least set that covers both.
    pub fn with(&self, other: &Sections) -> Sections {
        Sections::new(self.iter().chain(other.iter()).cloned())
    }

    /// The set without the section at this place.
    pub fn without(&self, at: usize) -> Sections {
        let mut fewer = self.0.clone();
        fewer.remove(at);
        Sections(fewer)
    }

    /// How large a set is, for comparison: whole operations, then steps from one line to the next, then sections. A set that
    /// subsumes another one is larger: two neighbouring sections are less than one that covers both.
    pub fn size(&self) -> (usize, u32, usize) {
        let wholes = self.iter().filter(|section| section.size().is_none()).count();
        (wholes, self.iter().filter_map(Section::size).map(|lines| lines - 1).sum(), self.len())
    }
}

fn joined(left: &Section, right: &Section) -> Option<Section> {
    let extent = (left.operation == right.operation).then(|| left.extent.joined(&right.extent))??;
    Some(Section { operation: left.operation.clone(), extent })
}

impl FromIterator<Section> for Sections {
    fn from_iter<I: IntoIterator<Item = Section>>(sections: I) -> Sections {
        Sections::new(sections)
    }
}

impl fmt::Display for Sections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, section) in self.iter().enumerate() {
            let and = if number > 0 { " and " } else { "" };
            write!(f, "{and}{section}")?;
        }
        Ok(())
    }
}

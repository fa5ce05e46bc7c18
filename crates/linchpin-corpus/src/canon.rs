//! The canonical form of an execution: equal if and only if the executions are the same graph.

use std::cmp::Ordering;
use std::fmt;

use linchpin_model::Order;

use crate::program::{Location, Program};
use crate::text::order_name;

/// What sort of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CanonKind {
    /// An atomic read that is not half of a read-modify-write; a failed compare-exchange too.
    Read,
    /// An atomic write that is not half of a read-modify-write.
    Write,
    /// The first half of a read-modify-write that writes; the next event of its section is the other half.
    RmwRead,
    /// The second half of a read-modify-write.
    RmwWrite,
    /// A fence.
    Fence,
    /// A non-atomic read.
    PlainRead,
    /// A non-atomic write.
    PlainWrite,
}

impl CanonKind {
    /// Does it read memory?
    pub fn reads(self) -> bool {
        matches!(self, CanonKind::Read | CanonKind::RmwRead | CanonKind::PlainRead)
    }

    /// Does it write memory?
    pub fn writes(self) -> bool {
        matches!(self, CanonKind::Write | CanonKind::RmwWrite | CanonKind::PlainWrite)
    }

    /// Is it a non-atomic access?
    pub fn is_plain(self) -> bool {
        matches!(self, CanonKind::PlainRead | CanonKind::PlainWrite)
    }
}

/// An event's name: its section (0 is the setup, 1 to n the threads, n + 1 the finish) and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The section.
    pub section: u8,
    /// The place among the section's events, counted from 0; only the events of [`CanonKind`] count.
    pub index: u8,
}

/// Where a read takes its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The location's initial value.
    Initial,
    /// This write.
    Write(Place),
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CanonEvent {
    /// What sort of event.
    pub kind: CanonKind,
    /// The location, unless it is a fence.
    pub location: Option<Location>,
    /// The order, unless it is a plain access. Both halves of a read-modify-write have its order.
    pub order: Option<Order>,
    /// The value read or written; 0 for fences.
    pub value: u64,
    /// Where a read takes its value from.
    pub source: Option<Source>,
}

impl CanonEvent {
    /// A key by which events can be sorted; orders have no order of their own.
    fn key(&self) -> (CanonKind, Option<Location>, Option<u8>, u64, Option<Source>) {
        (self.kind, self.location, self.order.map(|order| order as u8), self.value, self.source)
    }
}

impl PartialOrd for CanonEvent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CanonEvent {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// An execution graph in canonical form: nothing in it depends on the order in which it was built.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Canon {
    /// The events of every section, in program order.
    pub sections: Vec<Vec<CanonEvent>>,
    /// For every location of the program, sorted: its writes in modification order, without the initial one.
    pub mo: Vec<(Location, Vec<Place>)>,
}

impl Canon {
    /// The graph of a program in which nothing has happened yet.
    pub fn start(program: &Program) -> Self {
        Canon {
            sections: vec![Vec::new(); program.threads.len() + 2],
            mo: program.locations().into_iter().map(|location| (location, Vec::new())).collect(),
        }
    }

    /// The event at a place.
    pub fn event(&self, place: Place) -> &CanonEvent {
        &self.sections[usize::from(place.section)][usize::from(place.index)]
    }

    /// The writes to a location in modification order.
    pub fn mo_of(&self, location: Location) -> &[Place] {
        self.mo.iter().find(|(l, _)| *l == location).map_or(&[], |(_, writes)| writes)
    }

    /// The value that a read with this source gets.
    pub fn value_of(&self, source: Source) -> u64 {
        match source {
            Source::Initial => 0,
            Source::Write(place) => self.event(place).value,
        }
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.sections.iter().map(Vec::len).sum()
    }

    /// Has nothing happened?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The graph without values, sources and modification order of plain accesses.
    ///
    /// In a program without races these follow from the rest, and an explorer that runs plain accesses in real memory
    /// does not record them.
    pub fn forget_plain(mut self) -> Self {
        for event in self.sections.iter_mut().flatten().filter(|event| event.kind.is_plain()) {
            event.value = 0;
            event.source = None;
        }
        let sections = &self.sections;
        for (_, writes) in &mut self.mo {
            writes.retain(|w| !sections[usize::from(w.section)][usize::from(w.index)].kind.is_plain());
        }
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.section, self.index)
    }
}

impl fmt::Display for CanonEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.kind {
            CanonKind::Read => "R",
            CanonKind::Write => "W",
            CanonKind::RmwRead => "UR",
            CanonKind::RmwWrite => "UW",
            CanonKind::Fence => "F",
            CanonKind::PlainRead => "Rna",
            CanonKind::PlainWrite => "Wna",
        };
        write!(f, "{name}")?;
        if let Some(order) = self.order {
            write!(f, "{}", order_name(order))?;
        }
        if let Some(location) = self.location {
            write!(f, "({location},{})", self.value)?;
        }
        match self.source {
            None => Ok(()),
            Some(Source::Initial) => write!(f, "<init"),
            Some(Source::Write(place)) => write!(f, "<{place}"),
        }
    }
}

impl fmt::Display for Canon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, section) in self.sections.iter().enumerate().filter(|(_, section)| !section.is_empty()) {
            write!(f, "  {number}:")?;
            for event in section {
                write!(f, " {event}")?;
            }
            writeln!(f)?;
        }
        for (location, writes) in &self.mo {
            write!(f, "  mo({location}):")?;
            for place in writes {
                write!(f, " {place}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

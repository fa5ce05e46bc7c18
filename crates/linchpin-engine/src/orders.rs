//! Other memory orders than those in the source: accesses weakened or strengthened, and fences put in, without compiling anything
//! again.

use std::fmt;

use linchpin_graph::{Event, Kind, Order, Site, Verb};

/// An access in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as the compiler knows it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What is done there: one position may do several things, such as the load and the exchange of `fetch_update`.
    pub verb: Verb,
}

impl Place {
    /// Where an event comes from.
    pub fn of(event: &Event) -> Place {
        let Event { site, verb, .. } = event;
        Place { file: site.file().to_owned(), line: site.line(), column: site.column(), verb: *verb }
    }

    fn is_at(&self, site: Site, verb: Verb) -> bool {
        self.line == site.line() && self.column == site.column() && self.verb == verb && self.file == site.file()
    }
}

/// In the order of files, lines and columns.
impl Ord for Place {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |place: &Place| (place.line, place.column, place.verb as u8);
        self.file.cmp(&other.file).then_with(|| key(self).cmp(&key(other)))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// What is different about an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Change {
    /// Its order; of a read-modify-write if it writes, of a fence.
    pub order: Option<Order>,
    /// The order of a compare-exchange that does not write.
    pub failure: Option<Order>,
    /// A fence of this order stands before it.
    pub fence_before: Option<Order>,
}

/// Memory orders that accesses have instead of those in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Orders {
    changes: Vec<(Place, Change)>,
}

impl Orders {
    /// Those in the source.
    pub fn of_the_source() -> Self {
        Self::default()
    }

    /// With this change, on top of what has been changed at the place before.
    pub fn with(mut self, place: &Place, change: Change) -> Self {
        match self.changes.iter_mut().find(|(known, _)| known == place) {
            Some((_, known)) => {
                *known = Change {
                    order: change.order.or(known.order),
                    failure: change.failure.or(known.failure),
                    fence_before: change.fence_before.or(known.fence_before),
                };
            }
            None => self.changes.push((place.clone(), change)),
        }
        self
    }

    /// All changes.
    pub fn changes(&self) -> &[(Place, Change)] {
        &self.changes
    }

    /// What is different about what is done at this position. Locks and the like are not changed.
    #[inline]
    pub(crate) fn change_of(&self, site: Site, verb: Verb) -> Option<Change> {
        self.changes.iter().find(|(place, _)| place.is_at(site, verb)).map(|(_, change)| *change)
    }
}

/// May the order of this event be changed: is it an access to an atomic or a fence, and not part of a lock?
pub fn has_order(event: &Event) -> bool {
    matches!(event.kind, Kind::Read | Kind::Write | Kind::Fence) && (event.verb as u8) <= (Verb::Fence as u8)
}

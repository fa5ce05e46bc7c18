//! The accesses that tests reach.

use std::collections::BTreeMap;

use linchpin_engine::{Change, Place, has_order};
use linchpin_graph::{Execution, Kind, Order, Verb};

/// Which of its two orders a compare-exchange has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Half {
    /// The one for when it writes; of everything else the only one.
    Success,
    /// The one for when it does not.
    Failure,
}

/// An access to an atomic, or a fence, with one of its orders.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Where in the source.
    pub place: Place,
    /// Which of its orders.
    pub half: Half,
    /// That order.
    pub order: Order,
    /// Has it been seen to have that order: has the exchange succeeded, or failed?
    pub is_reached: bool,
}

impl Access {
    /// Is this the same order of the same access, whatever it is?
    pub(crate) fn is_of(&self, other: &Access) -> bool {
        self.place == other.place && self.half == other.half
    }

    /// What gives the access this order.
    pub fn with_order(&self, order: Order) -> Change {
        match self.half {
            Half::Success => Change { order: Some(order), ..Change::default() },
            Half::Failure => Change { failure: Some(order), ..Change::default() },
        }
    }
}

/// The accesses of executions, collected one execution at a time.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// For each place its orders, and whether either was seen.
    places: BTreeMap<Place, [(Order, bool); 2]>,
}

impl Accesses {
    /// Looks at an execution.
    pub fn observe(&mut self, execution: &Execution) {
        for event in execution.events().iter().filter(|event| has_order(event)) {
            // The write of a read-modify-write has been seen as its read.
            if event.kind == Kind::Write && event.exclusive {
                continue;
            }
            let (success, failure) = match event.kind {
                Kind::Read => (event.request.order, event.request.failure),
                _ => (event.order, event.order),
            };
            let halves = self.places.entry(Place::of(event)).or_insert([(success, false), (failure, false)]);
            let is_failure = event.verb == Verb::CompareExchange && !event.exclusive;
            halves[usize::from(is_failure)].1 = true;
        }
    }

    /// Adds what somebody else has seen.
    pub fn add(&mut self, other: Accesses) {
        for (place, halves) in other.places {
            let known = self.places.entry(place).or_insert(halves);
            for (known, seen) in known.iter_mut().zip(halves) {
                known.1 |= seen.1;
            }
        }
    }

    /// All accesses in the order of the source, those of compare-exchanges twice.
    pub fn all(&self) -> Vec<Access> {
        let access =
            |place: &Place, half, (order, is_reached)| Access { place: place.clone(), half, order, is_reached };
        let accesses = self.places.iter().flat_map(|(place, &[success, failure])| {
            let second = (place.verb == Verb::CompareExchange).then(|| access(place, Half::Failure, failure));
            [access(place, Half::Success, success)].into_iter().chain(second)
        });
        accesses.collect()
    }
}

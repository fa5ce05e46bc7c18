//! Consistency of a whole execution, from scratch.
//!
//! The explorer does not need this: it grows graphs within bounds that keep them consistent. This is for graphs that come
//! from elsewhere, and for checking the explorer.

use linchpin_model::MemoryModel;

use super::relation::Relation;
use crate::event::{Event, EventId, Kind};
use crate::execution::Execution;

/// Which rule of the memory model an execution breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inconsistency {
    /// po ∪ rf has a cycle: a value comes out of thin air.
    ThinAir,
    /// Under SC: po ∪ rf ∪ mo ∪ fr has a cycle.
    NotSequential,
    /// The first event happens before the second, but the order of writes says otherwise.
    Coherence(EventId, EventId),
    /// Another write stands between the two halves of this read-modify-write.
    Atomicity(EventId),
    /// The SC accesses and fences have no order.
    SeqCst,
}

impl Execution {
    /// Checks the execution against the rules of its memory model.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self) -> Result<(), Inconsistency> {
        let mut porf = Relation::new(self.events.len());
        self.each_event(|id, event| {
            if let Some(previous) = self.previous(id) {
                porf.add(previous.at(), id.at());
            } else if event.thread.0 > 0 {
                porf.add(self.spawn_of(event.thread).at(), id.at());
            }
            if matches!(event.kind, Kind::Read | Kind::Join) && event.source.is_some() {
                porf.add(event.source.at(), id.at());
            }
        });
        if !porf.is_acyclic() {
            return Err(Inconsistency::ThinAir);
        }
        let mut broken = None;
        self.each_event(|id, event| {
            let expected = || self.source_position(self.read_of(id)) + 1;
            if event.is_write() && event.exclusive && event.mo_position != expected() {
                broken.get_or_insert(Inconsistency::Atomicity(id));
            }
        });
        if let Some(broken) = broken {
            return Err(broken);
        }
        let eco = self.eco();
        match self.model {
            MemoryModel::Sc => {
                for from in 0..self.events.len() {
                    porf.absorb(from, &eco, from);
                }
                if porf.is_acyclic() { Ok(()) } else { Err(Inconsistency::NotSequential) }
            }
            MemoryModel::C11 => {
                for from in 0..self.events.len() {
                    for to in eco.successors(from) {
                        let (from, to) = (EventId(from as u32), EventId(to as u32));
                        if self.happens_before(to, from) {
                            return Err(Inconsistency::Coherence(to, from));
                        }
                    }
                }
                if self.psc_is_acyclic() { Ok(()) } else { Err(Inconsistency::SeqCst) }
            }
        }
    }

    fn each_event(&self, mut visit: impl FnMut(EventId, &Event)) {
        for (stamp, event) in self.events.iter().enumerate() {
            visit(EventId(stamp as u32), event);
        }
    }
}

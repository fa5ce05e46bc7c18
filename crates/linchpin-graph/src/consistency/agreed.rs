//! What all total orders of SC events agree on.
//!
//! C11 has one order S over all SC accesses and fences; RC11 has a partial order psc instead, and every total order that
//! contains it will do for S. So two SC events are ordered for certain if and only if psc, closed transitively, orders them.
//! Under SC all events take part, and what is certain is po ∪ rf ∪ mo ∪ fr, closed transitively.

use linchpin_model::MemoryModel;

use super::relation::Relation;
use crate::event::EventId;
use crate::execution::Execution;

/// The order of SC events as far as the execution decides it.
#[derive(Debug)]
pub struct ScOrder<'a> {
    execution: &'a Execution,
    /// Under C11, if there are two SC events: psc closed.
    psc: Option<Relation>,
}

impl Execution {
    /// The order of SC events as far as the execution decides it: what holds in every total order that it admits.
    pub fn sc_order(&self) -> ScOrder<'_> {
        let psc = (self.model == MemoryModel::C11 && self.seq_cst_events >= 2).then(|| {
            let mut psc = self.psc();
            psc.close();
            psc
        });
        ScOrder { execution: self, psc }
    }
}

impl ScOrder<'_> {
    /// Is `earlier` before `later` in every total order of SC events?
    pub fn orders(&self, earlier: EventId, later: EventId) -> bool {
        if self.execution.model == MemoryModel::Sc {
            let &crate::Event { thread, index, .. } = self.execution.event(earlier);
            return earlier != later && self.execution.prefixes.row(later)[thread.at()] > index;
        }
        self.psc.as_ref().is_some_and(|psc| psc.has(earlier.at(), later.at()))
    }
}

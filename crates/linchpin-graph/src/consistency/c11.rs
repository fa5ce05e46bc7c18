//! The part of RC11 that growing a graph within [`Execution::bound`] does not guarantee: psc is acyclic.
//!
//! Source: Lahav, Vafeiadis, Kang, Hur, Dreyer, *Repairing Sequential Consistency in C/C++11* (PLDI 2017), section 4:
//!
//! ```text
//! scb      = po ∪ po|≠loc ; hb ; po|≠loc ∪ hb|loc ∪ mo ∪ fr
//! psc_base = ([SC] ∪ [F_SC] ; hb?) ; scb ; ([SC] ∪ hb? ; [F_SC])
//! psc_F    = [F_SC] ; (hb ∪ hb ; eco ; hb) ; [F_SC]        with eco = (rf ∪ mo ∪ fr)⁺
//! psc      = psc_base ∪ psc_F, acyclic
//! ```
//!
//! Only executions with at least two SC events can violate it, and an event that reads or writes last in mo never
//! does: it has no outgoing edge. Most others are sequential, which is quick to see. So the full check runs rarely, and
//! straightforward bit matrices are fast enough.

use super::relation::Relation;
use crate::event::{Event, EventId, Kind};
use crate::execution::Execution;

impl Execution {
    /// Is psc acyclic?
    pub fn psc_is_acyclic(&self) -> bool {
        // All of psc follows paths of po ∪ rf ∪ mo ∪ fr, so a sequential execution has no cycle in psc. If all atomic accesses
        // are SC, only sequential executions have none.
        if self.seq_cst_events < 2 || self.is_sequential() {
            return true;
        }
        let is_weak = |event: &Event| matches!(event.kind, Kind::Read | Kind::Write) && !event.order.is_seq_cst();
        if !self.events.iter().any(is_weak) {
            return false;
        }
        self.psc().is_acyclic()
    }

    /// psc = psc_base ∪ psc_F.
    pub(super) fn psc(&self) -> Relation {
        let n = self.events.len();
        let is_fence = |event: &Event| event.kind == Kind::Fence && event.order.is_seq_cst();
        let is_access = |event: &Event| matches!(event.kind, Kind::Read | Kind::Write) && event.order.is_seq_cst();
        let same_place = |a: &Event, b: &Event| a.location == b.location && a.location.0 != u32::MAX;

        let mut hb = Relation::new(n);
        let mut po_elsewhere = Relation::new(n);
        let mut scb = Relation::new(n);
        for (to, later) in self.events.iter().enumerate() {
            for (from, earlier) in self.events.iter().enumerate() {
                if from == to || !self.happens_before(EventId(from as u32), EventId(to as u32)) {
                    continue;
                }
                hb.add(from, to);
                if earlier.thread == later.thread {
                    scb.add(from, to);
                    if !same_place(earlier, later) {
                        po_elsewhere.add(from, to);
                    }
                } else if same_place(earlier, later) {
                    scb.add(from, to);
                }
            }
        }
        let detour = po_elsewhere.then(&hb).then(&po_elsewhere);
        for from in 0..n {
            scb.absorb(from, &detour, from);
        }
        let eco = self.eco();
        for from in 0..n {
            // mo and fr are what of eco ends in a write.
            for to in eco.successors(from).filter(|&to| self.events[to].is_write()) {
                scb.add(from, to);
            }
        }

        let mut psc = Relation::new(n);
        let fence_hb_eco_hb = hb.then(&eco).then(&hb);
        for (from, event) in self.events.iter().enumerate() {
            let mut starts = Vec::new();
            if is_access(event) || is_fence(event) {
                starts.push(from);
            }
            if is_fence(event) {
                starts.extend(hb.successors(from));
                for between in hb.successors(from).chain(fence_hb_eco_hb.successors(from)) {
                    if is_fence(&self.events[between]) {
                        psc.add(from, between);
                    }
                }
            }
            for start in starts {
                for end in scb.successors(start) {
                    let last = &self.events[end];
                    if is_access(last) || is_fence(last) {
                        psc.add(from, end);
                    }
                    for fence in hb.successors(end) {
                        if is_fence(&self.events[fence]) {
                            psc.add(from, fence);
                        }
                    }
                }
            }
        }
        psc
    }

    /// eco = (rf ∪ mo ∪ fr)⁺. Positions in mo decide: a read stands where its source stands.
    pub(super) fn eco(&self) -> Relation {
        let mut eco = Relation::new(self.events.len());
        for (from, first) in self.events.iter().enumerate() {
            if !self.takes_part_in_mo(first) {
                continue;
            }
            let (at, first_writes) = self.mo_place(EventId(from as u32), first);
            for (to, second) in self.events.iter().enumerate() {
                if from == to || first.location != second.location || !self.takes_part_in_mo(second) {
                    continue;
                }
                let (then, second_writes) = self.mo_place(EventId(to as u32), second);
                if at < then || (at == then && first_writes && !second_writes) {
                    eco.add(from, to);
                }
            }
        }
        eco
    }

    fn takes_part_in_mo(&self, event: &Event) -> bool {
        event.is_read() || (event.is_write() && event.mo_position > 0)
    }

    /// Where an access stands in mo (a read where its source stands), and whether it writes.
    fn mo_place(&self, id: EventId, event: &Event) -> (u32, bool) {
        if event.is_write() { (event.mo_position, true) } else { (self.source_position(id), false) }
    }
}

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
//! does: it has no outgoing edge. So this runs rarely, and straightforward bit matrices are fast enough.

use crate::event::{Event, EventId, Kind};
use crate::execution::Execution;

/// A relation over the events of an execution: one row of bits per event.
struct Relation {
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    fn new(events: usize) -> Self {
        let words = events.div_ceil(64);
        Relation {
            words,
            bits: vec![0; events * words],
        }
    }

    fn add(&mut self, from: usize, to: usize) {
        self.bits[from * self.words + to / 64] |= 1 << (to % 64);
    }

    fn row(&self, from: usize) -> &[u64] {
        &self.bits[from * self.words..][..self.words]
    }

    fn successors(&self, from: usize) -> impl Iterator<Item = usize> {
        self.row(from).iter().enumerate().flat_map(|(word, &bits)| {
            let mut bits = bits;
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros();
                (bits != 0).then(|| {
                    bits &= bits - 1;
                    word * 64 + bit as usize
                })
            })
        })
    }

    /// Adds the successors that `other` gives to `of` to those of `from`.
    fn absorb(&mut self, from: usize, other: &Relation, of: usize) {
        let words = self.words;
        for (target, source) in self.bits[from * words..][..words].iter_mut().zip(other.row(of)) {
            *target |= source;
        }
    }

    /// The two relations one after the other.
    fn then(&self, next: &Relation) -> Relation {
        let mut composed = Relation {
            words: self.words,
            bits: vec![0; self.bits.len()],
        };
        for from in 0..self.bits.len() / self.words.max(1) {
            for middle in self.successors(from) {
                composed.absorb(from, next, middle);
            }
        }
        composed
    }
}

impl Execution {
    /// Is psc acyclic?
    pub fn psc_is_acyclic(&self) -> bool {
        if self.seq_cst_events < 2 {
            return true;
        }
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
        // eco with rf ; mo and the like collapsed: positions in mo decide.
        let mut eco = Relation::new(n);
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
                // mo, fr, and what follows from them; rf and rf after mo when `second` only reads.
                if at < then || (at == then && first_writes && !second_writes) {
                    eco.add(from, to);
                    if second_writes {
                        scb.add(from, to);
                    }
                }
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
        is_acyclic(&psc, n)
    }

    fn takes_part_in_mo(&self, event: &Event) -> bool {
        event.is_read() || (event.is_write() && event.mo_position > 0)
    }

    /// Where an access stands in mo (a read where its source stands), and whether it writes.
    fn mo_place(&self, id: EventId, event: &Event) -> (u32, bool) {
        if event.is_write() {
            (event.mo_position, true)
        } else {
            (self.source_position(id), false)
        }
    }
}

/// Takes away sources until nothing is left, or only cycles are.
fn is_acyclic(relation: &Relation, n: usize) -> bool {
    let mut incoming = vec![0u32; n];
    for from in 0..n {
        for to in relation.successors(from) {
            incoming[to] += 1;
        }
    }
    let mut sources: Vec<usize> = (0..n).filter(|&event| incoming[event] == 0).collect();
    let mut removed = 0;
    while let Some(source) = sources.pop() {
        removed += 1;
        for to in relation.successors(source) {
            incoming[to] -= 1;
            if incoming[to] == 0 {
                sources.push(to);
            }
        }
    }
    removed == n
}

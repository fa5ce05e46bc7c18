//! The axioms of SC and RC11 over one graph, written as in the paper (see [`oracle`](crate::oracle) for the source).

use linchpin_model::{MemoryModel, Order};

use crate::canon::{Canon, CanonKind, Place, Source};
use crate::relation::{Relation, Set};

/// Which axioms are in force. Tests leave some out, to see that each one is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axioms {
    /// The memory model.
    pub model: MemoryModel,
    /// Nothing comes between the halves of a read-modify-write (both models).
    pub atomicity: bool,
    /// `hb ; eco?` is irreflexive (C11).
    pub coherence: bool,
    /// `psc_base` is part of `psc` (C11).
    pub psc_base: bool,
    /// `psc_F` is part of `psc` (C11).
    pub psc_fence: bool,
    /// A release sequence goes on through read-modify-writes (C11).
    pub rmw_chains: bool,
    /// A compare-exchange may fail although it finds what it expects. Not part of a model: it is asked for.
    pub spurious_failures: bool,
}

impl Axioms {
    /// The model as it is.
    pub const fn of(model: MemoryModel) -> Self {
        Axioms {
            model,
            atomicity: true,
            coherence: true,
            psc_base: true,
            psc_fence: true,
            rmw_chains: true,
            spurious_failures: false,
        }
    }
}

/// Does the graph satisfy the axioms?
pub fn is_consistent(graph: &Canon, axioms: &Axioms) -> bool {
    Shape::of(graph).is_consistent(axioms)
}

/// Which events are ordered for certain: by hb, or by every total order of the SC events that contains psc. Under SC, by every
/// interleaving. Found by going through all these orders.
pub struct Certain {
    order: Relation,
    bases: Vec<usize>,
}

impl Certain {
    /// The certain order of a consistent graph.
    pub fn of(graph: &Canon, model: MemoryModel) -> Self {
        let axioms = Axioms::of(model);
        let shape = Shape::of(graph);
        let hb = shape.hb(&axioms);
        let (rb, initial) = (shape.rb(), graph.mo.len());
        let agreed = match model {
            MemoryModel::Sc => {
                let everything = (initial..shape.events).fold(0, |set, event| set | 1 << event);
                agreed(shape.events, shape.sb | shape.asw | shape.rf | shape.mo | rb, everything)
            }
            MemoryModel::C11 => {
                let eco = (shape.rf | shape.mo | rb).plus();
                agreed(shape.events, shape.psc(&axioms, &hb, &rb, &eco), shape.sc)
            }
        };
        let bases = graph.sections.iter().scan(initial, |base, section| {
            let this = *base;
            *base += section.len();
            Some(this)
        });
        Certain { order: hb | agreed, bases: bases.collect() }
    }

    /// Is the one before the other, whichever order is taken?
    pub fn orders(&self, earlier: Place, later: Place) -> bool {
        let number = |place: Place| self.bases[usize::from(place.section)] + usize::from(place.index);
        self.order.has(number(earlier), number(later))
    }
}

/// The pairs of a set that stand in the same order in every total order of it that contains `relation`.
fn agreed(events: usize, relation: Relation, set: Set) -> Relation {
    let members: Vec<usize> = (0..Set::BITS as usize).filter(|event| set & (1 << event) != 0).collect();
    let mut seen = Relation::empty(events);
    each_order(&relation, &members, &mut Vec::new(), &mut |order| {
        for (at, &first) in order.iter().enumerate() {
            for &second in &order[at + 1..] {
                seen.add(first, second);
            }
        }
    });
    seen - seen.inverse()
}

/// Every way to go on with `order` until it has all of `members`.
fn each_order(relation: &Relation, members: &[usize], order: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
    if order.len() == members.len() {
        return visit(order);
    }
    for &next in members {
        let is_free = |&other: &usize| other == next || order.contains(&other) || !relation.has(other, next);
        if !order.contains(&next) && members.iter().all(is_free) {
            order.push(next);
            each_order(relation, members, order, visit);
            order.pop();
        }
    }
}

/// A graph as sets and relations. Events are numbered: initial writes first, then section by section.
pub(crate) struct Shape {
    events: usize,
    /// W, R and F; initial writes are in W.
    writes: Set,
    reads: Set,
    fences: Set,
    plain: Set,
    /// E⊒rlx, E⊒acq, E⊒rel and Esc; initial writes are non-atomic and in none of them.
    rlx: Set,
    acq: Set,
    rel: Set,
    sc: Set,
    /// Program order within sections; initial writes come before everything.
    sb: Relation,
    /// Spawn and join: the setup comes before everything, the finish after.
    asw: Relation,
    rf: Relation,
    mo: Relation,
    rmw: Relation,
    /// Pairs of events that access the same location.
    same_location: Relation,
    /// Pairs of events of the same section.
    same_section: Relation,
}

impl Shape {
    pub fn of(graph: &Canon) -> Self {
        let initial = graph.mo.len();
        let mut bases = Vec::with_capacity(graph.sections.len());
        let mut events = initial;
        for section in &graph.sections {
            bases.push(events);
            events += section.len();
        }
        let empty = Relation::empty(events);
        let mut shape = Shape {
            events,
            writes: 0,
            reads: 0,
            fences: 0,
            plain: 0,
            rlx: 0,
            acq: 0,
            rel: 0,
            sc: 0,
            sb: empty,
            asw: empty,
            rf: empty,
            mo: empty,
            rmw: empty,
            same_location: empty,
            same_section: empty,
        };

        let location_number = |location| graph.mo.iter().position(|(l, _)| *l == location);
        let mut accesses: Vec<Set> = (0..initial).map(|i| 1 << i).collect();
        shape.writes = (0..initial).fold(0, |set, i| set | 1 << i);
        let last_section = graph.sections.len() - 1;
        for (number, section) in graph.sections.iter().enumerate() {
            for (index, event) in section.iter().enumerate() {
                let id = bases[number] + index;
                let bit = 1 << id;
                if event.kind.writes() {
                    shape.writes |= bit;
                }
                if event.kind.reads() {
                    shape.reads |= bit;
                }
                match event.kind {
                    CanonKind::Fence => shape.fences |= bit,
                    CanonKind::RmwWrite => shape.rmw.add(id - 1, id),
                    CanonKind::PlainRead | CanonKind::PlainWrite => shape.plain |= bit,
                    _ => {}
                }
                if let Some(order) = event.order {
                    // A read's release part and a write's acquire part do not exist: an acq-rel read-modify-write is
                    // an acquire read and a release write.
                    shape.rlx |= bit;
                    if order.acquires() && !event.kind.writes() {
                        shape.acq |= bit;
                    }
                    if order.releases() && !event.kind.reads() {
                        shape.rel |= bit;
                    }
                    if order == Order::SeqCst {
                        shape.sc |= bit;
                    }
                }
                for i in 0..initial {
                    shape.sb.add(i, id);
                }
                for earlier in bases[number]..id {
                    shape.sb.add(earlier, id);
                }
                for other in bases[number]..bases[number] + section.len() {
                    shape.same_section.add(other, id);
                }
                if number != 0 {
                    for setup in bases[0]..bases[1] {
                        shape.asw.add(setup, id);
                    }
                }
                if number == last_section {
                    for joined in bases[0]..bases[last_section] {
                        shape.asw.add(joined, id);
                    }
                }
                if let Some(location) = event.location.and_then(location_number) {
                    accesses[location] |= bit;
                    match event.source {
                        Some(Source::Initial) => shape.rf.add(location, id),
                        Some(Source::Write(w)) => {
                            shape.rf.add(bases[usize::from(w.section)] + usize::from(w.index), id);
                        }
                        None => {}
                    }
                }
            }
        }
        for (location, (_, writes)) in graph.mo.iter().enumerate() {
            let order: Vec<usize> =
                writes.iter().map(|w| bases[usize::from(w.section)] + usize::from(w.index)).collect();
            for (position, &write) in order.iter().enumerate() {
                shape.mo.add(location, write);
                for &later in &order[position + 1..] {
                    shape.mo.add(write, later);
                }
            }
            let all = accesses[location];
            for a in (0..events).filter(|a| all & (1 << a) != 0) {
                for b in (0..events).filter(|b| all & (1 << b) != 0) {
                    shape.same_location.add(a, b);
                }
            }
        }
        shape
    }

    /// Reads-before: a read and the writes that come after the one it reads from.
    fn rb(&self) -> Relation {
        self.rf.inverse().then(&self.mo)
    }

    /// rs = [W⊒rlx] ; (rf ; rmw)*
    fn rs(&self, axioms: &Axioms) -> Relation {
        let writes = self.writes & self.rlx;
        if !axioms.rmw_chains {
            return Relation::on(self.events, writes);
        }
        self.rf.then(&self.rmw).star().from(writes)
    }

    /// sw = [E⊒rel] ; ([F] ; sb)? ; rs ; rf ; [R⊒rlx] ; (sb ; [F])? ; [E⊒acq]
    fn sw(&self, axioms: &Axioms) -> Relation {
        let released = self.sb.from(self.fences).maybe().from(self.rel);
        let read = self.rf.to(self.reads & self.rlx);
        let acquired = self.sb.to(self.fences).maybe().to(self.acq);
        released.then(&self.rs(axioms)).then(&read).then(&acquired)
    }

    /// hb = (sb ∪ asw ∪ sw)⁺
    ///
    /// Under SC it serves to find races only. Whatever orders the program asks for, every atomic access then counts as
    /// SC, so whoever reads an atomic write synchronises with it.
    fn hb(&self, axioms: &Axioms) -> Relation {
        let sw = match axioms.model {
            MemoryModel::Sc => self.rf.from(self.rlx).to(self.rlx),
            MemoryModel::C11 => self.sw(axioms),
        };
        (self.sb | self.asw | sw).plus()
    }

    /// Is the graph one of the model's?
    pub fn is_consistent(&self, axioms: &Axioms) -> bool {
        match axioms.model {
            MemoryModel::Sc => self.is_sc(axioms),
            MemoryModel::C11 => self.is_rc11(axioms),
        }
    }

    /// rmw ∩ (rb ; mo) = ∅
    fn is_atomic(&self) -> bool {
        (self.rmw & self.rb().then(&self.mo)).is_empty()
    }

    fn is_sc(&self, axioms: &Axioms) -> bool {
        let atomic = !axioms.atomicity || self.is_atomic();
        atomic && (self.sb | self.asw | self.rf | self.mo | self.rb()).is_acyclic()
    }

    fn is_rc11(&self, axioms: &Axioms) -> bool {
        let hb = self.hb(axioms);
        let rb = self.rb();
        let eco = (self.rf | self.mo | rb).plus();

        let coherent = !axioms.coherence || hb.then(&eco.maybe()).is_irreflexive();
        let atomic = !axioms.atomicity || self.is_atomic();
        let no_thin_air = (self.sb | self.asw | self.rf).is_acyclic();
        coherent && atomic && no_thin_air && self.psc(axioms, &hb, &rb, &eco).is_acyclic()
    }

    /// The partial order on sequentially consistent events: psc = psc_base ∪ psc_F
    fn psc(&self, axioms: &Axioms, hb: &Relation, rb: &Relation, eco: &Relation) -> Relation {
        let mut psc = Relation::empty(self.events);
        if self.sc == 0 {
            return psc;
        }
        let sc_fences = self.sc & self.fences;
        if axioms.psc_base {
            // scb = sb ∪ sb|≠loc ; hb ; sb|≠loc ∪ hb|loc ∪ mo ∪ rb
            let sb_elsewhere = self.sb - self.same_location;
            let around = sb_elsewhere.then(hb).then(&sb_elsewhere);
            let scb = self.sb | around | (*hb & self.same_location) | self.mo | *rb;
            // psc_base = ([Esc] ∪ [Fsc] ; hb?) ; scb ; ([Esc] ∪ hb? ; [Fsc])
            let sc = Relation::on(self.events, self.sc);
            let before = sc | hb.maybe().from(sc_fences);
            let after = sc | hb.maybe().to(sc_fences);
            psc = psc | before.then(&scb).then(&after);
        }
        if axioms.psc_fence {
            // psc_F = [Fsc] ; (hb ∪ hb ; eco ; hb) ; [Fsc]
            psc = psc | (*hb | hb.then(eco).then(hb)).from(sc_fences).to(sc_fences);
        }
        psc
    }

    /// Are there two conflicting accesses of different sections, at least one of them plain, that hb does not order?
    pub fn has_race(&self, axioms: &Axioms) -> bool {
        if self.plain == 0 {
            return false;
        }
        let hb = self.hb(axioms);
        let unordered = self.same_location - self.same_section - hb - hb.inverse();
        let conflicts = unordered.from(self.writes) | unordered.to(self.writes);
        !(conflicts.from(self.plain) | conflicts.to(self.plain)).is_empty()
    }
}

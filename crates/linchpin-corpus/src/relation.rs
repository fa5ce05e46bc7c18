//! Binary relations on up to 64 events, as bit matrices, with the operators that the papers write formulas with.

use std::ops::{BitAnd, BitOr, Sub};

/// A set of events: bit `i` for event `i`.
pub(crate) type Set = u64;

/// How many events a relation can speak of.
pub(crate) const MAX_EVENTS: usize = 64;

/// A set of pairs of events; row `a` holds the successors of `a`.
#[derive(Clone, Copy)]
pub(crate) struct Relation {
    events: usize,
    rows: [Set; MAX_EVENTS],
}

impl Relation {
    /// ∅
    pub fn empty(events: usize) -> Self {
        assert!(events <= MAX_EVENTS, "the oracle is made for at most {MAX_EVENTS} events");
        Relation { events, rows: [0; MAX_EVENTS] }
    }

    /// \[S\]: the identity on a set.
    pub fn on(events: usize, set: Set) -> Self {
        let mut result = Relation::empty(events);
        for a in 0..events {
            result.rows[a] = set & (1 << a);
        }
        result
    }

    /// Adds a pair.
    pub fn add(&mut self, a: usize, b: usize) {
        self.rows[a] |= 1 << b;
    }

    /// Is the pair in the relation?
    pub fn has(&self, a: usize, b: usize) -> bool {
        self.rows[a] & (1 << b) != 0
    }

    /// R ; S
    pub fn then(&self, other: &Relation) -> Relation {
        let mut result = Relation::empty(self.events);
        for a in 0..self.events {
            let mut middle = self.rows[a];
            while middle != 0 {
                result.rows[a] |= other.rows[middle.trailing_zeros() as usize];
                middle &= middle - 1;
            }
        }
        result
    }

    /// \[S\] ; R
    pub fn from(mut self, set: Set) -> Relation {
        for a in 0..self.events {
            if set & (1 << a) == 0 {
                self.rows[a] = 0;
            }
        }
        self
    }

    /// R ; \[S\]
    pub fn to(mut self, set: Set) -> Relation {
        for row in &mut self.rows[..self.events] {
            *row &= set;
        }
        self
    }

    /// R⁻¹
    pub fn inverse(&self) -> Relation {
        let mut result = Relation::empty(self.events);
        for a in 0..self.events {
            let mut row = self.rows[a];
            while row != 0 {
                result.add(row.trailing_zeros() as usize, a);
                row &= row - 1;
            }
        }
        result
    }

    /// R?
    pub fn maybe(mut self) -> Relation {
        for a in 0..self.events {
            self.add(a, a);
        }
        self
    }

    /// R⁺
    pub fn plus(mut self) -> Relation {
        // Warshall: after round k, all paths through intermediate events up to k are there.
        for k in 0..self.events {
            let through = self.rows[k];
            for a in 0..self.events {
                if self.has(a, k) {
                    self.rows[a] |= through;
                }
            }
        }
        self
    }

    /// R*
    pub fn star(self) -> Relation {
        self.plus().maybe()
    }

    pub fn is_empty(&self) -> bool {
        self.rows[..self.events].iter().all(|&row| row == 0)
    }

    pub fn is_irreflexive(&self) -> bool {
        (0..self.events).all(|a| !self.has(a, a))
    }

    pub fn is_acyclic(&self) -> bool {
        self.plus().is_irreflexive()
    }

    fn combine(&self, other: &Relation, op: impl Fn(Set, Set) -> Set) -> Relation {
        let mut result = Relation::empty(self.events);
        for a in 0..self.events {
            result.rows[a] = op(self.rows[a], other.rows[a]);
        }
        result
    }
}

impl BitOr for Relation {
    type Output = Relation;

    fn bitor(self, other: Relation) -> Relation {
        self.combine(&other, |a, b| a | b)
    }
}

impl BitAnd for Relation {
    type Output = Relation;

    fn bitand(self, other: Relation) -> Relation {
        self.combine(&other, |a, b| a & b)
    }
}

impl Sub for Relation {
    type Output = Relation;

    fn sub(self, other: Relation) -> Relation {
        self.combine(&other, |a, b| a & !b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(pairs: &[(usize, usize)]) -> Relation {
        let mut result = Relation::empty(5);
        for &(a, b) in pairs {
            result.add(a, b);
        }
        result
    }

    fn pairs(relation: &Relation) -> Vec<(usize, usize)> {
        (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|&(a, b)| relation.has(a, b)).collect()
    }

    #[test]
    fn composition_goes_left_to_right() {
        assert_eq!(pairs(&relation(&[(0, 1), (2, 3)]).then(&relation(&[(1, 4), (3, 0)]))), [(0, 4), (2, 0)]);
    }

    #[test]
    fn closure_follows_paths_in_any_numbering() {
        let path = relation(&[(3, 1), (1, 4), (4, 0)]);
        assert_eq!(pairs(&path.plus()), [(1, 0), (1, 4), (3, 0), (3, 1), (3, 4), (4, 0)]);
        assert!(path.is_acyclic());
        assert!(!(path | relation(&[(0, 3)])).is_acyclic());
    }

    #[test]
    fn restrictions_keep_one_side() {
        let all = relation(&[(0, 1), (1, 2), (2, 0)]);
        assert_eq!(pairs(&all.from(0b011)), [(0, 1), (1, 2)]);
        assert_eq!(pairs(&all.to(0b001)), [(2, 0)]);
        assert_eq!(pairs(&Relation::on(5, 0b101).then(&all)), [(0, 1), (2, 0)]);
    }

    #[test]
    fn a_five_cycle_is_found_though_no_pair_is_mutual() {
        assert!(!relation(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]).is_acyclic());
        assert!(relation(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]).is_irreflexive());
    }
}

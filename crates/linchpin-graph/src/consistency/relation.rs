//! Relations over the events of an execution.

/// A relation over the events of an execution: one row of bits per event.
#[derive(Debug)]
pub(super) struct Relation {
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    pub fn new(events: usize) -> Self {
        let words = events.div_ceil(64);
        Relation { words, bits: vec![0; events * words] }
    }

    pub fn add(&mut self, from: usize, to: usize) {
        self.bits[from * self.words + to / 64] |= 1 << (to % 64);
    }

    fn row(&self, from: usize) -> &[u64] {
        &self.bits[from * self.words..][..self.words]
    }

    pub fn successors(&self, from: usize) -> impl Iterator<Item = usize> {
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
    pub fn absorb(&mut self, from: usize, other: &Relation, of: usize) {
        let words = self.words;
        for (target, source) in self.bits[from * words..][..words].iter_mut().zip(other.row(of)) {
            *target |= source;
        }
    }

    /// The two relations one after the other.
    pub fn then(&self, next: &Relation) -> Relation {
        let mut composed = Relation { words: self.words, bits: vec![0; self.bits.len()] };
        for from in 0..self.bits.len() / self.words.max(1) {
            for middle in self.successors(from) {
                composed.absorb(from, next, middle);
            }
        }
        composed
    }

    pub fn has(&self, from: usize, to: usize) -> bool {
        self.bits[from * self.words + to / 64] >> (to % 64) & 1 == 1
    }

    /// Adds what follows from it by transitivity.
    pub fn close(&mut self) {
        let n = self.bits.len() / self.words.max(1);
        for middle in 0..n {
            let row = self.row(middle).to_vec();
            for from in (0..n).filter(|&from| self.has(from, middle)).collect::<Vec<_>>() {
                for (target, source) in self.bits[from * self.words..][..self.words].iter_mut().zip(&row) {
                    *target |= source;
                }
            }
        }
    }

    /// Is there no cycle? Takes away what has no predecessor until nothing is left, or only cycles are.
    pub fn is_acyclic(&self) -> bool {
        let n = self.bits.len() / self.words.max(1);
        let mut incoming = vec![0u32; n];
        for from in 0..n {
            for to in self.successors(from) {
                incoming[to] += 1;
            }
        }
        let mut sources: Vec<usize> = (0..n).filter(|&event| incoming[event] == 0).collect();
        let mut removed = 0;
        while let Some(source) = sources.pop() {
            removed += 1;
            for to in self.successors(source) {
                incoming[to] -= 1;
                if incoming[to] == 0 {
                    sources.push(to);
                }
            }
        }
        removed == n
    }
}

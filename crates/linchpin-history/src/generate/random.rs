//! Random numbers that are the same everywhere and forever.

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// The same as an index.
    pub(super) fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// True in one case of so many.
    pub(super) fn one_in(&mut self, cases: u64) -> bool {
        self.below(cases) == 0
    }

    /// True in this fraction of all cases.
    pub(super) fn fraction(&mut self, fraction: f64) -> bool {
        // 53 bits are what a float holds exactly.
        ((self.next() >> 11) as f64) < fraction * (1u64 << 53) as f64
    }

    /// All of `0..len`, from some number on and around.
    pub(super) fn around(&mut self, len: usize) -> impl Iterator<Item = usize> + use<> {
        let start = self.index(len.max(1));
        (start..len).chain(0..start)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// Whoever has saved a seed relies on it.
    #[test]
    fn numbers_never_change() {
        let mut random = Random::new(42);
        assert_eq!([random.next(), random.next()], [13679457532755275413, 2949826092126892291]);
        assert_eq!((0..8).map(|_| random.below(10)).collect::<Vec<_>>(), [2, 3, 0, 8, 2, 8, 3, 6]);
    }
}

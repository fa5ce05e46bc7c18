//! Random numbers that are the same on every machine and in every version of this crate.
//!
//! SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). A library's generator may change with its next version; a seed that
//! somebody wrote into a bug report must not.

use std::ops::RangeInclusive;

/// A source of random numbers.
///
/// ```
/// use linchpin_model::SplitMix;
///
/// let mut dice = SplitMix::new(7);
/// let rolls: Vec<usize> = (0..3).map(|_| dice.within(&(1..=6))).collect();
/// assert_eq!(rolls, [3, 1, 6]);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The numbers of `seed`.
    pub fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    /// The numbers of part `part` of something that has one seed. Parts have nothing in common.
    pub fn of_part(seed: u64, part: u64) -> SplitMix {
        let mut parts = SplitMix(part);
        SplitMix(SplitMix(seed ^ parts.bits()).bits())
    }

    /// Any number of 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not zero. The bias is below `limit` / 2⁶⁴.
    #[inline]
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// A number in a range that is not empty.
    pub fn within(&mut self, range: &RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    /// A position, each with a probability proportional to its weight; some weight is not zero.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut point = self.below(weights.iter().sum());
        weights
            .iter()
            .position(|&weight| {
                let is_here = point < weight;
                point = point.saturating_sub(weight);
                is_here
            })
            .expect("the point is below the sum of the weights")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_reference_implementation() {
        let mut random = SplitMix::new(1_234_567);
        let numbers = [random.bits(), random.bits(), random.bits()];
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn weights_are_respected() {
        let mut random = SplitMix::new(1);
        let mut counts = [0_u32; 3];
        for _ in 0..40_000 {
            counts[random.weighted(&[1, 0, 3])] += 1;
        }
        assert!(counts[0].abs_diff(10_000) < 500 && counts[1] == 0, "{counts:?}");
    }
}

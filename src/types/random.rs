//! Random numbers: one generator for all that is drawn by chance, in the program and in its tests.
//!
//! A library that draws numbers may draw others in its next version; these stay what they are, so that Zobrist keys, the
//! games of a seed and the walks of a test are the same for ever.

use std::hash::{BuildHasher, RandomState};

/// The generator SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). Its
/// whole state is one word, so a seed gives the same numbers on every machine, also at compile time.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The stream that begins with this state.
    pub const fn from_state(state: u64) -> SplitMix64 {
        SplitMix64(state)
    }

    /// A stream of its own for each pair of seed and purpose.
    pub fn new(seed: u64, purpose: u64) -> SplitMix64 {
        SplitMix64(scramble(seed).wrapping_add(scramble(!purpose)))
    }

    /// A stream that cannot be predicted, another one at each call.
    pub fn unpredictable() -> SplitMix64 {
        // The standard library seeds each of these states from the system's source of randomness.
        SplitMix64(RandomState::new().hash_one(0))
    }

    /// The next 64 random bits.
    #[allow(clippy::should_implement_trait)] // No iterator: it never ends, and this works at compile time.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        scramble(self.0)
    }

    /// A number between -`limit` and `limit`, for limits far below 2^63.
    pub fn signed(&mut self, limit: i64) -> i64 {
        self.next() as i64 % (limit + 1)
    }

    /// A number in 0.0..1.0.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from -bound up to bound.
    pub fn within(&mut self, bound: f32) -> f32 {
        ((2.0 * self.unit() - 1.0) * f64::from(bound)) as f32
    }

    /// A number below `end`, which is at least 1. The bias is below end / 2^64.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// One of these, each as likely as the others; `None` where there are none.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }
}

/// Spreads the entropy of a word over all its bits (the finaliser of SplitMix64); a bijection.
const fn scramble(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_published_generator() {
        // The first outputs of the reference implementation for the seed 1234567.
        let mut random = SplitMix64::from_state(1_234_567);
        let first: [u64; 3] = std::array::from_fn(|_| random.next());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_are_even() {
        let mut random = SplitMix64::new(1, 2);
        let mean = (0..10_000).map(|_| random.unit()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        assert!((0..1000).all(|_| random.within(0.25).abs() <= 0.25 && random.below(3) < 3));
        let signed: Vec<i64> = (0..1000).map(|_| random.signed(2)).collect();
        assert!((-2..=2).all(|value| signed.contains(&value)) && signed.iter().all(|value| value.abs() <= 2));
        assert_ne!(SplitMix64::new(1, 2).next(), SplitMix64::new(2, 1).next());
    }

    #[test]
    fn every_item_can_be_chosen() {
        let mut random = SplitMix64::new(1, 3);
        let chosen: Vec<u8> = (0..100).filter_map(|_| random.choose(&[4, 5, 6]).copied()).collect();
        assert_eq!((chosen.len(), random.choose::<u8>(&[])), (100, None));
        assert!([4, 5, 6].iter().all(|item| chosen.contains(item)));
    }

    #[test]
    fn unpredictable_streams_differ() {
        let seeds: std::collections::HashSet<u64> =
            (0..100).map(|_| SplitMix64::unpredictable().next()).collect();
        assert_eq!(seeds.len(), 100);
    }
}

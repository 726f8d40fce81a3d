//! A random order of any size without memory.

use crate::types::SplitMix64;

const ROUNDS: usize = 8;

/// A random order of `0..len`.
///
/// A shuffled list of 100 million numbers would take 400 MB, and seconds of cache misses to make. This
/// is a small block cipher instead: a Feistel network over just enough bits, walked on from numbers
/// that are too large until one fits (Black and Rogaway, "Ciphers with arbitrary finite domains"). Any
/// place can be asked for at once, by any thread.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    len: u32,
    low_bits: u32,
    low_mask: u32,
    high_mask: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The order number `number` of those that `seed` gives.
    pub fn new(len: u32, seed: u64, number: u64) -> Permutation {
        // At least two bits, so that both halves have one.
        let bits = (u32::BITS - len.saturating_sub(1).leading_zeros()).max(2);
        let low_bits = bits.div_ceil(2);
        let mut random = SplitMix64::new(seed, number);
        Permutation {
            len,
            low_bits,
            low_mask: (1u32 << low_bits) - 1,
            high_mask: (1u32 << (bits - low_bits)) - 1,
            keys: std::array::from_fn(|_| random.next()),
        }
    }

    /// The number at this place, for places in `0..len`.
    #[inline]
    pub fn at(&self, place: u32) -> u32 {
        debug_assert!(place < self.len);
        let mut value = place;
        loop {
            value = self.encipher(value);
            if value < self.len {
                return value;
            }
        }
    }

    #[inline(always)]
    fn encipher(&self, value: u32) -> u32 {
        let (mut low, mut high) = (value & self.low_mask, value >> self.low_bits);
        for pair in self.keys.as_chunks::<2>().0 {
            high ^= round(low, pair[0]) & self.high_mask;
            low ^= round(high, pair[1]) & self.low_mask;
        }
        high << self.low_bits | low
    }
}

/// Mixes a half with a key; the middle bits of the product depend on all bits of the half.
#[inline(always)]
fn round(half: u32, key: u64) -> u32 {
    let product = (u64::from(half) ^ key).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    ((product ^ (product >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for len in [1, 2, 3, 4, 5, 100, 1023, 1024, 1025, 65_537, 300_000] {
            let order = Permutation::new(len, 7, 1);
            let mut seen = vec![false; len as usize];
            for place in 0..len {
                let number = order.at(place) as usize;
                assert!(!std::mem::replace(&mut seen[number], true), "{number} twice among {len}");
            }
        }
    }

    #[test]
    fn orders_look_random() {
        const LEN: u32 = 100_000;
        let (first, second) = (Permutation::new(LEN, 7, 1), Permutation::new(LEN, 7, 2));
        let fixed = (0..LEN).filter(|&i| first.at(i) == i).count();
        let shared = (0..LEN).filter(|&i| first.at(i) == second.at(i)).count();
        // Each is Poisson with mean 1.
        assert!(fixed < 8 && shared < 8, "{fixed} {shared}");
        // Which tenth of the data each tenth of the order comes from: 1000 in each cell, deviation 30.
        let mut cells = [[0i32; 10]; 10];
        let mut rising = 0;
        for place in 0..LEN {
            cells[(place / 10_000) as usize][(first.at(place) / 10_000) as usize] += 1;
            rising += u32::from(place > 0 && first.at(place) > first.at(place - 1));
        }
        assert!(cells.iter().flatten().all(|cell| (cell - 1000).abs() < 150), "{cells:?}");
        // Neighbours rise in half of the cases; the deviation is 91.
        assert!(rising.abs_diff(LEN / 2) < 500, "{rising}");
        // Also neighbours are not near each other: |difference| < LEN / 100 in 2 % of the cases.
        let near = (1..LEN).filter(|&i| first.at(i).abs_diff(first.at(i - 1)) < LEN / 100).count();
        assert!(near.abs_diff(1990) < 250, "{near}");
    }
}

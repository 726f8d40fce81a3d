//! Every implementation against the scalar one.

use super::*;

/// Numbers between -`limit` and `limit`, by SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, limit: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as i64 % (limit + 1)
    }

    fn blocks(&mut self, count: usize, limit: i64) -> Vec<Block> {
        (0..count).map(|_| Block(std::array::from_fn(|_| self.next(limit) as i16))).collect()
    }
}

const SCALAR: Kernels = Kernels(Instructions::Scalar);

/// Numbers of blocks: those of networks of 32 to 1024 neurons, odd ones too.
const LENGTHS: [usize; 11] = [1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 32];

#[test]
fn the_fastest_comes_first_and_the_scalar_one_last() {
    let available = Kernels::available();
    assert_eq!((available.first(), available.last()), (Some(&Kernels::best()), Some(&SCALAR)));
    #[cfg(target_arch = "x86_64")]
    assert_eq!(available.contains(&Kernels(Instructions::Avx2)), is_x86_feature_detected!("avx2"));
}

#[test]
fn updates_are_identical() {
    let mut numbers = Numbers(1);
    for length in LENGTHS {
        for _ in 0..20 {
            let from = numbers.blocks(length, i64::from(i16::MAX));
            let rows: Vec<Vec<Block>> = (0..4).map(|_| numbers.blocks(length, 32_767)).collect();
            let [a, b, c, d] = [&rows[0][..], &rows[1], &rows[2], &rows[3]];
            for kernels in Kernels::available() {
                let result =
                    |kernels: Kernels, change: fn(Kernels, &mut [Block], &[Block], [&[Block]; 4])| {
                        let mut to = vec![Block::ZERO; length];
                        change(kernels, &mut to, &from, [a, b, c, d]);
                        to
                    };
                for change in [
                    |kernels: Kernels, to: &mut [Block], from: &[Block], [a, b, ..]: [&[Block]; 4]| {
                        kernels.update(to, from, [a], [b]);
                    },
                    |kernels: Kernels, to: &mut [Block], from: &[Block], [a, b, c, _]: [&[Block]; 4]| {
                        kernels.update(to, from, [a], [b, c]);
                    },
                    |kernels: Kernels, to: &mut [Block], from: &[Block], [a, b, c, d]: [&[Block]; 4]| {
                        kernels.update(to, from, [a, b], [c, d]);
                    },
                ] {
                    assert_eq!(
                        result(kernels, change),
                        result(SCALAR, change),
                        "{kernels:?}, {length} blocks"
                    );
                }
            }
        }
    }
}

#[test]
fn refreshes_are_identical() {
    let mut numbers = Numbers(2);
    for length in LENGTHS {
        let rows = numbers.blocks(40 * length, 505);
        for (added, removed) in [(0, 0), (1, 0), (0, 1), (2, 3), (32, 0), (32, 32)] {
            let cached = numbers.blocks(length, 10_000);
            let mut list = |count: usize| -> Vec<u16> {
                (0..count).map(|_| numbers.next(39).unsigned_abs() as u16).collect()
            };
            let (added, removed) = (list(added), list(removed));
            let result = |kernels: Kernels| {
                let (mut cached, mut to) = (cached.clone(), vec![Block::ZERO; length]);
                kernels.refresh(&mut cached, &mut to, &rows, &added, &removed);
                assert_eq!(cached, to, "{kernels:?}, {length} blocks");
                to
            };
            for kernels in Kernels::available() {
                assert_eq!(result(kernels), result(SCALAR), "{kernels:?}, {length} blocks");
            }
        }
    }
}

#[test]
fn activations_are_identical() {
    let mut numbers = Numbers(3);
    for length in LENGTHS {
        for limit in [1, 300, 2000, i64::from(i16::MAX)] {
            for _ in 0..20 {
                let (own, enemy) = (numbers.blocks(length, limit), numbers.blocks(length, limit));
                // What the loader allows: no sum beyond 32 bits.
                let weights = numbers.blocks(2 * length, (33_025 / (64 * length as i64)).min(128));
                let expected = SCALAR.activate(&own, &enemy, &weights);
                for kernels in Kernels::available() {
                    let found = kernels.activate(&own, &enemy, &weights);
                    assert_eq!(found, expected, "{kernels:?}, {length} blocks");
                }
            }
        }
    }
}

#[test]
fn activation_by_hand() {
    let mut own = Block::ZERO;
    own.0[..5].copy_from_slice(&[-3, 0, 10, 255, 256]);
    let mut weights = [Block::ZERO; 2];
    weights[0].0[..5].copy_from_slice(&[100, 100, -7, 128, -128]);
    for kernels in Kernels::available() {
        assert_eq!(kernels.activate(&[own], &[own], &weights), -700);
        assert_eq!(kernels.activate(&[own], &[Block([1; LANES])], &weights), -700);
        weights.swap(0, 1);
        assert_eq!(kernels.activate(&[Block([-1; LANES])], &[own], &weights), -700);
        weights.swap(0, 1);
    }
}

//! Every implementation against the scalar one.

use super::*;
use crate::types::SplitMix64;

/// Random numbers for blocks.
struct Numbers(SplitMix64);

impl Numbers {
    fn new(seed: u64) -> Numbers {
        Numbers(SplitMix64::from_state(seed))
    }

    fn blocks(&mut self, count: usize, limit: i64) -> Vec<Block> {
        (0..count).map(|_| Block(std::array::from_fn(|_| self.0.signed(limit) as i16))).collect()
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

/// Computes an accumulator from another by some of four rows.
type Update = fn(Kernels, &mut [Block], &[Block], [&[Block]; 4]);

/// The kinds of updates that moves need: quiet ones, captures, castling.
const UPDATES: [Update; 3] = [
    |kernels, to, from, [a, b, ..]| kernels.update(to, from, [a], [b]),
    |kernels, to, from, [a, b, c, _]| kernels.update(to, from, [a], [b, c]),
    |kernels, to, from, [a, b, c, d]| kernels.update(to, from, [a, b], [c, d]),
];

#[test]
fn updates_are_identical() {
    let mut numbers = Numbers::new(1);
    for length in LENGTHS {
        for _ in 0..20 {
            let [from, a, b, c, d] = [(); 5].map(|()| numbers.blocks(length, i64::from(i16::MAX)));
            for (number, update) in UPDATES.iter().enumerate() {
                let result = |kernels: Kernels| {
                    let mut to = vec![Block::ZERO; length];
                    update(kernels, &mut to, &from, [&a, &b, &c, &d]);
                    to
                };
                for kernels in Kernels::available() {
                    assert_eq!(
                        result(kernels),
                        result(SCALAR),
                        "{kernels}, {length} blocks, update {number}"
                    );
                }
            }
        }
    }
}

#[test]
fn refreshes_are_identical() {
    let mut numbers = Numbers::new(2);
    for length in LENGTHS {
        let rows = numbers.blocks(40 * length, 505);
        for (added, removed) in [(0, 0), (1, 0), (0, 1), (2, 3), (32, 0), (32, 32)] {
            let cached = numbers.blocks(length, 10_000);
            let mut list = |count: usize| -> Vec<u16> {
                (0..count).map(|_| numbers.0.signed(39).unsigned_abs() as u16).collect()
            };
            let (added, removed) = (list(added), list(removed));
            let result = |kernels: Kernels| {
                let (mut cached, mut to) = (cached.clone(), vec![Block::ZERO; length]);
                kernels.refresh(&mut cached, &mut to, &rows, &added, &removed);
                assert_eq!(cached, to, "{kernels}, {length} blocks");
                to
            };
            for kernels in Kernels::available() {
                assert_eq!(result(kernels), result(SCALAR), "{kernels}, {length} blocks");
            }
        }
    }
}

#[test]
fn activations_are_identical() {
    let mut numbers = Numbers::new(3);
    for length in LENGTHS {
        for limit in [1, 300, 2000, i64::from(i16::MAX)] {
            for _ in 0..20 {
                let (own, enemy) = (numbers.blocks(length, limit), numbers.blocks(length, limit));
                // What the loader allows: no sum beyond 32 bits.
                let weights = numbers.blocks(2 * length, (33_025 / (64 * length as i64)).min(128));
                let expected = SCALAR.activate(&own, &enemy, &weights);
                for kernels in Kernels::available() {
                    let found = kernels.activate(&own, &enemy, &weights);
                    assert_eq!(found, expected, "{kernels}, {length} blocks");
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

/// Weights of layers for accumulators of this many blocks.
fn layer_weights(numbers: &mut Numbers, blocks: usize, limit: i64) -> LayerWeights {
    let random = &mut numbers.0;
    LayerWeights {
        first: (0..8 * blocks)
            .map(|_| Row(std::array::from_fn(|_| random.signed(limit.min(127)) as i8)))
            .collect(),
        first_bias: std::array::from_fn(|_| random.signed(8000) as i32),
        second: std::array::from_fn(|_| {
            std::array::from_fn(|_| Block(std::array::from_fn(|_| random.signed(limit) as i16)))
        }),
        second_bias: std::array::from_fn(|_| std::array::from_fn(|_| random.signed(1 << 20) as i32)),
        output: std::array::from_fn(|_| random.signed(limit) as i16),
        output_bias: random.signed(1 << 20) as i32,
    }
}

#[test]
fn layers_are_identical() {
    let mut numbers = Numbers::new(4);
    let mut values = std::collections::HashSet::new();
    for length in [2, 4, 6, 8, 16, 32] {
        for limit in [300, 2000, i64::from(i16::MAX)] {
            for weight_limit in [30, 1000, 8192] {
                let weights = layer_weights(&mut numbers, length, weight_limit);
                for _ in 0..10 {
                    let (own, enemy) = (numbers.blocks(length, limit), numbers.blocks(length, limit));
                    let expected = SCALAR.layers(&own, &enemy, &weights);
                    for kernels in Kernels::available() {
                        let found = kernels.layers(&own, &enemy, &weights);
                        assert_eq!(found, expected, "{kernels}, {length} blocks");
                    }
                    values.insert(expected);
                }
            }
        }
    }
    assert!(values.len() > 400, "{} different values", values.len());
}

/// Everything at its limit, of either sign: tests are built with overflow checks, which watch the scalar kernel.
#[test]
fn layers_at_their_limits_do_not_overflow() {
    let blocks = vec![Block([i16::MAX; LANES]); 32];
    for (first, second, output) in [(127, 8192, 8192), (-127, 8192, -8192), (127, -8192, 8192)] {
        let weights = LayerWeights {
            first: vec![Row([first; 64]); 256].into_boxed_slice(),
            first_bias: [i32::from(first.signum()) << 26; 16],
            second: [[Block([second; 32]); 2]; 16],
            second_bias: [[i32::from(second.signum()) << 26; 16]; 2],
            output: [output; 32],
            output_bias: i32::from(output.signum()) << 26,
        };
        for kernels in Kernels::available() {
            let expected = match second {
                8192 => i32::from(output) * 1024 * 32 + weights.output_bias,
                _ => weights.output_bias,
            };
            assert_eq!(kernels.layers(&blocks, &blocks, &weights), expected, "{kernels}");
        }
    }
}

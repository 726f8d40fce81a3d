//! The layers between accumulators and output, in integers.
//!
//! ```text
//! c         = clamp(accumulator, 0, 255)
//! products  = c[0 .. H/2] * c[H/2 .. H] / 512, of the own half and then of the enemy's     H numbers, 0 to 127
//! first     = products * weights + bias, in units of 1/32768                               16
//! f         = clamp(first / 32, -1024, 1024)
//! second    = (max(f, 0), f * f / 1024) * weights + bias, in units of 1/1024^2             32
//! s         = clamp(second / 1024, 0, 1024)
//! output    = s * s / 1024 * weights + bias, in units of 1/1024^2
//! ```
//!
//! Products are rounded to the nearest whole number; the other divisions by powers of two round down. Pairs of neurons are multiplied as in Stockfish since 2022 ("pairwise
//! multiplication"), which halves the input of the first layer; its two activations are those of Stockfish's networks of
//! that year too. All sums fit 32 bits: 127 * 127 * 1024 inputs, and 1024 * 32767 * 32 with weights that are checked.

use std::array::from_fn;

use super::bounds::{NetworkError, within};
use super::inference::{Block, FIRST_LAYER, Kernels, LayerWeights, Row, SECOND_INPUTS, SECOND_LAYER};

/// One, in the units of the first layer before activation.
///
/// Its weights count in units of 1/258, since trained ones are small: of a network of 512 neurons one in ten thousand
/// was beyond 0.3.
pub const FIRST_UNIT: i32 = 32_768;
/// One, in the units of products: 255 * 255 / 512.
pub const PRODUCT_UNIT: f32 = 127.001_95;
/// Largest magnitude of a weight of the first layer.
pub const MAX_FIRST_WEIGHT: i8 = 127;
/// Largest magnitude of a weight of the second layer and of the output: 8 in units of 1/`LAYER_UNIT`.
pub const MAX_LAYER_WEIGHT: i16 = 8192;
/// Largest magnitude of the biases, far beyond use and far from overflow.
const MAX_LAYER_BIAS: i32 = 1 << 26;

/// The numbers of the layers of all output buckets, unchecked and in plain lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerParts {
    /// `[bucket][input][output]`, in units of [`FIRST_UNIT`] / [`PRODUCT_UNIT`], the inputs of the own half first.
    pub first_weights: Vec<i8>,
    /// `[bucket][output]`, in units of 1/[`FIRST_UNIT`].
    pub first_bias: Vec<i32>,
    /// `[bucket][activation][output of the first layer][output]`, in units of 1/`LAYER_UNIT`.
    pub second_weights: Vec<i16>,
    /// `[bucket][output]`, in units of 1/`LAYER_UNIT`^2.
    pub second_bias: Vec<i32>,
    /// `[bucket][output of the second layer]`, in units of 1/`LAYER_UNIT`.
    pub output_weights: Vec<i16>,
    /// `[bucket]`, in units of 1/`LAYER_UNIT`^2.
    pub output_bias: Vec<i32>,
}

impl LayerParts {
    /// The lengths of the lists for a network of this size.
    fn lengths(hidden: usize, buckets: usize) -> [usize; 6] {
        let of_bucket =
            [FIRST_LAYER * hidden, FIRST_LAYER, SECOND_INPUTS * SECOND_LAYER, SECOND_LAYER, SECOND_LAYER, 1];
        of_bucket.map(|length| buckets * length)
    }

    /// Bytes of a file that the layers of a network of this size take.
    pub(super) fn bytes(hidden: usize, buckets: usize) -> usize {
        let [first, first_bias, second, second_bias, output, output_bias] =
            LayerParts::lengths(hidden, buckets);
        first + 4 * first_bias + 2 * second + 4 * second_bias + 2 * output + 4 * output_bias
    }

    /// Weights from a source of random numbers of at most the magnitude that it is asked for.
    pub(super) fn random(hidden: usize, buckets: usize, mut next: impl FnMut(i64) -> i64) -> LayerParts {
        let [first, first_bias, second, second_bias, output, output_bias] =
            LayerParts::lengths(hidden, buckets);
        let mut list = |length: usize, limit: i64| -> Vec<i64> { (0..length).map(|_| next(limit)).collect() };
        let narrow = |list: Vec<i64>| list.into_iter().map(|number| number as i16).collect();
        let wide = |list: Vec<i64>| list.into_iter().map(|number| number as i32).collect();
        LayerParts {
            first_weights: list(first, 20).into_iter().map(|number| number as i8).collect(),
            first_bias: wide(list(first_bias, 8000)),
            second_weights: narrow(list(second, 600)),
            second_bias: wide(list(second_bias, 500_000)),
            output_weights: narrow(list(output, 1500)),
            output_bias: wide(list(output_bias, 200_000)),
        }
    }

    /// The layers as the bytes of a file.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.first_weights.iter().map(|&weight| weight as u8));
        bytes.extend(self.first_bias.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.second_weights.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.second_bias.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.output_weights.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.output_bias.iter().flat_map(|number| number.to_le_bytes()));
    }

    /// The layers from the bytes of a file, as many as [`LayerParts::bytes`] says.
    pub(super) fn read(hidden: usize, buckets: usize, mut bytes: &[u8]) -> LayerParts {
        let [first, first_bias, second, second_bias, output, output_bias] =
            LayerParts::lengths(hidden, buckets);
        let mut take = |count: usize| {
            let (taken, rest) = bytes.split_at(count);
            bytes = rest;
            taken
        };
        let narrow = |bytes: &[u8]| bytes.as_chunks().0.iter().copied().map(i16::from_le_bytes).collect();
        let wide = |bytes: &[u8]| bytes.as_chunks().0.iter().copied().map(i32::from_le_bytes).collect();
        LayerParts {
            first_weights: take(first).iter().map(|&byte| byte as i8).collect(),
            first_bias: wide(take(4 * first_bias)),
            second_weights: narrow(take(2 * second)),
            second_bias: wide(take(4 * second_bias)),
            output_weights: narrow(take(2 * output)),
            output_bias: wide(take(4 * output_bias)),
        }
    }

    fn check(&self, hidden: usize, buckets: usize) -> Result<(), NetworkError> {
        let found = [
            self.first_weights.len(),
            self.first_bias.len(),
            self.second_weights.len(),
            self.second_bias.len(),
            self.output_weights.len(),
            self.output_bias.len(),
        ];
        for (found, expected) in found.into_iter().zip(LayerParts::lengths(hidden, buckets)) {
            if found != expected {
                return Err(NetworkError::Length { part: "layers", found, expected });
            }
        }
        let narrow = self.second_weights.iter().chain(&self.output_weights);
        let wide = self.first_bias.iter().chain(&self.second_bias).chain(&self.output_bias);
        within("first layer's weight", MAX_FIRST_WEIGHT, self.first_weights.iter().copied().map(i64::from))?;
        within("layer weight", MAX_LAYER_WEIGHT, narrow.copied().map(i64::from))?;
        within("layer bias", MAX_LAYER_BIAS, wide.copied().map(i64::from))
    }
}

/// The layers of all output buckets.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Layers(Box<[LayerWeights]>);

impl Layers {
    /// Lays checked numbers out.
    pub fn new(parts: &LayerParts, hidden: usize, buckets: usize) -> Result<Layers, NetworkError> {
        parts.check(hidden, buckets)?;
        let bucket = |number: usize| {
            let first = of_bucket(&parts.first_weights, buckets, number);
            let second = of_bucket(&parts.second_weights, buckets, number);
            let (second_bias, output) = (&parts.second_bias, &parts.output_weights);
            let (second_bias, output) =
                (of_bucket(second_bias, buckets, number), of_bucket(output, buckets, number));
            let first_bias = of_bucket(&parts.first_bias, buckets, number);
            let rows = first.as_chunks::<{ 4 * FIRST_LAYER }>().0.iter();
            LayerWeights {
                first: rows
                    .map(|row| Row(from_fn(|place| row[place % 4 * FIRST_LAYER + place / 4])))
                    .collect(),
                first_bias: from_fn(|output| first_bias[output]),
                second: from_fn(|pair| {
                    let weight = |half, place| (2 * pair + place % 2) * SECOND_LAYER + 16 * half + place / 2;
                    from_fn(|half| Block(from_fn(|place| second[weight(half, place)])))
                }),
                second_bias: from_fn(|half| from_fn(|output| second_bias[16 * half + output])),
                output: from_fn(|input| output[input]),
                output_bias: parts.output_bias[number],
            }
        };
        Ok(Layers((0..buckets).map(bucket).collect()))
    }

    /// The numbers in plain lists.
    pub fn to_parts(&self) -> LayerParts {
        let buckets = || self.0.iter();
        let first = |weights: &LayerWeights| -> Vec<i8> {
            let of_output = |row: &Row| {
                from_fn::<i8, { 4 * FIRST_LAYER }, _>(|place| {
                    row.0[place % FIRST_LAYER * 4 + place / FIRST_LAYER]
                })
            };
            weights.first.iter().flat_map(of_output).collect()
        };
        let second = |weights: &LayerWeights| -> Vec<i16> {
            let places =
                (0..SECOND_INPUTS).flat_map(|input| (0..SECOND_LAYER).map(move |output| (input, output)));
            let weight = |(input, output): (usize, usize)| {
                weights.second[input / 2][output / 16].0[output % 16 * 2 + input % 2]
            };
            places.map(weight).collect()
        };
        LayerParts {
            first_weights: buckets().flat_map(first).collect(),
            first_bias: buckets().flat_map(|weights| weights.first_bias).collect(),
            second_weights: buckets().flat_map(second).collect(),
            second_bias: buckets().flat_map(|weights| weights.second_bias.as_flattened().to_vec()).collect(),
            output_weights: buckets().flat_map(|weights| weights.output).collect(),
            output_bias: buckets().map(|weights| weights.output_bias).collect(),
        }
    }

    /// The output in units of 1/`LAYER_UNIT`^2 for the side whose accumulator is `own`.
    #[inline]
    pub fn output(&self, kernels: Kernels, own: &[Block], enemy: &[Block], bucket: usize) -> i32 {
        kernels.layers(own, enemy, &self.0[bucket])
    }
}

/// The part of a list that belongs to a bucket.
fn of_bucket<T>(list: &[T], buckets: usize, number: usize) -> &[T] {
    let length = list.len() / buckets;
    &list[number * length..][..length]
}

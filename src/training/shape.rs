//! The size of a network and where each of its numbers lies among the trainer's lanes.
//!
//! All numbers of the trainer are kept in lanes, because a vector load that straddles two cache lines
//! costs double, and a plain `Vec<f32>` starts anywhere. Loops over a lane have a fixed length, so the
//! compiler turns each into one or two vector instructions.

use std::ops::{Index, IndexMut, Range};

use crate::nnue::{FEATURES, FIRST_LAYER, MAX_HIDDEN, SECOND_LAYER, output_bucket};

/// Positions in a block. 128 and 512 were measured equally fast.
pub(super) const BLOCK: usize = 256;

/// Floats in a lane.
pub(super) const LANE: usize = 16;

/// Sixteen floats, aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lane(pub [f32; LANE]);

impl Lane {
    /// Zeros.
    pub const ZERO: Lane = Lane([0.0; LANE]);

    /// Adds the other lane to this one.
    #[inline(always)]
    pub fn add(&mut self, other: &Lane) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine += theirs;
        }
    }

    /// Adds a multiple of the other lane to this one.
    #[inline(always)]
    pub fn add_times(&mut self, other: &Lane, times: f32) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine += theirs * times;
        }
    }

    /// The sum of the sixteen numbers.
    #[inline(always)]
    pub fn sum(&self) -> f32 {
        let mut numbers = self.0;
        let mut half = LANE / 2;
        while half > 0 {
            for index in 0..half {
                numbers[index] += numbers[index + half];
            }
            half /= 2;
        }
        numbers[0]
    }
}

/// A row of lanes in which single floats can be addressed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lanes(pub Vec<Lane>);

impl Lanes {
    /// So many lanes of zeros.
    pub fn zeros(lanes: usize) -> Lanes {
        Lanes(vec![Lane::ZERO; lanes])
    }

    /// All floats in order.
    pub fn floats(&self) -> impl Iterator<Item = f32> {
        self.0.iter().flat_map(|lane| lane.0)
    }
}

impl Index<usize> for Lanes {
    type Output = f32;

    /// The float with this number, counted through all lanes.
    fn index(&self, float: usize) -> &f32 {
        &self.0[float / LANE].0[float % LANE]
    }
}

impl IndexMut<usize> for Lanes {
    fn index_mut(&mut self, float: usize) -> &mut f32 {
        &mut self.0[float / LANE].0[float % LANE]
    }
}

/// Sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Neurons of a perspective, a multiple of 32 in 32..=1024.
    pub hidden: usize,
    /// Sets of features, chosen by the square of the perspective's king: 1 or 4.
    pub king_buckets: usize,
    /// Sets of output weights, chosen by the number of pieces: 1 or 8.
    pub buckets: usize,
    /// Whether there are layers between accumulators and output.
    pub layered: bool,
}

/// Neurons of the first layer behind the accumulators, one lane of them.
pub(super) const FIRST: usize = FIRST_LAYER;
/// Lanes of the second layer.
pub(super) const SECOND_LANES: usize = SECOND_LAYER / LANE;
const _: () = assert!(FIRST == LANE);

/// The lanes of the layers of an output bucket.
pub(super) struct Places {
    /// Weights of the first layer, `[input][output]`.
    pub first: Range<usize>,
    /// Bias of the first layer.
    pub first_bias: usize,
    /// Weights of the second layer, `[activation][input][output]`.
    pub second: Range<usize>,
    /// Bias of the second layer.
    pub second_bias: Range<usize>,
    /// Weights of the output.
    pub third: Range<usize>,
}

/// The numbers lie in this order; weights, gradients and moments share it:
///
/// ```text
/// feature weights  [slice][king bucket][feature][neuron in the slice]
/// feature bias     [neuron]
/// output weights   [bucket][own, enemy][neuron], or [bucket] and what Places has of layers
/// output bias      [bucket], filled up to a lane
/// shared weights   [slice][feature][neuron in the slice], with king buckets only
/// ```
///
/// A slice is 64 neurons wide (32 if the hidden layer is no multiple of 64). The passes over a block of
/// positions take one slice after the other, so that the 768 rows they jump about in, 192 KiB for each king
/// bucket, stay in the second-level cache.
///
/// With king buckets most features are rare, and what a bucket learns of a feature should serve the others too.
/// So what is trained is a weight that all buckets share and the difference of each from it (a factoriser;
/// nnue-pytorch's documentation, "virtual features"). The network itself, of which there are no shared weights,
/// has the sums: see `Shape::add_shared`.
impl Shape {
    /// Lanes of a row in a slice: 4 or 2.
    pub(super) fn row_lanes(self) -> usize {
        if self.hidden.is_multiple_of(4 * LANE) { 4 } else { 2 }
    }

    /// Number of slices.
    pub(super) fn slices(self) -> usize {
        self.hidden / LANE / self.row_lanes()
    }

    /// Lanes of a whole hidden layer.
    pub(super) fn hidden_lanes(self) -> usize {
        self.hidden / LANE
    }

    /// Inputs of a perspective.
    pub(super) fn inputs(self) -> usize {
        self.king_buckets * FEATURES
    }

    /// The lanes of the feature weights.
    pub(super) fn feature_lanes(self) -> Range<usize> {
        0..self.inputs() * self.hidden_lanes()
    }

    /// The lanes of one slice of the feature weights.
    pub(super) fn slice_lanes(self, slice: usize) -> Range<usize> {
        let size = self.inputs() * self.row_lanes();
        slice * size..(slice + 1) * size
    }

    /// The lanes of the feature bias.
    pub(super) fn bias_lanes(self) -> Range<usize> {
        let start = self.feature_lanes().end;
        start..start + self.hidden_lanes()
    }

    /// The lanes of the output weights of all buckets.
    pub(super) fn output_lanes(self) -> Range<usize> {
        let start = self.bias_lanes().end;
        start..start + self.buckets * self.output_lanes_of_bucket()
    }

    fn output_lanes_of_bucket(self) -> usize {
        if self.layered { self.hidden + 1 + (2 * FIRST + 2) * SECOND_LANES } else { 2 * self.hidden_lanes() }
    }

    /// The lanes of the layers of an output bucket.
    pub(super) fn places(self, bucket: usize) -> Places {
        let start = self.output_lanes().start + bucket * self.output_lanes_of_bucket();
        let first = start..start + self.hidden;
        let second = first.end + 1..first.end + 1 + 2 * FIRST * SECOND_LANES;
        let second_bias = second.end..second.end + SECOND_LANES;
        let third = second_bias.end..second_bias.end + SECOND_LANES;
        Places { first_bias: first.end, first, second, second_bias, third }
    }

    /// The lane of the output biases.
    pub(super) fn output_bias_lane(self) -> usize {
        self.output_lanes().end
    }

    /// The layers among whose lanes this one is.
    pub(super) fn places_around(self, lane: usize) -> Places {
        self.places((lane - self.output_lanes().start) / self.output_lanes_of_bucket())
    }

    /// Whether a network can have these sizes.
    pub fn is_valid(self) -> bool {
        let Shape { hidden, king_buckets, buckets, layered } = self;
        // Slices are multiplied in pairs.
        let unit = if layered { 128 } else { 32 };
        let is_hidden = hidden.is_multiple_of(unit) && (unit..=MAX_HIDDEN).contains(&hidden);
        is_hidden && matches!(king_buckets, 1 | 4) && matches!(buckets, 1 | 8)
    }

    /// Number of the network's lanes.
    pub(super) fn lanes(self) -> usize {
        self.output_bias_lane() + 1
    }

    /// Whether the king buckets share weights.
    pub(super) fn is_factorised(self) -> bool {
        self.king_buckets > 1
    }

    /// The lanes of the weights that the king buckets share; none without such.
    pub(super) fn shared_lanes(self) -> Range<usize> {
        let shared = if self.is_factorised() { FEATURES * self.hidden_lanes() } else { 0 };
        self.lanes()..self.lanes() + shared
    }

    /// Number of all lanes that are trained.
    pub(super) fn trained_lanes(self) -> usize {
        self.shared_lanes().end
    }

    /// The lanes of the feature weights, one of each king bucket, that go with a lane of the shared weights, counted
    /// from the first.
    pub(super) fn of_all_buckets(self, shared: usize) -> impl Iterator<Item = usize> {
        let size = FEATURES * self.row_lanes();
        let first = shared / size * size * self.king_buckets + shared % size;
        (0..self.king_buckets).map(move |bucket| first + bucket * size)
    }

    /// Makes the network's weights of trained ones: adds what the king buckets share to the weights of each.
    pub(super) fn add_shared(self, trained: &[Lane], network: &mut [Lane]) {
        network.copy_from_slice(&trained[..self.lanes()]);
        for (shared, lane) in trained[self.shared_lanes()].iter().enumerate() {
            self.of_all_buckets(shared).for_each(|place| network[place].add(lane));
        }
    }

    /// Place of the weight from an input to a neuron, in floats.
    pub(super) fn feature_weight(self, input: usize, neuron: usize) -> usize {
        let width = self.row_lanes() * LANE;
        (neuron / width * self.inputs() + input) * width + neuron % width
    }

    /// Place of the weight from a feature to a neuron that the king buckets share, in floats.
    pub(super) fn shared_weight(self, feature: usize, neuron: usize) -> usize {
        let width = self.row_lanes() * LANE;
        self.shared_lanes().start * LANE + (neuron / width * FEATURES + feature) * width + neuron % width
    }

    /// Place of a neuron's bias, in floats.
    pub(super) fn bias(self, neuron: usize) -> usize {
        self.bias_lanes().start * LANE + neuron
    }

    /// Place of the weight from a neuron of the own (0) or the enemy (1) half to the output, in floats. Without layers
    /// only.
    pub(super) fn output_weight(self, bucket: usize, half: usize, neuron: usize) -> usize {
        self.output_lanes().start * LANE + (2 * bucket + half) * self.hidden + neuron
    }

    /// Place of an output bias, in floats.
    pub(super) fn output_bias(self, bucket: usize) -> usize {
        self.output_bias_lane() * LANE + bucket
    }

    /// The bucket for a number of pieces (2..=32).
    #[inline(always)]
    pub(super) fn bucket(self, pieces: usize) -> usize {
        output_bucket(self.buckets, pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_distinct_and_fill_the_lanes() {
        for (hidden, king_buckets, buckets) in [(96, 1, 8), (128, 1, 1), (96, 4, 1), (128, 4, 8)] {
            let shape = Shape { hidden, king_buckets, buckets, layered: false };
            let mut places = Vec::new();
            for neuron in 0..shape.hidden {
                places.extend((0..shape.inputs()).map(|input| shape.feature_weight(input, neuron)));
                places.push(shape.bias(neuron));
                for bucket in 0..shape.buckets {
                    places.extend([0, 1].map(|half| shape.output_weight(bucket, half, neuron)));
                }
            }
            places.extend((0..shape.buckets).map(|bucket| shape.output_bias(bucket)));
            places.sort_unstable();
            let padding = LANE - shape.buckets;
            assert_eq!(places, (0..shape.lanes() * LANE - padding).collect::<Vec<_>>());
            if shape.is_factorised() {
                let all = (0..hidden).flat_map(|neuron| (0..FEATURES).map(move |feature| (feature, neuron)));
                let mut shared: Vec<usize> =
                    all.map(|(feature, neuron)| shape.shared_weight(feature, neuron)).collect();
                shared.sort_unstable();
                assert_eq!(shared, (shape.lanes() * LANE..shape.trained_lanes() * LANE).collect::<Vec<_>>());
            } else {
                assert_eq!(shape.trained_lanes(), shape.lanes());
            }
        }
    }

    #[test]
    fn layers_lie_one_after_the_other() {
        for (hidden, king_buckets, buckets) in [(128, 1, 8), (256, 4, 1)] {
            let shape = Shape { hidden, king_buckets, buckets, layered: true };
            assert!(shape.is_valid() && !Shape { hidden: 96, ..shape }.is_valid());
            let mut next = shape.output_lanes().start;
            for bucket in 0..buckets {
                let Places { first, first_bias, second, second_bias, third } = shape.places(bucket);
                for lanes in [first, first_bias..first_bias + 1, second, second_bias, third] {
                    assert_eq!(lanes.start, next);
                    next = lanes.end;
                }
                assert_eq!(shape.places(bucket).second.len(), 2 * 16 * 2);
            }
            assert_eq!(next, shape.output_bias_lane());
        }
    }

    #[test]
    fn what_king_buckets_share_is_added_to_each() {
        for hidden in [96, 128] {
            let shape = Shape { hidden, king_buckets: 4, buckets: 1, layered: false };
            let mut trained = Lanes::zeros(shape.trained_lanes());
            for (neuron, feature) in [(0, 0), (5, 700), (hidden - 1, 767), (64, 3)] {
                trained[shape.shared_weight(feature, neuron)] = 1.0;
                for bucket in 0..4 {
                    trained[shape.feature_weight(bucket * FEATURES + feature, neuron)] = bucket as f32;
                }
            }
            trained[shape.bias(7)] = 0.5;
            let mut network = Lanes::zeros(shape.lanes());
            shape.add_shared(&trained.0, &mut network.0);
            for (neuron, feature) in [(0, 0), (5, 700), (hidden - 1, 767), (64, 3)] {
                let of_bucket = |bucket| network[shape.feature_weight(bucket * FEATURES + feature, neuron)];
                assert_eq!([0, 1, 2, 3].map(of_bucket), [1.0, 2.0, 3.0, 4.0]);
            }
            assert_eq!(network[shape.bias(7)], 0.5);
            assert_eq!(network.floats().filter(|&weight| weight != 0.0).count(), 17);
        }
    }

    #[test]
    fn buckets_by_pieces() {
        let shape = Shape { hidden: 32, king_buckets: 1, buckets: 8, layered: false };
        assert_eq!([2, 5, 6, 29, 30, 32].map(|pieces| shape.bucket(pieces)), [0, 0, 1, 6, 7, 7]);
        assert_eq!(Shape { buckets: 1, ..shape }.bucket(32), 0);
    }
}

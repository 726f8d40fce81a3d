//! The size of a network and where each of its numbers lies among the trainer's lanes.

use std::ops::Range;

use super::lane::LANE;
use crate::nnue::{FEATURES, MAX_HIDDEN, output_bucket};

/// Sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Neurons of a perspective, a multiple of 32 in 32..=1024.
    pub hidden: usize,
    /// Sets of output weights, chosen by the number of men: 1 or 8.
    pub buckets: usize,
}

/// The numbers lie in this order; weights, gradients and moments share it:
///
/// ```text
/// feature weights  [slice][feature][neuron in the slice]
/// feature bias     [neuron]
/// output weights   [bucket][own, enemy][neuron]
/// output bias      [bucket], filled up to a lane
/// ```
///
/// A slice is 64 neurons wide (32 if the hidden layer is no multiple of 64). The passes over a block of
/// positions take one slice after the other, so that the 768 rows they jump about in, 192 KiB, stay in
/// the second-level cache.
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

    /// The lanes of the feature weights.
    pub(super) fn feature_lanes(self) -> Range<usize> {
        0..FEATURES * self.hidden_lanes()
    }

    /// The lanes of one slice of the feature weights.
    pub(super) fn slice_lanes(self, slice: usize) -> Range<usize> {
        let size = FEATURES * self.row_lanes();
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
        start..start + 2 * self.buckets * self.hidden_lanes()
    }

    /// The lane of the output biases.
    pub(super) fn output_bias_lane(self) -> usize {
        self.output_lanes().end
    }

    /// Whether a network can have these sizes.
    pub fn is_valid(self) -> bool {
        let Shape { hidden, buckets } = self;
        hidden.is_multiple_of(32) && (32..=MAX_HIDDEN).contains(&hidden) && matches!(buckets, 1 | 8)
    }

    /// Number of all lanes.
    pub(super) fn lanes(self) -> usize {
        self.output_bias_lane() + 1
    }

    /// Place of the weight from a feature to a neuron, in floats.
    pub(super) fn feature_weight(self, feature: usize, neuron: usize) -> usize {
        let width = self.row_lanes() * LANE;
        (neuron / width * FEATURES + feature) * width + neuron % width
    }

    /// Place of a neuron's bias, in floats.
    pub(super) fn bias(self, neuron: usize) -> usize {
        self.bias_lanes().start * LANE + neuron
    }

    /// Place of the weight from a neuron of the own (0) or the enemy (1) half to the output, in floats.
    pub(super) fn output_weight(self, bucket: usize, half: usize, neuron: usize) -> usize {
        self.output_lanes().start * LANE + (2 * bucket + half) * self.hidden + neuron
    }

    /// Place of an output bias, in floats.
    pub(super) fn output_bias(self, bucket: usize) -> usize {
        self.output_bias_lane() * LANE + bucket
    }

    /// The bucket for a number of men (2..=32).
    #[inline(always)]
    pub(super) fn bucket(self, men: usize) -> usize {
        output_bucket(self.buckets, men)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_distinct_and_fill_the_lanes() {
        for shape in [Shape { hidden: 96, buckets: 8 }, Shape { hidden: 128, buckets: 1 }] {
            let mut places = Vec::new();
            for neuron in 0..shape.hidden {
                places.extend((0..FEATURES).map(|feature| shape.feature_weight(feature, neuron)));
                places.push(shape.bias(neuron));
                for bucket in 0..shape.buckets {
                    places.extend([0, 1].map(|half| shape.output_weight(bucket, half, neuron)));
                }
            }
            places.extend((0..shape.buckets).map(|bucket| shape.output_bias(bucket)));
            places.sort_unstable();
            let padding = LANE - shape.buckets;
            assert_eq!(places, (0..shape.lanes() * LANE - padding).collect::<Vec<_>>());
        }
    }

    #[test]
    fn buckets_by_men() {
        let shape = Shape { hidden: 32, buckets: 8 };
        assert_eq!([2, 5, 6, 29, 30, 32].map(|men| shape.bucket(men)), [0, 0, 1, 6, 7, 7]);
        assert_eq!(Shape { hidden: 32, buckets: 1 }.bucket(32), 0);
    }
}

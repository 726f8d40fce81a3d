//! From the trainer's floats to the integers of a net file, and what that costs.

use super::adam::CLIP;
use super::lane::{LANE, Lanes};
use super::objective::OUTPUT_UNIT;
use super::record::Record;
use super::shape::Shape;
use super::trainer::Trainer;
use crate::nnue::{CENTIPAWN_SCALE, FEATURES, MAX_FEATURE_WEIGHT, NetworkParts, QA, QB};

// The optimiser's clip is what the integers can hold, and one unit of output is the same on both sides.
const _: () = assert!((CLIP * QA as f32 + 0.5) as i16 <= MAX_FEATURE_WEIGHT);
const _: () = assert!(OUTPUT_UNIT as i32 == CENTIPAWN_SCALE);

impl Trainer {
    /// The weights as the integers of a net file with this name.
    pub fn quantised(&self, name: &str) -> NetworkParts {
        quantise(&self.weights, self.settings().shape, name)
    }
}

fn quantise(weights: &Lanes, shape: Shape, name: &str) -> NetworkParts {
    let number = |place: usize, unit: i32| (weights[place] * unit as f32).round() as i16;
    let Shape { hidden, buckets } = shape;
    let neurons = || 0..hidden;
    let features = (0..FEATURES).flat_map(|feature| neurons().map(move |neuron| (feature, neuron)));
    let outputs = (0..buckets)
        .flat_map(|bucket| [0, 1].map(|half| (bucket, half)))
        .flat_map(|(bucket, half)| neurons().map(move |neuron| shape.output_weight(bucket, half, neuron)));
    let output_bias = |bucket| (weights[shape.output_bias(bucket)] * (QA * QB) as f32).round() as i32;
    NetworkParts {
        name: name.to_owned(),
        hidden,
        buckets,
        feature_weights: features.map(|(f, neuron)| number(shape.feature_weight(f, neuron), QA)).collect(),
        feature_bias: neurons().map(|neuron| number(shape.bias(neuron), QA)).collect(),
        output_weights: outputs.map(|place| number(place, QB)).collect(),
        output_bias: (0..buckets).map(output_bias).collect(),
    }
}

/// The value of a record in centipawns as the engine computes it. [`crate::nnue::Network`] does the
/// same faster, but for positions.
pub fn evaluate(parts: &NetworkParts, record: &Record) -> i32 {
    let hidden = parts.hidden;
    let bias: Vec<i32> = parts.feature_bias.iter().copied().map(i32::from).collect();
    let mut accumulators = [bias.clone(), bias];
    record.for_each_feature(|own, enemy| {
        for (accumulator, feature) in accumulators.iter_mut().zip([own, enemy]) {
            let row = &parts.feature_weights[usize::from(feature) * hidden..][..hidden];
            accumulator.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += i32::from(weight));
        }
    });
    let bucket = Shape { hidden, buckets: parts.buckets }.bucket(record.men());
    let weights = &parts.output_weights[bucket * 2 * hidden..][..2 * hidden];
    let activated = accumulators.iter().flatten().map(|&sum| sum.clamp(0, QA).pow(2));
    let sum: i32 = activated.zip(weights).map(|(value, &weight)| value * i32::from(weight)).sum();
    let output = i64::from(sum / QA + parts.output_bias[bucket]);
    (output * i64::from(CENTIPAWN_SCALE) / i64::from(QA * QB)) as i32
}

/// What can be seen of a trained network without playing it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health {
    /// Share of the neurons that are at zero for both sides in every position looked at.
    pub dead_neurons: f64,
    /// Share of the first layer's weights at the clip.
    pub clipped_features: f64,
    /// Share of the output weights at the clip.
    pub clipped_outputs: f64,
    /// Mean magnitude of the value, in centipawns.
    pub mean_value: f64,
    /// Mean magnitude of the difference that quantising makes, in centipawns.
    pub mean_difference: f64,
    /// The largest such difference.
    pub largest_difference: f64,
}

/// Looks at a network and its integers, on these records.
pub fn examine(trainer: &mut Trainer, parts: &NetworkParts, records: &[Record]) -> Health {
    let (mut values, mut sum, mut largest) = (0.0, 0.0, 0f64);
    trainer.for_each_output(records, |record, output| {
        let value = f64::from(output * OUTPUT_UNIT);
        let difference = (value - f64::from(evaluate(parts, record))).abs();
        values += value.abs();
        sum += difference;
        largest = largest.max(difference);
    });
    let shape = trainer.settings().shape;
    let clipped = |lanes: std::ops::Range<usize>| {
        let count = (lanes.len() * LANE) as f64;
        let lanes = trainer.weights.0[lanes].iter();
        lanes.flat_map(|lane| lane.0).filter(|weight| weight.abs() >= CLIP).count() as f64 / count
    };
    let count = records.len().max(1) as f64;
    Health {
        clipped_features: clipped(shape.feature_lanes()),
        clipped_outputs: clipped(shape.output_lanes()),
        dead_neurons: trainer.dead_neurons(records),
        mean_value: values / count,
        mean_difference: sum / count,
        largest_difference: largest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::Network;
    use crate::training::samples::random_positions;
    use crate::types::Score;

    #[test]
    fn records_and_positions_have_the_same_value() {
        for (hidden, buckets) in [(32, 1), (96, 8), (128, 8)] {
            let parts = NetworkParts::random(3, hidden, buckets);
            let network = Network::new(parts.clone()).unwrap();
            for position in random_positions(3, 300) {
                let record = Record::new(&position, Score(0), 1);
                assert_eq!(evaluate(&parts, &record), network.evaluate(&position), "{position}");
            }
        }
    }

    #[test]
    fn numbers_go_where_the_network_looks_for_them() {
        let shape = Shape { hidden: 96, buckets: 8 };
        let mut weights = Lanes::zeros(shape.lanes());
        weights[shape.feature_weight(700, 40)] = 1.98;
        weights[shape.feature_weight(1, 0)] = -1.98;
        weights[shape.bias(95)] = 10.0;
        weights[shape.output_weight(7, 1, 2)] = -1.98;
        weights[shape.output_bias(3)] = 0.1;
        let parts = quantise(&weights, shape, "test");
        assert_eq!(parts.feature_weights[700 * 96 + 40], 505);
        assert_eq!(parts.feature_weights[96], -505);
        assert_eq!(parts.feature_bias[95], 2550);
        assert_eq!(parts.output_weights[(2 * 7 + 1) * 96 + 2], -127);
        assert_eq!(parts.output_bias, [0, 0, 0, 1632, 0, 0, 0, 0]);
        let others = parts.feature_weights.iter().filter(|&&weight| weight != 0).count();
        assert_eq!((others, parts.name.as_str()), (2, "test"));
        assert!(Network::new(parts).is_ok());
    }
}

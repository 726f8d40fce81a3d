//! From the trainer's floats to the integers of a net file, and what that costs.

use std::ops::Range;

use super::adam::CLIP;
use super::lane::{LANE, Lanes};
use super::objective::loss_and_slope;
use super::record::Record;
use super::shape::Shape;
use super::trainer::{Settings, Trainer};
use crate::nnue::{FEATURES, MAX_FEATURE_WEIGHT, NetworkParts, QA, QB};

// The optimiser's clip is what the integers can hold.
const _: () = assert!((CLIP * QA as f32 + 0.5) as i16 <= MAX_FEATURE_WEIGHT);

impl Trainer {
    /// The weights as the integers of a net file with this name.
    pub fn quantised(&self, name: &str) -> NetworkParts {
        quantise(&self.weights, self.settings(), name)
    }

    /// The same, with output biases that make up for what rounding adds or takes away on average over
    /// these records, bucket by bucket. Rounded weights err to one side in a network, and the positions
    /// of a game have many features in common, so their errors do not cancel out.
    pub fn quantised_for(&mut self, name: &str, records: &[Record]) -> NetworkParts {
        let mut parts = self.quantised(name);
        let shape = self.settings().shape;
        let mut errors = vec![(0.0, 0.0); shape.buckets];
        self.for_each_output(records, |record, output| {
            let (sum, count) = &mut errors[shape.bucket(record.men())];
            *sum += f64::from(output) * f64::from(QA * QB) - output_of(&parts, record) as f64;
            *count += 1.0;
        });
        for (bias, (sum, count)) in parts.output_bias.iter_mut().zip(errors) {
            *bias += if count > 0.0 { (sum / count).round() as i32 } else { 0 };
        }
        parts
    }
}

/// The same weights as the integers of a net file can hold.
pub(super) fn rounded(weights: &Lanes, shape: Shape) -> Lanes {
    let mut rounded = weights.clone();
    let mut round = |lanes: Range<usize>, unit: i32| {
        let unit = unit as f32;
        for lane in &mut rounded.0[lanes] {
            lane.0.iter_mut().for_each(|weight| *weight = (*weight * unit).round() / unit);
        }
    };
    round(shape.feature_lanes().start..shape.bias_lanes().end, QA);
    round(shape.output_lanes(), QB);
    round(shape.output_bias_lane()..shape.lanes(), QA * QB);
    rounded
}

fn quantise(weights: &Lanes, &Settings { shape, scale, .. }: &Settings, name: &str) -> NetworkParts {
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
        scale,
        feature_weights: features.map(|(f, neuron)| number(shape.feature_weight(f, neuron), QA)).collect(),
        feature_bias: neurons().map(|neuron| number(shape.bias(neuron), QA)).collect(),
        output_weights: outputs.map(|place| number(place, QB)).collect(),
        output_bias: (0..buckets).map(output_bias).collect(),
    }
}

/// The activated neurons of both perspectives in integers: 0 to the square of [`QA`].
pub(super) fn activations(feature_weights: &[i16], feature_bias: &[i16], record: &Record) -> Vec<i32> {
    let hidden = feature_bias.len();
    let mut sums: Vec<i32> = feature_bias.iter().chain(feature_bias).copied().map(i32::from).collect();
    let (own_sums, enemy_sums) = sums.split_at_mut(hidden);
    record.for_each_feature(|own, enemy| {
        for (sums, feature) in [(&mut *own_sums, own), (&mut *enemy_sums, enemy)] {
            let row = &feature_weights[usize::from(feature) * hidden..][..hidden];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += i32::from(weight));
        }
    });
    sums.iter_mut().for_each(|sum| *sum = (*sum).clamp(0, QA).pow(2));
    sums
}

/// The value of a record in internal units as the engine computes it. [`crate::nnue::Network`] does the
/// same faster, but for positions.
pub fn evaluate(parts: &NetworkParts, record: &Record) -> i32 {
    (output_of(parts, record) * i64::from(parts.scale) / i64::from(QA * QB)) as i32
}

/// The output for a record in units of 1/([`QA`] * [`QB`]).
fn output_of(parts: &NetworkParts, record: &Record) -> i64 {
    let bucket = Shape { hidden: parts.hidden, buckets: parts.buckets }.bucket(record.men());
    let weights = &parts.output_weights[bucket * 2 * parts.hidden..][..2 * parts.hidden];
    let activated = activations(&parts.feature_weights, &parts.feature_bias, record);
    let sum: i32 = activated.iter().zip(weights).map(|(value, &weight)| value * i32::from(weight)).sum();
    i64::from(sum / QA + parts.output_bias[bucket])
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
    /// Mean magnitude of the value, in internal units.
    pub mean_value: f64,
    /// Mean magnitude of the difference that quantising makes, in internal units.
    pub mean_difference: f64,
    /// Mean difference that still is usual, for this scale.
    pub usual_difference: f64,
    /// The largest such difference.
    pub largest_difference: f64,
    /// Mean loss of the floats, at the last share of the result.
    pub loss: f64,
    /// The same of the integers.
    pub integer_loss: f64,
}

/// Most that sound networks have of what [`Health::doubts`] looks at.
const MOST_DEAD: f64 = 0.05;
const MOST_CLIPPED: f64 = 0.01;
/// In units of the network's scale: 3 where it is 400.
const MOST_DIFFERENCE: f64 = 0.0075;

impl Health {
    /// What is not as in sound networks, in words.
    pub fn doubts(&self) -> Vec<String> {
        let clipped = self.clipped_features.max(self.clipped_outputs);
        let percent = |share: f64| format!("at most {} %", 100.0 * share);
        [
            (
                self.mean_difference > self.usual_difference,
                format!("integers (at most {:.1} off)", self.usual_difference),
            ),
            (self.dead_neurons > MOST_DEAD, format!("dead neurons ({})", percent(MOST_DEAD))),
            (clipped > MOST_CLIPPED, format!("weights at the clip ({})", percent(MOST_CLIPPED))),
        ]
        .into_iter()
        .filter_map(|(is_doubtful, text)| is_doubtful.then_some(text))
        .collect()
    }
}

/// Looks at a network and its integers, on these records.
pub fn examine(trainer: &mut Trainer, parts: &NetworkParts, records: &[Record]) -> Health {
    let objective = trainer.settings().objective_at(1.0);
    let scale = parts.scale as f32;
    let (mut values, mut sum, mut largest) = (0.0, 0.0, 0f64);
    let (mut loss, mut integer_loss) = (0.0, 0.0);
    trainer.for_each_output(records, |record, output| {
        let value = f64::from(output * scale);
        let integer = evaluate(parts, record);
        let target = objective.target(record);
        loss += f64::from(loss_and_slope(output, target).0);
        integer_loss += f64::from(loss_and_slope(integer as f32 / scale, target).0);
        let difference = (value - f64::from(integer)).abs();
        values += value.abs();
        sum += difference;
        largest = largest.max(difference);
    });
    let shape = trainer.settings().shape;
    let clipped = |lanes: Range<usize>| {
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
        usual_difference: MOST_DIFFERENCE * f64::from(parts.scale),
        largest_difference: largest,
        loss: loss / count,
        integer_loss: integer_loss / count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::Network;
    use crate::training::samples::{material_records, random_positions, settings};
    use crate::types::Score;

    #[test]
    fn records_and_positions_have_the_same_value() {
        for (hidden, buckets) in [(32, 1), (96, 8), (128, 8)] {
            let parts = NetworkParts { scale: 173, ..NetworkParts::random(3, hidden, buckets) };
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
        let parts = quantise(&weights, &Settings { scale: 166, ..settings(96, 8) }, "test");
        assert_eq!(parts.feature_weights[700 * 96 + 40], 505);
        assert_eq!(parts.feature_weights[96], -505);
        assert_eq!(parts.feature_bias[95], 2550);
        assert_eq!(parts.output_weights[(2 * 7 + 1) * 96 + 2], -127);
        assert_eq!(parts.output_bias, [0, 0, 0, 1632, 0, 0, 0, 0]);
        let others = parts.feature_weights.iter().filter(|&&weight| weight != 0).count();
        assert_eq!((others, parts.name.as_str(), parts.scale), (2, "test", 166));
        assert!(Network::new(parts).is_ok());
    }

    #[test]
    fn output_biases_make_up_for_rounding() {
        let records = material_records(42, 4000);
        for buckets in [1, 8] {
            let mut trainer = Trainer::new(settings(64, buckets), 1);
            // Not to the end, where the weights learn to be rounded.
            for _ in 0..20 {
                trainer.step(&records);
            }
            let plain = trainer.quantised("");
            let parts = trainer.quantised_for("", &records);
            assert_eq!(NetworkParts { output_bias: plain.output_bias.clone(), ..parts.clone() }, plain);
            let shape = trainer.settings().shape;
            for bucket in 0..buckets {
                let records: Vec<Record> =
                    records.iter().copied().filter(|record| shape.bucket(record.men()) == bucket).collect();
                // In units of 1 / (255 * 64), of which the bias is a whole number.
                let mut mean_error = |parts: &NetworkParts| {
                    let mut sum = 0.0;
                    trainer.for_each_output(&records, |record, output| {
                        sum += f64::from(output) * 16_320.0 - output_of(parts, record) as f64;
                    });
                    sum / records.len().max(1) as f64
                };
                let (before, after) = (mean_error(&plain), mean_error(&parts));
                assert!(after.abs() <= 0.5 && after.abs() <= before.abs(), "{before}, then {after}");
            }
            assert_ne!(parts.output_bias, plain.output_bias);
            // Nothing to learn from, nothing to change.
            assert_eq!(trainer.quantised_for("", &[]), plain);
        }
    }

    #[test]
    fn integers_lose_little() {
        let records = material_records(41, 8000);
        let (unseen, records) = records.split_at(2000);
        for buckets in [1, 8] {
            let mut trainer = Trainer::new(settings(64, buckets), 1);
            for _ in 0..60 {
                trainer.step(records);
            }
            let parts = trainer.quantised("");
            let health = examine(&mut trainer, &parts, unseen);
            assert!(
                health.mean_value > 100.0 && health.mean_difference < health.usual_difference,
                "{health:?}"
            );
            assert!((health.integer_loss / health.loss - 1.0).abs() < 0.005, "{health:?}");
            assert_eq!((health.clipped_features, health.clipped_outputs), (0.0, 0.0));
            let ill = Health { dead_neurons: 0.06, clipped_outputs: 0.02, mean_difference: 3.1, ..health };
            assert_eq!(
                ill.doubts(),
                [
                    "integers (at most 3.0 off)",
                    "dead neurons (at most 5 %)",
                    "weights at the clip (at most 1 %)"
                ]
            );
            assert!(Health { dead_neurons: 0.0, mean_difference: 1.0, ..health }.doubts().is_empty());
        }
    }
}

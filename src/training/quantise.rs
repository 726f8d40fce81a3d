//! From the trainer's floats to the integers of a net file, and what that costs.

use std::ops::Range;

use super::adam::{CLIP, FIRST_CLIP, LAYER_CLIP};
use super::record::Record;
use super::settings::Settings;
use super::shape::{LANE, Lanes, Places, Shape};
use super::trainer::Trainer;
use crate::nnue::{
    FIRST_UNIT, LAYER_UNIT, LayerParts, MAX_FEATURE_WEIGHT, MAX_FIRST_WEIGHT, MAX_LAYER_WEIGHT,
    MAX_OUTPUT_WEIGHT, NetworkParts, PRODUCT_UNIT, QA, QB, can_occur, output_bucket,
};

// The optimiser's clip is what the integers can hold.
const _: () = assert!((CLIP * QA as f32 + 0.5) as i16 <= MAX_FEATURE_WEIGHT);
const _: () = assert!(FIRST_CLIP * FIRST_UNIT as f32 / PRODUCT_UNIT + 0.5 < MAX_FIRST_WEIGHT as f32 + 1.0);
const _: () = assert!(LAYER_CLIP * LAYER_UNIT as f32 <= MAX_LAYER_WEIGHT as f32);

impl Trainer {
    /// The weights, averaged ones if there are some, as the integers of a net file with this name.
    pub fn quantised(&self, name: &str) -> NetworkParts {
        quantise(&self.state.net_weights(self.settings().shape), self.settings(), name)
    }

    /// The same, with output weights and biases that make up for rounding in these records: what one weight
    /// adds or takes away by being rounded, and what the feature weights do, is left to the others, bucket by
    /// bucket. Where there are too few records for that, it is left to the bias.
    pub fn quantised_for(&mut self, name: &str, records: &[Record]) -> NetworkParts {
        let mut parts = self.quantised(name);
        let (shape, width) = (self.settings().shape, 2 * self.settings().shape.hidden);
        if shape.layered {
            return parts;
        }
        for bucket in 0..shape.buckets {
            let of_bucket = |record: &&Record| shape.bucket(record.piece_count()) == bucket;
            let records: Vec<Record> = records.iter().filter(of_bucket).copied().collect();
            let mut fit = RoundedFit::new(&parts, &records);
            self.for_each_output(&records, |_, output| fit.wanted.push(output * (QA * QB) as f32));
            let weights = &mut parts.output_weights[bucket * width..][..width];
            fit.improve(weights, &mut parts.output_bias[bucket]);
        }
        parts
    }
}

/// Output weights as integers that come close to the outputs of real ones, in the sense of least squares over
/// some records. Coordinate descent: each weight in turn gets the integer that is best beside the others.
struct RoundedFit {
    /// `[neuron of the own, then of the enemy half][record]`: the activation, 1 for a neuron at [`QA`]. The
    /// output in its integer units is the sum of these times `QA` times the weights, plus the bias.
    activations: Vec<Vec<f32>>,
    /// The outputs to come close to, in the same units.
    wanted: Vec<f32>,
}

/// Rounds of coordinate descent. Of 1024 weights about a hundred moved in the first and none in the eleventh.
const ROUNDS: usize = 12;
/// Fewer records for a weight are too few: with 0.7, the integers that fitted them fitted others worse than
/// weights rounded singly. Seen to do well: 9.
const RECORDS_FOR_A_WEIGHT: usize = 8;

impl RoundedFit {
    fn new(parts: &NetworkParts, records: &[Record]) -> RoundedFit {
        let mut rows = vec![Vec::with_capacity(records.len()); 2 * parts.hidden];
        for record in records {
            let activated = activations(parts, record);
            for (row, value) in rows.iter_mut().zip(activated) {
                row.push(value as f32 / (QA * QA) as f32);
            }
        }
        RoundedFit { activations: rows, wanted: Vec::with_capacity(records.len()) }
    }

    /// Moves the weights and the bias.
    fn improve(self, weights: &mut [i16], bias: &mut i32) {
        let unit = QA as f32;
        let mut errors = self.wanted;
        errors.iter_mut().for_each(|error| *error -= *bias as f32);
        for (row, &weight) in self.activations.iter().zip(&*weights) {
            subtract(&mut errors, row, unit * f32::from(weight));
        }
        let squares: Vec<f32> = self.activations.iter().map(|row| product(row, row)).collect();
        let rounds = if errors.len() < RECORDS_FOR_A_WEIGHT * weights.len() { 0 } else { ROUNDS };
        for _ in 0..rounds {
            for ((row, &square), weight) in self.activations.iter().zip(&squares).zip(&mut *weights) {
                if square == 0.0 {
                    continue;
                }
                let best = f32::from(*weight) + product(row, &errors) / square / unit;
                let limit = f32::from(MAX_OUTPUT_WEIGHT);
                let change = best.round().clamp(-limit, limit) as i16 - *weight;
                if change != 0 {
                    *weight += change;
                    subtract(&mut errors, row, unit * f32::from(change));
                }
            }
            even_out(&mut errors, bias);
        }
        even_out(&mut errors, bias);
    }
}

/// Moves the bias so that the errors have a mean of nearly zero.
fn even_out(errors: &mut [f32], bias: &mut i32) {
    let mean = (errors.iter().sum::<f32>() / errors.len().max(1) as f32).round();
    *bias += mean as i32;
    errors.iter_mut().for_each(|error| *error -= mean);
}

/// The scalar product.
fn product(a: &[f32], b: &[f32]) -> f32 {
    const WIDTH: usize = 16;
    let mut sums = [0.0; WIDTH];
    let (a_chunks, a_rest) = a.as_chunks::<WIDTH>();
    let (b_chunks, b_rest) = b.as_chunks::<WIDTH>();
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for place in 0..WIDTH {
            sums[place] += a[place] * b[place];
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

/// Takes a multiple of a vector off.
fn subtract(from: &mut [f32], vector: &[f32], times: f32) {
    from.iter_mut().zip(vector).for_each(|(value, &part)| *value -= times * part);
}

fn quantise(weights: &Lanes, &Settings { shape, scale, .. }: &Settings, name: &str) -> NetworkParts {
    let king_buckets = shape.king_buckets;
    let number = |place: usize, unit: i32| (weights[place] * unit as f32).round() as i16;
    // What cannot occur is never trained; without its random start the file packs better.
    let feature_weight = |input: usize, neuron: usize| {
        if can_occur(king_buckets, input) { number(shape.feature_weight(input, neuron), QA) } else { 0 }
    };
    let Shape { hidden, buckets, .. } = shape;
    let neurons = || 0..hidden;
    let inputs = (0..shape.inputs()).flat_map(|input| neurons().map(move |neuron| (input, neuron)));
    let outputs = (0..if shape.layered { 0 } else { buckets })
        .flat_map(|bucket| [0, 1].map(|half| (bucket, half)))
        .flat_map(|(bucket, half)| neurons().map(move |neuron| shape.output_weight(bucket, half, neuron)));
    let output_bias = |bucket| (weights[shape.output_bias(bucket)] * (QA * QB) as f32).round() as i32;
    let direct_buckets = if shape.layered { 0 } else { buckets };
    NetworkParts {
        name: name.to_owned(),
        hidden,
        king_buckets,
        buckets,
        scale,
        feature_weights: inputs.map(|(input, neuron)| feature_weight(input, neuron)).collect(),
        feature_bias: neurons().map(|neuron| number(shape.bias(neuron), QA)).collect(),
        output_weights: outputs.map(|place| number(place, QB)).collect(),
        output_bias: (0..direct_buckets).map(output_bias).collect(),
        layers: shape.layered.then(|| quantised_layers(weights, shape)),
    }
}

/// The integers of the layers behind the accumulators.
fn quantised_layers(weights: &Lanes, shape: Shape) -> LayerParts {
    let round = |lanes: Range<usize>, unit: f32| {
        weights.0[lanes].iter().flat_map(|lane| lane.0).map(move |weight| (weight * unit).round())
    };
    let unit = LAYER_UNIT as f32;
    let places =
        |part: fn(Places) -> Range<usize>| (0..shape.buckets).map(move |bucket| part(shape.places(bucket)));
    let narrow =
        |part| places(part).flat_map(|lanes| round(lanes, unit)).map(|weight| weight as i16).collect();
    let wide =
        |part, unit| places(part).flat_map(|lanes| round(lanes, unit)).map(|bias| bias as i32).collect();
    let first =
        places(|places| places.first).flat_map(|lanes| round(lanes, FIRST_UNIT as f32 / PRODUCT_UNIT));
    let output_bias = |bucket| (weights[shape.output_bias(bucket)] * unit * unit).round() as i32;
    LayerParts {
        first_weights: first.map(|weight| weight as i8).collect(),
        first_bias: wide(|places| places.first_bias..places.first_bias + 1, FIRST_UNIT as f32),
        second_weights: narrow(|places| places.second),
        second_bias: wide(|places| places.second_bias, unit * unit),
        output_weights: narrow(|places| places.third),
        output_bias: (0..shape.buckets).map(output_bias).collect(),
    }
}

/// The activated neurons of both perspectives in integers: 0 to the square of [`QA`].
pub(super) fn activations(parts: &NetworkParts, record: &Record) -> Vec<i32> {
    let mut sums = clamped(parts, record);
    sums.iter_mut().for_each(|sum| *sum *= *sum);
    sums
}

/// The neurons of both perspectives in integers, each clamped to 0..=[`QA`].
fn clamped(parts: &NetworkParts, record: &Record) -> Vec<i32> {
    let NetworkParts { hidden, king_buckets, feature_bias, feature_weights, .. } = parts;
    let hidden = *hidden;
    let mut sums: Vec<i32> = feature_bias.iter().chain(feature_bias).copied().map(i32::from).collect();
    let (own_sums, enemy_sums) = sums.split_at_mut(hidden);
    record.for_each_feature(*king_buckets, |own, enemy| {
        for (sums, feature) in [(&mut *own_sums, own), (&mut *enemy_sums, enemy)] {
            let row = &feature_weights[usize::from(feature) * hidden..][..hidden];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += i32::from(weight));
        }
    });
    sums.iter_mut().for_each(|sum| *sum = (*sum).clamp(0, QA));
    sums
}

/// The value of a record in internal units as the engine computes it. [`crate::nnue::Network`] does the
/// same faster, but for positions.
pub fn evaluate(parts: &NetworkParts, record: &Record) -> i32 {
    let (output, unit) = match &parts.layers {
        None => (output_of(parts, record), QA * QB),
        Some(layers) => (layered_output_of(parts, layers, record), LAYER_UNIT * LAYER_UNIT),
    };
    (output * i64::from(parts.scale) / i64::from(unit)) as i32
}

/// The output of a network with layers for a record in units of 1/[`LAYER_UNIT`]^2, as [`crate::nnue`] describes it.
fn layered_output_of(parts: &NetworkParts, layers: &LayerParts, record: &Record) -> i64 {
    let (hidden, bucket) = (parts.hidden, output_bucket(parts.buckets, record.piece_count()));
    let neurons = clamped(parts, record);
    let pairs = neurons.chunks(hidden).flat_map(|half| half[..hidden / 2].iter().zip(&half[hidden / 2..]));
    let products: Vec<i64> = pairs.map(|(first, second)| i64::from((first * second + 256) >> 9)).collect();
    let layer = |inputs: &[i64], weights: &[i16], bias: &[i32]| -> Vec<i64> {
        let bias = &bias[bucket * bias.len() / parts.buckets..][..bias.len() / parts.buckets];
        let weights = &weights[bucket * inputs.len() * bias.len()..][..inputs.len() * bias.len()];
        let sum = |output: usize| {
            let products = inputs.iter().zip(weights.iter().skip(output).step_by(bias.len()));
            i64::from(bias[output]) + products.map(|(input, &weight)| input * i64::from(weight)).sum::<i64>()
        };
        (0..bias.len()).map(sum).collect()
    };
    let unit = i64::from(LAYER_UNIT);
    let first_weights: Vec<i16> = layers.first_weights.iter().copied().map(i16::from).collect();
    let first = layer(&products, &first_weights, &layers.first_bias);
    let first: Vec<i64> = first.iter().map(|sum| (sum >> 5).clamp(-unit, unit)).collect();
    let squares = first.iter().map(|value| (value * value) >> 10);
    let activated: Vec<i64> = first.iter().map(|&value| value.max(0)).chain(squares).collect();
    let second = layer(&activated, &layers.second_weights, &layers.second_bias);
    let second: Vec<i64> = second.iter().map(|sum| (sum >> 10).clamp(0, unit).pow(2) >> 10).collect();
    layer(&second, &layers.output_weights, &layers.output_bias)[0]
}

/// The output for a record in units of 1/([`QA`] * [`QB`]).
fn output_of(parts: &NetworkParts, record: &Record) -> i64 {
    let bucket = output_bucket(parts.buckets, record.piece_count());
    let weights = &parts.output_weights[bucket * 2 * parts.hidden..][..2 * parts.hidden];
    let activated = activations(parts, record);
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
    /// The largest such difference.
    pub largest_difference: f64,
    /// Mean squared error of the floats, at the last share of the result.
    pub loss: f64,
    /// The same of the integers.
    pub integer_loss: f64,
}

/// Most that sound networks have of what [`Health::doubts`] looks at.
const MOST_DEAD: f64 = 0.05;
const MOST_CLIPPED: f64 = 0.01;
/// In internal units.
const MOST_DIFFERENCE: f64 = 3.0;
/// What the integers may add to the loss of the floats, as a share of it.
const MOST_ADDED_LOSS: f64 = 0.005;

impl Health {
    /// What is not as in sound networks, in words.
    pub fn doubts(&self) -> Vec<String> {
        let clipped = self.clipped_features.max(self.clipped_outputs);
        let added_loss = self.integer_loss / self.loss - 1.0;
        let percent = |share: f64| format!("at most {} %", 100.0 * share);
        [
            (self.mean_difference > MOST_DIFFERENCE, format!("integers (at most {MOST_DIFFERENCE} off)")),
            (added_loss > MOST_ADDED_LOSS, format!("loss by integers ({} more)", percent(MOST_ADDED_LOSS))),
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
    let objective = trainer.settings().objective_at(1.0).squared();
    let scale = parts.scale as f32;
    let (mut values, mut sum, mut largest) = (0.0, 0.0, 0f64);
    let (mut loss, mut integer_loss) = (0.0, 0.0);
    trainer.for_each_output(records, |record, output| {
        let value = f64::from(output * scale);
        let integer = evaluate(parts, record);
        loss += objective.loss(output, record);
        integer_loss += objective.loss(integer as f32 / scale, record);
        let difference = (value - f64::from(integer)).abs();
        values += value.abs();
        sum += difference;
        largest = largest.max(difference);
    });
    let shape = trainer.settings().shape;
    let dead_neurons = trainer.dead_neurons(records);
    let weights = trainer.state.net_weights(shape);
    let clipped = |lanes: Range<usize>| {
        let count = (lanes.len() * LANE) as f64;
        let lanes = weights.0[lanes].iter();
        lanes.flat_map(|lane| lane.0).filter(|weight| weight.abs() >= CLIP).count() as f64 / count
    };
    let count = records.len().max(1) as f64;
    Health {
        clipped_features: clipped(shape.feature_lanes()),
        clipped_outputs: clipped(shape.output_lanes()),
        dead_neurons,
        mean_value: values / count,
        mean_difference: sum / count,
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
        let plain = [(1, 32, 1), (1, 96, 8), (1, 128, 8), (4, 32, 1), (4, 96, 8)];
        let plain =
            plain.map(|(kings, hidden, buckets)| NetworkParts::random_with_kings(3, kings, hidden, buckets));
        let layered = [(1, 64, 1), (4, 128, 8)];
        let layered = layered
            .map(|(kings, hidden, buckets)| NetworkParts::random_with_layers(3, kings, hidden, buckets));
        for parts in plain.into_iter().chain(layered) {
            let parts = NetworkParts { scale: 173, ..parts };
            let network = Network::new(parts.clone()).unwrap();
            for position in random_positions(3, 300) {
                let record = Record::new(&position, Score(0), 1);
                assert_eq!(evaluate(&parts, &record), network.evaluate(&position), "{position}");
            }
        }
    }

    #[test]
    fn numbers_go_where_the_network_looks_for_them() {
        let shape = settings(96, 8).shape;
        let mut weights = Lanes::zeros(shape.lanes());
        weights[shape.feature_weight(700, 40)] = 1.98;
        weights[shape.feature_weight(9, 0)] = -1.98;
        // A pawn on the first rank.
        weights[shape.feature_weight(7, 0)] = 1.0;
        weights[shape.bias(95)] = 10.0;
        weights[shape.output_weight(7, 1, 2)] = -1.98;
        weights[shape.output_bias(3)] = 0.1;
        let parts = quantise(&weights, &Settings { scale: 166, ..settings(96, 8) }, "test");
        assert_eq!(parts.feature_weights[700 * 96 + 40], 505);
        assert_eq!(parts.feature_weights[9 * 96], -505);
        assert_eq!(parts.feature_bias[95], 2550);
        assert_eq!(parts.output_weights[(2 * 7 + 1) * 96 + 2], -127);
        assert_eq!(parts.output_bias, [0, 0, 0, 1632, 0, 0, 0, 0]);
        let others = parts.feature_weights.iter().filter(|&&weight| weight != 0).count();
        assert_eq!((others, parts.name.as_str(), parts.scale), (2, "test", 166));
        assert!(Network::new(parts).is_ok());
    }

    #[test]
    fn output_weights_make_up_for_rounding() {
        let records = material_records(42, 9000);
        let (unseen, records) = records.split_at(3000);
        // With buckets there are too few records for each, so only the biases move.
        for (buckets, least_gain) in [(1, 2.0), (8, 1.0)] {
            let mut trainer = Trainer::new(settings(256, buckets), 1);
            for _ in 0..40 {
                trainer.step(records);
            }
            let plain = trainer.quantised("");
            let parts = trainer.quantised_for("", records);
            assert!(
                parts.feature_weights == plain.feature_weights && parts.feature_bias == plain.feature_bias
            );
            assert_eq!(parts.output_weights == plain.output_weights, buckets == 8);
            let mut mean_square = |parts: &NetworkParts| {
                let mut sum = 0.0;
                trainer.for_each_output(unseen, |record, output| {
                    sum += (f64::from(output) * 16_320.0 - output_of(parts, record) as f64).powi(2);
                });
                sum / unseen.len() as f64
            };
            let (before, after) = (mean_square(&plain), mean_square(&parts));
            assert!(before > least_gain * after, "{buckets} buckets: {before}, then {after}");
            let shape = trainer.settings().shape;
            for bucket in 0..buckets {
                let of_bucket = |record: &&Record| shape.bucket(record.piece_count()) == bucket;
                let records: Vec<Record> = records.iter().filter(of_bucket).copied().collect();
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
            let parts = trainer.quantised_for("", records);
            let health = examine(&mut trainer, &parts, unseen);
            assert!(health.mean_value > 100.0 && health.mean_difference < 6.0, "{health:?}");
            assert!((health.integer_loss / health.loss - 1.0).abs() < 0.005, "{health:?}");
            assert_eq!((health.clipped_features, health.clipped_outputs), (0.0, 0.0));
            let ill = Health {
                dead_neurons: 0.06,
                clipped_outputs: 0.02,
                integer_loss: 1.006 * health.loss,
                mean_difference: 3.1,
                ..health
            };
            assert_eq!(
                ill.doubts(),
                [
                    "integers (at most 3 off)",
                    "loss by integers (at most 0.5 % more)",
                    "dead neurons (at most 5 %)",
                    "weights at the clip (at most 1 %)"
                ]
            );
            assert!(Health { mean_difference: 1.0, ..health }.doubts().is_empty(), "{health:?}");
        }
    }
}

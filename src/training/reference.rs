//! The network in plain double precision, from the definition: what the fast trainer is held against.

use super::block::Block;
use super::objective::{Cost, Objective};
use super::record::Record;
use super::samples::material_records;
use super::shape::{BLOCK, LANE, Lanes, Shape};
use crate::types::SplitMix64;

const OBJECTIVE: Objective = Objective { wdl: 0.3, scale: 350.0, cost: Cost::SQUARE };

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The hidden layer of both perspectives, before activation.
fn accumulators(weights: &[f64], shape: Shape, record: &Record) -> [Vec<f64>; 2] {
    let neurons = 0..shape.hidden;
    let mut halves =
        [0, 1].map(|_| neurons.clone().map(|neuron| weights[shape.bias(neuron)]).collect::<Vec<_>>());
    record.for_each_feature(shape.king_buckets, |own, enemy| {
        for (half, feature) in halves.iter_mut().zip([own, enemy]) {
            for (neuron, sum) in half.iter_mut().enumerate() {
                *sum += weights[shape.feature_weight(feature.into(), neuron)];
            }
        }
    });
    halves
}

/// The output for a record of a network without layers.
fn direct_output(weights: &[f64], shape: Shape, record: &Record) -> f64 {
    let bucket = shape.bucket(record.piece_count());
    let mut output = weights[shape.output_bias(bucket)];
    for (half, accumulator) in accumulators(weights, shape, record).iter().enumerate() {
        for (neuron, value) in accumulator.iter().enumerate() {
            output += value.clamp(0.0, 1.0).powi(2) * weights[shape.output_weight(bucket, half, neuron)];
        }
    }
    output
}

/// The output for a record of a network with layers.
fn layered_output(weights: &[f64], shape: Shape, record: &Record) -> f64 {
    let (bucket, half) = (shape.bucket(record.piece_count()), shape.hidden / 2);
    let pair = |accumulator: &[f64], neuron: usize| {
        accumulator[neuron].clamp(0.0, 1.0) * accumulator[neuron + half].clamp(0.0, 1.0)
    };
    let [own, enemy] = accumulators(weights, shape, record);
    let products = [own, enemy].into_iter().flat_map(|side| (0..half).map(move |neuron| pair(&side, neuron)));
    let places = shape.places(bucket);
    let layer = |inputs: &[f64], first_weight: usize, first_bias: usize, outputs: usize| -> Vec<f64> {
        let weight = |input: usize, output: usize| weights[first_weight * LANE + input * outputs + output];
        let sum = |output| {
            inputs.iter().enumerate().map(|(input, value)| value * weight(input, output)).sum::<f64>()
        };
        (0..outputs).map(|output| weights[first_bias * LANE + output] + sum(output)).collect()
    };
    let first = layer(&products.collect::<Vec<_>>(), places.first.start, places.first_bias, 16);
    let squares = first.iter().map(|value| (value * value).min(1.0));
    let activated: Vec<f64> = first.iter().map(|value| value.clamp(0.0, 1.0)).chain(squares).collect();
    let second = layer(&activated, places.second.start, places.second_bias.start, 32);
    let third = second
        .iter()
        .enumerate()
        .map(|(input, value)| value.clamp(0.0, 1.0).powi(2) * weights[places.third.start * LANE + input]);
    weights[shape.output_bias(bucket)] + third.sum::<f64>()
}

/// The loss of one record, and its slope towards the output.
fn loss(weights: &[f64], shape: Shape, record: &Record) -> (f64, f64) {
    let output = if shape.layered { layered_output } else { direct_output }(weights, shape, record);
    let (wdl, scale) = (f64::from(OBJECTIVE.wdl), f64::from(OBJECTIVE.scale));
    let target = wdl * f64::from(record.half_points().expect("a result")) / 2.0
        + (1.0 - wdl) * sigmoid(f64::from(record.score()) / scale);
    let expected = sigmoid(output);
    let slope = 2.0 * (expected - target) * expected * (1.0 - expected);
    ((expected - target).powi(2), slope)
}

/// Adds the gradient of the loss of one record.
fn add_gradient(gradient: &mut [f64], weights: &[f64], shape: Shape, record: &Record) {
    let (_, slope) = loss(weights, shape, record);
    let bucket = shape.bucket(record.piece_count());
    gradient[shape.output_bias(bucket)] += slope;
    for (half, accumulator) in accumulators(weights, shape, record).iter().enumerate() {
        for (neuron, &value) in accumulator.iter().enumerate() {
            let place = shape.output_weight(bucket, half, neuron);
            gradient[place] += slope * value.clamp(0.0, 1.0).powi(2);
            if value <= 0.0 || value >= 1.0 {
                continue;
            }
            let inner = slope * weights[place] * 2.0 * value;
            gradient[shape.bias(neuron)] += inner;
            record.for_each_feature(shape.king_buckets, |own, enemy| {
                let feature = if half == 0 { own } else { enemy };
                gradient[shape.feature_weight(feature.into(), neuron)] += inner;
            });
        }
    }
}

/// Weights with which neurons are at work, idle and saturated in turn.
fn random_weights(shape: Shape) -> Lanes {
    let mut random = SplitMix64::new(9, 9);
    let mut weights = Lanes::zeros(shape.lanes());
    for place in 0..shape.output_bias(shape.buckets) {
        weights[place] = random.within(0.25);
    }
    for neuron in 0..shape.hidden {
        weights[shape.bias(neuron)] += 0.5;
    }
    weights
}

fn as_doubles(weights: &Lanes) -> Vec<f64> {
    weights.floats().map(f64::from).collect()
}

#[test]
fn reference_gradients_match_finite_differences() {
    let shape = Shape { hidden: 32, king_buckets: 4, buckets: 8, layered: false };
    let weights = as_doubles(&random_weights(shape));
    let records = material_records(11, 20);
    let mut gradient = vec![0.0; weights.len()];
    records.iter().for_each(|record| add_gradient(&mut gradient, &weights, shape, record));
    let total = |weights: &[f64]| records.iter().map(|record| loss(weights, shape, record).0).sum::<f64>();
    let mut random = SplitMix64::new(11, 0);
    // Random places, of which most are feature weights, and all of one neuron's other numbers.
    let mut places: Vec<usize> =
        (0..1500 * shape.king_buckets).map(|_| random.below(shape.bias(0))).collect();
    for bucket in 0..8 {
        places.extend([0, 1].map(|half| shape.output_weight(bucket, half, 5)));
        places.push(shape.output_bias(bucket));
    }
    places.extend((0..shape.hidden).map(|neuron| shape.bias(neuron)));
    let mut nonzero = 0;
    for place in places {
        const STEP: f64 = 1e-6;
        let shifted = |step: f64| {
            let mut weights = weights.clone();
            weights[place] += step;
            total(&weights)
        };
        let slope = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
        let found = gradient[place];
        assert!((slope - found).abs() < 1e-7 + 1e-5 * slope.abs(), "{place}: {found}, not {slope}");
        nonzero += u32::from(found != 0.0);
    }
    assert!(nonzero > 200, "{nonzero} slopes that are not zero");
}

#[test]
fn gradients_of_layers_match_finite_differences() {
    for (hidden, king_buckets, buckets) in [(128, 1, 8), (256, 4, 1)] {
        let shape = Shape { hidden, king_buckets, buckets, layered: true };
        let weights = random_weights(shape);
        let doubles = as_doubles(&weights);
        let records = material_records(13, 90);
        let (mut block, mut gradient, mut fast_loss) = (Block::new(shape), Lanes::zeros(shape.lanes()), 0.0);
        for records in records.chunks(BLOCK) {
            block.load(records, OBJECTIVE);
            block.forward(&weights);
            fast_loss += block.backward(&weights, &mut gradient);
        }
        let total =
            |weights: &[f64]| records.iter().map(|record| loss(weights, shape, record).0).sum::<f64>();
        let plain_loss = total(&doubles);
        assert!((fast_loss - plain_loss).abs() / (records.len() as f64) < 1e-6, "{fast_loss} {plain_loss}");
        let mut random = SplitMix64::new(14, 0);
        let features = (0..100).map(|_| random.below(shape.bias(0))).collect::<Vec<_>>();
        let mut places: Vec<usize> =
            features.into_iter().chain((0..hidden).step_by(5).map(|n| shape.bias(n))).collect();
        let output = shape.output_lanes();
        places.extend((0..150).map(|_| output.start * LANE + random.below(output.len() * LANE)));
        let last = shape.places(buckets - 1);
        places.extend(
            (last.first_bias * LANE..(last.first_bias + 1) * LANE)
                .chain(last.second_bias.start * LANE..last.third.end * LANE),
        );
        places.extend((0..buckets).map(|bucket| shape.output_bias(bucket)));
        let mut nonzero = 0;
        for place in places {
            const STEP: f64 = 1e-6;
            let shifted = |step: f64| {
                let mut weights = doubles.clone();
                weights[place] += step;
                total(&weights)
            };
            let slope = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
            let found = f64::from(gradient[place]);
            assert!((slope - found).abs() < 1e-4 + 1e-4 * slope.abs(), "{place}: {found}, not {slope}");
            nonzero += u32::from(found != 0.0);
        }
        assert!(nonzero > 100, "{nonzero} slopes that are not zero");
    }
}

#[test]
fn fast_and_plain_trainer_agree() {
    for (hidden, king_buckets, buckets) in [(32, 1, 8), (96, 1, 1), (128, 1, 8), (64, 4, 8), (32, 4, 1)] {
        let shape = Shape { hidden, king_buckets, buckets, layered: false };
        let weights = random_weights(shape);
        let doubles = as_doubles(&weights);
        let records = material_records(12, BLOCK + 37);
        let (mut block, mut fast, mut fast_loss) = (Block::new(shape), Lanes::zeros(shape.lanes()), 0.0);
        for records in records.chunks(BLOCK) {
            block.load(records, OBJECTIVE);
            block.forward(&weights);
            fast_loss += block.backward(&weights, &mut fast);
        }
        let mut plain = vec![0.0; doubles.len()];
        records.iter().for_each(|record| add_gradient(&mut plain, &doubles, shape, record));
        let plain_loss: f64 = records.iter().map(|record| loss(&doubles, shape, record).0).sum();
        let count = records.len() as f64;
        assert!((fast_loss - plain_loss).abs() / count < 1e-6, "{fast_loss} {plain_loss}");
        let largest = plain.iter().fold(0f64, |largest, slope| largest.max(slope.abs()));
        assert!(largest > 0.1, "{largest}");
        for (place, (fast, &plain)) in fast.floats().zip(&plain).enumerate() {
            let difference = (f64::from(fast) - plain).abs();
            assert!(difference < 1e-5 * (1.0 + plain.abs()), "float {place}: {fast}, not {plain}");
        }
        assert_eq!(fast.0.len() * LANE, plain.len());
    }
}

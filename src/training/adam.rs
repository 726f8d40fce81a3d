//! The optimiser AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization"), with clipping.

use super::shape::{LANE, Lane, Lanes, Shape};

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Largest weight of the feature and output layers; with king buckets, of the sum of what they share and each one's
/// own, which have half of it each. Times 255 it is 505, so that 32 rows fit in 16
/// bits; times 64 it is 127, so that clipped activation times weight does.
pub const CLIP: f32 = 1.98;

/// Largest weight of the first layer behind the accumulators: 127 in its units.
pub const FIRST_CLIP: f32 = 0.492;
/// Largest weight of the layers behind that one.
pub const LAYER_CLIP: f32 = 7.9;

/// Running means of the gradient of each weight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Adam {
    /// Mean of the gradient.
    pub first: Lanes,
    /// Mean of its square.
    pub second: Lanes,
    /// Steps taken.
    pub steps: u64,
}

/// What one step of a run of lanes needs to know.
#[derive(Clone, Copy)]
struct Step {
    /// Learning rate, divided by the bias correction of the first mean.
    rate: f32,
    /// What decay leaves of a weight.
    keep: f32,
    /// One over the bias correction of the second mean.
    second_correction: f32,
    /// What turns summed gradients into mean ones.
    mean: f32,
}

impl Adam {
    /// Means of nothing yet.
    pub fn new(shape: Shape) -> Adam {
        Adam {
            first: Lanes::zeros(shape.trained_lanes()),
            second: Lanes::zeros(shape.trained_lanes()),
            steps: 0,
        }
    }

    /// Moves the weights. `gradients` are parts of the gradient of the loss summed over `samples`
    /// positions, and are added up in their order. `decay` is the share of a weight that is lost in a step
    /// at a learning rate of one. The work is shared out among the threads.
    pub fn step(
        &mut self,
        shape: Shape,
        weights: &mut Lanes,
        gradients: &[&Lanes],
        samples: usize,
        (rate, decay): (f32, f32),
        threads: usize,
    ) {
        self.steps += 1;
        let correction = |beta: f32| (1.0 - f64::from(beta).powf(self.steps as f64)) as f32;
        let step = Step {
            rate: rate / correction(BETA1),
            keep: (1.0 - rate * decay).max(0.0),
            second_correction: 1.0 / correction(BETA2),
            mean: 1.0 / samples as f32,
        };
        let share = shape.trained_lanes().div_ceil(threads);
        let runs = weights
            .0
            .chunks_mut(share)
            .zip(self.first.0.chunks_mut(share))
            .zip(self.second.0.chunks_mut(share));
        std::thread::scope(|scope| {
            for (run, ((weights, first), second)) in runs.enumerate() {
                let work = move || {
                    let start = run * share;
                    for (offset, ((weights, first), second)) in
                        weights.iter_mut().zip(first).zip(second).enumerate()
                    {
                        let lane = start + offset;
                        let gradient = gradient_of(shape, gradients, lane);
                        step.apply(weights, first, second, &gradient, clip_of(shape, lane));
                    }
                };
                // The last share is this thread's own.
                if run + 1 == threads { work() } else { drop(scope.spawn(work)) }
            }
        });
    }
}

/// The gradient of a lane. The loss depends on what king buckets share as on the weights of all of them together.
#[inline(always)]
fn gradient_of(shape: Shape, gradients: &[&Lanes], lane: usize) -> Lane {
    let mut gradient = Lane::ZERO;
    match lane.checked_sub(shape.lanes()) {
        None => gradients.iter().for_each(|part| gradient.add(&part.0[lane])),
        Some(shared) => {
            for place in shape.of_all_buckets(shared) {
                gradients.iter().for_each(|part| gradient.add(&part.0[place]));
            }
        }
    }
    gradient
}

/// The largest weight in a lane.
#[inline(always)]
fn clip_of(shape: Shape, lane: usize) -> f32 {
    let is_feature = lane < shape.feature_lanes().end || lane >= shape.lanes();
    if shape.layered && shape.output_lanes().contains(&lane) {
        let places = shape.places_around(lane);
        match () {
            () if places.first.contains(&lane) => FIRST_CLIP,
            () if places.first_bias == lane || places.second_bias.contains(&lane) => f32::INFINITY,
            () => LAYER_CLIP,
        }
    } else if shape.bias_lanes().contains(&lane) || lane == shape.output_bias_lane() {
        f32::INFINITY
    } else if is_feature && shape.is_factorised() {
        CLIP / 2.0
    } else {
        CLIP
    }
}

impl Step {
    #[inline(always)]
    fn apply(self, weights: &mut Lane, first: &mut Lane, second: &mut Lane, gradient: &Lane, clip: f32) {
        for place in 0..LANE {
            let gradient = gradient.0[place] * self.mean;
            let mean = BETA1 * first.0[place] + (1.0 - BETA1) * gradient;
            let square = BETA2 * second.0[place] + (1.0 - BETA2) * gradient * gradient;
            first.0[place] = mean;
            second.0[place] = square;
            let moved = weights.0[place] * self.keep
                - self.rate * mean / ((square * self.second_correction).sqrt() + EPSILON);
            weights.0[place] = moved.clamp(-clip, clip);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_step_has_the_size_of_the_rate() {
        let shape = Shape { hidden: 32, king_buckets: 1, buckets: 1, layered: false };
        let mut weights = Lanes::zeros(shape.lanes());
        weights[7] = 1.979_99;
        let mut gradient = Lanes::zeros(shape.lanes());
        (gradient[3], gradient[5], gradient[7]) = (80.0, -0.5, -3.0);
        let bias = shape.bias(0);
        weights[bias] = 5.0;
        let mut adam = Adam::new(shape);
        let (rate, decay) = (0.01, 0.02);
        adam.step(shape, &mut weights, &[&gradient, &Lanes::zeros(shape.lanes())], 4, (rate, decay), 1);
        assert!((weights[3] + rate).abs() < 1e-6, "{}", weights[3]);
        assert!((weights[5] - rate).abs() < 1e-6, "{}", weights[5]);
        assert_eq!(weights[7], CLIP);
        // Biases are not clipped; nothing but decay moves this one.
        assert_eq!(weights[bias], 5.0 * (1.0 - rate * decay));
        assert_eq!(weights[1], 0.0);
    }

    #[test]
    fn threads_do_not_matter() {
        let shape = Shape { hidden: 96, king_buckets: 1, buckets: 8, layered: false };
        let mut gradient = Lanes::zeros(shape.lanes());
        for place in 0..shape.lanes() * LANE {
            gradient[place] = (place as f32).sin();
        }
        let run = |threads| {
            let (mut weights, mut adam) = (Lanes::zeros(shape.lanes()), Adam::new(shape));
            for _ in 0..3 {
                adam.step(shape, &mut weights, &[&gradient], 10, (0.1, 0.01), threads);
            }
            weights
        };
        assert!(run(1) == run(2) && run(1) == run(7));
    }
}

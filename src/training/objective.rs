//! What the network is asked to predict.

use super::record::Record;

/// Targets and loss at one moment of the training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// Share of the game's result in the target, 0 to 1; the rest is the score.
    pub wdl: f32,
    /// Internal units that make an expected result of 73 % (the scale of the sigmoid), which is also what an
    /// output of one is worth.
    pub scale: f32,
}

impl Objective {
    /// The expected result that the network should give, 0 to 1.
    #[inline(always)]
    pub fn target(&self, record: &Record) -> f32 {
        let expected = sigmoid(f32::from(record.score()) / self.scale);
        self.wdl * 0.5 * f32::from(record.half_points()) + (1.0 - self.wdl) * expected
    }
}

/// The squared error of an output, and the slope of it towards the output.
#[inline(always)]
pub fn loss_and_slope(output: f32, target: f32) -> (f32, f32) {
    let expected = sigmoid(output);
    let error = expected - target;
    (error * error, 2.0 * error * expected * (1.0 - expected))
}

/// The expected result of a score in units of the scale.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

//! The settings of a training: what it makes of its data, and how the learning rate runs.

use super::objective::{Cost, Objective};
use super::shape::Shape;

/// Everything that decides what a training makes of its data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The network.
    pub shape: Shape,
    /// Times that every position is seen.
    pub passes: u32,
    /// Positions of a step, about: a pass is divided evenly.
    pub batch: usize,
    /// Learning rates.
    pub schedule: Schedule,
    /// Share of the steps, the last ones, over which the weights of the net are averaged; 0 for the weights
    /// of the last step.
    pub average: f32,
    /// Weight decay: the share of a weight that a step at a learning rate of one takes away.
    pub decay: f32,
    /// Bound of the random first weights of the features. The inputs a perspective has at a time, some 24,
    /// add up to a spread of about 2.8 times this.
    pub start: f32,
    /// Share of the result in the target at the start.
    pub wdl: f32,
    /// The same at the end; it changes linearly.
    pub last_wdl: f32,
    /// Internal units of the sigmoid's unit and of the network's.
    pub scale: i32,
    /// What errors cost.
    pub cost: Cost,
    /// Seed of first weights and order; it has no part in which games are held out.
    pub seed: u64,
}

/// How the learning rate changes from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Learning rate of the first step after the warm-up.
    pub rate: f32,
    /// Learning rate of the last step; between them it falls along a cosine.
    pub last_rate: f32,
    /// Steps at the start over which the rate rises in a straight line to where the cosine has it. Adam's means
    /// of the gradient are those of few batches at first.
    pub warmup: u32,
}

impl Settings {
    /// Steps that a pass over so many positions takes.
    pub fn steps(&self, positions: usize) -> u64 {
        ((positions + self.batch / 2) / self.batch).max(1) as u64
    }

    /// Steps of the whole training on so many positions.
    pub fn all_steps(&self, positions: usize) -> u64 {
        self.steps(positions) * u64::from(self.passes)
    }

    /// How far along the schedules step number `step` (from 0) of a training on so many positions is: 0 at
    /// the first step, 1 at the last.
    pub fn progress_at(&self, step: u64, positions: usize) -> f64 {
        step as f64 / (self.all_steps(positions) - 1).max(1) as f64
    }

    /// The learning rate of step number `step` (from 0) of a training on so many positions.
    pub fn rate_at(&self, step: u64, positions: usize) -> f32 {
        let Schedule { rate, last_rate, warmup } = self.schedule;
        let (first, last) = (f64::from(rate), f64::from(last_rate));
        let phase = std::f64::consts::PI * self.progress_at(step, positions);
        let risen = ((step + 1) as f64 / f64::from(warmup.max(1))).min(1.0);
        (risen * (last + 0.5 * (first - last) * (1.0 + phase.cos()))) as f32
    }

    /// Whether the weights after step number `step` (from 0) of a training on so many positions are among
    /// those that are averaged.
    pub(super) fn averages_at(&self, step: u64, positions: usize) -> bool {
        let first = (1.0 - f64::from(self.average)) * self.all_steps(positions) as f64;
        self.average > 0.0 && step as f64 >= first
    }

    /// The objective when `progress` (0 to 1) of the training is done.
    pub fn objective_at(&self, progress: f64) -> Objective {
        let (first, last) = (f64::from(self.wdl), f64::from(self.last_wdl));
        let wdl = (first + (last - first) * progress) as f32;
        Objective { wdl, scale: self.scale as f32, cost: self.cost }
    }
}

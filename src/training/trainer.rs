//! The training loop: passes, batches, parts, and the threads that share them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::adam::Adam;
use super::block::Block;
use super::objective::Objective;
use super::permutation::Permutation;
use super::record::Record;
use super::settings::Settings;
use super::shape::{BLOCK, LANE, Lane, Lanes, Places, Shape};
use crate::nnue::{FEATURES, SECOND_INPUTS, SECOND_LAYER};
use crate::types::SplitMix64;

/// Parts of a batch, at most. Each is summed up on its own, by whichever thread is free, and the sums are added
/// in order; so the outcome does not depend on the threads. More threads than parts have nothing to do.
pub const PARTS: usize = 8;

/// Parts of a batch for a network of this shape. Every part has a gradient as large as the network, which each
/// step clears, fills and adds up. Of large ones two must do: with eight, those of 1,024 neurons would be 25 MB, more
/// than second-level caches hold.
fn parts_for(shape: Shape) -> usize {
    /// The lanes of 512 neurons and 8 output buckets are less.
    const MANY_LANES: usize = 32_000;
    if shape.lanes() > MANY_LANES { 2 } else { PARTS }
}

/// First bias of the accumulators of networks with layers.
const FIRST_BIAS: f32 = 0.25;
/// Random stream of the first weights, beside the numbers of the passes.
const INIT: u64 = 1 << 41;

/// A network in training.
#[derive(Debug)]
pub struct Trainer {
    settings: Settings,
    threads: usize,
    pub(super) state: State,
    /// The weights of the net as it is now, if they are others than those that are trained.
    network: Option<Lanes>,
    parts: Vec<Part>,
    workers: Vec<Worker>,
}

/// All that a training changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    /// The weights that the next step starts from.
    pub weights: Lanes,
    pub optimiser: Adam,
    /// The mean of the weights after some of the last steps; empty before the first of them.
    pub average: Lanes,
    /// How many steps that is.
    pub averaged: u64,
}

impl State {
    /// The beginning of a training with these weights.
    pub fn new(weights: Lanes, shape: Shape) -> State {
        State { weights, optimiser: Adam::new(shape), average: Lanes(Vec::new()), averaged: 0 }
    }

    /// What has been trained: the average, if one has begun.
    pub fn trained(&self) -> &Lanes {
        if self.averaged > 0 { &self.average } else { &self.weights }
    }

    /// The same.
    pub fn into_trained(self) -> Lanes {
        if self.averaged > 0 { self.average } else { self.weights }
    }

    /// The weights of the net.
    pub fn net_weights(&self, shape: Shape) -> Cow<'_, Lanes> {
        let trained = self.trained();
        if shape.is_factorised() { Cow::Owned(with_shared(shape, trained)) } else { Cow::Borrowed(trained) }
    }

    /// Takes the weights into the average.
    fn add_to_average(&mut self) {
        if self.averaged == 0 {
            self.average = Lanes::zeros(self.weights.0.len());
        }
        self.averaged += 1;
        let share = 1.0 / self.averaged as f32;
        for (mean, weights) in self.average.0.iter_mut().zip(&self.weights.0) {
            mean.0.iter_mut().zip(&weights.0).for_each(|(mean, weight)| *mean += share * (weight - *mean));
        }
    }
}

/// The weights of the net that these trained ones make.
fn with_shared(shape: Shape, trained: &Lanes) -> Lanes {
    let mut network = Lanes::zeros(shape.lanes());
    shape.add_shared(&trained.0, &mut network.0);
    network
}

/// What a thread needs for itself.
#[derive(Debug)]
struct Worker {
    block: Block,
    records: Vec<Record>,
}

/// One part's share of the gradient.
#[derive(Debug)]
struct Part {
    gradient: Lanes,
    loss: f64,
}

/// Errors over held-out positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validation {
    /// Mean loss under the objective of the moment, comparable with the training loss.
    pub loss: f64,
    /// Mean loss under the objective of the last step, comparable between moments.
    pub last_loss: f64,
    /// Mean squared error under the target of the last step, all positions alike: comparable between trainings
    /// whose targets end alike, whatever errors cost in them.
    pub squared: f64,
    /// The same with the expected result by the score alone as the target: comparable between all trainings with
    /// one scale and data.
    pub to_score: f64,
    /// The same with the result alone as the target, of positions that have one; not a number without such.
    pub to_result: f64,
}

impl Trainer {
    /// A network with random weights. At most [`PARTS`] threads are used, of large networks two, and at least one.
    pub fn new(settings: Settings, threads: usize) -> Trainer {
        let shape = settings.shape;
        let mut weights = Lanes::zeros(shape.trained_lanes());
        let mut random = SplitMix64::new(settings.seed, INIT);
        for feature in 0..FEATURES {
            for neuron in 0..shape.hidden {
                // All king buckets begin alike.
                let place = match shape.is_factorised() {
                    true => shape.shared_weight(feature, neuron),
                    false => shape.feature_weight(feature, neuron),
                };
                weights[place] = random.within(settings.start);
            }
        }
        for bucket in 0..if shape.layered { shape.buckets } else { 0 } {
            let Places { first, second, third, .. } = shape.places(bucket);
            for (lanes, inputs) in [(first, shape.hidden), (second, SECOND_INPUTS), (third, SECOND_LAYER)] {
                let bound = (inputs as f32).sqrt().recip();
                weights.0[lanes].iter_mut().for_each(|lane| lane.0 = lane.0.map(|_| random.within(bound)));
            }
        }
        if shape.layered {
            // A pair of neurons learns while both are at work.
            weights.0[shape.bias_lanes()].fill(Lane([FIRST_BIAS; LANE]));
        }
        let bound = ((2 * shape.hidden) as f32).sqrt().recip();
        for bucket in 0..if shape.layered { 0 } else { shape.buckets } {
            for half in 0..2 {
                for neuron in 0..shape.hidden {
                    weights[shape.output_weight(bucket, half, neuron)] = random.within(bound);
                }
            }
        }
        Trainer::with_state(settings, threads, State::new(weights, shape))
    }

    /// A network as an earlier training left it.
    pub(super) fn with_state(settings: Settings, threads: usize, state: State) -> Trainer {
        let shape = settings.shape;
        let parts = parts_for(shape);
        let threads = threads.clamp(1, parts);
        let part = || Part { gradient: Lanes::zeros(shape.lanes()), loss: 0.0 };
        let worker = || Worker { block: Block::new(shape), records: Vec::with_capacity(BLOCK) };
        Trainer {
            settings,
            threads,
            network: shape.is_factorised().then(|| with_shared(shape, &state.weights)),
            state,
            parts: (0..parts).map(|_| part()).collect(),
            workers: (0..threads).map(|_| worker()).collect(),
        }
    }

    /// What it is trained by.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.state.optimiser.steps
    }

    /// Positions seen so far, of a set of this size.
    pub fn samples(&self, positions: usize) -> u64 {
        let steps = self.settings.steps(positions);
        let (pass, step) = (self.state.optimiser.steps / steps, self.state.optimiser.steps % steps);
        pass * positions as u64 + share(0..positions, step as usize, steps as usize).start as u64
    }

    /// Takes the next step of the training on these records, and returns the mean loss before it.
    ///
    /// The steps of a pass share out a random order of all records, which depends on the seed and the
    /// pass only.
    pub fn step(&mut self, records: &[Record]) -> f64 {
        let steps = self.settings.steps(records.len());
        let number = self.steps();
        let order = Permutation::new(records.len() as u32, self.settings.seed, number / steps);
        let places = share(0..records.len(), (number % steps) as usize, steps as usize);
        let loss = self.step_on(records, &order, places, number);
        if self.settings.averages_at(number, records.len()) {
            self.state.add_to_average();
        }
        loss
    }

    fn step_on(&mut self, records: &[Record], order: &Permutation, places: Range<usize>, number: u64) -> f64 {
        let Settings { shape, decay, .. } = self.settings;
        let objective = self.settings.objective_at(self.settings.progress_at(number, records.len()));
        let rate = self.settings.rate_at(number, records.len());
        let State { weights, optimiser, .. } = &mut self.state;
        let (samples, parts) = (places.len(), self.parts.len());
        let queue = Mutex::new(self.parts.iter_mut().enumerate());
        let net = self.network.as_ref().unwrap_or(weights);
        let work = |worker: &mut Worker| {
            loop {
                // The lock must not be held while working.
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((number, part)) = next else { return };
                let places = share(places.clone(), number, parts);
                worker.add_up(net, records, order, places, objective, part);
            }
        };
        run_on_all(&mut self.workers, work);
        let gradients: Vec<&Lanes> = self.parts.iter().map(|part| &part.gradient).collect();
        optimiser.step(shape, weights, &gradients, samples, (rate, decay), self.threads);
        if let Some(network) = &mut self.network {
            shape.add_shared(&weights.0, &mut network.0);
        }
        self.parts.iter().map(|part| part.loss).sum::<f64>() / samples as f64
    }

    /// Mean loss over records that are not trained on; none without records.
    pub fn validate(&mut self, records: &[Record], objective: Objective) -> Option<Validation> {
        let last = self.settings.objective_at(1.0);
        let squared = last.squared();
        let (score, result) = (Objective { wdl: 0.0, ..squared }, Objective { wdl: 1.0, ..squared });
        let (mut sums, mut to_results, mut results) = ([0.0; 4], 0.0, 0);
        self.for_each_output(records, |record, output| {
            for (sum, objective) in sums.iter_mut().zip([objective, last, squared, score]) {
                *sum += objective.loss(output, record);
            }
            if record.half_points().is_some() {
                (to_results, results) = (to_results + result.loss(output, record), results + 1);
            }
        });
        let [loss, last_loss, squared, to_score] = sums.map(|sum| sum / records.len() as f64);
        let to_result = to_results / f64::from(results);
        (!records.is_empty()).then_some(Validation { loss, last_loss, squared, to_score, to_result })
    }

    /// Calls `f` with each record and the output for it, in units of the scale, of the net as it is now: of the
    /// averaged weights once there are some.
    pub fn for_each_output(&mut self, records: &[Record], mut f: impl FnMut(&Record, f32)) {
        const ROUND: usize = 64 * BLOCK;
        let weights = &*self.state.net_weights(self.settings.shape);
        let objective = self.settings.objective_at(1.0);
        let mut outputs = vec![0.0; records.len().min(ROUND)];
        for records in records.chunks(ROUND) {
            let outputs = &mut outputs[..records.len()];
            let queue = Mutex::new(records.chunks(BLOCK).zip(outputs.chunks_mut(BLOCK)));
            run_on_all(&mut self.workers, |worker| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((records, outputs)) = next else { return };
                    worker.block.load(records, objective);
                    worker.block.forward(weights);
                    outputs.copy_from_slice(worker.block.outputs());
                }
            });
            records.iter().zip(outputs).for_each(|(record, output)| f(record, *output));
        }
    }

    /// Share of the neurons that are at zero for both sides in all of these records.
    pub fn dead_neurons(&mut self, records: &[Record]) -> f64 {
        let mut active = vec![false; self.settings.shape.hidden];
        let objective = self.settings.objective_at(1.0);
        let weights = self.state.net_weights(self.settings.shape);
        let block = &mut self.workers[0].block;
        for records in records.chunks(BLOCK) {
            block.load(records, objective);
            block.forward(&weights);
            block.mark_active(&mut active);
        }
        active.iter().filter(|&&active| !active).count() as f64 / active.len() as f64
    }
}

impl Worker {
    /// Computes one part's gradient and loss, summed over these places of the order.
    fn add_up(
        &mut self,
        weights: &Lanes,
        records: &[Record],
        order: &Permutation,
        places: Range<usize>,
        objective: Objective,
        part: &mut Part,
    ) {
        part.gradient.0.fill(Lane::ZERO);
        part.loss = 0.0;
        for start in places.clone().step_by(BLOCK) {
            let end = (start + BLOCK).min(places.end);
            self.records.clear();
            // Each is a cache miss; without other work in between, they overlap.
            self.records.extend((start..end).map(|place| records[order.at(place as u32) as usize]));
            self.block.load(&self.records, objective);
            self.block.forward(weights);
            part.loss += self.block.backward(weights, &mut part.gradient);
        }
    }
}

/// Runs `work` for every worker, on a thread for each but the first.
fn run_on_all(workers: &mut [Worker], work: impl Fn(&mut Worker) + Sync) {
    let Some((own, others)) = workers.split_first_mut() else { return };
    std::thread::scope(|scope| {
        for worker in others {
            scope.spawn(|| work(worker));
        }
        work(own);
    });
}

/// Piece number `number` of `count` nearly equal pieces of a range.
fn share(range: Range<usize>, number: usize, count: usize) -> Range<usize> {
    let at = |number: usize| range.start + (range.len() as u64 * number as u64 / count as u64) as usize;
    at(number)..at(number + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::checkpoint::Checkpoint;
    use crate::training::history::History;
    use crate::training::objective::{Cost, Curve};
    use crate::training::samples::{material_records, settings};
    use crate::training::settings::Schedule;

    /// The trainer after so many steps, and the losses on the way.
    fn trained(settings: Settings, threads: usize, records: &[Record], steps: usize) -> (Trainer, Vec<f64>) {
        let mut trainer = Trainer::new(settings, threads);
        let losses = (0..steps).map(|_| trainer.step(records)).collect();
        (trainer, losses)
    }

    #[test]
    fn the_net_depends_on_the_seed_but_not_on_threads() {
        let records = material_records(31, 5000);
        let kings = Settings { shape: Shape { king_buckets: 4, ..settings(64, 8).shape }, ..settings(64, 8) };
        let layers =
            Settings { shape: Shape { layered: true, ..settings(128, 8).shape }, ..settings(128, 8) };
        for settings in [settings(32, 8), settings(64, 1), settings(768, 8), kings, layers] {
            let (one, losses) = trained(settings, 1, &records, 25);
            for threads in [1, 3] {
                let (other, other_losses) = trained(settings, threads, &records, 25);
                assert!(
                    one.state.weights == other.state.weights && losses == other_losses,
                    "{threads} threads"
                );
            }
            let (other, _) = trained(Settings { seed: 2, ..settings }, 1, &records, 25);
            assert!(one.state.weights != other.state.weights);
        }
    }

    #[test]
    fn a_resumed_training_ends_like_an_uninterrupted_one() {
        let records = material_records(32, 3000);
        let settings = settings(32, 1);
        let steps = 2 * settings.steps(records.len()) as usize;
        let (whole, _) = trained(settings, 1, &records, 2 * steps);
        let (half, _) = trained(settings, 1, &records, steps);
        let checkpoint = Checkpoint::new(&half, 1, &History::default());
        let (mut resumed, _) = checkpoint.resume(settings, 1, 2).unwrap();
        for _ in 0..steps {
            resumed.step(&records);
        }
        assert!(whole.state == resumed.state);
    }

    #[test]
    fn material_is_learnt() {
        let records = material_records(33, 24_000);
        let (unseen, records) = records.split_at(4000);
        // With king buckets there is more to learn, and few of these positions have a king in some of them.
        for (king_buckets, buckets, passes, most) in
            [(1, 1, 12, 0.002), (1, 8, 12, 0.002), (4, 8, 18, 0.0025)]
        {
            let shape = Shape { king_buckets, ..settings(32, buckets).shape };
            let settings = Settings { shape, wdl: 0.0, last_wdl: 0.0, passes, ..settings(32, buckets) };
            let mut trainer = Trainer::new(settings, 1);
            let objective = settings.objective_at(1.0);
            let before = trainer.validate(unseen, objective).unwrap();
            assert!(before.loss > 0.03, "{before:?}");
            let steps = settings.steps(records.len()) * u64::from(settings.passes);
            for _ in 0..steps {
                trainer.step(records);
            }
            let after = trainer.validate(unseen, objective).unwrap();
            assert!(after.loss < most && after.loss == after.last_loss, "{after:?}, before {before:?}");
            assert!(trainer.dead_neurons(unseen) < 0.05, "{}", trainer.dead_neurons(unseen));
        }
    }

    #[test]
    fn positions_of_no_weight_teach_nothing() {
        // The odd ones have the wrong sign, and a ply that does not count.
        let records: Vec<Record> = (0..)
            .zip(material_records(37, 12_000))
            .map(|(number, record)| {
                let sign = if number % 2 == 0 { 1 } else { -1 };
                record.with_labels(sign * record.score(), 1).with_ply(if number % 2 == 0 { 30 } else { 16 })
            })
            .collect();
        let ply: Curve = "16:0,26:1".parse().unwrap();
        let plain = Settings { wdl: 0.0, last_wdl: 0.0, passes: 8, ..settings(32, 1) };
        let weighted = Settings { cost: Cost { ply, ..Cost::SQUARE }, ..plain };
        let right: Vec<Record> = records.iter().copied().step_by(2).collect();
        let error = |settings: Settings| {
            let (mut trainer, _) = trained(settings, 1, &records, settings.all_steps(12_000) as usize);
            let found = trainer.validate(&right, settings.objective_at(1.0)).unwrap();
            assert_eq!(found.squared, found.to_score);
            found.squared
        };
        let (with, without) = (error(weighted), error(plain));
        assert!(with < 0.001 && without > 10.0 * with, "{with} {without}");
    }

    #[test]
    fn errors_are_comparable_between_trainings() {
        let records = material_records(38, 3000);
        let cost = Cost { exponent: 2.5, asymmetry: 0.2, pieces: "2:0.5".parse().unwrap(), ply: Curve::ONE };
        let mut found = [Cost::SQUARE, cost].map(|cost| {
            let settings = Settings { cost, ..settings(32, 8) };
            Trainer::new(settings, 1).validate(&records, settings.objective_at(0.5)).unwrap()
        });
        assert_eq!(found[0].last_loss, found[0].squared);
        assert!(found[1].last_loss < 0.5 * found[1].squared);
        (found[1].loss, found[1].last_loss) = (found[0].loss, found[0].last_loss);
        assert_eq!(found[0], found[1]);
        assert!(found[0].to_score != found[0].to_result);
    }

    #[test]
    fn every_position_is_seen_once_in_a_pass() {
        // Nothing is learnt, so the losses of a pass are those of all records, whose losses differ.
        let settings = Settings { schedule: STILL, wdl: 0.3, last_wdl: 0.3, passes: 2, ..settings(32, 1) };
        for positions in [1, 255, 256, 767, 768, 5000] {
            let records = material_records(34, positions);
            let mut trainer = Trainer::new(settings, 1);
            let all = trainer.validate(&records, settings.objective_at(0.0)).unwrap().loss;
            let steps = settings.steps(positions) as usize;
            let sum: f64 = (0..steps)
                .map(|step| trainer.step(&records) * share(0..positions, step, steps).len() as f64)
                .sum();
            assert!((sum / positions as f64 / all - 1.0).abs() < 1e-9, "{positions}: {sum} {all}");
        }
    }

    #[test]
    fn batches_share_out_the_positions() {
        let settings = settings(32, 1);
        let trainer = Trainer::new(settings, 1);
        for positions in [1, 255, 256, 767, 768, 5000] {
            let steps = settings.steps(positions);
            let mut next = 0;
            for step in 0..steps {
                let batch = share(0..positions, step as usize, steps as usize);
                assert_eq!(batch.start, next);
                assert!(batch.len() <= settings.batch * 3 / 2 && !batch.is_empty());
                for part in 0..PARTS {
                    let part = share(batch.clone(), part, PARTS);
                    assert_eq!(part.start, next);
                    next = part.end;
                }
            }
            assert_eq!(next, positions);
            assert_eq!(trainer.samples(positions), 0);
        }
    }

    #[test]
    fn schedules() {
        let settings = settings(32, 1);
        let Schedule { rate, last_rate, .. } = settings.schedule;
        // 4 passes of 3 steps: the first has the first rate, the last the last one.
        assert_eq!([0, 11].map(|step| settings.rate_at(step, 1536)), [rate, last_rate]);
        let odd = Settings { passes: 3, ..settings };
        assert!((odd.rate_at(4, 1536) - (rate + last_rate) / 2.0).abs() < 1e-8);
        let only = Settings { passes: 1, ..settings };
        assert_eq!(only.rate_at(0, 1), rate);
        // Four steps of warm-up lead to the cosine.
        let warm = Settings { schedule: Schedule { warmup: 4, ..settings.schedule }, ..settings };
        for (step, share) in [(0, 0.25), (1, 0.5), (2, 0.75), (3, 1.0), (4, 1.0), (11, 1.0)] {
            assert!((warm.rate_at(step, 1536) - share * settings.rate_at(step, 1536)).abs() < 1e-8, "{step}");
        }
        assert_eq!([0.0, 0.5, 1.0].map(|progress| settings.objective_at(progress).wdl), [0.2, 0.3, 0.4]);
    }

    /// A rate at which nothing moves.
    const STILL: Schedule = Schedule { rate: 0.0, last_rate: 0.0, warmup: 0 };

    #[test]
    fn the_net_is_the_average_of_the_last_steps() {
        let records = material_records(35, 2000);
        // 4 passes of 4 steps.
        let settings = settings(32, 1);
        let averaging = Settings { average: 0.25, ..settings };
        let mut sums = vec![0.0; settings.shape.lanes() * crate::training::shape::LANE];
        for steps in 13..=16 {
            let (plain, _) = trained(settings, 1, &records, steps);
            assert!(plain.state.trained() == &plain.state.weights);
            sums.iter_mut().zip(plain.state.weights.floats()).for_each(|(sum, weight)| *sum += weight);
        }
        let (twelve, _) = trained(averaging, 1, &records, 12);
        assert_eq!(twelve.state.averaged, 0);
        let (all, _) = trained(averaging, 1, &records, 16);
        assert_eq!(all.state.averaged, 4);
        assert!(all.state.weights == trained(settings, 1, &records, 16).0.state.weights);
        for (mean, sum) in all.state.trained().floats().zip(&sums) {
            assert!((mean - sum / 4.0).abs() < 1e-6, "{mean} {}", sum / 4.0);
        }
        // An interruption within the averaged steps does not show.
        let (fourteen, _) = trained(averaging, 1, &records, 14);
        let checkpoint = Checkpoint::new(&fourteen, 1, &History::default());
        let (mut resumed, _) = checkpoint.resume(averaging, 1, 1).unwrap();
        resumed.step(&records);
        resumed.step(&records);
        assert!(resumed.state == all.state);
    }

    #[test]
    fn another_training_begins_with_the_net_of_a_checkpoint() {
        let records = material_records(36, 3000);
        let first = Settings { average: 0.5, ..settings(32, 8) };
        let (trainer, _) = trained(first, 1, &records, first.all_steps(3000) as usize);
        let net = trainer.state.trained().clone();
        assert!(net != trainer.state.weights);
        let checkpoint = Checkpoint::new(&trainer, 1, &History::default());
        let second = Settings { passes: 1, batch: 100, seed: 9, ..settings(32, 8) };
        let begun = checkpoint.clone().begin(second, 1).unwrap();
        assert!(begun.state == State::new(net.clone(), second.shape) && begun.settings == second);
        let with_kings = Settings { shape: Shape { king_buckets: 4, ..second.shape }, ..second };
        let mut kings = checkpoint.clone().begin(with_kings, 1).unwrap();
        let values = |trainer: &mut Trainer| {
            let mut values = Vec::new();
            trainer.for_each_output(&records, |_, output| values.push(output));
            values
        };
        let both =
            values(&mut kings).into_iter().zip(values(&mut checkpoint.clone().begin(second, 1).unwrap()));
        assert!(both.into_iter().all(|(with, without)| (with - without).abs() < 1e-5));
        let error = checkpoint.begin(Settings { shape: settings(64, 8).shape, ..second }, 1).unwrap_err();
        assert_eq!(error.to_string(), "the training was begun with --hidden 32, not 64");
        // It goes on from there rather than from anew: at a small rate the loss stays what it was.
        let gentle = Schedule { rate: 1e-5, last_rate: 1e-5, warmup: 5 };
        let gentle = Settings { schedule: gentle, wdl: first.last_wdl, ..second };
        let mut begun = Trainer::with_state(gentle, 1, State::new(net, second.shape));
        let before = begun.validate(&records, gentle.objective_at(1.0)).unwrap().loss;
        for _ in 0..gentle.all_steps(3000) {
            begun.step(&records);
        }
        let after = begun.validate(&records, gentle.objective_at(1.0)).unwrap().loss;
        assert!(after <= before && after > 0.8 * before, "{before}, then {after}");
    }

    #[test]
    fn nothing_held_out() {
        let mut trainer = Trainer::new(settings(32, 1), 1);
        assert_eq!(trainer.validate(&[], settings(32, 1).objective_at(0.0)), None);
    }
}

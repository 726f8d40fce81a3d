//! Forward and backward pass over a block of positions: where all the time goes.
//!
//! The first layer is a sum of some 24 rows for each of two perspectives, so the work is moving rows
//! through the caches, not arithmetic. Three things keep it close to them:
//!
//! - The hidden layer is cut into slices of 64 neurons. A slice of the weights is 192 KiB for each king bucket and
//!   stays in the second-level cache while all positions of the block use it; a row of it fits in registers.
//! - Going back, the features of the block are sorted (by counting), and for each feature the gradients
//!   of the perspectives that have it are summed in registers. Adding each position's gradient to each
//!   of its rows would read and write a row where this only reads one.
//! - A block is small enough for its accumulators to be still in the cache on the way back.

use super::layers::LayerPass;
use super::objective::{Cost, Objective};
use super::record::Record;
use super::shape::{BLOCK, LANE, Lane, Lanes, Shape};

/// Most pieces on a board.
const PIECES: usize = 32;

/// Positions on their way through the network, with room for all that lies between.
///
/// The two perspectives of position `i` are the rows `2 * i` (own) and `2 * i + 1` (enemy).
#[derive(Debug)]
pub(super) struct Block {
    shape: Shape,
    /// Number of positions.
    len: usize,
    /// Where the pieces of each position start in `features`, and the end of the last.
    starts: Vec<usize>,
    /// Features of each piece from the own and the enemy's perspective.
    features: Vec<[u16; 2]>,
    /// Output bucket of each position.
    buckets: Vec<usize>,
    /// Target of each position.
    targets: Vec<f32>,
    /// Weight of each position.
    weights: Vec<f32>,
    /// What errors cost.
    cost: Cost,
    /// What the slices have given to each output so far, not yet summed across the lane: that sum, in
    /// the midst of the other work, keeps the compiler from using whole vectors for either.
    output_sums: Vec<Lane>,
    /// The layers behind the accumulators, if there are any.
    layers: Option<LayerPass>,
    /// Output of the network for each position.
    outputs: Vec<f32>,
    /// Slope of the loss towards each output.
    slopes: Vec<f32>,
    /// `[slice][row]`: the accumulators; on the way back, their gradients.
    accumulators: Lanes,
    /// All rows, sorted by feature.
    sorted_rows: Vec<u16>,
    /// Where the rows of each feature start in `sorted_rows`, and the end of the last.
    feature_starts: Vec<usize>,
}

impl Block {
    /// An empty block for networks of this shape.
    pub fn new(shape: Shape) -> Block {
        Block {
            shape,
            len: 0,
            starts: Vec::with_capacity(BLOCK + 1),
            features: Vec::with_capacity(BLOCK * PIECES),
            buckets: Vec::with_capacity(BLOCK),
            targets: Vec::with_capacity(BLOCK),
            weights: Vec::with_capacity(BLOCK),
            cost: Cost::SQUARE,
            output_sums: Vec::with_capacity(BLOCK),
            layers: shape.layered.then(|| LayerPass::new(shape)),
            outputs: Vec::with_capacity(BLOCK),
            slopes: Vec::with_capacity(BLOCK),
            accumulators: Lanes::zeros(2 * BLOCK * shape.hidden_lanes()),
            sorted_rows: vec![0; 2 * BLOCK * PIECES],
            feature_starts: vec![0; shape.inputs() + 2],
        }
    }

    /// Replaces the positions. At most [`BLOCK`] are taken.
    pub fn load(&mut self, records: &[Record], objective: Objective) {
        self.starts.clear();
        self.features.clear();
        self.buckets.clear();
        self.targets.clear();
        self.weights.clear();
        self.cost = objective.cost;
        self.starts.push(0);
        for record in &records[..records.len().min(BLOCK)] {
            record.for_each_feature(self.shape.king_buckets, |own, enemy| self.features.push([own, enemy]));
            self.starts.push(self.features.len());
            self.buckets.push(self.shape.bucket(record.piece_count()));
            self.targets.push(objective.target(record));
            self.weights.push(objective.cost.weight(record));
        }
        self.len = self.targets.len();
    }

    /// Outputs of the last forward pass, in units of the scale.
    pub fn outputs(&self) -> &[f32] {
        &self.outputs
    }

    /// Marks the neurons, of either perspective, that the last forward pass found at work.
    pub fn mark_active(&self, active: &mut [bool]) {
        let width = self.shape.row_lanes() * LANE;
        let rows = 2 * self.len * self.shape.row_lanes();
        let slices = self.accumulators.0.chunks_exact(2 * BLOCK * self.shape.row_lanes());
        for (slice, active) in slices.zip(active.chunks_exact_mut(width)) {
            for (index, lane) in slice[..rows].iter().enumerate() {
                let first = index % self.shape.row_lanes() * LANE;
                for (active, &value) in active[first..first + LANE].iter_mut().zip(&lane.0) {
                    *active |= value > 0.0;
                }
            }
        }
    }

    /// Computes the outputs.
    pub fn forward(&mut self, weights: &Lanes) {
        self.output_sums.clear();
        self.output_sums.resize(self.len, Lane::ZERO);
        match self.shape.row_lanes() {
            4 => self.forward_slices::<4>(weights),
            _ => self.forward_slices::<2>(weights),
        }
        if let Some(layers) = &mut self.layers {
            return layers.forward(weights, &self.accumulators, &self.buckets, &mut self.outputs);
        }
        let biases = &weights.0[self.shape.output_bias_lane()].0;
        let sums = self.output_sums.iter().zip(&self.buckets);
        self.outputs.clear();
        self.outputs.extend(sums.map(|(sum, &bucket)| biases[bucket] + sum.sum()));
    }

    /// Computes the gradient of the summed loss, adds it to `gradient`, and returns that loss. Follows
    /// [`Block::forward`] with the same weights, and uses up what that has left.
    pub fn backward(&mut self, weights: &Lanes, gradient: &mut Lanes) -> f64 {
        let mut total = 0.0;
        self.slopes.clear();
        let positions = self.outputs.iter().zip(&self.targets).zip(&self.weights).zip(&self.buckets);
        for (((&output, &target), &weight), &bucket) in positions {
            let (loss, slope) = self.cost.loss_and_slope(output, target, weight);
            total += f64::from(loss);
            self.slopes.push(slope);
            gradient[self.shape.output_bias(bucket)] += slope;
        }
        self.sort_features();
        if let Some(layers) = &mut self.layers {
            layers.backward(weights, gradient, &self.slopes, &mut self.accumulators);
        }
        match self.shape.row_lanes() {
            4 => self.backward_slices::<4>(weights, gradient),
            _ => self.backward_slices::<2>(weights, gradient),
        }
        total
    }

    /// `N` is the number of lanes of a row in a slice.
    fn forward_slices<const N: usize>(&mut self, weights: &Lanes) {
        let shape = self.shape;
        let biases = rows::<N>(&weights.0[shape.bias_lanes()]);
        let output_weights = rows::<N>(&weights.0[shape.output_lanes()]);
        let slices = self.accumulators.0.chunks_exact_mut(2 * BLOCK * N);
        for (slice, accumulators) in slices.enumerate() {
            let feature_weights = rows::<N>(&weights.0[shape.slice_lanes(slice)]);
            let (accumulators, _) = accumulators.as_chunks_mut::<N>();
            for (index, pair) in accumulators.as_chunks_mut::<2>().0.iter_mut().take(self.len).enumerate() {
                let features = &self.features[self.starts[index]..self.starts[index + 1]];
                *pair = accumulate(&biases[slice], feature_weights, features);
                if shape.layered {
                    continue;
                }
                let row = 2 * self.buckets[index] * shape.slices() + slice;
                for (half, accumulator) in pair.iter().enumerate() {
                    let weights = &output_weights[row + half * shape.slices()];
                    add_activated(&mut self.output_sums[index], accumulator, weights);
                }
            }
        }
    }

    fn backward_slices<const N: usize>(&mut self, weights: &Lanes, gradient: &mut Lanes) {
        let shape = self.shape;
        let output_weights = rows::<N>(&weights.0[shape.output_lanes()]);
        let slices = self.accumulators.0.chunks_exact_mut(2 * BLOCK * N);
        for (slice, accumulators) in slices.enumerate() {
            let (accumulators, _) = accumulators.as_chunks_mut::<N>();
            let output_gradients = rows_mut::<N>(&mut gradient.0[shape.output_lanes()]);
            let mut bias_gradient = [Lane::ZERO; N];
            for (row, accumulator) in accumulators.iter_mut().take(2 * self.len).enumerate() {
                if !shape.layered {
                    let (index, half) = (row / 2, row % 2);
                    let output_row = (2 * self.buckets[index] + half) * shape.slices() + slice;
                    let weights = &output_weights[output_row];
                    let gradients = &mut output_gradients[output_row];
                    back_through_activation(accumulator, weights, gradients, self.slopes[index]);
                }
                add_row(&mut bias_gradient, accumulator);
            }
            let biases = rows_mut::<N>(&mut gradient.0[shape.bias_lanes()]);
            for (sum, lane) in biases[slice].iter_mut().zip(&bias_gradient) {
                sum.add(lane);
            }
            let feature_gradients = rows_mut::<N>(&mut gradient.0[shape.slice_lanes(slice)]);
            for (feature, gradient_row) in feature_gradients.iter_mut().enumerate() {
                let range = self.feature_starts[feature]..self.feature_starts[feature + 1];
                if !range.is_empty() {
                    add_rows(gradient_row, accumulators, &self.sorted_rows[range]);
                }
            }
        }
    }

    /// Lists, feature by feature, the rows that have it.
    fn sort_features(&mut self) {
        // Counts are kept two places up, so that after adding up, `feature_starts[feature + 1]` is where
        // the next row of `feature` goes; when all are placed it is the end of them.
        self.feature_starts.fill(0);
        for &feature in self.features.as_flattened() {
            self.feature_starts[usize::from(feature) + 2] += 1;
        }
        let mut sum = 0;
        for start in &mut self.feature_starts {
            sum += *start;
            *start = sum;
        }
        for index in 0..self.len {
            for pair in &self.features[self.starts[index]..self.starts[index + 1]] {
                for (half, &feature) in pair.iter().enumerate() {
                    let place = &mut self.feature_starts[usize::from(feature) + 1];
                    self.sorted_rows[*place] = (2 * index + half) as u16;
                    *place += 1;
                }
            }
        }
    }
}

/// The lanes as rows of `N`.
fn rows<const N: usize>(lanes: &[Lane]) -> &[[Lane; N]] {
    lanes.as_chunks::<N>().0
}

/// The lanes as rows of `N`.
fn rows_mut<const N: usize>(lanes: &mut [Lane]) -> &mut [[Lane; N]] {
    lanes.as_chunks_mut::<N>().0
}

/// The accumulators of both perspectives of a position.
#[inline(always)]
fn accumulate<const N: usize>(
    bias: &[Lane; N],
    weights: &[[Lane; N]],
    features: &[[u16; 2]],
) -> [[Lane; N]; 2] {
    let (mut own, mut enemy) = (*bias, *bias);
    for &[own_feature, enemy_feature] in features {
        let own_row = &weights[usize::from(own_feature)];
        let enemy_row = &weights[usize::from(enemy_feature)];
        add_row(&mut own, own_row);
        add_row(&mut enemy, enemy_row);
    }
    [own, enemy]
}

/// Adds the activated accumulator times the output weights to `sum`.
#[inline(always)]
fn add_activated<const N: usize>(sum: &mut Lane, accumulator: &[Lane; N], weights: &[Lane; N]) {
    for (lane, weights) in accumulator.iter().zip(weights) {
        for place in 0..LANE {
            let clipped = lane.0[place].clamp(0.0, 1.0);
            sum.0[place] += clipped * clipped * weights.0[place];
        }
    }
}

/// Turns an accumulator into its gradient and adds to the gradient of the output weights. `slope` is
/// that of the loss towards the output.
#[inline(always)]
fn back_through_activation<const N: usize>(
    accumulator: &mut [Lane; N],
    weights: &[Lane; N],
    weight_gradients: &mut [Lane; N],
    slope: f32,
) {
    for ((lane, weights), gradients) in accumulator.iter_mut().zip(weights).zip(weight_gradients) {
        for place in 0..LANE {
            let value = lane.0[place];
            let clipped = value.clamp(0.0, 1.0);
            gradients.0[place] += slope * clipped * clipped;
            // Below zero `clipped` makes it zero.
            let steepness = if value < 1.0 { 2.0 * clipped } else { 0.0 };
            lane.0[place] = slope * weights.0[place] * steepness;
        }
    }
}

/// Adds the named rows to `sum`.
#[inline(always)]
fn add_rows<const N: usize>(sum: &mut [Lane; N], all: &[[Lane; N]], named: &[u16]) {
    let mut total = *sum;
    for &row in named {
        add_row(&mut total, &all[usize::from(row)]);
    }
    *sum = total;
}

/// Adds a row of up to four lanes. As a loop, four lanes would be one too many for the compiler to keep
/// in registers from row to row.
#[inline(always)]
fn add_row<const N: usize>(sum: &mut [Lane; N], row: &[Lane; N]) {
    const { assert!(N == 2 || N == 4) }
    sum[0].add(&row[0]);
    sum[1].add(&row[1]);
    if N == 4 {
        sum[2].add(&row[2]);
        sum[3].add(&row[3]);
    }
}

//! Forward and backward pass through the layers behind the accumulators.
//!
//! ```text
//! c         = clamp(accumulator, 0, 1)
//! products  = c[0 .. H/2] * c[H/2 .. H], of the own half and then of the enemy's     H numbers
//! first     = products * weights + bias                                             16
//! second    = (clamp(first, 0, 1), min(first^2, 1)) * weights + bias                32
//! out       = clamp(second, 0, 1)^2 * weights + bias
//! ```
//!
//! Products of pairs of neurons halve the input of the first layer ("pairwise multiplication", Stockfish 2022), and
//! the two activations of its few outputs double the input of the second. Each output bucket has its own layers, so the
//! positions of a block are taken bucket by bucket: then the weights of one, 32 KiB at 512 neurons, serve several
//! positions at a time.

use std::ops::Range;

use super::shape::{BLOCK, LANE, Lane, Lanes, Places, SECOND_LANES, Shape};

/// Lanes of the input of the second layer: the two activations.
const ACTIVATIONS: usize = 2;
/// Positions that go through the first layer at a time, inputs that come back at a time: as many sums as hide how long
/// an addition takes.
const TILE: usize = 8;

/// Positions between accumulators and output.
#[derive(Debug)]
pub(super) struct LayerPass {
    shape: Shape,
    /// Positions sorted by output bucket.
    order: Vec<u16>,
    /// Where the positions of each bucket start in `order`, and the end of the last.
    starts: Vec<usize>,
    /// `[position][input of the first layer]`; on the way back, its gradient.
    products: Lanes,
    /// `[position]`: the first layer before activation; on the way back, its gradient.
    first: Vec<Lane>,
    /// `[position]`: the first layer after activation.
    activated: Vec<[Lane; ACTIVATIONS]>,
    /// `[position]`: the second layer before activation; on the way back, its gradient.
    second: Vec<[Lane; SECOND_LANES]>,
    /// Weights of the first layer, `[output][lane of inputs]`.
    first_by_output: Lanes,
    /// Weights of the second layer, `[output][lane of inputs]`.
    second_by_output: Vec<[Lane; ACTIVATIONS]>,
}

impl LayerPass {
    pub fn new(shape: Shape) -> LayerPass {
        LayerPass {
            shape,
            order: Vec::with_capacity(BLOCK),
            starts: Vec::with_capacity(shape.buckets + 1),
            products: Lanes::zeros(BLOCK * shape.hidden_lanes()),
            first: vec![Lane::ZERO; BLOCK],
            activated: vec![[Lane::ZERO; ACTIVATIONS]; BLOCK],
            second: vec![[Lane::ZERO; SECOND_LANES]; BLOCK],
            first_by_output: Lanes::zeros(LANE * shape.hidden_lanes()),
            second_by_output: vec![[Lane::ZERO; ACTIVATIONS]; SECOND_LANES * LANE],
        }
    }

    /// Computes the outputs from accumulators, which lie `[slice][position][half][lane]`, for positions of these
    /// output buckets.
    pub fn forward(
        &mut self,
        weights: &Lanes,
        accumulators: &Lanes,
        buckets: &[usize],
        outputs: &mut Vec<f32>,
    ) {
        self.sort(buckets);
        match self.shape.row_lanes() {
            4 => self.multiply::<4>(accumulators, buckets.len()),
            _ => self.multiply::<2>(accumulators, buckets.len()),
        }
        outputs.clear();
        outputs.resize(buckets.len(), 0.0);
        for bucket in 0..self.shape.buckets {
            let places = self.shape.places(bucket);
            let bias = weights[self.shape.output_bias(bucket)];
            let group = &self.order[self.starts[bucket]..self.starts[bucket + 1]];
            let lanes = self.shape.hidden_lanes();
            let (tiles, rest) = group.as_chunks::<TILE>();
            let first = |positions: &[u16; TILE]| {
                let inputs =
                    positions.map(|position| &self.products.0[usize::from(position) * lanes..][..lanes]);
                first_layer(&weights.0[places.first.clone()], &weights.0[places.first_bias], inputs)
            };
            for tile in tiles {
                for (&position, sums) in tile.iter().zip(first(tile)) {
                    self.first[usize::from(position)] = sums;
                }
            }
            if let Some(&last) = rest.last() {
                let mut tile = [last; TILE];
                tile[..rest.len()].copy_from_slice(rest);
                for (&position, sums) in tile.iter().zip(first(&tile)) {
                    self.first[usize::from(position)] = sums;
                }
            }
            for &position in group {
                let position = usize::from(position);
                self.activated[position] = activate(&self.first[position]);
                let second = second_layer(weights, &places, &self.activated[position]);
                self.second[position] = second;
                outputs[position] = bias + output(&weights.0[places.third.clone()], &second);
            }
        }
    }

    /// Turns the accumulators of the last forward pass into their gradients and adds to the gradient of the layers'
    /// weights. `slopes` are those of the loss towards the outputs.
    pub fn backward(
        &mut self,
        weights: &Lanes,
        gradient: &mut Lanes,
        slopes: &[f32],
        accumulators: &mut Lanes,
    ) {
        for bucket in 0..self.shape.buckets {
            let group = self.starts[bucket]..self.starts[bucket + 1];
            if !group.is_empty() {
                let places = self.shape.places(bucket);
                self.turn_weights(weights, &places);
                self.back_through_second(weights, gradient, &places, group.clone(), slopes);
                self.back_through_first(gradient, &places, group);
            }
        }
        match self.shape.row_lanes() {
            4 => self.back_through_products::<4>(accumulators, slopes.len()),
            _ => self.back_through_products::<2>(accumulators, slopes.len()),
        }
    }

    /// Sorts the positions by bucket, by counting.
    fn sort(&mut self, buckets: &[usize]) {
        self.starts.clear();
        self.starts.resize(self.shape.buckets + 1, 0);
        for &bucket in buckets {
            self.starts[bucket + 1] += 1;
        }
        for bucket in 0..self.shape.buckets {
            self.starts[bucket + 1] += self.starts[bucket];
        }
        let mut next = self.starts.clone();
        self.order.clear();
        self.order.resize(buckets.len(), 0);
        for (position, &bucket) in buckets.iter().enumerate() {
            self.order[next[bucket]] = position as u16;
            next[bucket] += 1;
        }
    }

    /// `N` is the number of lanes of a row in a slice.
    fn multiply<const N: usize>(&mut self, accumulators: &Lanes, positions: usize) {
        let rows = self.shape.slices() / 2;
        let (lower, upper) = accumulators.0.split_at(rows * 2 * BLOCK * N);
        let slices = lower.chunks_exact(2 * BLOCK * N).zip(upper.chunks_exact(2 * BLOCK * N));
        let (products, _) = self.products.0.as_chunks_mut::<N>();
        for (slice, (lower, upper)) in slices.enumerate() {
            let pairs = lower.as_chunks::<N>().0.iter().zip(upper.as_chunks::<N>().0);
            for (row, (a, b)) in pairs.take(2 * positions).enumerate() {
                for ((product, a), b) in products[row * rows + slice].iter_mut().zip(a).zip(b) {
                    for place in 0..LANE {
                        product.0[place] = a.0[place].clamp(0.0, 1.0) * b.0[place].clamp(0.0, 1.0);
                    }
                }
            }
        }
    }

    fn back_through_products<const N: usize>(&self, accumulators: &mut Lanes, positions: usize) {
        let rows = self.shape.slices() / 2;
        let (lower, upper) = accumulators.0.split_at_mut(rows * 2 * BLOCK * N);
        let slices = lower.chunks_exact_mut(2 * BLOCK * N).zip(upper.chunks_exact_mut(2 * BLOCK * N));
        let (slopes, _) = self.products.0.as_chunks::<N>();
        for (slice, (lower, upper)) in slices.enumerate() {
            let pairs = lower.as_chunks_mut::<N>().0.iter_mut().zip(upper.as_chunks_mut::<N>().0);
            for (row, (a, b)) in pairs.take(2 * positions).enumerate() {
                for ((a, b), slopes) in a.iter_mut().zip(b).zip(&slopes[row * rows + slice]) {
                    back_through_product(a, b, slopes);
                }
            }
        }
    }

    /// Lays the weights of a bucket out by outputs, as the way back needs them.
    fn turn_weights(&mut self, weights: &Lanes, places: &Places) {
        let lanes = self.shape.hidden_lanes();
        for (input, row) in weights.0[places.first.clone()].iter().enumerate() {
            for output in 0..LANE {
                self.first_by_output.0[output * lanes + input / LANE].0[input % LANE] = row.0[output];
            }
        }
        let (rows, _) = weights.0[places.second.clone()].as_chunks::<SECOND_LANES>();
        for (input, row) in rows.iter().enumerate() {
            for output in 0..SECOND_LANES * LANE {
                let weight = row[output / LANE].0[output % LANE];
                self.second_by_output[output][input / LANE].0[input % LANE] = weight;
            }
        }
    }

    /// From the outputs back to the first layer before activation, whose gradient replaces it.
    fn back_through_second(
        &mut self,
        weights: &Lanes,
        gradient: &mut Lanes,
        places: &Places,
        group: Range<usize>,
        slopes: &[f32],
    ) {
        for &position in &self.order[group.clone()] {
            let position = usize::from(position);
            let slope = slopes[position];
            let second = &mut self.second[position];
            for (lane, place) in second.iter_mut().zip(places.third.clone()) {
                back_through_square(lane, &weights.0[place], &mut gradient.0[place], slope);
            }
            for (lane, place) in second.iter().zip(places.second_bias.clone()) {
                gradient.0[place].add(lane);
            }
            let first = self.first[position];
            let mut slopes = [Lane::ZERO; ACTIVATIONS];
            for (output, row) in self.second_by_output.iter().enumerate() {
                add_times(&mut slopes, row, second[output / LANE].0[output % LANE]);
            }
            for (place, back) in self.first[position].0.iter_mut().enumerate() {
                let value = first.0[place];
                let plain = if value > 0.0 && value < 1.0 { slopes[0].0[place] } else { 0.0 };
                let square = if value.abs() < 1.0 { 2.0 * value * slopes[1].0[place] } else { 0.0 };
                *back = plain + square;
            }
            gradient.0[places.first_bias].add(&self.first[position]);
        }
        self.add_second_gradient(&mut gradient.0[places.second.clone()], group);
    }

    /// Adds to the gradient of the second layer's weights, some inputs at a time, whose sums stay in registers.
    fn add_second_gradient(&self, gradient: &mut [Lane], group: Range<usize>) {
        const INPUTS: usize = 4;
        let (rows, _) = gradient.as_chunks_mut::<SECOND_LANES>();
        for (number, rows) in rows.as_chunks_mut::<INPUTS>().0.iter_mut().enumerate() {
            let (lane, start) = (number * INPUTS / LANE, number * INPUTS % LANE);
            let mut sums = *rows;
            for &position in &self.order[group.clone()] {
                let position = usize::from(position);
                let inputs = &self.activated[position][lane].0;
                add_times(&mut sums[0], &self.second[position], inputs[start]);
                add_times(&mut sums[1], &self.second[position], inputs[start + 1]);
                add_times(&mut sums[2], &self.second[position], inputs[start + 2]);
                add_times(&mut sums[3], &self.second[position], inputs[start + 3]);
            }
            *rows = sums;
        }
    }

    /// From the first layer before activation back to the products, whose gradients replace them.
    fn back_through_first(&mut self, gradient: &mut Lanes, places: &Places, group: Range<usize>) {
        let lanes = self.shape.hidden_lanes();
        let (order, first) = (&self.order[group], &self.first);
        let (rows, _) = gradient.0[places.first.clone()].as_chunks_mut::<TILE>();
        for (number, rows) in rows.iter_mut().enumerate() {
            let (lane, start) = (number * TILE / LANE, number * TILE % LANE);
            // A copy, for the compiler to keep in registers.
            let mut sums = *rows;
            for &position in order {
                let position = usize::from(position);
                let inputs = &self.products.0[position * lanes + lane].0;
                add_multiples(&mut sums, |place| (&first[position], inputs[start + place]));
            }
            *rows = sums;
        }
        for &position in order {
            let position = usize::from(position);
            let (slopes, _) = self.products.0[position * lanes..][..lanes].as_chunks_mut::<TILE>();
            for (number, slopes) in slopes.iter_mut().enumerate() {
                let mut sums = [Lane::ZERO; TILE];
                for (row, slope) in self.first_by_output.0.chunks_exact(lanes).zip(first[position].0) {
                    add_multiples(&mut sums, |place| (&row[number * TILE + place], slope));
                }
                *slopes = sums;
            }
        }
    }
}

/// The first layer before activation, of several positions.
#[inline(always)]
fn first_layer(weights: &[Lane], bias: &Lane, inputs: [&[Lane]; TILE]) -> [Lane; TILE] {
    let mut sums = [*bias; TILE];
    for (lane, rows) in weights.as_chunks::<LANE>().0.iter().enumerate() {
        let inputs = inputs.map(|input| &input[lane]);
        for (place, row) in rows.iter().enumerate() {
            add_multiples(&mut sums, |position| (row, inputs[position].0[place]));
        }
    }
    sums
}

/// Both activations of the first layer.
#[inline(always)]
fn activate(first: &Lane) -> [Lane; ACTIVATIONS] {
    [first.0.map(|value| value.clamp(0.0, 1.0)), first.0.map(|value| (value * value).min(1.0))].map(Lane)
}

/// The second layer before activation.
#[inline(always)]
fn second_layer(weights: &Lanes, places: &Places, activated: &[Lane; ACTIVATIONS]) -> [Lane; SECOND_LANES] {
    let mut sums = [Lane::ZERO; SECOND_LANES];
    sums.copy_from_slice(&weights.0[places.second_bias.clone()]);
    for (input, row) in weights.0[places.second.clone()].as_chunks::<SECOND_LANES>().0.iter().enumerate() {
        add_times(&mut sums, row, activated[input / LANE].0[input % LANE]);
    }
    sums
}

/// The output without its bias.
#[inline(always)]
fn output(weights: &[Lane], second: &[Lane; SECOND_LANES]) -> f32 {
    let mut sum = Lane::ZERO;
    for (lane, weights) in second.iter().zip(weights) {
        for place in 0..LANE {
            let clipped = lane.0[place].clamp(0.0, 1.0);
            sum.0[place] += clipped * clipped * weights.0[place];
        }
    }
    sum.sum()
}

/// Turns a pair of neurons into their gradients.
#[inline(always)]
fn back_through_product(a: &mut Lane, b: &mut Lane, slopes: &Lane) {
    for place in 0..LANE {
        let (first, second, slope) = (a.0[place], b.0[place], slopes.0[place]);
        let within = |value: f32| if value > 0.0 && value < 1.0 { 1.0 } else { 0.0 };
        a.0[place] = slope * second.clamp(0.0, 1.0) * within(first);
        b.0[place] = slope * first.clamp(0.0, 1.0) * within(second);
    }
}

/// Turns neurons of the second layer into their gradient and adds to that of their weights.
#[inline(always)]
fn back_through_square(lane: &mut Lane, weights: &Lane, gradient: &mut Lane, slope: f32) {
    for place in 0..LANE {
        let value = lane.0[place];
        let clipped = value.clamp(0.0, 1.0);
        gradient.0[place] += slope * clipped * clipped;
        // Below zero `clipped` makes it zero.
        let steepness = if value < 1.0 { 2.0 * clipped } else { 0.0 };
        lane.0[place] = slope * weights.0[place] * steepness;
    }
}

/// Adds a multiple of a lane to each of several. As a loop, the compiler would take the same place of all lanes
/// together, from all over memory.
#[inline(always)]
fn add_multiples<'a>(sums: &mut [Lane; TILE], what: impl Fn(usize) -> (&'a Lane, f32)) {
    let mut add = |place: usize| {
        let (lane, times) = what(place);
        sums[place].add_times(lane, times);
    };
    add(0);
    add(1);
    add(2);
    add(3);
    add(4);
    add(5);
    add(6);
    add(7);
}

/// Adds a multiple of lanes to others.
#[inline(always)]
fn add_times<const N: usize>(sums: &mut [Lane; N], lanes: &[Lane; N], times: f32) {
    for (sum, lane) in sums.iter_mut().zip(lanes) {
        sum.add_times(lane, times);
    }
}

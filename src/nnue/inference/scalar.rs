//! The specification, in plain loops.

use super::{Block, LANES, LayerWeights, QA, activate_first, output};

/// See [`Kernels::update`](super::Kernels::update).
pub(super) fn update<const ADDED: usize, const REMOVED: usize>(
    to: &mut [Block],
    from: &[Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    to.copy_from_slice(from);
    for row in added {
        add(to, row);
    }
    for row in removed {
        subtract(to, row);
    }
}

/// See [`Kernels::refresh`](super::Kernels::refresh).
pub(super) fn refresh(
    cached: &mut [Block],
    to: &mut [Block],
    rows: &[Block],
    added: &[u16],
    removed: &[u16],
) {
    let length = cached.len();
    let row = |index: u16| &rows[usize::from(index) * length..][..length];
    for &index in added {
        add(cached, row(index));
    }
    for &index in removed {
        subtract(cached, row(index));
    }
    to.copy_from_slice(cached);
}

/// See [`Kernels::activate`](super::Kernels::activate).
pub(super) fn activate(
    own: &[Block],
    own_weights: &[Block],
    enemy: &[Block],
    enemy_weights: &[Block],
) -> i32 {
    half(own, own_weights) + half(enemy, enemy_weights)
}

fn half(neurons: &[Block], weights: &[Block]) -> i32 {
    let mut sum = 0;
    for (neurons, weights) in neurons.iter().zip(weights) {
        for (&neuron, &weight) in neurons.0.iter().zip(&weights.0) {
            let clamped = i32::from(neuron).clamp(0, QA);
            sum += clamped * clamped * i32::from(weight);
        }
    }
    sum
}

fn add(to: &mut [Block], row: &[Block]) {
    for (to, row) in to.iter_mut().zip(row) {
        for (number, &weight) in to.0.iter_mut().zip(&row.0) {
            *number = number.wrapping_add(weight);
        }
    }
}

fn subtract(to: &mut [Block], row: &[Block]) {
    for (to, row) in to.iter_mut().zip(row) {
        for (number, &weight) in to.0.iter_mut().zip(&row.0) {
            *number = number.wrapping_sub(weight);
        }
    }
}

/// See [`Kernels::layers`](super::Kernels::layers).
pub(super) fn layers(own: &[Block], enemy: &[Block], weights: &LayerWeights) -> i32 {
    let mut first = weights.first_bias;
    for (inputs, row) in products(own, enemy).as_chunks::<4>().0.iter().zip(&weights.first) {
        for (sum, weights) in first.iter_mut().zip(row.0.as_chunks::<4>().0) {
            for (&input, &weight) in inputs.iter().zip(weights) {
                *sum += input * i32::from(weight);
            }
        }
    }
    let mut second = weights.second_bias;
    for (inputs, halves) in activate_first(&first).as_chunks::<2>().0.iter().zip(&weights.second) {
        for (sums, half) in second.iter_mut().zip(halves) {
            for (sum, weights) in sums.iter_mut().zip(half.0.as_chunks::<2>().0) {
                for (&input, &weight) in inputs.iter().zip(weights) {
                    *sum += i32::from(input) * i32::from(weight);
                }
            }
        }
    }
    output(&second, weights)
}

/// The products of the pairs of neurons, those of the own half first.
fn products(own: &[Block], enemy: &[Block]) -> Vec<i32> {
    let mut products = Vec::with_capacity(own.len() * LANES);
    for side in [own, enemy] {
        let (first, second) = side.split_at(side.len() / 2);
        for (first, second) in first.iter().zip(second) {
            let clamped = |neuron: i16| i32::from(neuron).clamp(0, QA);
            products.extend(first.0.iter().zip(second.0).map(|(&a, b)| (clamped(a) * clamped(b) + 256) >> 9));
        }
    }
    products
}

//! The specification, in plain loops.

use super::Block;
use crate::nnue::QA;

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

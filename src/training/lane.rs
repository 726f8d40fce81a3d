//! Sixteen floats that fill a cache line.
//!
//! All numbers of the trainer are kept in these, because a vector load that straddles two cache lines
//! costs double, and a plain `Vec<f32>` starts anywhere. Loops over a lane have a fixed length, so the
//! compiler turns each into one or two vector instructions.

use std::ops::{Index, IndexMut};

/// Floats in a lane.
pub(super) const LANE: usize = 16;

/// Sixteen floats, aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lane(pub [f32; LANE]);

impl Lane {
    /// Zeros.
    pub const ZERO: Lane = Lane([0.0; LANE]);

    /// Adds the other lane to this one.
    #[inline(always)]
    pub fn add(&mut self, other: &Lane) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine += theirs;
        }
    }

    /// The sum of the sixteen numbers.
    #[inline(always)]
    pub fn sum(&self) -> f32 {
        let mut numbers = self.0;
        let mut half = LANE / 2;
        while half > 0 {
            for index in 0..half {
                numbers[index] += numbers[index + half];
            }
            half /= 2;
        }
        numbers[0]
    }
}

/// A row of lanes in which single floats can be addressed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lanes(pub Vec<Lane>);

impl Lanes {
    /// So many lanes of zeros.
    pub fn zeros(lanes: usize) -> Lanes {
        Lanes(vec![Lane::ZERO; lanes])
    }

    /// All floats in order.
    pub fn floats(&self) -> impl Iterator<Item = f32> {
        self.0.iter().flat_map(|lane| lane.0)
    }
}

impl Index<usize> for Lanes {
    type Output = f32;

    /// The float with this number, counted through all lanes.
    fn index(&self, float: usize) -> &f32 {
        &self.0[float / LANE].0[float % LANE]
    }
}

impl IndexMut<usize> for Lanes {
    fn index_mut(&mut self, float: usize) -> &mut f32 {
        &mut self.0[float / LANE].0[float % LANE]
    }
}

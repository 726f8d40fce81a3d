//! The base table of late move reductions.

use once_cell::sync::Lazy;

use super::params::{LMR_BASE, LMR_DIVISOR};
use crate::types::Depth;

/// Plies to reduce by, before adjustments. `[depth][move number]`, both capped at 63.
pub(super) struct ReductionTable([[u8; 64]; 64]);

impl ReductionTable {
    /// The table, built at first use. Searchers keep the reference, so a node pays no check.
    pub(super) fn get() -> &'static ReductionTable {
        static TABLE: Lazy<ReductionTable> = Lazy::new(|| {
            let mut table = [[0; 64]; 64];
            for (depth, row) in table.iter_mut().enumerate().skip(1) {
                for (number, plies) in row.iter_mut().enumerate().skip(1) {
                    let (depth, number) = (depth as f64, number as f64);
                    *plies = (LMR_BASE + depth.ln() * number.ln() / LMR_DIVISOR) as u8;
                }
            }
            ReductionTable(table)
        });
        &TABLE
    }

    /// The reduction for the `number`th move (from 1) at this depth.
    #[inline(always)]
    pub(super) fn plies(&self, depth: Depth, number: usize) -> Depth {
        Depth::from(self.0[depth.clamp(0, 63) as usize][number.min(63)])
    }
}

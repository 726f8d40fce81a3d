//! The base of late move reductions: it grows with the logarithms of depth and move number
//! (CPW: "Late Move Reductions").

use once_cell::sync::Lazy;

use super::params::Params;
use crate::types::Depth;

/// A reduction in 1024ths of a ply.
pub(super) type Reduction = i32;

/// One ply of reduction.
pub(super) const PLY: Reduction = 1024;

/// Products of logarithms, scaled by 1024. `[depth][move number]`, both capped at 63.
pub(super) struct LmrTable([[i32; 64]; 64]);

impl LmrTable {
    /// The table, built at first use. Threads keep the reference, so a node pays no check.
    pub(super) fn get() -> &'static LmrTable {
        static TABLE: Lazy<LmrTable> = Lazy::new(|| {
            let mut table = [[0; 64]; 64];
            for (depth, row) in table.iter_mut().enumerate().skip(1) {
                for (number, product) in row.iter_mut().enumerate().skip(1) {
                    *product = ((depth as f64).ln() * (number as f64).ln() * 1024.0) as i32;
                }
            }
            LmrTable(table)
        });
        &TABLE
    }

    /// The reduction of the `number`th move (from 1) before adjustments.
    #[inline(always)]
    pub(super) fn base(&self, p: &Params, depth: Depth, number: usize, quiet: bool) -> Reduction {
        let product = self.0[depth.clamp(0, 63) as usize][number.min(63)];
        let (base, factor) =
            if quiet { (p.lmr_base, p.lmr_factor) } else { (p.lmr_noisy_base, p.lmr_noisy_factor) };
        base + product * factor / 1024
    }
}

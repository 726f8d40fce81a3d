//! Late move reductions (CPW: "Late Move Reductions"): the base table and its adjustments.

use once_cell::sync::Lazy;

use super::facts::NodeFacts;
use super::history::QuietContext;
use super::params::Params;
use super::searcher::Searcher;
use crate::board::Position;
use crate::types::{Depth, Move};

/// A reduction in 1024ths of a ply.
type Reduction = i32;

/// One ply of reduction.
const PLY: Reduction = 1024;

/// Products of logarithms, scaled by 1024. `[depth][move number]`, both capped at 63.
pub(super) struct LogTable([[i32; 64]; 64]);

impl LogTable {
    /// The table, built at first use. Searchers keep the reference, so a node pays no check.
    pub(super) fn get() -> &'static LogTable {
        static TABLE: Lazy<LogTable> = Lazy::new(|| {
            let mut table = [[0; 64]; 64];
            for (depth, row) in table.iter_mut().enumerate().skip(1) {
                for (number, product) in row.iter_mut().enumerate().skip(1) {
                    *product = ((depth as f64).ln() * (number as f64).ln() * 1024.0) as i32;
                }
            }
            LogTable(table)
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

impl Searcher {
    /// By how many plies a late move is searched less deeply.
    #[inline(always)]
    pub(super) fn reduction(
        &self,
        position: &Position,
        child: &Position,
        facts: &NodeFacts,
        context: &QuietContext,
        mv: Move,
        number: usize,
    ) -> Depth {
        let p = self.params();
        let mut r = self.log_table.base(&p, facts.depth, number, mv.is_quiet());
        r -= p.lmr_pv * i32::from(facts.tt_pv);
        r += p.lmr_cut_node * i32::from(facts.cut_node);
        r += p.lmr_improving * i32::from(!facts.improving);
        r -= p.lmr_check * i32::from(child.in_check());
        r += p.lmr_cutoffs * i32::from(self.stack[facts.ply + 1].cutoffs as i32 > p.cutoffs_many);
        r -= p.lmr_correction * facts.correction;
        if facts.ply == 0 {
            // What is overlooked here is not found elsewhere in the tree.
            r -= p.lmr_root + p.lmr_root_forcing * i32::from(mv.is_noisy() || child.in_check());
        }
        if mv.is_quiet() {
            r += p.lmr_tt_noisy * i32::from(facts.tt_move.is_some_and(Move::is_noisy));
            let merit = position
                .piece_on(mv.from())
                .map_or(0, |piece| self.histories.quiet_merit(context, piece, mv));
            r -= merit * PLY / p.lmr_history;
        } else {
            r -= self.histories.capture.get(position, mv) * PLY / p.lmr_capture_history;
        }
        // Rounded towards zero: less than a ply is no change.
        r / PLY
    }
}

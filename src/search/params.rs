//! The constants of the search, in one place. Margins are in centipawns, depths in plies.

use crate::types::Depth;

/// Half width of the first aspiration window.
pub(super) const ASPIRATION_WINDOW: i32 = 20;
/// Depth from which aspiration windows are used.
pub(super) const ASPIRATION_MIN_DEPTH: Depth = 5;

/// Reverse futility pruning: deepest node and margin per ply.
pub(super) const RFP_MAX_DEPTH: Depth = 8;
pub(super) const RFP_MARGIN: i32 = 80;

/// Null move pruning: shallowest node, base reduction, depth divisor, evaluation divisor.
pub(super) const NMP_MIN_DEPTH: Depth = 3;
pub(super) const NMP_BASE: Depth = 3;
pub(super) const NMP_DEPTH_DIVISOR: Depth = 3;
pub(super) const NMP_EVAL_DIVISOR: i32 = 200;

/// Late move pruning: deepest node; the move count limit is base + depth squared.
pub(super) const LMP_MAX_DEPTH: Depth = 8;
pub(super) const LMP_BASE: i32 = 3;

/// Futility pruning: deepest node, base margin and margin per ply.
pub(super) const FUTILITY_MAX_DEPTH: Depth = 7;
pub(super) const FUTILITY_BASE: i32 = 100;
pub(super) const FUTILITY_MARGIN: i32 = 90;

/// SEE pruning: deepest node, margin per ply for quiet moves and per squared ply for noisy ones.
pub(super) const SEE_MAX_DEPTH: Depth = 8;
pub(super) const SEE_QUIET_MARGIN: i32 = 60;
pub(super) const SEE_NOISY_MARGIN: i32 = 25;

/// Late move reductions: shallowest node, and base and divisor of the logarithmic table.
pub(super) const LMR_MIN_DEPTH: Depth = 3;
pub(super) const LMR_BASE: f64 = 0.8;
pub(super) const LMR_DIVISOR: f64 = 2.3;
/// History score worth one ply of reduction.
pub(super) const LMR_HISTORY_DIVISOR: i32 = 8192;

/// Quiescence futility: what a capture may add beyond the captured piece.
pub(super) const QS_FUTILITY_MARGIN: i32 = 150;

/// Past this fifty-move count table scores no longer cut off, since they ignore the count.
pub(super) const TT_MAX_HALFMOVE_CLOCK: u16 = 90;

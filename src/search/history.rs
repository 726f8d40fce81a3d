//! What the search has learnt about moves.

use crate::types::{Color, Depth, Move, Piece, Square};

/// Largest absolute history score.
pub(super) const HISTORY_MAX: i32 = 16_384;

/// A score that drifts towards bonuses and loses a share of itself in proportion to them, so that it
/// stays within bounds and old lessons fade (CPW: "History Heuristic", gravity).
#[derive(Clone, Copy, Default)]
struct HistoryValue(i16);

impl HistoryValue {
    #[inline(always)]
    fn update(&mut self, bonus: i32) {
        let bonus = bonus.clamp(-HISTORY_MAX, HISTORY_MAX);
        let old = i32::from(self.0);
        let new = old + bonus - old * bonus.abs() / HISTORY_MAX;
        debug_assert!(new.abs() <= HISTORY_MAX);
        self.0 = new as i16;
    }
}

/// The learning tables of one thread.
pub(super) struct Histories {
    /// `[color][from + 64 * to]`
    quiet: [[HistoryValue; 4096]; 2],
    /// The quiet move that refuted a move. `[piece][to]`
    counter: [[Option<Move>; 64]; 12],
}

impl Histories {
    pub(super) fn new() -> Box<Histories> {
        Box::new(Histories { quiet: [[HistoryValue(0); 4096]; 2], counter: [[None; 64]; 12] })
    }

    pub(super) fn clear(&mut self) {
        self.quiet = [[HistoryValue(0); 4096]; 2];
        self.counter = [[None; 64]; 12];
    }

    /// How well a quiet move has done, within plus or minus [`HISTORY_MAX`].
    #[inline(always)]
    pub(super) fn quiet(&self, color: Color, mv: Move) -> i32 {
        i32::from(self.quiet[color.index()][mv.from_to()].0)
    }

    #[inline(always)]
    pub(super) fn update_quiet(&mut self, color: Color, mv: Move, bonus: i32) {
        self.quiet[color.index()][mv.from_to()].update(bonus);
    }

    /// The remembered reply to a piece's move.
    #[inline(always)]
    pub(super) fn counter(&self, piece: Piece, to: Square) -> Option<Move> {
        self.counter[piece.index()][to.index()]
    }

    #[inline(always)]
    pub(super) fn set_counter(&mut self, piece: Piece, to: Square, reply: Move) {
        self.counter[piece.index()][to.index()] = Some(reply);
    }
}

/// The size of a history update after a cut-off at this depth.
#[inline(always)]
pub(super) fn bonus(depth: Depth) -> i32 {
    (depth * depth * 16 + depth * 32).min(1600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_stays_within_bounds() {
        let mut value = HistoryValue::default();
        for _ in 0..10_000 {
            value.update(1600);
        }
        assert!(i32::from(value.0) > HISTORY_MAX * 9 / 10);
        for _ in 0..10_000 {
            value.update(-i32::MAX / 2);
        }
        assert!(i32::from(value.0) >= -HISTORY_MAX);
    }
}

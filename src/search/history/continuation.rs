//! Moves as continuations of earlier moves of the line: one ply back it is the reply to a move (the
//! counter move idea), two plies back the follow-up to one's own, and so on.

use std::collections::TryReserveError;

use super::value::{HistoryValue, zeroed_with};
use crate::board::Position;
use crate::types::{Move, Piece, Square};

const CONTINUATION_MAX: i32 = 16_384;
/// Different moves by piece and target square.
pub(super) const KEYS: usize = 12 * 64;

/// A move as the tables see it: which piece went where.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::search) struct ContKey(u16);

impl ContKey {
    /// Before the root, or a null move. It has a row of its own, which stays zero.
    pub(in crate::search) const NONE: ContKey = ContKey(KEYS as u16);

    #[inline(always)]
    pub(in crate::search) fn new(piece: Piece, to: Square) -> ContKey {
        ContKey(slot(piece, to) as u16)
    }

    /// A move of this position.
    #[inline(always)]
    pub(in crate::search) fn of(position: &Position, mv: Move) -> ContKey {
        position.piece_on(mv.from()).map_or(ContKey::NONE, |piece| ContKey::new(piece, mv.to()))
    }

    #[inline(always)]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Index of a piece's move, below 768.
#[inline(always)]
pub(super) fn slot(piece: Piece, to: Square) -> usize {
    piece.index() * 64 + to.index()
}

impl Default for ContKey {
    fn default() -> ContKey {
        ContKey::NONE
    }
}

/// The moves 1, 2, 4 and 6 plies ago.
pub(in crate::search) type ContKeys = [ContKey; 4];

/// The scores of all moves after one earlier move. `[piece][to]`
pub(super) type Row = [HistoryValue<CONTINUATION_MAX>; KEYS];

/// `[earlier piece][earlier to]`, and one row for no earlier move.
pub(in crate::search) struct ContinuationHistory(Box<[Row; KEYS + 1]>);

impl ContinuationHistory {
    pub(super) fn new() -> Result<ContinuationHistory, TryReserveError> {
        Ok(ContinuationHistory(zeroed_with([HistoryValue::default(); KEYS])?))
    }

    pub(super) fn clear(&mut self) {
        self.0.fill([HistoryValue::default(); KEYS]);
    }
}

impl ContinuationHistory {
    #[inline(always)]
    pub(super) fn rows(&self, before: &ContKeys) -> [&Row; 4] {
        let [one, two, four, six] = *before;
        [&self.0[one.index()], &self.0[two.index()], &self.0[four.index()], &self.0[six.index()]]
    }

    #[inline(always)]
    pub(in crate::search) fn update_all(&mut self, before: &ContKeys, key: ContKey, bonus: i32) {
        for (&before, weight) in before.iter().zip([4, 4, 2, 2]) {
            if before != ContKey::NONE && key != ContKey::NONE {
                self.0[before.index()][key.index()].update(bonus * weight / 4);
            }
        }
    }
}

//! Moves as continuations of earlier moves of the line: one ply back it is the reply to a move (the
//! counter move idea), two plies back the follow-up to one's own, and so on.

use super::value::{HistoryValue, zeroed};
use crate::types::{Piece, Square};

const CONTINUATION_MAX: i32 = 16_384;
const KEYS: usize = 12 * 64;

/// A move as the tables see it: which piece went where.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::search) struct ContKey(u16);

impl ContKey {
    /// Before the root, or a null move. It has a row of its own, which stays zero.
    pub(in crate::search) const NONE: ContKey = ContKey(KEYS as u16);

    #[inline(always)]
    pub(in crate::search) fn new(piece: Piece, to: Square) -> ContKey {
        ContKey((piece.index() * 64 + to.index()) as u16)
    }

    #[inline(always)]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Default for ContKey {
    fn default() -> ContKey {
        ContKey::NONE
    }
}

/// The moves 1, 2, 4 and 6 plies ago.
pub(in crate::search) type ContKeys = [ContKey; 4];

/// `[earlier piece][earlier to][piece][to]`
pub(in crate::search) struct ContinuationHistory(Box<[HistoryValue<CONTINUATION_MAX>; (KEYS + 1) * KEYS]>);

impl Default for ContinuationHistory {
    fn default() -> ContinuationHistory {
        ContinuationHistory(zeroed())
    }
}

impl ContinuationHistory {
    #[inline(always)]
    fn slot(before: ContKey, key: ContKey) -> usize {
        before.index() * KEYS + key.index()
    }

    #[inline(always)]
    pub(in crate::search) fn get(&self, before: ContKey, key: ContKey) -> i32 {
        self.0[ContinuationHistory::slot(before, key)].get()
    }

    #[inline(always)]
    pub(super) fn get_all(&self, before: &ContKeys, key: ContKey) -> [i32; 4] {
        before.map(|before| self.get(before, key))
    }

    #[inline(always)]
    pub(in crate::search) fn update_all(&mut self, before: &ContKeys, key: ContKey, bonus: i32) {
        for (&before, weight) in before.iter().zip([4, 4, 2, 2]) {
            if before != ContKey::NONE {
                self.0[ContinuationHistory::slot(before, key)].update(bonus * weight / 4);
            }
        }
    }
}

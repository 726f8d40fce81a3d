//! Captures and promotions: by piece, square and victim.

use std::collections::TryReserveError;

use super::{HistoryValue, zeroed};
use crate::board::{Position, SEE_VALUES};
use crate::types::{Bitboard, Move, PieceType};

const CAPTURE_MAX: i32 = 16_384;

/// Scores of noisy moves.
///
/// - Technique: [Capture history](https://www.chessprogramming.org/History_Heuristic)
/// - Assumes: a capture that caused cutoffs elsewhere does so here
/// - Units: history score, plus or minus `CAPTURE_MAX`
/// - Elo: not measured alone; in bundle A
///
/// `[target defended][piece][to][victim type]`; a promotion without capture counts as taking a king, which cannot
/// occur. Whether the target is defended decides what a capture is worth (bundle H).
pub(in crate::search) struct CaptureHistory(Box<[HistoryValue<CAPTURE_MAX>; 2 * 12 * 64 * 6]>);

impl CaptureHistory {
    pub(super) fn new() -> Result<CaptureHistory, TryReserveError> {
        Ok(CaptureHistory(zeroed()?))
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(HistoryValue::default());
    }

    pub(super) fn age(&mut self, kept: i32) {
        self.0.iter_mut().for_each(|value| value.age(kept));
    }
}

/// The type of piece that a noisy move takes; a king stands for none.
fn victim(position: &Position, mv: Move) -> PieceType {
    match position.piece_on(mv.to()) {
        Some(piece) if mv.is_capture() => piece.kind(),
        _ if mv.is_capture() => PieceType::Pawn,
        _ => PieceType::King,
    }
}

/// The material in internal units that a noisy move wins if nothing takes back.
#[inline(always)]
pub(in crate::search) fn victim_value(position: &Position, mv: Move) -> i32 {
    SEE_VALUES[victim(position, mv).index()]
        + mv.promotion().map_or(0, |piece| SEE_VALUES[piece.index()] - SEE_VALUES[0])
}

impl CaptureHistory {
    #[inline(always)]
    fn index(position: &Position, threats: Bitboard, mv: Move) -> usize {
        let piece = position.piece_on(mv.from()).map_or(0, |piece| piece.index());
        let defended = usize::from(threats.has(mv.to()));
        ((defended * 12 + piece) * 64 + mv.to().index()) * 6 + victim(position, mv).index()
    }

    /// The score of a move of this position, with the squares that the opponent attacks.
    #[inline(always)]
    pub(in crate::search) fn get(&self, position: &Position, threats: Bitboard, mv: Move) -> i32 {
        self.0[CaptureHistory::index(position, threats, mv)].get()
    }

    #[inline(always)]
    pub(in crate::search) fn update(&mut self, position: &Position, threats: Bitboard, mv: Move, bonus: i32) {
        self.0[CaptureHistory::index(position, threats, mv)].update(bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::samples::{mv, position};

    #[test]
    fn noisy_moves_are_worth_what_they_take_and_become() {
        let [pawn, knight, _, rook, queen, _] = SEE_VALUES;
        for (fen, text, value) in [
            ("4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1", "e4d5", knight),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", pawn),
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", queen - pawn),
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", knight - pawn),
            ("1r6/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", rook + queen - pawn),
        ] {
            let position = position(fen);
            assert_eq!(victim_value(&position, mv(&position, text)), value, "{fen} {text}");
        }
    }

    #[test]
    fn captures_are_told_apart_by_piece_square_victim_and_defence() {
        let mut history = CaptureHistory::new().unwrap();
        let learnt = position("4k3/8/8/2nnn3/3P4/8/8/4K3 w - - 0 1");
        let free = Bitboard::EMPTY;
        history.update(&learnt, free, mv(&learnt, "d4e5"), 1000);
        let get = |fen: &str, text| {
            let position = position(fen);
            history.get(&position, free, mv(&position, text))
        };
        let taken = mv(&learnt, "d4e5");
        assert!(history.get(&learnt, free, taken) > 0);
        assert_eq!(history.get(&learnt, free.with(taken.to()), taken), 0, "defended");
        assert!(get("4k3/8/8/4n3/5P2/8/8/4K3 w - - 0 1", "f4e5") > 0, "from another square");
        assert_eq!(history.get(&learnt, free, mv(&learnt, "d4c5")), 0);
        assert_eq!(get("4k3/8/8/4r3/3P4/8/8/4K3 w - - 0 1", "d4e5"), 0, "another victim");
        assert_eq!(get("4k3/8/8/4n3/3B4/8/8/4K3 w - - 0 1", "d4e5"), 0, "another piece");
        assert_eq!(get("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 0, "en passant");
        history.clear();
        assert_eq!(history.get(&learnt, free, taken), 0);
    }
}

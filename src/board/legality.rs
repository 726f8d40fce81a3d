//! Is this one move legal here, and does it give check? Exact answers without generating all moves.

use super::position::{CastlingPath, Position};
use crate::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, line, pawn_attacks, queen_attacks, rook_attacks,
};
use crate::types::{Bitboard, CastlingSide, Move, MoveKind, PieceType, Rank, Square};

impl Position {
    /// Whether a move from any source (transposition table, protocol) is legal here.
    /// Exact for all 65,536 move words: it agrees with the generator.
    pub fn is_legal(&self, mv: Move) -> bool {
        let (us, them) = (self.stm, !self.stm);
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        let Some(piece) = self.piece_on(from) else { return false };
        if piece.color() != us {
            return false;
        }
        if kind == MoveKind::Castle {
            return piece.kind() == PieceType::King
                && self.castling_rook(us, CastlingPath::side_of(from, to)) == Some(to)
                && self.is_castling_legal(CastlingPath::side_of(from, to));
        }
        if kind == MoveKind::EnPassant {
            return piece.kind() == PieceType::Pawn
                && self.en_passant == Some(to)
                && pawn_attacks(us, from).has(to)
                && self.is_en_passant_safe(from, to);
        }
        let occupied = self.occupied();
        let victims = self.colored(them) & !self.of_type(PieceType::King);
        if !(if mv.is_capture() { victims } else { !occupied }).has(to) {
            return false;
        }

        let reachable = match piece.kind() {
            PieceType::Pawn => return self.is_pawn_move_legal(mv),
            PieceType::Knight => knight_attacks(from),
            PieceType::Bishop => bishop_attacks(from, occupied),
            PieceType::Rook => rook_attacks(from, occupied),
            PieceType::Queen => queen_attacks(from, occupied),
            PieceType::King => king_attacks(from),
        };
        if !matches!(kind, MoveKind::Quiet | MoveKind::Capture) || !reachable.has(to) {
            return false;
        }
        if piece.kind() == PieceType::King {
            return !self.is_attacked(to, them, occupied ^ from.bitboard());
        }
        self.leaves_king_safe(from, to)
    }

    fn is_pawn_move_legal(&self, mv: Move) -> bool {
        let us = self.stm;
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        if mv.promotion().is_some() != (to.rank() == Rank::R8.relative_to(us)) {
            return false;
        }
        let step = from.offset(us.forward());
        let reaches = if mv.is_capture() {
            pawn_attacks(us, from).has(to)
        } else if kind == MoveKind::DoublePush {
            from.rank() == Rank::R2.relative_to(us)
                && to == step.offset(us.forward())
                && !self.occupied().has(step)
        } else {
            to == step
        };
        reaches && self.leaves_king_safe(from, to)
    }

    /// Whether a piece other than the king may go from `from` to `to` as far as checks and pins go.
    fn leaves_king_safe(&self, from: Square, to: Square) -> bool {
        self.check_mask().has(to) && (!self.pinned.has(from) || line(self.king(self.stm), from).has(to))
    }

    /// Squares where a piece other than the king may land as far as checks go: everywhere without a
    /// check, on the checker or between it and the king with one, nowhere with two.
    #[inline]
    pub(crate) fn check_mask(&self) -> Bitboard {
        match self.checkers.first() {
            None => Bitboard::ALL,
            Some(_) if self.checkers.many() => Bitboard::EMPTY,
            Some(checker) => between(self.king(self.stm), checker).with(checker),
        }
    }

    /// Whether the pawn on `from` may take en passant on `to` without exposing its king. Both pawns
    /// leave their squares, so the board after the capture is looked at as it will be.
    pub(crate) fn is_en_passant_safe(&self, from: Square, to: Square) -> bool {
        let (us, them) = (self.stm, !self.stm);
        let victim = to.offset(-us.forward()).bitboard();
        let occupied = (self.occupied() ^ from.bitboard() ^ victim) | to.bitboard();
        (self.attackers_to(self.king(us), occupied) & self.colored(them) & !victim).is_empty()
    }

    /// The squares the king would cross and reach by castling to this wing, if the side to move has
    /// the right, nothing stands in the way, and the rook is free to leave. What remains to be asked
    /// is whether one of them is attacked. Assumes no check.
    #[inline]
    pub(crate) fn castling_walk(&self, side: CastlingSide) -> Option<Bitboard> {
        let us = self.stm;
        let rook_from = self.castling_rook(us, side)?;
        let king_from = self.king(us);
        let occupied = self.occupied();
        // In every set-up the squares between king and rook must be free, and mostly they are not.
        if between(king_from, rook_from).meets(occupied) {
            return None;
        }
        let path = CastlingPath::new(us, side);
        let king_walk = between(king_from, path.king_to).with(path.king_to);
        let rook_walk = between(rook_from, path.rook_to).with(path.rook_to);
        let others = occupied ^ king_from.bitboard() ^ rook_from.bitboard();
        // A rook pinned along the rank shields its king from a slider behind it (Chess960 only).
        let free = !others.meets(king_walk | rook_walk) && !self.pinned.has(rook_from);
        free.then_some(king_walk)
    }

    /// Whether the side to move may castle to this wing now. False without the right.
    fn is_castling_legal(&self, side: CastlingSide) -> bool {
        if self.in_check() {
            return false;
        }
        let occupied = self.occupied().without(self.king(self.stm));
        self.castling_walk(side)
            .is_some_and(|walk| walk.into_iter().all(|square| !self.is_attacked(square, !self.stm, occupied)))
    }

    /// What is needed to see whether moves of the side to move give check.
    pub fn check_info(&self) -> CheckInfo {
        let (us, them) = (self.stm, !self.stm);
        let king = self.king(them);
        let occupied = self.occupied();
        let diagonal = bishop_attacks(king, occupied);
        let orthogonal = rook_attacks(king, occupied);
        CheckInfo {
            squares: [
                pawn_attacks(them, king),
                knight_attacks(king),
                diagonal,
                orthogonal,
                diagonal | orthogonal,
                Bitboard::EMPTY,
            ],
            discoverers: self.blockers_for_king(them) & self.colored(us),
        }
    }

    /// Whether a legal move gives check. `info` must come from this position.
    pub fn gives_check(&self, mv: Move, info: &CheckInfo) -> bool {
        let (us, them) = (self.stm, !self.stm);
        let (from, to) = (mv.from(), mv.to());
        let king = self.king(them);
        match mv.kind() {
            MoveKind::Castle => {
                let path = CastlingPath::new(us, CastlingPath::side_of(from, to));
                let occupied = (self.occupied() ^ from.bitboard() ^ to.bitboard())
                    | path.king_to.bitboard()
                    | path.rook_to.bitboard();
                let sliders = self.orthogonal_sliders(us).without(to).with(path.rook_to);
                return rook_attacks(king, occupied).meets(sliders)
                    || bishop_attacks(king, occupied).meets(self.diagonal_sliders(us));
            }
            MoveKind::EnPassant => {
                let victim = to.offset(-us.forward()).bitboard();
                let occupied = (self.occupied() ^ from.bitboard() ^ victim) | to.bitboard();
                return info.squares[PieceType::Pawn.index()].has(to)
                    || rook_attacks(king, occupied).meets(self.orthogonal_sliders(us))
                    || bishop_attacks(king, occupied).meets(self.diagonal_sliders(us));
            }
            _ => {}
        }
        if info.discoverers.has(from) && !line(king, from).has(to) {
            return true;
        }
        match mv.promotion() {
            None => self.piece_on(from).is_some_and(|piece| info.squares[piece.kind().index()].has(to)),
            Some(promoted) => {
                let occupied = self.occupied() ^ from.bitboard();
                match promoted {
                    PieceType::Knight => knight_attacks(to),
                    PieceType::Bishop => bishop_attacks(to, occupied),
                    PieceType::Rook => rook_attacks(to, occupied),
                    _ => queen_attacks(to, occupied),
                }
                .has(king)
            }
        }
    }
}

/// From where each piece type would check the enemy king, and which pieces uncover a check by moving.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    /// `[type]`
    pub squares: [Bitboard; 6],
    /// Own pieces that stand between an own slider and the enemy king.
    pub discoverers: Bitboard,
}

//! Making moves. Nothing is ever unmade: callers keep the parent position.

use super::delta::{Delta, PlacedPiece};
use super::position::{CastlingPath, Position};
use super::zobrist::{piece_key, reversible_move_key};
use crate::attacks::pawn_attacks;
use crate::types::{Bitboard, CastlingSide, Color, Move, MoveKind, Piece, PieceType, Square};

impl Position {
    /// Plays a legal move and tells what it changed on the board. An illegal one leaves an unspecified
    /// position, but does not panic.
    #[inline]
    pub fn make(&mut self, mv: Move) -> Delta {
        let (us, them) = (self.stm, !self.stm);
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        let Some(piece) = self.piece_on(from) else { return Delta::Nothing };

        if let Some(square) = self.en_passant.take() {
            self.keys.toggle_en_passant(square.file());
        }
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.fullmove_number = self.fullmove_number.saturating_add(us as u16);

        let delta = match kind {
            MoveKind::Castle => self.castle(us, from, to),
            _ => {
                let mut captured = None;
                if mv.is_capture() {
                    let victim = if kind == MoveKind::EnPassant { to.offset(-us.forward()) } else { to };
                    captured = self.piece_on(victim).map(|piece| PlacedPiece { piece, square: victim });
                    if let Some(PlacedPiece { piece, square }) = captured {
                        self.take(piece, square);
                    }
                    self.halfmove_clock = 0;
                }
                let mut arrived = piece;
                match mv.promotion() {
                    None => self.shift(piece, from, to),
                    Some(promoted) => {
                        arrived = Piece::new(us, promoted);
                        self.take(piece, from);
                        self.put(arrived, to);
                    }
                }
                if piece.kind() == PieceType::Pawn {
                    self.halfmove_clock = 0;
                }
                let (removed, added) =
                    (PlacedPiece { piece, square: from }, PlacedPiece { piece: arrived, square: to });
                match captured {
                    None => Delta::Move { removed, added },
                    Some(captured) => Delta::Capture { removed: [removed, captured], added },
                }
            }
        };
        if self.castling_squares.meets(from.bitboard() | to.bitboard()) {
            self.drop_castling_rights(us, piece.kind() == PieceType::King, from, to);
        }

        self.stm = them;
        self.keys.toggle_side();
        self.refresh_king_danger();
        if kind == MoveKind::DoublePush {
            self.set_en_passant_if_legal(from.offset(us.forward()));
        }
        delta
    }

    /// Passes the turn. The side to move must not be in check.
    pub fn make_null(&mut self) {
        if let Some(square) = self.en_passant.take() {
            self.keys.toggle_en_passant(square.file());
        }
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.fullmove_number = self.fullmove_number.saturating_add(self.stm as u16);
        self.stm = !self.stm;
        self.keys.toggle_side();
        self.refresh_king_danger();
    }

    /// The position after a move.
    #[inline]
    pub fn after(&self, mv: Move) -> Position {
        let mut child = *self;
        child.make(mv);
        child
    }

    /// The key that the position will mostly have after a move, told before the move is made so that a
    /// table entry can be fetched early. It is wrong where a move does more than to go and to take.
    #[inline]
    pub fn likely_key_after(&self, mv: Move) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.piece_on(from) else { return self.key() };
        let victim = self.piece_on(to).map_or(0, |victim| piece_key(victim, to));
        self.key() ^ reversible_move_key(piece, from, to) ^ victim
    }

    /// Moves king and rook. Both are lifted first, since in Chess960 each may land where the other stood.
    fn castle(&mut self, us: Color, king_from: Square, rook_from: Square) -> Delta {
        let path = CastlingPath::new(us, CastlingPath::side_of(king_from, rook_from));
        let (king, rook) = (Piece::new(us, PieceType::King), Piece::new(us, PieceType::Rook));
        self.take(king, king_from);
        self.take(rook, rook_from);
        self.put(king, path.king_to);
        self.put(rook, path.rook_to);
        let placed = |piece, square| PlacedPiece { piece, square };
        Delta::Castle {
            removed: [placed(king, king_from), placed(rook, rook_from)],
            added: [placed(king, path.king_to), placed(rook, path.rook_to)],
        }
    }

    /// Takes away the rights of a king or rook that moved and of a rook that was captured.
    #[cold]
    fn drop_castling_rights(&mut self, us: Color, king_moved: bool, from: Square, to: Square) {
        self.castling_squares = Bitboard::EMPTY;
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                let Some(rook) = self.castling_rook(color, side) else { continue };
                if rook == from || rook == to || king_moved && color == us {
                    self.castling.remove(color, side);
                    self.keys.toggle_castling(color, side, rook.file());
                } else {
                    self.castling_squares = self.castling_squares.with(rook).with(self.king(color));
                }
            }
        }
    }

    /// Remembers the square behind a pawn that just moved two steps, if taking it is legal. Otherwise
    /// the position is the same, under the laws, as one reached without the double step.
    #[inline]
    pub(super) fn set_en_passant_if_legal(&mut self, square: Square) {
        let captors = pawn_attacks(!self.stm, square) & self.pieces(self.stm, PieceType::Pawn);
        if captors.into_iter().any(|from| self.is_en_passant_safe(from, square)) {
            self.en_passant = Some(square);
            self.keys.toggle_en_passant(square.file());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(fen: &str, mv: Move) -> String {
        let mut position: Position = fen.parse().unwrap();
        position.make(mv);
        assert_eq!(*position.keys(), position.keys_from_scratch());
        position.to_string()
    }

    #[test]
    fn castling_rights_go_with_king_rook_and_captured_rook() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 10";
        let quiet = |from, to| Move::new(from, to, MoveKind::Quiet);
        assert_eq!(play(fen, quiet(Square::E1, Square::E2)), "r3k2r/8/8/8/8/8/4K3/R6R b kq - 4 10");
        assert_eq!(play(fen, quiet(Square::A1, Square::A4)), "r3k2r/8/8/8/R7/8/8/4K2R b Kkq - 4 10");
        let capture = Move::new(Square::H1, Square::H8, MoveKind::Capture);
        assert_eq!(play(fen, capture), "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 10");
        let castle = Move::new(Square::E1, Square::A1, MoveKind::Castle);
        assert_eq!(play(fen, castle), "r3k2r/8/8/8/8/8/8/2KR3R b kq - 4 10");
    }

    #[test]
    fn keys_of_plain_moves_are_foreseen() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1";
        let position: Position = fen.parse().unwrap();
        for &mv in position.legal_moves().iter().filter(|mv| mv.kind() != MoveKind::DoublePush) {
            assert_eq!(position.likely_key_after(mv), position.after(mv).key(), "{mv:?}");
        }
    }

    #[test]
    fn en_passant_square_only_where_the_capture_is_legal() {
        let push = Move::new(Square::E2, Square::E4, MoveKind::DoublePush);
        let taken = play("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", push);
        assert_eq!(taken, "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
        assert_eq!(play("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", push), "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
        // Taking would open the fourth rank between rook and king.
        let exposed = play("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", push);
        assert_eq!(exposed, "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1");
    }

    #[test]
    fn chess960_castling_swaps_king_and_rook() {
        let castle = Move::new(Square::F1, Square::G1, MoveKind::Castle);
        assert_eq!(play("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", castle), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    }

    /// What is fetched early for them is another entry, which costs time at most.
    #[test]
    fn keys_of_castling_en_passant_and_promotion_are_not_foreseen() {
        for (fen, from, to, kind) in [
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", Square::E1, Square::H1, MoveKind::Castle),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", Square::E1, Square::A1, MoveKind::Castle),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", Square::H1, Square::H2, MoveKind::Quiet),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", Square::E5, Square::D6, MoveKind::EnPassant),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", Square::E1, Square::E2, MoveKind::Quiet),
            ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", Square::E2, Square::E4, MoveKind::DoublePush),
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", Square::A7, Square::A8, MoveKind::PromoteQueen),
        ] {
            let (position, mv) = (fen.parse::<Position>().unwrap(), Move::new(from, to, kind));
            assert!(position.is_legal(mv), "{fen} {mv:?}");
            assert_ne!(position.likely_key_after(mv), position.after(mv).key(), "{fen} {mv:?}");
        }
    }
}

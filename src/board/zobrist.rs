//! Zobrist keys: random numbers whose exclusive-or identifies a position.
//!
//! Two positions are the same under the laws of chess when pieces, side to move, castling rights and
//! en-passant possibility agree; all four enter the main key. An en-passant square enters only when
//! such a capture is legal, because only then is it stored.

use crate::types::{CastlingRights, CastlingSide, Color, File, Piece, PieceType, SplitMix64, Square};

struct Table {
    /// `[piece][square]`
    piece: [[u64; 64]; 12],
    /// By the rook's file, since in Chess960 a right is the right to castle with one certain rook.
    /// `[CastlingRights::slot][file]`
    castling: [[u64; 8]; 4],
    /// `[file]`
    en_passant: [u64; 8],
    black_to_move: u64,
}

static TABLE: Table = Table::new();

impl Table {
    const fn new() -> Table {
        let mut random = SplitMix64::from_state(0x5155_494C_4C4F_4E21);
        let mut table =
            Table { piece: [[0; 64]; 12], castling: [[0; 8]; 4], en_passant: [0; 8], black_to_move: 0 };
        let mut piece = 0;
        while piece < 12 {
            let mut square = 0;
            while square < 64 {
                table.piece[piece][square] = random.next();
                square += 1;
            }
            piece += 1;
        }
        let mut slot = 0;
        while slot < 4 {
            let mut file = 0;
            while file < 8 {
                table.castling[slot][file] = random.next();
                file += 1;
            }
            slot += 1;
        }
        let mut file = 0;
        while file < 8 {
            table.en_passant[file] = random.next();
            file += 1;
        }
        table.black_to_move = random.next();
        table
    }
}

/// What sets the main keys of a game apart from those of others; see [`Keys::set_apart`].
pub(super) const APART: u64 = 0xA7C3_9D41_5E68_B20F;

/// Which of the structure keys a piece belongs to: 0 pawns, 1 White's pieces, 2 Black's pieces. `[piece]`
const STRUCTURE: [u8; 12] = [0, 0, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2];

/// The incremental hash keys of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Keys {
    /// Identifies the whole position.
    pub main: u64,
    /// Pawns of both sides, then White's other pieces, then Black's other pieces.
    structure: [u64; 3],
    /// Knights and bishops of both sides.
    pub minor: u64,
}

impl Keys {
    /// Identifies the pawns of both sides.
    #[inline]
    pub fn pawn(&self) -> u64 {
        self.structure[0]
    }

    /// Identifies the pieces of `color` other than pawns, its king included.
    #[inline]
    pub fn non_pawn(&self, color: Color) -> u64 {
        self.structure[1 + color.index()]
    }

    /// Adds a piece that is absent or removes one that is present.
    #[inline]
    pub(super) fn toggle_piece(&mut self, piece: Piece, square: Square) {
        self.toggle_key(piece, TABLE.piece[piece.index()][square.index()]);
    }

    /// Moves a piece.
    #[inline]
    pub(super) fn shift_piece(&mut self, piece: Piece, from: Square, to: Square) {
        let keys = &TABLE.piece[piece.index()];
        self.toggle_key(piece, keys[from.index()] ^ keys[to.index()]);
    }

    #[inline]
    fn toggle_key(&mut self, piece: Piece, key: u64) {
        self.main ^= key;
        self.structure[STRUCTURE[piece.index()] as usize] ^= key;
        let is_minor = matches!(piece.kind(), PieceType::Knight | PieceType::Bishop);
        self.minor ^= if is_minor { key } else { 0 };
    }

    /// Passes the move to the other side.
    #[inline]
    pub(super) fn toggle_side(&mut self) {
        self.main ^= TABLE.black_to_move;
    }

    /// Adds or removes a castling right.
    #[inline]
    pub(super) fn toggle_castling(&mut self, color: Color, side: CastlingSide, rook: File) {
        self.main ^= TABLE.castling[CastlingRights::slot(color, side)][rook.index()];
    }

    /// Makes the main key, and all that come of it by moves, other than it is for the same position elsewhere.
    pub(super) fn set_apart(&mut self) {
        self.main ^= APART;
    }

    /// Adds or removes the possibility of an en-passant capture on this file.
    #[inline]
    pub(super) fn toggle_en_passant(&mut self, file: File) {
        self.main ^= TABLE.en_passant[file.index()];
    }
}

/// By how much the main key changes when a piece moves between two squares and the turn passes.
#[inline]
pub(super) fn reversible_move_key(piece: Piece, from: Square, to: Square) -> u64 {
    let keys = &TABLE.piece[piece.index()];
    keys[from.index()] ^ keys[to.index()] ^ TABLE.black_to_move
}

/// The part of a piece on a square in the main key.
#[inline]
pub(super) fn piece_key(piece: Piece, square: Square) -> u64 {
    TABLE.piece[piece.index()][square.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn numbers_are_distinct() {
        let mut all: Vec<u64> = TABLE.piece.iter().flatten().copied().collect();
        all.extend(TABLE.castling.iter().flatten());
        all.extend(&TABLE.en_passant);
        all.push(TABLE.black_to_move);
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    }
}

//! Knights, kings and pawns: pieces whose reach does not depend on the occupancy.

use crate::types::{Bitboard, Color, Square};

/// Builds a table from (file, rank) steps.
const fn leaper_table<const N: usize>(steps: [(i8, i8); N]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut step = 0;
        while step < N {
            let file = (square & 7) as i8 + steps[step].0;
            let rank = (square >> 3) as i8 + steps[step].1;
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[square].0 |= 1 << (rank * 8 + file);
            }
            step += 1;
        }
        square += 1;
    }
    table
}

static KNIGHT: [Bitboard; 64] =
    leaper_table([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
static KING: [Bitboard; 64] =
    leaper_table([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]);
/// `[color][square]`
static PAWN: [[Bitboard; 64]; 2] = [leaper_table([(-1, 1), (1, 1)]), leaper_table([(-1, -1), (1, -1)])];

/// Squares a knight reaches from `square`.
#[inline]
pub fn knight_attacks(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Squares a king reaches from `square`, castling aside.
#[inline]
pub fn king_attacks(square: Square) -> Bitboard {
    KING[square.index()]
}

/// Squares on which a pawn of `color` on `square` captures.
#[inline]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Squares on which any of these pawns of `color` captures.
#[inline]
pub fn pawn_attacks_of_set(color: Color, pawns: Bitboard) -> Bitboard {
    let ahead = pawns.forward(color);
    ahead.east() | ahead.west()
}

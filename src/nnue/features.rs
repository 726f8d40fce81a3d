//! What the network sees: one input per colour, piece type and square, from the point of view of each side.
//!
//! A side sees the board from its own end, and as if its king stood on the files a to d: with the king on
//! e to h the board is mirrored. Chess knows left from right only by castling, so one half of the weights
//! serves for both. The price is that a king crossing the middle changes every feature of its side.

use crate::types::{Color, Piece, Square};

/// Number of inputs of one side: two colours, six piece types, 64 squares.
pub const FEATURES: usize = 768;

/// The number of the input for an own or an enemy man of a kind (a [`PieceType`](crate::types::PieceType)'s
/// index) on a square (its index, as its side's [`Viewpoint`] sees it). It is below [`FEATURES`].
///
/// Order: `[own, enemy][pawn, knight, bishop, rook, queen, king][a1 .. h8]`.
#[inline(always)]
pub const fn feature_index(enemy: bool, kind: usize, square: usize) -> usize {
    (enemy as usize * 6 + kind) * 64 + square
}

/// Whether a position can switch this input on: none has a pawn on a rank where pawns cannot be, and no
/// side sees its own king beyond the files a to d.
pub const fn can_occur(feature: usize) -> bool {
    let (man, square) = (feature / 64, feature % 64);
    let (enemy, kind) = (man >= 6, man % 6);
    match kind {
        0 => matches!(square / 8, 1..=6),
        5 => enemy || square % 8 < 4,
        _ => true,
    }
}

/// Which of the output layers, 1 or 8, answers with so many men on the board (2..=32).
#[inline(always)]
pub const fn output_bucket(buckets: usize, men: usize) -> usize {
    if buckets == 1 { 0 } else { (men - 2) / 4 }
}

/// One side's way of looking at the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Viewpoint {
    perspective: Color,
    /// What square numbers are xored with.
    flip: u8,
}

impl Viewpoint {
    /// The view of `perspective`, whose king stands on `king`.
    #[inline(always)]
    pub const fn new(perspective: Color, king: Square) -> Viewpoint {
        let mirror = if Viewpoint::is_mirrored(king) { 7 } else { 0 };
        Viewpoint { perspective, flip: (perspective as u8 * 56) ^ mirror }
    }

    /// Whether a side with its king there sees the board mirrored.
    #[inline(always)]
    pub const fn is_mirrored(king: Square) -> bool {
        king as u8 & 4 != 0
    }

    /// The side that looks.
    #[inline(always)]
    pub const fn perspective(self) -> Color {
        self.perspective
    }

    /// Whether it sees the board mirrored.
    #[inline(always)]
    pub const fn mirrors(self) -> bool {
        self.flip & 7 != 0
    }

    /// The input that a man switches on, below [`FEATURES`].
    #[inline(always)]
    pub const fn feature(self, piece: Piece, square: Square) -> usize {
        let enemy = piece.index() & 1 != self.perspective.index();
        feature_index(enemy, piece.index() >> 1, (square as u8 ^ self.flip) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::PieceType;

    #[test]
    fn features_are_numbered_as_documented() {
        let white = Viewpoint::new(Color::White, Square::B1);
        assert_eq!(white.feature(Piece::WhitePawn, Square::A1), 0);
        assert_eq!(white.feature(Piece::WhiteKnight, Square::C3), 64 + 18);
        assert_eq!(white.feature(Piece::BlackKing, Square::H8), 767);
        let mirrored = Viewpoint::new(Color::White, Square::G1);
        assert_eq!(mirrored.feature(Piece::WhiteKing, Square::G1), 5 * 64 + 1);
        let black = Viewpoint::new(Color::Black, Square::C8);
        assert_eq!(black.feature(Piece::BlackPawn, Square::A7), 8);
        assert_eq!(black.feature(Piece::WhiteQueen, Square::D1), 10 * 64 + 59);
    }

    #[test]
    fn inputs_that_cannot_occur_are_known() {
        assert_eq!((0..FEATURES).filter(|&feature| can_occur(feature)).count(), FEATURES - 64);
        let mut seen = [false; FEATURES];
        for color in Color::ALL {
            for king in Square::all() {
                let view = Viewpoint::new(color, king);
                for piece in Piece::ALL {
                    for square in Square::all() {
                        let is_own_king = piece == Piece::new(color, PieceType::King);
                        let is_pawn = piece.index() >> 1 == PieceType::Pawn.index();
                        let on_end_rank = matches!(square as u8 / 8, 0 | 7);
                        if (is_own_king && square != king) || (is_pawn && on_end_rank) {
                            continue;
                        }
                        seen[view.feature(piece, square)] = true;
                    }
                }
            }
        }
        for (feature, &seen) in seen.iter().enumerate() {
            assert_eq!(can_occur(feature), seen, "{feature}");
        }
    }

    #[test]
    fn output_buckets_are_chosen_by_men() {
        assert_eq!([2, 5, 6, 29, 30, 32].map(|men| output_bucket(8, men)), [0, 0, 1, 6, 7, 7]);
        assert_eq!([2, 17, 32].map(|men| output_bucket(1, men)), [0; 3]);
    }

    #[test]
    fn each_view_numbers_men_without_overlap() {
        for color in Color::ALL {
            for king in [Square::D4, Square::E4] {
                let view = Viewpoint::new(color, king);
                let mut seen = [false; FEATURES];
                for piece in Piece::ALL {
                    assert_eq!(piece, Piece::new(piece.color(), PieceType::ALL[piece.index() >> 1]));
                    for square in Square::all() {
                        assert!(!std::mem::replace(&mut seen[view.feature(piece, square)], true));
                    }
                }
            }
        }
    }
}

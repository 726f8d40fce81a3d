//! What the network sees: one input per colour, piece type and square, from the point of view of each side.
//!
//! A side sees the board from its own end, and as if its king stood on the files a to d: with the king on
//! e to h the board is mirrored. Chess knows left from right only by castling, so one half of the weights
//! serves for both. The price is that a king crossing the middle changes every feature of its side.
//!
//! A network may have several sets of these inputs, of which the square of the side's king chooses one: what a
//! piece is worth on a square depends on where the king lives (CPW: "NNUE", king buckets).

use crate::types::{Color, Piece, Square};

/// Number of inputs of one side and king bucket: two colours, six piece types, 64 squares.
pub const FEATURES: usize = 768;

/// The king bucket of each square when there are four, as the king's side sees the board; the files e to h mirror
/// a to d. A castled king, one in the centre of its first rank, one on the second rank, and one beyond.
#[rustfmt::skip]
const FOUR_KING_BUCKETS: [u8; 64] = [
    0, 0, 1, 1, 1, 1, 0, 0,
    2, 2, 2, 2, 2, 2, 2, 2,
    3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3,
];

/// Which of the sets of inputs, 1 or 4, a side uses whose king stands on a square (its index, as the side sees
/// the board, mirrored or not).
#[inline]
pub const fn king_bucket(buckets: usize, king: usize) -> usize {
    if buckets == 1 { 0 } else { FOUR_KING_BUCKETS[king % 64] as usize }
}

/// The number of the input for an own or an enemy piece of a kind (a [`PieceType`](crate::types::PieceType)'s
/// index) on a square (its index, as its side's [`Viewpoint`] sees it). It is below [`FEATURES`].
///
/// Order: `[own, enemy][pawn, knight, bishop, rook, queen, king][a1 .. h8]`.
#[inline]
pub const fn feature_index(enemy: bool, kind: usize, square: usize) -> usize {
    (enemy as usize * 6 + kind) * 64 + square
}

/// Whether a position can switch this input, counted through all king buckets (1 or 4), on: none has a pawn on a
/// rank where pawns cannot be, and no side sees its own king beyond the files a to d or outside the squares of the
/// king bucket.
pub const fn can_occur(king_buckets: usize, input: usize) -> bool {
    let (bucket, feature) = (input / FEATURES, input % FEATURES);
    let (piece, square) = (feature / 64, feature % 64);
    let (enemy, kind) = (piece >= 6, piece % 6);
    match kind {
        0 => matches!(square / 8, 1..=6),
        5 => enemy || (square % 8 < 4 && king_bucket(king_buckets, square) == bucket),
        _ => true,
    }
}

/// Which of the output layers, 1 or 8, answers with so many pieces on the board (2..=32).
#[inline]
pub const fn output_bucket(buckets: usize, pieces: usize) -> usize {
    if buckets == 1 { 0 } else { (pieces - 2) / 4 }
}

/// The least number of pieces with which an output layer answers.
pub(super) const fn least_pieces(bucket: usize) -> usize {
    2 + 4 * bucket
}

/// One side's way of looking at the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Viewpoint {
    perspective: Color,
    /// What square numbers are xored with.
    flip: u8,
    /// Number of the first input of the king's bucket.
    first: u16,
}

impl Viewpoint {
    /// The view of `perspective`, whose king stands on `king`, for a network with `king_buckets`, 1 or 4.
    #[inline]
    pub const fn new(king_buckets: usize, perspective: Color, king: Square) -> Viewpoint {
        let mirror = if king as u8 & 4 != 0 { 7 } else { 0 };
        let flip = (perspective as u8 * 56) ^ mirror;
        let bucket = king_bucket(king_buckets, (king as u8 ^ flip) as usize);
        Viewpoint { perspective, flip, first: (bucket * FEATURES) as u16 }
    }

    /// The side that looks.
    #[inline]
    pub const fn perspective(self) -> Color {
        self.perspective
    }

    /// The number of the view among those of its side: two for each king bucket, since the board may be mirrored.
    #[inline]
    pub const fn number(self) -> usize {
        2 * (self.first as usize / FEATURES) + (self.flip & 7 != 0) as usize
    }

    /// The input that a piece switches on, below [`FEATURES`] times the number of king buckets.
    #[inline]
    pub const fn feature(self, piece: Piece, square: Square) -> usize {
        let enemy = piece.index() & 1 != self.perspective.index();
        self.first as usize + feature_index(enemy, piece.index() >> 1, (square as u8 ^ self.flip) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::PieceType;

    #[test]
    fn features_are_numbered_as_documented() {
        let white = Viewpoint::new(1, Color::White, Square::B1);
        assert_eq!(white.feature(Piece::WhitePawn, Square::A1), 0);
        assert_eq!(white.feature(Piece::WhiteKnight, Square::C3), 64 + 18);
        assert_eq!(white.feature(Piece::BlackKing, Square::H8), 767);
        let mirrored = Viewpoint::new(1, Color::White, Square::G1);
        assert_eq!(mirrored.feature(Piece::WhiteKing, Square::G1), 5 * 64 + 1);
        let black = Viewpoint::new(1, Color::Black, Square::C8);
        assert_eq!(black.feature(Piece::BlackPawn, Square::A7), 8);
        assert_eq!(black.feature(Piece::WhiteQueen, Square::D1), 10 * 64 + 59);
    }

    #[test]
    fn king_buckets_are_chosen_as_documented() {
        let view = |color, king| Viewpoint::new(4, color, king);
        for (king, bucket) in [("a1", 0), ("g1", 0), ("e1", 1), ("c1", 1), ("h2", 2), ("d3", 3), ("e8", 3)] {
            let king: Square = king.parse().unwrap();
            let mirrored = usize::from(king as u8 & 4 != 0);
            let seen = view(Color::White, king);
            assert_eq!(seen.number(), 2 * bucket + mirrored, "{king}");
            assert_eq!(seen.feature(Piece::WhitePawn, Square::A2) / FEATURES, bucket);
            let flipped = Square::from_index(king as u8 ^ 56);
            assert_eq!(view(Color::Black, flipped).number(), 2 * bucket + mirrored, "{flipped}");
        }
        let views = Square::all().map(|king| view(Color::White, king).number());
        assert_eq!(views.collect::<std::collections::BTreeSet<_>>().len(), 8);
    }

    #[test]
    fn inputs_that_cannot_occur_are_known() {
        assert_eq!((0..FEATURES).filter(|&input| can_occur(1, input)).count(), FEATURES - 64);
        for buckets in [1, 4] {
            check_what_can_occur(buckets);
        }
    }

    fn check_what_can_occur(buckets: usize) {
        let mut seen = vec![false; buckets * FEATURES];
        for color in Color::ALL {
            for king in Square::all() {
                let view = Viewpoint::new(buckets, color, king);
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
            assert_eq!(can_occur(buckets, feature), seen, "{feature}");
        }
    }

    #[test]
    fn output_buckets_are_chosen_by_pieces() {
        assert_eq!([2, 5, 6, 29, 30, 32].map(|pieces| output_bucket(8, pieces)), [0, 0, 1, 6, 7, 7]);
        assert_eq!([2, 17, 32].map(|pieces| output_bucket(1, pieces)), [0; 3]);
        assert!((0..8).all(|bucket| output_bucket(8, least_pieces(bucket)) == bucket));
    }

    #[test]
    fn each_view_numbers_pieces_without_overlap() {
        for color in Color::ALL {
            for king in [Square::D4, Square::E4] {
                let view = Viewpoint::new(1, color, king);
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

//! A training position in 32 bytes, as the side to move sees it.

use crate::board::Position;
use crate::nnue::{FEATURES, feature_index, king_bucket};
use crate::types::{Color, PieceType, Score};

/// A position with the score of a search and the result of its game.
///
/// Everything is seen by the side to move: ranks are flipped when Black is to move, and "own" pieces are
/// its pieces. So a position and its colour-flipped twin are the same record. What the network does not
/// see (castling rights, en passant, counters) is not kept. The layout is that of bulletformat, which
/// is known to do (docs.rs/bulletformat).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Record {
    /// The occupied squares.
    occupied: u64,
    /// Four bits a piece, in the order of their squares: type 0..=5, plus 8 if it is the enemy's.
    pieces: [u8; 16],
    /// In internal units.
    score: i16,
    /// Half points: 0, 1, 2, or [`NO_RESULT`].
    result: u8,
    /// King of the side to move.
    own_king: u8,
    /// King of the other side, as that side sees it.
    enemy_king: u8,
    /// Plies from the start of its game, at most 255.
    ply: u8,
    /// What its game has drawn; used only while the set is put together.
    lot: u16,
}

const _: () = assert!(size_of::<Record>() == 32);

/// Stands for the result of a position that did not occur in a game.
const NO_RESULT: u8 = 3;

/// The bit of a piece's nibble that marks an enemy.
const ENEMY: u8 = 8;
/// Flips ranks.
const FLIP: u8 = 56;

impl Record {
    /// Packs a position.
    ///
    /// `score` is from the side to move's view; more than +-32000 is cut. `white_half_points` is the
    /// result of the game for White: 0, 1 or 2.
    pub fn new(position: &Position, score: Score, white_half_points: u8) -> Record {
        debug_assert!(white_half_points <= 2);
        let us = position.stm();
        let flip = if us == Color::Black { FLIP } else { 0 };
        let occupied = position.occupied().0;
        let mut record = Record {
            occupied: if us == Color::Black { occupied.swap_bytes() } else { occupied },
            pieces: [0; 16],
            score: score.0.clamp(-32_000, 32_000) as i16,
            result: if us == Color::White { white_half_points } else { 2 - white_half_points },
            own_king: position.king(us) as u8 ^ flip,
            enemy_king: position.king(!us) as u8 ^ flip ^ FLIP,
            ply: 0,
            lot: 0,
        };
        let mut squares = record.occupied;
        let mut index = 0;
        while squares != 0 {
            let square = crate::types::Square::from_index(squares.trailing_zeros() as u8 ^ flip);
            if let Some(piece) = position.piece_on(square) {
                let piece = piece.kind() as u8 | if piece.color() == us { 0 } else { ENEMY };
                record.pieces[index / 2] |= piece << (4 * (index % 2));
            }
            squares &= squares - 1;
            index += 1;
        }
        record
    }

    /// The score in internal units, from the side to move's view.
    #[inline(always)]
    pub fn score(&self) -> i16 {
        self.score
    }

    /// The result of the game in half points for the side to move: 0, 1 or 2; `None` for a position that did not
    /// occur in a game.
    #[inline(always)]
    pub fn half_points(&self) -> Option<u8> {
        (self.result != NO_RESULT).then_some(self.result)
    }

    /// The same record as of a position that did not occur in a game.
    pub fn without_result(self) -> Record {
        Record { result: NO_RESULT, ..self }
    }

    /// Number of pieces on the board.
    #[inline(always)]
    pub fn piece_count(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// Plies from the start of the game, 255 also for more; 0 unless [`Record::with_ply`] has set it.
    #[inline(always)]
    pub fn ply(&self) -> u8 {
        self.ply
    }

    /// The same record, so many plies from the start of the game.
    pub fn with_ply(self, ply: usize) -> Record {
        Record { ply: ply.min(255) as u8, ..self }
    }

    /// Calls `f` with each piece's input from the own and from the enemy's perspective, in a network with this
    /// number of king buckets, 1 or 4.
    ///
    /// A perspective sees the board from its own side, its files mirrored while its king stands on e to
    /// h; the input is `((king bucket * 2 + relative colour) * 6 + type) * 64 + square`.
    #[inline(always)]
    pub fn for_each_feature(&self, king_buckets: usize, mut f: impl FnMut(u16, u16)) {
        let own_turn = mirror(self.own_king);
        let enemy_turn = mirror(self.enemy_king) ^ FLIP;
        let first = |king: u8| king_bucket(king_buckets, king.into()) * FEATURES;
        let (own_first, enemy_first) = (first(self.own_king), first(self.enemy_king));
        let mut squares = self.occupied;
        let mut pieces = u128::from_le_bytes(self.pieces);
        while squares != 0 {
            let square = squares.trailing_zeros() as u8;
            let piece = pieces as u8 & 15;
            let kind = usize::from(piece & 7);
            let is_enemy = piece >= ENEMY;
            let own = own_first + feature_index(is_enemy, kind, usize::from(square ^ own_turn));
            let enemy = enemy_first + feature_index(!is_enemy, kind, usize::from(square ^ enemy_turn));
            f(own as u16, enemy as u16);
            squares &= squares - 1;
            pieces >>= 4;
        }
    }

    /// What its game has drawn, which decides whether it is held out.
    pub(super) fn lot(&self) -> u16 {
        self.lot
    }

    /// The same record, of a game that has drawn this.
    pub(super) fn with_lot(self, lot: u16) -> Record {
        Record { lot, ..self }
    }

    /// Whether the same pieces stand on the same squares, which makes it the same input of the network.
    #[inline(always)]
    pub(super) fn same_board(&self, other: &Record) -> bool {
        self.occupied == other.occupied && self.pieces == other.pieces
    }

    /// A hash of the board. Records of the same board have the same one.
    #[inline(always)]
    pub(super) fn board_hash(&self) -> u64 {
        let pieces = u128::from_le_bytes(self.pieces);
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        let pieces =
            fold(pieces as u64 ^ 0x9E37_79B9_7F4A_7C15, (pieces >> 64) as u64 ^ 0xD6E8_FEB8_6659_FD93);
        fold(self.occupied ^ 0xA076_1D64_78BD_642F, pieces ^ 0xE703_7ED1_A0B4_28DB)
    }

    /// Own and enemy material in internal units, for targets that tests can teach.
    #[cfg(test)]
    pub(super) fn material(&self) -> i16 {
        let worth = [100, 300, 300, 500, 900, 0];
        let mut sum = 0;
        self.for_each_feature(1, |own, _| {
            let value = worth[own as usize / 64 % 6];
            sum += if own < 384 { value } else { -value };
        });
        sum
    }

    /// The same board with another score and result.
    #[cfg(test)]
    pub(super) fn with_labels(self, score: i16, result: u8) -> Record {
        Record { score, result, ..self }
    }
}

/// What turns a square of a perspective whose king stands here: 7 mirrors the files.
#[inline(always)]
fn mirror(king: u8) -> u8 {
    if king & 7 > 3 { 7 } else { 0 }
}

/// The number of a piece type within features is its index.
const _: () = assert!(PieceType::King as u8 == 5 && PieceType::Pawn as u8 == 0);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::samples::random_positions;
    use crate::types::{Bitboard, Square};

    /// Inputs straight from the definition.
    fn features_by_definition(king_buckets: usize, position: &Position, perspective: Color) -> Vec<u16> {
        let king = position.king(perspective).relative_to(perspective);
        let mut features = Vec::new();
        for square in position.occupied() {
            let piece = position.piece_on(square).unwrap();
            let mut seen = square.relative_to(perspective) as u16;
            if king.file().index() >= 4 {
                seen ^= 7;
            }
            let color = u16::from(piece.color() != perspective);
            let bucket = match (king_buckets, king.rank().index(), king.file().index()) {
                (1, ..) | (4, 0, 0 | 1 | 6 | 7) => 0,
                (4, 0, _) => 1,
                (4, 1, _) => 2,
                _ => 3,
            };
            features.push(((bucket * 2 + color) * 6 + piece.kind() as u16) * 64 + seen);
        }
        features.sort_unstable();
        features
    }

    #[test]
    fn features_follow_the_definition() {
        for position in random_positions(1, 2000) {
            let record = Record::new(&position, Score(12), 2);
            for king_buckets in [1, 4] {
                let (mut own, mut enemy) = (Vec::new(), Vec::new());
                record.for_each_feature(king_buckets, |a, b| {
                    own.push(a);
                    enemy.push(b);
                });
                own.sort_unstable();
                enemy.sort_unstable();
                assert_eq!(own, features_by_definition(king_buckets, &position, position.stm()));
                assert_eq!(enemy, features_by_definition(king_buckets, &position, !position.stm()));
            }
            assert_eq!(record.piece_count(), position.occupied().count() as usize);
        }
    }

    #[test]
    fn colours_do_not_matter() {
        for position in random_positions(2, 500) {
            let record = Record::new(&position, Score(-7), 2);
            assert_eq!(record, Record::new(&position.color_flipped(), Score(-7), 0));
            assert_eq!(record.half_points(), Some(if position.stm() == Color::White { 2 } else { 0 }));
            assert_eq!(record.without_result().half_points(), None);
        }
    }

    #[test]
    fn a_known_position() {
        // White king e1 (mirrored), black king b8 (a to d, not mirrored), black pawn h7; Black moves.
        let position: Position = "1k6/7p/8/8/8/8/8/4K3 b - - 0 1".parse().unwrap();
        let mut pairs = Vec::new();
        Record::new(&position, Score(0), 1).for_each_feature(1, |own, enemy| pairs.push((own, enemy)));
        let at = |color: u16, kind: PieceType, square: Square| (color * 6 + kind as u16) * 64 + square as u16;
        assert_eq!(
            pairs,
            [
                (at(0, PieceType::King, Square::B1), at(1, PieceType::King, Square::G8)),
                (at(0, PieceType::Pawn, Square::H2), at(1, PieceType::Pawn, Square::A7)),
                (at(1, PieceType::King, Square::E8), at(0, PieceType::King, Square::D1)),
            ]
        );
        assert!(Bitboard(Record::new(&position, Score(0), 1).occupied).has(Square::E8));
    }
}

//! Seeing one ply ahead that a position can be repeated (CPW: "Repetitions"; M. N. J. van Kervinck,
//! "The design and implementation of the Rookie 2.0 chess program", upcoming repetitions).
//!
//! If the keys of two positions differ just by one reversible move, that move leads from one to the
//! other. All such differences sit in a cuckoo hash table with two places for each key.

use once_cell::sync::Lazy;

use super::position::Position;
use super::zobrist::reversible_move_key;
use crate::attacks::{between, bishop_attacks, king_attacks, knight_attacks, rook_attacks};
use crate::types::{Bitboard, Piece, PieceType, Square};

const SIZE: usize = 8192;

/// The key differences of all reversible moves on an empty board.
pub struct ReversibleMoves {
    /// 0 marks a free place.
    keys: Box<[u64; SIZE]>,
    squares: Box<[(Square, Square); SIZE]>,
}

#[inline]
const fn first_place(key: u64) -> usize {
    key as usize % SIZE
}

#[inline]
const fn second_place(key: u64) -> usize {
    (key >> 16) as usize % SIZE
}

impl ReversibleMoves {
    /// The table, built at first use. Searchers keep the reference, so a node pays no check.
    pub fn get() -> &'static ReversibleMoves {
        static TABLE: Lazy<ReversibleMoves> = Lazy::new(ReversibleMoves::build);
        &TABLE
    }

    fn build() -> ReversibleMoves {
        let mut table = ReversibleMoves {
            keys: Box::new([0; SIZE]),
            squares: Box::new([(Square::A1, Square::A1); SIZE]),
        };
        for piece in Piece::ALL.into_iter().filter(|piece| piece.kind() != PieceType::Pawn) {
            for from in Square::all() {
                let reach = match piece.kind() {
                    PieceType::Knight => knight_attacks(from),
                    PieceType::Bishop => bishop_attacks(from, Bitboard::EMPTY),
                    PieceType::Rook => rook_attacks(from, Bitboard::EMPTY),
                    PieceType::Queen => {
                        bishop_attacks(from, Bitboard::EMPTY) | rook_attacks(from, Bitboard::EMPTY)
                    }
                    _ => king_attacks(from),
                };
                for to in reach.into_iter().filter(|&to| from < to) {
                    table.insert(reversible_move_key(piece, from, to), (from, to));
                }
            }
        }
        table
    }

    /// Puts a key into its first place, driving out what is there into its other place, and so on.
    fn insert(&mut self, mut key: u64, mut squares: (Square, Square)) {
        let mut place = first_place(key);
        loop {
            std::mem::swap(&mut self.keys[place], &mut key);
            std::mem::swap(&mut self.squares[place], &mut squares);
            if key == 0 {
                return;
            }
            place = if place == first_place(key) { second_place(key) } else { first_place(key) };
        }
    }

    #[inline]
    fn find(&self, key: u64) -> Option<(Square, Square)> {
        [first_place(key), second_place(key)]
            .into_iter()
            .find(|&place| self.keys[place] == key)
            .map(|place| self.squares[place])
    }

    /// Whether one reversible move leads from here to a position of the searched line. That the move might
    /// belong to the other side, after one side lost a tempo, is not told apart. `earlier` holds the
    /// keys of the positions before this one that can still recur, latest last; only those less than
    /// `ply` plies back, inside the search tree, are looked at.
    #[inline]
    pub fn can_repeat(&self, position: &Position, earlier: &[u64], ply: usize) -> bool {
        let reach = usize::from(position.halfmove_clock()).min(earlier.len()).min(ply.saturating_sub(1));
        let occupied = position.occupied();
        (3..=reach).step_by(2).any(|back| {
            let difference = position.key() ^ earlier[earlier.len() - back];
            self.find(difference).is_some_and(|(from, to)| !between(from, to).meets(occupied))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Move, MoveKind};

    #[test]
    fn all_reversible_moves_are_found() {
        let table = ReversibleMoves::get();
        assert_eq!(table.keys.iter().filter(|&&key| key != 0).count(), 3668);
        let key = reversible_move_key(Piece::WhiteKnight, Square::G1, Square::F3);
        assert_eq!(table.find(key), Some((Square::G1, Square::F3)));
    }

    #[test]
    fn a_repetition_is_seen_before_it_is_played() {
        let mut position = Position::start();
        let mut keys = Vec::new();
        let table = ReversibleMoves::get();
        for (from, to) in [(Square::G1, Square::F3), (Square::G8, Square::F6), (Square::F3, Square::G1)] {
            assert!(!table.can_repeat(&position, &keys, 20));
            keys.push(position.key());
            position.make(Move::new(from, to, MoveKind::Quiet));
        }
        // Black's knight goes home and the initial position is there again.
        assert!(table.can_repeat(&position, &keys, 20));
        // Unless that position lies before the root.
        assert!(!table.can_repeat(&position, &keys, 3));
    }
}

//! Lines through two squares and the squares between them, for pins, checks and evasions.

use super::sliders::{DIRECTIONS, const_line_attacks};
use crate::types::{Bitboard, Square};

type Table = [[Bitboard; 64]; 64];

/// Squares strictly between two squares of one line; empty otherwise. `[a][b]`
static BETWEEN: Table = build(true);
/// The whole line through two squares, both included; empty when they share none. `[a][b]`
static LINE: Table = build(false);

const fn build(only_between: bool) -> Table {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut direction = 0;
        while direction < DIRECTIONS {
            let a_square = Square::from_index(a as u8);
            let ray = const_line_attacks(direction, a_square, Bitboard::EMPTY);
            let mut rest = ray.0;
            while rest != 0 {
                let b_square = Square::from_index(rest.trailing_zeros() as u8);
                rest &= rest - 1;
                table[a][b_square.index()] = if only_between {
                    let from_a = const_line_attacks(direction, a_square, b_square.bitboard());
                    let from_b = const_line_attacks(direction, b_square, a_square.bitboard());
                    Bitboard(from_a.0 & from_b.0)
                } else {
                    Bitboard(ray.0 | 1 << a)
                };
            }
            direction += 1;
        }
        a += 1;
    }
    table
}

/// Squares strictly between `a` and `b`, if they share a rank, file or diagonal; else empty.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The rank, file or diagonal through `a` and `b` from edge to edge, both included; else empty.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_and_line() {
        let squares = |set: Bitboard| set.into_iter().collect::<Vec<_>>();
        assert_eq!(squares(between(Square::A1, Square::D4)), [Square::B2, Square::C3]);
        assert_eq!(squares(between(Square::H5, Square::E5)), [Square::F5, Square::G5]);
        assert!(between(Square::A1, Square::B3).is_empty());
        assert!(between(Square::A1, Square::A2).is_empty());
        assert_eq!(line(Square::C1, Square::A3).count(), 3);
        assert_eq!(line(Square::E2, Square::E7).count(), 8);
        assert!(line(Square::A1, Square::C2).is_empty());
        for a in Square::all() {
            for b in Square::all() {
                assert_eq!(between(a, b), between(b, a));
                assert_eq!(line(a, b), line(b, a));
            }
        }
    }
}

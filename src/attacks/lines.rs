//! The lines of the board: attacks along one, computed without tables; the line through two squares and the squares
//! between them, for pins, checks and evasions.

use crate::types::{Bitboard, Square};

/// Number of line directions: file, rank, diagonal, anti-diagonal.
const DIRECTIONS: usize = 4;

/// The line of one direction through `square`, without `square`.
const fn line_mask(direction: usize, square: Square) -> u64 {
    let (file, rank) = (square as i32 & 7, square as i32 >> 3);
    let own = 1u64 << square as u8;
    let mask = match direction {
        0 => 0x0101_0101_0101_0101 << file,
        1 => 0xFF << (8 * rank),
        2 => shift_diagonal(0x8040_2010_0804_0201, rank - file),
        _ => shift_diagonal(0x0102_0408_1020_4080, rank + file - 7),
    };
    mask & !own
}

/// Moves a main diagonal up (positive) or down by whole ranks.
const fn shift_diagonal(diagonal: u64, ranks: i32) -> u64 {
    if ranks >= 0 { diagonal << (8 * ranks) } else { diagonal >> (-8 * ranks) }
}

/// Attacks along one direction (CPW: "Hyperbola Quintessence"): subtracting the slider from the
/// occupancy flips all bits up to the first blocker; doing it on the mirrored board gives the other way.
const fn attacks_along(direction: usize, square: Square, occupied: Bitboard) -> Bitboard {
    let mask = line_mask(direction, square);
    let slider = 1u64 << square as u8;
    let blockers = occupied.0 & mask;
    let up = blockers.wrapping_sub(slider.wrapping_mul(2));
    let down = blockers.reverse_bits().wrapping_sub(slider.reverse_bits().wrapping_mul(2)).reverse_bits();
    Bitboard((up ^ down) & mask)
}

/// Slider attacks without tables, for building and checking them. `diagonal` picks bishop over rook.
pub const fn line_attacks(diagonal: bool, square: Square, occupied: Bitboard) -> Bitboard {
    let first = if diagonal { 2 } else { 0 };
    Bitboard(attacks_along(first, square, occupied).0 | attacks_along(first + 1, square, occupied).0)
}

/// Squares whose occupation changes a slider's reach: its rays without their last squares.
pub const fn relevant_occupancy(diagonal: bool, square: Square) -> Bitboard {
    let (file, rank) = (square.file(), square.rank());
    let files = (Bitboard::FILE_A.0 | Bitboard::FILE_H.0) & !file.bitboard().0;
    let ranks = (0xFF | 0xFF << 56) & !rank.bitboard().0;
    Bitboard(line_attacks(diagonal, square, Bitboard::EMPTY).0 & !(files | ranks))
}

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
            let ray = attacks_along(direction, a_square, Bitboard::EMPTY);
            let mut rest = ray.0;
            while rest != 0 {
                let b_square = Square::from_index(rest.trailing_zeros() as u8);
                rest &= rest - 1;
                table[a][b_square.index()] = if only_between {
                    let from_a = attacks_along(direction, a_square, b_square.bitboard());
                    let from_b = attacks_along(direction, b_square, a_square.bitboard());
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
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The rank, file or diagonal through `a` and `b` from edge to edge, both included; else empty.
#[inline]
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

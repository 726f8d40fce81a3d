//! Rooks, bishops and queens by table look-up.
//!
//! The squares that can block a slider (its relevant occupancy) are turned into an index of a
//! precomputed attack table. Builds for processors with BMI2 gather those bits with one `PEXT`;
//! all others multiply by a magic number that moves them to the top of the word (CPW: "Magic
//! Bitboards", fancy variant; "BMI2 - PEXT Bitboards"). Both index the same number of entries.

use super::lines::{line_attacks, relevant_occupancy};
#[cfg(not(target_feature = "bmi2"))]
use super::magics::{BISHOP_MAGICS, ROOK_MAGICS};
use crate::types::{Bitboard, Square};

/// Where a square's attack sets lie in the table, and how to index them.
#[derive(Clone, Copy)]
struct Entry {
    mask: u64,
    offset: u32,
    #[cfg(not(target_feature = "bmi2"))]
    shift: u8,
    #[cfg(not(target_feature = "bmi2"))]
    magic: u64,
}

impl Entry {
    #[cfg(target_feature = "bmi2")]
    #[inline]
    fn index(&self, occupied: Bitboard) -> usize {
        #[allow(unsafe_code)]
        // SAFETY: this function exists only in builds whose target is said to have BMI2.
        let packed = unsafe { std::arch::x86_64::_pext_u64(occupied.0, self.mask) };
        self.offset as usize + packed as usize
    }

    #[cfg(not(target_feature = "bmi2"))]
    #[inline]
    const fn index(&self, occupied: Bitboard) -> usize {
        let blockers = occupied.0 & self.mask;
        self.offset as usize + (blockers.wrapping_mul(self.magic) >> self.shift) as usize
    }
}

const ROOK_ENTRIES: usize = 102_400;
const BISHOP_ENTRIES: usize = 5_248;

const fn entries(diagonal: bool) -> [Entry; 64] {
    let mut table = [Entry {
        mask: 0,
        offset: 0,
        #[cfg(not(target_feature = "bmi2"))]
        shift: 0,
        #[cfg(not(target_feature = "bmi2"))]
        magic: 0,
    }; 64];
    let mut offset = 0;
    let mut square = 0;
    while square < 64 {
        let mask = relevant_occupancy(diagonal, Square::from_index(square as u8));
        table[square] = Entry {
            mask: mask.0,
            offset,
            #[cfg(not(target_feature = "bmi2"))]
            shift: 64 - mask.count() as u8,
            #[cfg(not(target_feature = "bmi2"))]
            magic: if diagonal { BISHOP_MAGICS[square] } else { ROOK_MAGICS[square] },
        };
        offset += 1 << mask.count();
        square += 1;
    }
    table
}

#[allow(long_running_const_eval)]
const fn attack_table<const N: usize>(diagonal: bool, entries: &[Entry; 64]) -> [Bitboard; N] {
    let mut table = [Bitboard::EMPTY; N];
    let mut square = 0;
    while square < 64 {
        let entry = &entries[square];
        // Walks all subsets of the mask in increasing order (CPW: "Traversing Subsets of a Set"), which
        // is also the order of their PEXT indices.
        let mut subset = 0u64;
        #[cfg(target_feature = "bmi2")]
        let mut number = 0;
        loop {
            let attacks = line_attacks(diagonal, Square::from_index(square as u8), Bitboard(subset));
            #[cfg(target_feature = "bmi2")]
            {
                table[entry.offset as usize + number] = attacks;
                number += 1;
            }
            #[cfg(not(target_feature = "bmi2"))]
            {
                table[entry.index(Bitboard(subset))] = attacks;
            }
            subset = subset.wrapping_sub(entry.mask) & entry.mask;
            if subset == 0 {
                break;
            }
        }
        square += 1;
    }
    table
}

static ROOK: [Entry; 64] = entries(false);
static BISHOP: [Entry; 64] = entries(true);
#[allow(long_running_const_eval)]
static ROOK_TABLE: [Bitboard; ROOK_ENTRIES] = attack_table(false, &entries(false));
#[allow(long_running_const_eval)]
static BISHOP_TABLE: [Bitboard; BISHOP_ENTRIES] = attack_table(true, &entries(true));

/// Attacks on an empty board. `[square]`
static ROOK_RAYS: [Bitboard; 64] = rays(false);
static BISHOP_RAYS: [Bitboard; 64] = rays(true);

const fn rays(diagonal: bool) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = line_attacks(diagonal, Square::from_index(square as u8), Bitboard::EMPTY);
        square += 1;
    }
    table
}

/// Squares a rook on `square` attacks, the first blocker in each direction included.
#[inline]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    ROOK_TABLE[ROOK[square.index()].index(occupied)]
}

/// Squares a bishop on `square` attacks, the first blocker in each direction included.
#[inline]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    BISHOP_TABLE[BISHOP[square.index()].index(occupied)]
}

/// Rook and bishop attacks together.
#[inline]
pub fn queen_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    rook_attacks(square, occupied) | bishop_attacks(square, occupied)
}

/// Rook attacks on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK_RAYS[square.index()]
}

/// Bishop attacks on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP_RAYS[square.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Square by square in each direction until something stands in the way.
    fn walk(steps: [(i32, i32); 4], square: Square, occupied: Bitboard) -> Bitboard {
        let mut attacks = Bitboard::EMPTY;
        for (df, dr) in steps {
            let (mut file, mut rank) = (square.file() as i32 + df, square.rank() as i32 + dr);
            while (0..8).contains(&file) && (0..8).contains(&rank) {
                let target = Square::from_index((rank * 8 + file) as u8);
                attacks = attacks.with(target);
                if occupied.has(target) {
                    break;
                }
                (file, rank) = (file + df, rank + dr);
            }
        }
        attacks
    }

    #[test]
    fn tables_equal_a_walk_for_every_relevant_occupancy() {
        const ROOK_STEPS: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
        const BISHOP_STEPS: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
        for square in Square::all() {
            for diagonal in [false, true] {
                let mask = relevant_occupancy(diagonal, square).0;
                // Pieces outside the mask must not matter.
                let noise = !mask & 0xA5A5_5A5A_3C3C_C3C3 & !square.bitboard().0;
                let mut subset = 0u64;
                loop {
                    let occupied = Bitboard(subset);
                    let noisy = Bitboard(subset | noise);
                    if diagonal {
                        let expected = walk(BISHOP_STEPS, square, occupied);
                        assert_eq!(bishop_attacks(square, occupied), expected);
                        assert_eq!(bishop_attacks(square, noisy), walk(BISHOP_STEPS, square, noisy));
                    } else {
                        let expected = walk(ROOK_STEPS, square, occupied);
                        assert_eq!(rook_attacks(square, occupied), expected);
                        assert_eq!(rook_attacks(square, noisy), walk(ROOK_STEPS, square, noisy));
                    }
                    subset = subset.wrapping_sub(mask) & mask;
                    if subset == 0 {
                        break;
                    }
                }
            }
        }
    }
}

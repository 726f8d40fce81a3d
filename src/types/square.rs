//! Squares, files and ranks. Squares are numbered a1 = 0, b1 = 1, ... h8 = 63 (little-endian rank-file mapping).

use std::fmt;
use std::str::FromStr;

use super::{Bitboard, Color};

/// A column of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum File {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
}

impl File {
    /// All files, a to h.
    pub const ALL: [File; 8] = [File::A, File::B, File::C, File::D, File::E, File::F, File::G, File::H];

    /// 0 (a) to 7 (h).
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The file named by a letter of either case.
    pub fn from_letter(letter: char) -> Option<File> {
        let index = (letter.to_ascii_lowercase() as u32).checked_sub('a' as u32)?;
        File::ALL.get(index as usize).copied()
    }

    /// The lower-case letter.
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }

    /// The eight squares of this file.
    #[inline]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(0x0101_0101_0101_0101 << self as u8)
    }
}

/// A row of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Rank {
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    R8,
}

impl Rank {
    /// All ranks, 1 to 8.
    pub const ALL: [Rank; 8] =
        [Rank::R1, Rank::R2, Rank::R3, Rank::R4, Rank::R5, Rank::R6, Rank::R7, Rank::R8];

    /// 0 (rank 1) to 7 (rank 8).
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The rank as `color` counts from its own side: White's rank 1 is Black's rank 8.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Rank {
        Rank::ALL[self as usize ^ (color as usize * 7)]
    }

    /// The eight squares of this rank.
    #[inline]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(0xFF << (8 * self as u8))
    }
}

/// One of the 64 squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
#[rustfmt::skip]
#[allow(missing_docs)]
pub enum Square {
    A1, B1, C1, D1, E1, F1, G1, H1,
    A2, B2, C2, D2, E2, F2, G2, H2,
    A3, B3, C3, D3, E3, F3, G3, H3,
    A4, B4, C4, D4, E4, F4, G4, H4,
    A5, B5, C5, D5, E5, F5, G5, H5,
    A6, B6, C6, D6, E6, F6, G6, H6,
    A7, B7, C7, D7, E7, F7, G7, H7,
    A8, B8, C8, D8, E8, F8, G8, H8,
}

const _: () = assert!(size_of::<Option<Square>>() == 1);

impl Square {
    /// Number of squares.
    pub const COUNT: usize = 64;

    /// The square with this number; only the low six bits count.
    #[inline]
    pub const fn from_index(index: u8) -> Square {
        #[allow(unsafe_code)]
        // SAFETY: the mask leaves 0..=63, and every such value is a variant of this `repr(u8)` enum.
        unsafe {
            std::mem::transmute(index & 63)
        }
    }

    /// The square where this file and rank meet.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Square {
        Square::from_index(rank as u8 * 8 + file as u8)
    }

    /// All squares from a1 to h8, rank by rank.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> {
        (0..64).map(Square::from_index)
    }

    /// 0 (a1) to 63 (h8).
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its file.
    #[inline]
    pub const fn file(self) -> File {
        File::ALL[self as usize & 7]
    }

    /// Its rank.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::ALL[self as usize >> 3]
    }

    /// The set that holds just this square.
    #[inline]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << self as u8)
    }

    /// The square `delta` further in the a1..h8 numbering, wrapping at the ends of the board.
    #[inline]
    pub const fn offset(self, delta: i8) -> Square {
        Square::from_index((self as u8).wrapping_add_signed(delta))
    }

    /// The square on the same file, seen from the other side of the board (a1 <-> a8).
    #[inline]
    pub const fn flip_rank(self) -> Square {
        Square::from_index(self as u8 ^ 56)
    }

    /// The square as `color` sees it: unchanged for White, rank-flipped for Black.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Square {
        Square::from_index(self as u8 ^ (color as u8 * 56))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().letter(), self.rank().index() + 1)
    }
}

/// The text was not a square such as `e4`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a square")]
pub struct SquareError(pub String);

impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Square, SquareError> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Ok(Square::from_index((rank - b'1') * 8 + (file - b'a')))
            }
            _ => Err(SquareError(text.to_owned())),
        }
    }
}

//! Castling rights.

use super::Color;

/// The wing a king castles to. In Chess960 it names the destination, not where the rook stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum CastlingSide {
    /// King to the g-file, rook to the f-file.
    King,
    /// King to the c-file, rook to the d-file.
    Queen,
}

impl CastlingSide {
    /// Both wings.
    pub const ALL: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];
}

/// The rules that say from where a side may castle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastlingMode {
    /// Standard chess: the king stands on the e-file and the rook in the corner.
    Standard,
    /// Chess960: king and rook stand anywhere on the first rank.
    Chess960,
}

/// A set of up to four castling rights. Bit = 2 * colour + wing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No right left.
    pub const NONE: CastlingRights = CastlingRights(0);

    /// The slot of a right in per-right tables, 0 to 3.
    #[inline(always)]
    pub const fn slot(color: Color, side: CastlingSide) -> usize {
        color as usize * 2 + side as usize
    }

    /// Whether no right is left.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this right is held.
    #[inline(always)]
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.0 >> Self::slot(color, side) & 1 != 0
    }

    /// Whether `color` holds any right.
    #[inline(always)]
    pub const fn any_of(self, color: Color) -> bool {
        self.0 >> (color as u8 * 2) & 3 != 0
    }

    /// Adds one right.
    pub const fn insert(&mut self, color: Color, side: CastlingSide) {
        self.0 |= 1 << Self::slot(color, side);
    }

    /// Takes one right away.
    #[inline(always)]
    pub const fn remove(&mut self, color: Color, side: CastlingSide) {
        self.0 &= !(1 << Self::slot(color, side));
    }
}

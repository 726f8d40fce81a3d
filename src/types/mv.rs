//! Moves in sixteen bits, and castling rights.
//!
//! ```text
//!  15  14  13  12 | 11 ........ 6 | 5 ......... 0
//!  kind (1..=15)  |  to square    |  from square
//! ```
//!
//! Kinds are numbered from 1, so the all-zero word is free and `Option<Move>` takes two bytes.
//! Castling is stored as the king taking its own rook, which serves standard chess and Chess960 alike;
//! only `notation` knows that standard chess writes it `e1g1`.

use std::num::NonZeroU16;

use arrayvec::ArrayVec;

use super::{Color, PieceType, Square};

/// What sort of move it is. Bit 2 marks captures, bit 3 promotions, and the low two bits of a
/// promotion are the piece (0 knight .. 3 queen).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum MoveKind {
    Quiet = 1,
    DoublePush = 2,
    Castle = 3,
    Capture = 4,
    EnPassant = 5,
    PromoteKnight = 8,
    PromoteBishop = 9,
    PromoteRook = 10,
    PromoteQueen = 11,
    CapturePromoteKnight = 12,
    CapturePromoteBishop = 13,
    CapturePromoteRook = 14,
    CapturePromoteQueen = 15,
}

const CAPTURE_BIT: u16 = 4;
const PROMOTION_BIT: u16 = 8;

impl MoveKind {
    const fn from_bits(bits: u16) -> Option<MoveKind> {
        Some(match bits {
            1 => MoveKind::Quiet,
            2 => MoveKind::DoublePush,
            3 => MoveKind::Castle,
            4 => MoveKind::Capture,
            5 => MoveKind::EnPassant,
            8 => MoveKind::PromoteKnight,
            9 => MoveKind::PromoteBishop,
            10 => MoveKind::PromoteRook,
            11 => MoveKind::PromoteQueen,
            12 => MoveKind::CapturePromoteKnight,
            13 => MoveKind::CapturePromoteBishop,
            14 => MoveKind::CapturePromoteRook,
            15 => MoveKind::CapturePromoteQueen,
            _ => return None,
        })
    }

    /// The promotion to `piece`, with or without capture. Pawn and king count as queen.
    pub const fn promotion(piece: PieceType, capture: bool) -> MoveKind {
        match (piece, capture) {
            (PieceType::Knight, false) => MoveKind::PromoteKnight,
            (PieceType::Bishop, false) => MoveKind::PromoteBishop,
            (PieceType::Rook, false) => MoveKind::PromoteRook,
            (_, false) => MoveKind::PromoteQueen,
            (PieceType::Knight, true) => MoveKind::CapturePromoteKnight,
            (PieceType::Bishop, true) => MoveKind::CapturePromoteBishop,
            (PieceType::Rook, true) => MoveKind::CapturePromoteRook,
            (_, true) => MoveKind::CapturePromoteQueen,
        }
    }
}

/// A move. Its meaning depends on the position it belongs to; nothing here checks legality.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

impl Move {
    /// The move `from` - `to` of the given kind.
    #[inline]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Move {
        let bits = from as u16 | (to as u16) << 6 | (kind as u16) << 12;
        match NonZeroU16::new(bits) {
            Some(bits) => Move(bits),
            // `kind` is at least 1, so its bits are never all zero.
            None => unreachable!(),
        }
    }

    /// The packed form, never zero.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// Unpacks a move; `None` for zero and for the unused kinds.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        match (NonZeroU16::new(bits), MoveKind::from_bits(bits >> 12)) {
            (Some(bits), Some(_)) => Some(Move(bits)),
            _ => None,
        }
    }

    /// The square the piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index(self.bits() as u8 & 63)
    }

    /// The square the piece reaches; for castling, the square of the rook.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index((self.bits() >> 6) as u8 & 63)
    }

    /// The kind of move.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match MoveKind::from_bits(self.bits() >> 12) {
            Some(kind) => kind,
            // Both constructors admit valid kinds only.
            None => unreachable!(),
        }
    }

    /// From and to squares as one index below 4096: from + 64 * to.
    #[inline]
    pub const fn from_to(self) -> usize {
        self.bits() as usize & 4095
    }

    /// Whether a piece is taken, en passant included.
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.bits() >> 12 & CAPTURE_BIT != 0
    }

    /// The piece a pawn turns into, if it does.
    #[inline]
    pub const fn promotion(self) -> Option<PieceType> {
        let kind = self.bits() >> 12;
        if kind & PROMOTION_BIT == 0 {
            return None;
        }
        Some(PieceType::ALL[(kind & 3) as usize + 1])
    }

    /// Whether the king castles.
    #[inline]
    pub const fn is_castle(self) -> bool {
        self.bits() >> 12 == MoveKind::Castle as u16
    }

    /// Whether it is an en-passant capture.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.bits() >> 12 == MoveKind::EnPassant as u16
    }

    /// Captures and queen promotions, which change the material balance at once.
    #[inline]
    pub const fn is_noisy(self) -> bool {
        let kind = self.bits() >> 12;
        kind & CAPTURE_BIT != 0 || kind == MoveKind::PromoteQueen as u16
    }

    /// Whether it is not noisy.
    #[inline]
    pub const fn is_quiet(self) -> bool {
        !self.is_noisy()
    }
}

/// Upper bound on legal moves in a position; 218 is the known maximum.
pub const MAX_MOVES: usize = 256;

/// Moves of one position, kept on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

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
    #[inline]
    pub const fn slot(color: Color, side: CastlingSide) -> usize {
        color as usize * 2 + side as usize
    }

    /// Whether no right is left.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this right is held.
    #[inline]
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.0 >> Self::slot(color, side) & 1 != 0
    }

    /// Whether `color` holds any right.
    #[inline]
    pub const fn any_of(self, color: Color) -> bool {
        self.0 >> (color as u8 * 2) & 3 != 0
    }

    /// Adds one right.
    pub const fn insert(&mut self, color: Color, side: CastlingSide) {
        self.0 |= 1 << Self::slot(color, side);
    }

    /// Takes one right away.
    #[inline]
    pub const fn remove(&mut self, color: Color, side: CastlingSide) {
        self.0 &= !(1 << Self::slot(color, side));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_round_trips_and_rejects_unused_kinds() {
        let mut valid = 0;
        for bits in 0..=u16::MAX {
            let Some(mv) = Move::from_bits(bits) else { continue };
            assert_eq!(Move::new(mv.from(), mv.to(), mv.kind()), mv);
            valid += 1;
        }
        assert_eq!(valid, 13 * 4096);
        assert_eq!(Move::from_bits(0), None);
    }

    #[test]
    fn promotion_pieces_match_their_kinds() {
        for piece in [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen] {
            for capture in [false, true] {
                let mv = Move::new(Square::A7, Square::B8, MoveKind::promotion(piece, capture));
                assert_eq!((mv.promotion(), mv.is_capture()), (Some(piece), capture));
                assert_eq!(mv.is_noisy(), capture || piece == PieceType::Queen);
            }
        }
    }
}

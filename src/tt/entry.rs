//! One entry, packed into 64 bits.
//!
//! ```text
//!  63 ... 59 | 58 | 57 56 | 55 .. 48 | 47 ... 32 | 31 ... 16 | 15 .... 0
//!  age       | pv | bound | depth    | eval      | score     | move
//! ```

use crate::types::{Depth, Move, Score};

/// How a stored score relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Bound {
    /// No score, only an evaluation.
    None = 0,
    /// The true score is at most the stored one (the search failed low).
    Upper = 1,
    /// The true score is at least the stored one (the search failed high).
    Lower = 2,
    /// The stored score is the true one.
    Exact = 3,
}

impl Bound {
    const fn from_bits(bits: u8) -> Bound {
        match bits & 3 {
            0 => Bound::None,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        }
    }

    /// Whether the true score is known to be at least the stored one.
    #[inline(always)]
    pub const fn is_lower(self) -> bool {
        self as u8 & Bound::Lower as u8 != 0
    }

    /// Whether the true score is known to be at most the stored one.
    #[inline(always)]
    pub const fn is_upper(self) -> bool {
        self as u8 & Bound::Upper as u8 != 0
    }
}

/// What the table knows about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TtEntry {
    /// Best or refuting move. Legal in the stored position, but check it before use.
    pub mv: Option<Move>,
    /// Search score with mates relative to the node (see [`Score::to_tt`]).
    pub score: Score,
    /// Static evaluation, absent when the side to move was in check.
    pub eval: Option<Score>,
    /// Depth of the search in plies; 0 for quiescence.
    pub depth: Depth,
    /// What the score means.
    pub bound: Bound,
    /// Whether the position was ever part of a principal variation.
    pub was_pv: bool,
}

/// Stored evaluation that means "absent".
const NO_EVAL: i16 = i16::MIN;
/// Number of distinguishable ages.
pub(super) const AGES: u8 = 32;

impl TtEntry {
    pub(super) fn pack(&self, age: u8) -> u64 {
        let mv = self.mv.map_or(0, Move::bits);
        let score = self.score.0 as i16;
        let eval = self.eval.map_or(NO_EVAL, |eval| eval.0 as i16);
        let depth = self.depth.clamp(0, 255) as u8;
        u64::from(mv)
            | u64::from(score as u16) << 16
            | u64::from(eval as u16) << 32
            | u64::from(depth) << 48
            | (self.bound as u64) << 56
            | u64::from(self.was_pv) << 58
            | u64::from(age) << 59
    }

    pub(super) fn unpack(data: u64) -> TtEntry {
        let eval = (data >> 32) as i16;
        TtEntry {
            mv: Move::from_bits(data as u16),
            score: Score(i32::from((data >> 16) as i16)),
            eval: (eval != NO_EVAL).then_some(Score(i32::from(eval))),
            depth: packed_depth(data),
            bound: Bound::from_bits((data >> 56) as u8),
            was_pv: data >> 58 & 1 != 0,
        }
    }
}

#[inline(always)]
pub(super) const fn packed_depth(data: u64) -> Depth {
    (data >> 48) as u8 as Depth
}

#[inline(always)]
pub(super) const fn packed_age(data: u64) -> u8 {
    (data >> 59) as u8
}

#[inline(always)]
pub(super) const fn packed_move(data: u64) -> u16 {
    data as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MoveKind, Square};

    #[test]
    fn packing_keeps_every_field() {
        let mv = Move::new(Square::A7, Square::B8, MoveKind::CapturePromoteQueen);
        for bound in [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact] {
            for score in [Score::DRAW, Score::mate_in(0), Score::mated_in(5), Score(-1234)] {
                for (mv, eval) in
                    [(Some(mv), None), (None, Some(Score(-30_000))), (Some(mv), Some(Score(77)))]
                {
                    let entry = TtEntry { mv, score, eval, depth: 97, bound, was_pv: mv.is_some() };
                    let data = entry.pack(31);
                    assert_eq!(TtEntry::unpack(data), entry);
                    assert_eq!((packed_age(data), packed_depth(data)), (31, 97));
                }
            }
        }
    }
}

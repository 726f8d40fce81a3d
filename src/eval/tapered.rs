//! Pairs of middlegame and endgame values in one word (CPW: "Tapered Eval").

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// A middlegame and an endgame value in centipawns. Both are added at once: the endgame value sits
/// in the upper half of the word, and a borrow from the lower half is undone on reading.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Tapered(i32);

impl Tapered {
    /// Both halves zero.
    pub const ZERO: Tapered = Tapered(0);

    /// A pair; each value must lie well within 16 bits.
    pub const fn new(middlegame: i32, endgame: i32) -> Tapered {
        Tapered((endgame << 16).wrapping_add(middlegame))
    }

    /// The middlegame half.
    #[inline(always)]
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame half.
    #[inline(always)]
    pub const fn endgame(self) -> i32 {
        (self.0.wrapping_add(0x8000) >> 16) as i16 as i32
    }
}

impl fmt::Debug for Tapered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.middlegame(), self.endgame())
    }
}

impl Add for Tapered {
    type Output = Tapered;

    #[inline(always)]
    fn add(self, other: Tapered) -> Tapered {
        Tapered(self.0.wrapping_add(other.0))
    }
}

impl AddAssign for Tapered {
    #[inline(always)]
    fn add_assign(&mut self, other: Tapered) {
        *self = *self + other;
    }
}

impl Sub for Tapered {
    type Output = Tapered;

    #[inline(always)]
    fn sub(self, other: Tapered) -> Tapered {
        Tapered(self.0.wrapping_sub(other.0))
    }
}

impl SubAssign for Tapered {
    #[inline(always)]
    fn sub_assign(&mut self, other: Tapered) {
        *self = *self - other;
    }
}

impl Mul<i32> for Tapered {
    type Output = Tapered;

    #[inline(always)]
    fn mul(self, factor: i32) -> Tapered {
        Tapered(self.0.wrapping_mul(factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_do_not_disturb_each_other() {
        for (mg, eg) in [(0, 0), (5, -7), (-5, 7), (-300, -300), (1500, -2900)] {
            let pair = Tapered::new(mg, eg);
            assert_eq!((pair.middlegame(), pair.endgame()), (mg, eg));
            let sum = pair * 3 - Tapered::new(-1, 1);
            assert_eq!((sum.middlegame(), sum.endgame()), (3 * mg + 1, 3 * eg - 1));
        }
    }
}

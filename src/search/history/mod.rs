//! What the search has learnt about moves: tables of small numbers that rise when a move cuts off and
//! sink when it was tried in vain (CPW: "History Heuristic").

mod capture;
mod correction;
mod quiet;

pub(super) use capture::victim_value;
pub(super) use quiet::{ContKey, ContKeys, HistoryKey, QuietContext};

use std::collections::TryReserveError;

use capture::CaptureHistory;
use correction::CorrectionHistory;
use quiet::{ContinuationHistory, PawnHistory, QuietHistory};

/// The learning tables of one search thread, about 4 MB.
pub(super) struct Histories {
    pub(super) quiet: QuietHistory,
    pub(super) pawn: PawnHistory,
    pub(super) capture: CaptureHistory,
    pub(super) continuation: ContinuationHistory,
    pub(super) correction: CorrectionHistory,
}

impl Histories {
    /// Empty tables.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub(super) fn new() -> Result<Histories, TryReserveError> {
        Ok(Histories {
            quiet: QuietHistory::new()?,
            pawn: PawnHistory::new()?,
            capture: CaptureHistory::new()?,
            continuation: ContinuationHistory::new()?,
            correction: CorrectionHistory::new()?,
        })
    }

    /// Lets the scores that go by squares fade to this share in 1024ths: another position is searched next. What
    /// depends on the pawns or on earlier moves is still asked where it was learnt.
    ///
    /// - Technique: [Ageing of histories](https://www.chessprogramming.org/History_Heuristic)
    /// - Assumes: what was learnt in the last search is partly out of date
    /// - Units: 1024ths
    /// - Elo: not measured alone; in bundle H
    pub(super) fn age(&mut self, kept: i32) {
        self.quiet.age(kept);
        self.capture.age(kept);
    }

    /// Forgets all in place, which needs no memory.
    pub(super) fn clear(&mut self) {
        self.quiet.clear();
        self.pawn.clear();
        self.capture.clear();
        self.continuation.clear();
        self.correction.clear();
    }
}

/// A score within plus or minus `MAX` that drifts towards bonuses. Each update first loses a share of
/// the old value in proportion to the bonus, so the bound is never left and old lessons fade ("gravity").
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
struct HistoryValue<const MAX: i32>(i16);

impl<const MAX: i32> HistoryValue<MAX> {
    const FITS: () = assert!(MAX > 0 && MAX <= i16::MAX as i32);

    #[inline(always)]
    fn get(self) -> i32 {
        i32::from(self.0)
    }

    fn update(&mut self, bonus: i32) {
        self.update_with(bonus, self.get());
    }

    /// The same where what is lost goes by the score of a group of tables that this one belongs to.
    fn update_with(&mut self, bonus: i32, group: i32) {
        let () = Self::FITS;
        let bonus = bonus.clamp(-MAX, MAX);
        let new = self.get() + bonus - group * bonus.abs() / MAX;
        self.0 = new.clamp(-MAX, MAX) as i16;
    }

    /// Fades to this share in 1024ths.
    fn age(&mut self, kept: i32) {
        self.0 = (self.get() * kept / 1024) as i16;
    }
}

/// An empty vector with room for `length` elements.
///
/// # Errors
/// When there is not enough memory.
pub(super) fn reserved<T>(length: usize) -> Result<Vec<T>, TryReserveError> {
    let mut room = Vec::new();
    room.try_reserve_exact(length)?;
    Ok(room)
}

/// A zeroed table on the heap.
fn zeroed<T: Copy + Default, const N: usize>() -> Result<Box<[T; N]>, TryReserveError> {
    zeroed_with(T::default())
}

/// A table of equal rows on the heap. Large arrays must not pass over the stack.
fn zeroed_with<T: Copy, const N: usize>(row: T) -> Result<Box<[T; N]>, TryReserveError> {
    let mut rows = reserved(N)?;
    rows.resize(N, row);
    match rows.into_boxed_slice().try_into() {
        Ok(table) => Ok(table),
        // The vector above has exactly N elements.
        Err(_) => unreachable!(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_within_bounds() {
        let mut value = HistoryValue::<16_384>::default();
        for _ in 0..10_000 {
            value.update(1600);
        }
        assert!(value.get() > 16_384 * 9 / 10);
        for _ in 0..10_000 {
            value.update(-i32::MAX / 2);
        }
        assert!(value.get() >= -16_384);
    }

    #[test]
    fn stays_within_bounds_whatever_the_group_has_learnt() {
        let mut value = HistoryValue::<16_384>::default();
        for group in [-24_000, 24_000, 0] {
            for bonus in [-20_000, -1600, 1600, 20_000] {
                (0..100).for_each(|_| value.update_with(bonus, group));
                assert!(value.get().abs() <= 16_384);
            }
        }
    }

    #[test]
    fn ageing_keeps_a_share() {
        for (learnt, kept, left) in [(1000, 768, 750), (-1000, 768, -750), (1000, 1024, 1000), (1, 512, 0)] {
            let mut value = HistoryValue::<16_384>::default();
            value.update(learnt);
            value.age(kept);
            assert_eq!(value.get(), left);
        }
    }

    #[test]
    fn a_bonus_counts_for_less_the_more_was_learnt() {
        let after = |start: &[i32], bonus| {
            let mut value = HistoryValue::<16_384>::default();
            start.iter().for_each(|&bonus| value.update(bonus));
            let before = value.get();
            value.update(bonus);
            value.get() - before
        };
        assert_eq!((after(&[], 1000), after(&[], -1000), after(&[5000], 0)), (1000, -1000, 0));
        // What was learnt already slows the same lesson down and makes the opposite one quicker.
        assert!((1..1000).contains(&after(&[8000], 1000)) && after(&[8000], -1000) < -1000);
        assert!((-999..0).contains(&after(&[-8000], -1000)) && after(&[-8000], 1000) > 1000);
        for bonus in (-1600..1600).step_by(100) {
            assert!(after(&[3000], bonus) < after(&[3000], bonus + 100), "{bonus}");
        }
    }
}

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
        let () = Self::FITS;
        let bonus = bonus.clamp(-MAX, MAX);
        let old = self.get();
        let new = old + bonus - old * bonus.abs() / MAX;
        debug_assert!(new.abs() <= MAX);
        self.0 = new as i16;
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

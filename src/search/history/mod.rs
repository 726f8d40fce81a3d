//! What the search has learnt about moves: tables of small numbers that rise when a move cuts off and
//! sink when it was tried in vain (CPW: "History Heuristic").

mod capture;
mod continuation;
mod correction;
mod quiet;
mod value;

pub(super) use capture::victim_value;
pub(super) use continuation::{ContKey, ContKeys};
pub(super) use quiet::{HistoryKey, QuietContext};
pub(super) use value::reserved;

use std::collections::TryReserveError;

use capture::CaptureHistory;
use continuation::ContinuationHistory;
use correction::CorrectionHistory;
use quiet::{PawnHistory, QuietHistory};

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

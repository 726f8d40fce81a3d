//! What the search has learnt about moves: tables of small numbers that rise when a move cuts off and
//! sink when it was tried in vain (CPW: "History Heuristic").

mod capture;
mod continuation;
mod correction;
mod quiet;
mod value;

pub(super) use capture::gain;
pub(super) use continuation::{ContKey, ContKeys};
pub(super) use quiet::{Place, QuietContext};

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
    pub(super) fn new() -> Histories {
        Histories {
            quiet: Default::default(),
            pawn: Default::default(),
            capture: Default::default(),
            continuation: Default::default(),
            correction: Default::default(),
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Histories::new();
    }
}

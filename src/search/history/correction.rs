//! Correction history: how far the evaluation was off, on average, in positions that share a feature.

use std::collections::TryReserveError;

use super::quiet::{ContKey, KEYS as MOVE_KEYS};
use super::{HistoryValue, zeroed};
use crate::board::Position;
use crate::search::params::Params;
use crate::types::{Color, Depth};

const CORRECTION_MAX: i32 = 1024;
const ENTRIES: usize = 16_384;
/// Moves, and no move.
const KEYS: usize = MOVE_KEYS + 1;

type Value = HistoryValue<CORRECTION_MAX>;

/// Average errors of the evaluation.
///
/// - Technique: [Correction history](https://www.chessprogramming.org/Static_Evaluation_Correction_History)
/// - Assumes: where positions share a feature the evaluation errs to the same side
/// - Units: internal units times 1024 over the table's weight; plus or minus `CORRECTION_MAX`
/// - Elo: switched off -2.9 +- 14.2, 1,200 games, 10,000 nodes (2026-12-01)
///
/// `[color][feature key]` for each feature, and `[reply][move before it]`.
pub(in crate::search) struct CorrectionHistory {
    pawn: Box<[Value; 2 * ENTRIES]>,
    minor: Box<[Value; 2 * ENTRIES]>,
    non_pawn: [Box<[Value; 2 * ENTRIES]>; 2],
    continuation: Box<[Value; KEYS * KEYS]>,
}

#[inline(always)]
fn slot(color: Color, key: u64) -> usize {
    color.index() * ENTRIES + key as usize % ENTRIES
}

impl CorrectionHistory {
    pub(super) fn new() -> Result<CorrectionHistory, TryReserveError> {
        Ok(CorrectionHistory {
            pawn: zeroed()?,
            minor: zeroed()?,
            non_pawn: [zeroed()?, zeroed()?],
            continuation: zeroed()?,
        })
    }

    pub(super) fn clear(&mut self) {
        self.pawn.fill(Value::default());
        self.minor.fill(Value::default());
        self.non_pawn.iter_mut().for_each(|table| table.fill(Value::default()));
        self.continuation.fill(Value::default());
    }

    /// Internal units to add to the evaluation. `line` is the last move and the one before it.
    pub(in crate::search) fn get(&self, p: &Params, position: &Position, line: [ContKey; 2]) -> i32 {
        if p.correction_history == 0 {
            return 0;
        }
        let (color, keys) = (position.stm(), position.keys());
        let sum = p.correction_pawn * self.pawn[slot(color, keys.pawn())].get()
            + p.correction_minor * self.minor[slot(color, keys.minor)].get()
            + p.correction_non_pawn
                * (self.non_pawn[0][slot(color, keys.non_pawn(Color::White))].get()
                    + self.non_pawn[1][slot(color, keys.non_pawn(Color::Black))].get())
            + p.correction_continuation * self.continuation[line[0].index() * KEYS + line[1].index()].get();
        sum / 1024
    }

    /// Learns from a search result that was `error` internal units above the corrected evaluation.
    pub(in crate::search) fn update(
        &mut self,
        position: &Position,
        line: [ContKey; 2],
        depth: Depth,
        error: i32,
    ) {
        let (color, keys) = (position.stm(), position.keys());
        let bonus = (error * depth / 8).clamp(-CORRECTION_MAX / 4, CORRECTION_MAX / 4);
        self.pawn[slot(color, keys.pawn())].update(bonus);
        self.minor[slot(color, keys.minor)].update(bonus);
        self.non_pawn[0][slot(color, keys.non_pawn(Color::White))].update(bonus);
        self.non_pawn[1][slot(color, keys.non_pawn(Color::Black))].update(bonus);
        self.continuation[line[0].index() * KEYS + line[1].index()].update(bonus);
    }
}

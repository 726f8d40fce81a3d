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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::samples::{MIDDLEGAME, PAWN_ENDING, position};

    const P: &Params = &Params::DEFAULT;
    const LINE: [ContKey; 2] = [ContKey::NONE; 2];

    /// What is corrected in a position after so many results of it.
    fn learnt(fen: &str, times: usize, depth: Depth, error: i32) -> i32 {
        let (mut history, position) = (CorrectionHistory::new().unwrap(), position(fen));
        (0..times).for_each(|_| history.update(&position, LINE, depth, error));
        history.get(P, &position, LINE)
    }

    #[test]
    fn corrections_take_the_sign_of_the_error_and_stay_within_bounds() {
        let weights = P.correction_pawn + P.correction_minor + P.correction_continuation;
        let most = (weights + 2 * P.correction_non_pawn) * CORRECTION_MAX / 1024;
        for fen in [MIDDLEGAME, PAWN_ENDING] {
            assert_eq!(learnt(fen, 0, 10, 100), 0);
            let mut last = 0;
            for times in [1, 2, 5, 20, 1000] {
                let (up, down) = (learnt(fen, times, 10, 100), learnt(fen, times, 10, -100));
                assert_eq!(up, -down, "{times}");
                assert!(up >= last && (1..=most).contains(&up), "{times}: {up} after {last}, at most {most}");
                last = up;
            }
            // Neither the largest error nor the greatest depth leaves the bounds.
            let largest = 2 * crate::types::Score::MAX_EVAL.0;
            assert!((most - 8..=most).contains(&learnt(fen, 1000, 200, largest)));
            assert!((-most..=8 - most).contains(&learnt(fen, 1000, 200, -largest)));
        }
    }

    #[test]
    fn deep_results_and_large_errors_correct_more_up_to_a_limit() {
        let once = |depth, error| learnt(MIDDLEGAME, 1, depth, error);
        assert!(once(4, 40) < once(8, 40) && once(8, 40) < once(8, 80));
        assert_eq!(once(100, 1000), once(200, 5000));
        assert_eq!(once(8, 0), 0);
    }

    #[test]
    fn a_correction_reaches_as_far_as_the_features_are_shared() {
        let mut history = CorrectionHistory::new().unwrap();
        (0..20).for_each(|_| history.update(&position(MIDDLEGAME), LINE, 10, 100));
        let get = |fen: &str| history.get(P, &position(fen), LINE);
        let all = get(MIDDLEGAME);
        // The same pawns, but another knight move and a queen less: most features differ.
        let pawns = get("r1b1kb1r/pp3ppp/2n4n/3pp3/3N4/6P1/PPP1PPBP/RNB2RK1 b kq - 0 7");
        assert!(pawns > 0 && pawns < all, "{pawns} of {all}");
        // Without the line of moves only what was learnt of moves is missing.
        let piece = position(MIDDLEGAME).piece_on(crate::types::Square::F6).unwrap();
        let moved = [ContKey::new(piece, crate::types::Square::E4), ContKey::NONE];
        let elsewhere = history.get(P, &position(MIDDLEGAME), moved);
        assert!(elsewhere > 0 && elsewhere < all);
        // Nothing is known for the other side.
        let other_side = MIDDLEGAME.replace(" b ", " w ");
        assert_eq!(history.get(P, &position(&other_side), moved), 0);
        let off = Params { correction_history: 0, ..Params::DEFAULT };
        assert_eq!(history.get(&off, &position(MIDDLEGAME), LINE), 0);
        history.clear();
        assert_eq!(history.get(P, &position(MIDDLEGAME), LINE), 0);
    }
}

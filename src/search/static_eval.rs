//! The static evaluation of a node and what follows from it (CPW: "Evaluation", "Improving").

use super::node::Node;
use super::thread::Thread;
use crate::board::Position;
use crate::tt::{Bound, TtEntry};
use crate::types::Score;

/// The evaluation faded out towards the fifty-move draw and corrected by what searches have found.
#[inline(always)]
fn corrected(position: &Position, raw: Score, correction: i32) -> Score {
    let clock = i32::from(position.halfmove_clock()).min(100);
    Score(raw.0 * (200 - clock) / 200 + correction).clamp_eval()
}

/// The evaluation, replaced by a table score where that says more: one that is a bound on the right side.
#[inline(always)]
fn bettered(static_eval: Score, entry: Option<TtEntry>) -> Score {
    match entry {
        Some(entry) if entry.score.is_decisive() => static_eval,
        Some(entry) if entry.score > static_eval && entry.bound.is_lower() => entry.score,
        Some(entry) if entry.score <= static_eval && entry.bound.is_upper() => entry.score,
        _ => static_eval,
    }
}

/// Whether the side to move stands better than at its last move, or at the one before where it was in check then.
#[inline(always)]
fn is_improving(now: Option<Score>, two_plies_ago: Option<Score>, four_plies_ago: Option<Score>) -> bool {
    match (now, two_plies_ago.or(four_plies_ago)) {
        (Some(now), Some(before)) => now > before,
        (now, _) => now.is_some(),
    }
}

impl Thread<'_> {
    /// The evaluation, from the table where known; `None` in check. What had to be computed is stored at
    /// once, since many nodes end before they have a score.
    #[inline(always)]
    pub(super) fn raw_eval(&mut self, node: &Node) -> Option<Score> {
        if node.in_check {
            return None;
        }
        if let Some(eval) = node.tt_entry.and_then(|entry| entry.eval) {
            return Some(eval);
        }
        let eval = Some(self.evaluator.evaluate(node.position));
        if node.tt_entry.is_none() {
            let score = Score::DRAW;
            let entry = TtEntry { mv: None, score, eval, depth: 0, bound: Bound::None, was_pv: false };
            self.tt.store(node.position.key(), node.ply, entry);
        }
        eval
    }

    /// Evaluates a node and writes the result into it and into the path. A node that is searched again without one
    /// of its moves keeps the evaluation that it has.
    #[inline(always)]
    pub(super) fn evaluate_node(&mut self, node: &mut Node, pv: bool) {
        if node.excluded.is_none() {
            let raw = self.raw_eval(node);
            let here = self.path.here_mut();
            here.raw_eval = raw;
            here.tt_pv = pv || node.tt_entry.is_some_and(|entry| entry.was_pv);
        }
        let raw = self.path.here().raw_eval;
        let correction = self.histories.correction.get(self.params(), node.position, self.path.last_two());
        let now = raw.map(|raw| corrected(node.position, raw, correction));
        self.path.here_mut().static_eval = now;
        node.correction = correction.abs();
        node.tt_pv = self.path.here().tt_pv;
        let before = |back| self.path.before(back).static_eval;
        node.improving = is_improving(now, before(2), before(4)) || now.is_some_and(|eval| eval >= node.beta);
        node.opponent_worsening = matches!((now, before(1)), (Some(now), Some(before)) if now > -before);
        if let Some(static_eval) = now {
            node.static_eval = static_eval;
            node.eval = bettered(static_eval, node.tt_entry.filter(|_| node.trusts_tt_scores()));
        }
    }

    /// The score of playing no capture in quiescence: the corrected evaluation, bettered by the table where it knows.
    #[inline(always)]
    pub(super) fn stand_pat(&self, node: &Node, raw: Score) -> Score {
        let correction = self.histories.correction.get(self.params(), node.position, self.path.last_two());
        let static_eval = corrected(node.position, raw, correction);
        bettered(static_eval, node.tt_entry.filter(|_| node.trusts_tt_scores()))
    }
}

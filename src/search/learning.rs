//! What a finished node teaches the histories.

use super::facts::NodeFacts;
use super::history::QuietContext;
use super::node::{Best, Tried};
use super::searcher::Searcher;
use crate::board::Position;
use crate::types::{Depth, Move};

impl Searcher {
    /// History bonus of a success at this depth.
    #[inline(always)]
    pub(super) fn bonus(&self, depth: Depth) -> i32 {
        let p = self.params();
        (p.bonus_depth * depth - p.bonus_offset).min(p.bonus_max)
    }

    #[inline(always)]
    pub(super) fn malus(&self, depth: Depth) -> i32 {
        let p = self.params();
        (p.malus_depth * depth - p.malus_offset).min(p.malus_max)
    }

    /// Rewards a move that cut off or was best, blames those tried before it, and corrects the evaluation.
    #[inline(always)]
    pub(super) fn learn(
        &mut self,
        position: &Position,
        facts: &NodeFacts,
        context: &QuietContext,
        best: &Best,
        tried: &Tried,
    ) {
        if let Some(mv) = best.mv {
            self.learn_moves(position, facts, context, mv, tried);
        } else {
            self.reward_last_move(facts);
        }
        let fits = match best.mv {
            Some(mv) => {
                mv.is_quiet() && !(best.score >= facts.window.beta && best.score <= facts.static_eval)
            }
            None => best.score < facts.static_eval,
        };
        if fits && !facts.in_check && !best.score.is_decisive() && self.stack[facts.ply].excluded.is_none() {
            let error = best.score - facts.static_eval;
            let line = self.stack.last_two(facts.ply);
            self.histories.correction.update(position, line, facts.depth, error);
        }
    }

    /// The opponent's quiet move was good if its evaluation rose by it, bad if it fell.
    #[inline(always)]
    pub(super) fn learn_from_evaluation(&mut self, facts: &NodeFacts) {
        let last = *self.stack.before(facts.ply, 1);
        let Some(before) = last.static_eval else { return };
        if facts.in_check || !last.mv.is_some_and(Move::is_quiet) {
            return;
        }
        let p = self.params();
        let rise = -(facts.static_eval + before.0).0;
        let bonus = (rise * p.eval_history).clamp(-p.eval_history_max, p.eval_history_max);
        self.histories.update_places(&last, bonus);
    }

    fn learn_moves(
        &mut self,
        position: &Position,
        facts: &NodeFacts,
        context: &QuietContext,
        mv: Move,
        tried: &Tried,
    ) {
        let (bonus, malus) = (self.bonus(facts.depth), self.malus(facts.depth));
        if mv.is_quiet() {
            if let Some(piece) = position.piece_on(mv.from()) {
                self.histories.update_quiet(context, piece, mv, bonus);
            }
            for &other in tried.quiet.iter().filter(|&&other| other != mv) {
                if let Some(piece) = position.piece_on(other.from()) {
                    self.histories.update_quiet(context, piece, other, -malus);
                }
            }
        } else {
            self.histories.capture.update(position, mv, bonus);
        }
        for &other in tried.noisy.iter().filter(|&&other| other != mv) {
            self.histories.capture.update(position, other, -malus);
        }
    }

    /// No move helped here, so the quiet move that led here was a good one.
    #[inline(always)]
    fn reward_last_move(&mut self, facts: &NodeFacts) {
        let last = *self.stack.before(facts.ply, 1);
        if last.mv.is_some_and(Move::is_quiet) && facts.ply > 0 {
            let p = self.params();
            let bonus = self.bonus(facts.depth);
            let before = self.stack.cont_keys(facts.ply - 1);
            self.histories.continuation.update_all(&before, last.key, bonus * p.fail_low_bonus / 1024);
            self.histories.update_places(&last, bonus * p.fail_low_main / 1024);
        }
    }
}

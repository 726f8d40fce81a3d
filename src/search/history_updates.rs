//! What a node teaches the histories (CPW: "History Heuristic", "Static Evaluation Correction History").

use super::history::QuietContext;
use super::node::{Best, Node, SearchedMoves};
use super::params::Params;
use super::thread::Thread;
use crate::types::{Depth, Move, Score};

/// History bonus of a success at this depth.
#[inline(always)]
fn bonus(depth: Depth, p: &Params) -> i32 {
    (p.bonus_depth * depth - p.bonus_offset).min(p.bonus_max)
}

/// What a failure at this depth takes off.
#[inline(always)]
fn malus(depth: Depth, p: &Params) -> i32 {
    (p.malus_depth * depth - p.malus_offset).min(p.malus_max)
}

/// Whether a result says something about the evaluation: it must not be one that a capture explains or a bound on
/// the side where the evaluation lies.
#[inline(always)]
fn corrects_evaluation(node: &Node, best: &Best) -> bool {
    let fits = match best.mv {
        Some(mv) => mv.is_quiet() && !(best.score >= node.beta && best.score <= node.static_eval),
        None => best.score < node.static_eval,
    };
    fits && !node.in_check && !best.score.is_decisive() && node.excluded.is_none()
}

impl Thread<'_> {
    /// Rewards a move that caused a cutoff or was best, blames those searched before it, and corrects the
    /// evaluation.
    #[inline(always)]
    pub(super) fn update_histories(
        &mut self,
        node: &Node,
        context: &QuietContext,
        best: &Best,
        searched: &SearchedMoves,
    ) {
        match best.mv {
            Some(mv) => self.update_move_histories(node, context, mv, searched),
            None => self.reward_last_move(node),
        }
        if corrects_evaluation(node, best) {
            let error = best.score - node.static_eval;
            let last_two = self.path.last_two();
            self.histories.correction.update(node.position, last_two, node.depth, error);
        }
    }

    fn update_move_histories(
        &mut self,
        node: &Node,
        context: &QuietContext,
        mv: Move,
        searched: &SearchedMoves,
    ) {
        let p = self.params();
        let (bonus, malus) = (bonus(node.depth, p), malus(node.depth, p));
        let position = node.position;
        if mv.is_quiet() {
            if let Some(piece) = position.piece_on(mv.from()) {
                self.histories.update_quiet(context, piece, mv, bonus);
            }
            for &other in searched.quiet.iter().filter(|&&other| other != mv) {
                if let Some(piece) = position.piece_on(other.from()) {
                    self.histories.update_quiet(context, piece, other, -malus);
                }
            }
        } else {
            self.histories.capture.update(position, mv, bonus);
        }
        for &other in searched.noisy.iter().filter(|&&other| other != mv) {
            self.histories.capture.update(position, other, -malus);
        }
    }

    /// No move helped here, so the quiet move that led here was a good one.
    #[inline(always)]
    fn reward_last_move(&mut self, node: &Node) {
        let last = *self.path.before(1);
        if let Some(mv) = last.mv.filter(|mv| mv.is_quiet() && node.ply > 0) {
            let p = self.params();
            let bonus = bonus(node.depth, p);
            let before = self.path.cont_keys_before_last();
            self.histories.continuation.update_all(&before, last.cont_key, bonus * p.fail_low_bonus / 1024);
            self.histories.update_main(last.history_key, last.cont_key, mv, bonus * p.fail_low_main / 1024);
        }
    }

    /// The opponent's quiet move was good if its evaluation rose by it, bad if it fell.
    #[inline(always)]
    pub(super) fn update_eval_history(&mut self, node: &Node) {
        let last = *self.path.before(1);
        let Some(before) = last.static_eval.filter(|_| !node.in_check) else { return };
        let Some(mv) = last.mv.filter(|mv| mv.is_quiet()) else { return };
        let p = self.params();
        let rise = -(node.static_eval + before.0).0;
        let bonus = (rise * p.eval_history).clamp(-p.eval_history_max, p.eval_history_max);
        self.histories.update_main(last.history_key, last.cont_key, mv, bonus);
    }

    /// A quiet table move that causes a cutoff is rewarded as if it had been searched, and the quiet move that
    /// allowed it blamed.
    #[inline(always)]
    pub(super) fn reward_tt_cutoff(&mut self, node: &Node, score: Score) {
        let mv = node.tt_entry.and_then(|entry| entry.mv).filter(|_| score >= node.beta);
        if let Some(mv) = mv.filter(|mv| mv.is_quiet() && node.position.is_legal(*mv))
            && let Some(piece) = node.position.piece_on(mv.from())
        {
            let p = self.params();
            let context = QuietContext::without_checks(node.position, self.path.cont_keys());
            self.histories.update_quiet(&context, piece, mv, bonus(node.depth, p));
            let last = *self.path.before(1);
            if node.ply > 0 && last.mv.is_some_and(Move::is_quiet) {
                let malus = malus(node.depth, p) * p.tt_malus / 1024;
                let before = self.path.cont_keys_before_last();
                self.histories.continuation.update_all(&before, last.cont_key, -malus);
            }
        }
    }

    /// A reduced quiet move was searched again to this depth: its continuations learn how that came out. The move
    /// is that of the node before.
    #[inline(always)]
    pub(super) fn update_research_history(
        &mut self,
        context: &QuietContext,
        depth: Depth,
        raised_alpha: bool,
    ) {
        let p = self.params();
        let amount = if raised_alpha { bonus(depth, p) } else { -malus(depth, p) };
        let key = self.path.before(1).cont_key;
        self.histories.continuation.update_all(&context.before, key, amount * p.research_bonus / 1024);
    }
}

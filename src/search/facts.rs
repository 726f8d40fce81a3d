//! What is known of a node before its moves are looked at: the static evaluation and what follows from it.

use super::node::{NodeKind, Window};
use super::searcher::{SearchJob, Searcher};
use crate::board::Position;
use crate::tt::{Bound, TtEntry};
use crate::types::{Depth, Move, Score};

/// What the rules of a node look at.
#[derive(Clone, Copy)]
pub(super) struct NodeFacts {
    pub(super) depth: Depth,
    pub(super) ply: usize,
    pub(super) window: Window,
    pub(super) in_check: bool,
    /// The corrected evaluation; minus infinity in check.
    pub(super) static_eval: Score,
    /// The evaluation, bettered by a table score where that says more.
    pub(super) eval: Score,
    /// Size of the evaluation's correction in internal units.
    pub(super) correction: i32,
    /// The evaluation is better than two plies ago, or good enough to cut off.
    pub(super) improving: bool,
    /// The opponent's last move did not keep its evaluation up.
    pub(super) worsening: bool,
    /// A cut-off is expected.
    pub(super) cut_node: bool,
    /// The node is, or once was, on a principal variation.
    pub(super) tt_pv: bool,
    /// What the table knows.
    pub(super) known: Option<TtEntry>,
    /// The table move.
    pub(super) tt_move: Option<Move>,
}

impl Searcher {
    /// The evaluation, from the table where known; `None` in check. What had to be computed is stored at
    /// once, since many nodes end before they have a score.
    #[inline(always)]
    pub(super) fn raw_eval(
        &mut self,
        job: &SearchJob,
        position: &Position,
        known: Option<TtEntry>,
        ply: usize,
    ) -> Option<Score> {
        if position.in_check() {
            return None;
        }
        if let Some(eval) = known.and_then(|entry| entry.eval) {
            return Some(eval);
        }
        let eval = Some(self.evaluator.evaluate(position));
        if known.is_none() {
            let score = Score::DRAW;
            let entry = TtEntry { mv: None, score, eval, depth: 0, bound: Bound::None, was_pv: false };
            job.tt.store(position.key(), ply, entry);
        }
        eval
    }

    /// Writes the evaluation of a node down, unless it is searched again without one of its moves.
    #[inline(always)]
    pub(super) fn note_evaluation<K: NodeKind>(
        &mut self,
        job: &SearchJob,
        position: &Position,
        known: Option<TtEntry>,
        ply: usize,
    ) {
        if self.stack[ply].excluded.is_none() {
            self.stack[ply].raw_eval = self.raw_eval(job, position, known, ply);
            self.stack[ply].tt_pv = K::PV || known.is_some_and(|entry| entry.was_pv);
        }
    }

    /// Learns from the facts, makes the stack ready for the nodes below and settles the depth.
    #[inline(always)]
    pub(super) fn use_facts<K: NodeKind>(&mut self, facts: &mut NodeFacts) {
        let ply = facts.ply;
        if K::ROOT {
            self.stack[ply + 1].cutoffs = 0;
        }
        self.stack[ply + 2].cutoffs = 0;
        self.stack[ply + 1].excluded = None;
        if !K::ROOT && self.stack[ply].excluded.is_none() {
            self.learn_from_evaluation(facts);
        }
        facts.depth += self.hindsight::<K>(facts);
    }

    /// Gathers what the rules of a node look at.
    #[inline(always)]
    pub(super) fn gather_facts<K: NodeKind>(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: usize,
        cut_node: bool,
        known: Option<TtEntry>,
    ) -> NodeFacts {
        let correction = self.histories.correction.get(&self.params(), position, self.stack.last_two(ply));
        let corrected = self.stack[ply].raw_eval.map(|raw| self.corrected(position, raw, correction));
        self.stack[ply].static_eval = corrected;
        let static_eval = corrected.unwrap_or(-Score::INFINITE);
        let bettered = known.filter(|entry| {
            let bound =
                if entry.score > static_eval { entry.bound.is_lower() } else { entry.bound.is_upper() };
            corrected.is_some() && bound && !entry.score.is_decisive() && Self::table_scores_hold(position)
        });
        let tt_move =
            if K::ROOT { Some(self.root_moves[self.line].mv) } else { known.and_then(|entry| entry.mv) };
        NodeFacts {
            depth,
            ply,
            window,
            in_check: position.in_check(),
            static_eval,
            eval: bettered.map_or(static_eval, |entry| entry.score),
            correction: correction.abs(),
            improving: self.is_improving(ply) || corrected.is_some_and(|eval| eval >= window.beta),
            worsening: self.is_worsening(ply),
            cut_node,
            tt_pv: self.stack[ply].tt_pv,
            known,
            tt_move,
        }
    }

    /// The evaluation faded out towards the fifty-move draw and corrected by what searches have found.
    #[inline(always)]
    pub(super) fn corrected(&self, position: &Position, raw: Score, correction: i32) -> Score {
        let clock = i32::from(position.halfmove_clock()).min(100);
        Score(raw.0 * (200 - clock) / 200 + correction).clamp_eval()
    }

    #[inline(always)]
    fn is_improving(&self, ply: usize) -> bool {
        let before = self.stack.before(ply, 2).static_eval.or(self.stack.before(ply, 4).static_eval);
        match (self.stack[ply].static_eval, before) {
            (Some(now), Some(before)) => now > before,
            (now, _) => now.is_some(),
        }
    }

    #[inline(always)]
    fn is_worsening(&self, ply: usize) -> bool {
        let before = self.stack.before(ply, 1).static_eval;
        matches!((self.stack[ply].static_eval, before), (Some(now), Some(before)) if now > -before)
    }
}

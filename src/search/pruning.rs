//! Giving up early: on whole nodes, and on single moves.

use super::facts::NodeFacts;
use super::history::{QuietContext, gain};
use super::node::{Candidate, NodeKind, NonPv, Window};
use super::picker::MovePicker;
use super::searcher::{SearchJob, Searcher};
use crate::board::Position;
use crate::tt::{Bound, TtEntry};
use crate::types::{Depth, Move, Score};

/// From this fifty-move count on table scores count for nothing.
const TT_MAX_HALFMOVE_CLOCK: u16 = 90;

impl Searcher {
    /// Whether the fifty-move rule is far enough for scores to be trusted that were found at another count.
    #[inline(always)]
    pub(super) fn table_scores_hold(position: &Position) -> bool {
        position.halfmove_clock() < TT_MAX_HALFMOVE_CLOCK
    }

    /// Whether a table score decides the window.
    #[inline(always)]
    pub(super) fn table_cutoff(position: &Position, entry: &TtEntry, window: Window) -> bool {
        Self::table_scores_hold(position)
            && (entry.bound.is_lower() && entry.score >= window.beta
                || entry.bound.is_upper() && entry.score <= window.alpha)
    }

    /// Whether a table entry is deep and sharp enough to answer for the node. A quiet move that cuts
    /// off here is taught to the histories all the same.
    #[inline(always)]
    pub(super) fn table_decides(
        &mut self,
        position: &Position,
        entry: &TtEntry,
        window: Window,
        depth: Depth,
        ply: usize,
        cut_node: bool,
    ) -> bool {
        let fails_high = entry.score >= window.beta;
        let expected = cut_node == fails_high || depth > 5;
        if entry.depth < depth || !expected || !Self::table_cutoff(position, entry, window) {
            return false;
        }
        if fails_high
            && let Some(mv) = entry.mv.filter(|mv| mv.is_quiet() && position.is_legal(*mv))
            && let Some(piece) = position.piece_on(mv.from())
        {
            let bonus = self.bonus(depth);
            let context = QuietContext::without_checks(position, self.stack.cont_keys(ply));
            self.histories.update_quiet(&context, piece, mv, bonus);
            let last = *self.stack.before(ply, 1);
            if ply > 0 && last.mv.is_some_and(Move::is_quiet) {
                let malus = self.malus(depth) * self.params().tt_malus / 1024;
                let before = self.stack.cont_keys(ply - 1);
                self.histories.continuation.update_all(&before, last.key, -malus);
            }
        }
        true
    }

    /// Adjusts the depth by how the last move's reduction looks now: too much if the position did not
    /// get worse for its side, too little if both sides agree that little happens.
    #[inline(always)]
    pub(super) fn hindsight<K: NodeKind>(&mut self, facts: &NodeFacts) -> Depth {
        let p = self.params();
        let last = self.stack.before_mut(facts.ply, 1);
        // Taken, so that searching this node again (a singular test) does not count it twice.
        let reduction = std::mem::take(&mut last.reduction);
        let Some(before) = last.static_eval.filter(|_| !K::ROOT && !facts.in_check) else { return 0 };
        if reduction >= p.hindsight_more && facts.static_eval + before.0 <= Score::DRAW {
            1
        } else if reduction >= p.hindsight_less
            && facts.depth >= 2
            && facts.static_eval + before.0 > Score(p.hindsight_margin)
        {
            -1
        } else {
            0
        }
    }

    /// All cut-offs that come before the move loop, cheapest first.
    #[inline(always)]
    pub(super) fn prune_node(
        &mut self,
        job: &SearchJob,
        position: &Position,
        facts: &NodeFacts,
    ) -> Option<Score> {
        if let Some(score) = self.razoring(job, position, facts) {
            return Some(score);
        }
        if let Some(score) = self.reverse_futility(facts) {
            return Some(score);
        }
        if let Some(score) = self.null_move(job, position, facts) {
            return Some(score);
        }
        self.probcut(job, position, facts)
    }

    /// An evaluation far below alpha: only captures could help, so only they are looked at
    /// (CPW: "Razoring").
    #[inline(always)]
    fn razoring(&mut self, job: &SearchJob, position: &Position, facts: &NodeFacts) -> Option<Score> {
        let p = self.params();
        let margin = p.razor_base + p.razor_depth * facts.depth * facts.depth;
        if facts.window.alpha.is_decisive() || facts.eval + margin >= facts.window.alpha {
            return None;
        }
        let score = self.quiescence::<NonPv>(job, position, facts.window, facts.ply);
        (score <= facts.window.alpha || self.stopped).then_some(score)
    }

    /// An evaluation far above beta fails high without search (CPW: "Reverse Futility Pruning"). Not
    /// where a principal variation once was.
    #[inline(always)]
    fn reverse_futility(&self, facts: &NodeFacts) -> Option<Score> {
        let p = self.params();
        let beta = facts.window.beta;
        let margin = p.rfp_margin * facts.depth
            - p.rfp_improving * i32::from(facts.improving)
            - p.rfp_worsening * i32::from(facts.worsening);
        let applies = facts.depth <= p.rfp_depth
            && !facts.tt_pv
            && facts.eval - margin.max(p.rfp_least) >= beta
            && !beta.is_loss()
            && !facts.eval.is_win();
        applies.then(|| Score((facts.eval.0 + 2 * beta.0) / 3))
    }

    /// If passing the turn still fails high, a real move surely would (CPW: "Null Move Pruning"). Not
    /// with king and pawns only, where zugzwang is common, nor twice in a row. Deep cut-offs are
    /// verified by a search in which nobody may pass before three quarters of its depth.
    #[inline(always)]
    fn null_move(&mut self, job: &SearchJob, position: &Position, facts: &NodeFacts) -> Option<Score> {
        let (ply, beta, depth) = (facts.ply, facts.window.beta, facts.depth);
        let p = self.params();
        let allowed = facts.eval >= beta
            && facts.static_eval + p.nmp_depth * depth >= beta + p.nmp_margin
            && depth >= p.nmp_least_depth
            && !beta.is_decisive()
            && position.has_pieces(position.stm())
            && self.stack.before(ply, 1).mv.is_some()
            && ply >= self.null_move_from;
        if !allowed {
            return None;
        }
        let reduction =
            (p.nmp_base + p.nmp_per_ply * depth) / 1024 + ((facts.eval - beta) / p.nmp_eval).min(3);
        let mut child = *position;
        child.make_null();
        job.tt.prefetch(child.key());
        self.stack[ply].mv = None;
        self.stack[ply].key = Default::default();
        self.stack[ply].reduction = 0;
        self.stack[ply].double_extensions = self.stack.before(ply, 1).double_extensions;
        // The evaluator need not know: no man moves.
        self.keys.push(position.key());
        let floor = std::mem::replace(&mut self.keys_floor, self.keys.len());
        let window = Window::below(beta).flipped();
        let score = -self.node::<NonPv>(job, &child, window, depth - reduction, ply + 1, !facts.cut_node);
        self.keys_floor = floor;
        self.keys.pop();
        if self.stopped {
            return Some(Score::DRAW);
        }
        if score < beta {
            return None;
        }
        // A mate found after passing is not proven.
        let score = if score.is_win() { beta } else { score };
        if depth < p.nmp_verify_depth || self.null_move_from > 0 {
            return Some(score);
        }
        self.null_move_from = ply + (3 * (depth - reduction) / 4).max(1) as usize;
        let verified = self.node::<NonPv>(job, position, Window::below(beta), depth - reduction, ply, false);
        self.null_move_from = 0;
        (verified >= beta || self.stopped).then_some(score)
    }

    /// A good capture whose reduced search beats beta by a margin is taken as proof (CPW: "ProbCut").
    #[inline(always)]
    fn probcut(&mut self, job: &SearchJob, position: &Position, facts: &NodeFacts) -> Option<Score> {
        let (ply, depth) = (facts.ply, facts.depth);
        let p = self.params();
        let beta = facts.window.beta + p.probcut_margin - p.probcut_improving * i32::from(facts.improving);
        let refuted = facts.known.is_some_and(|entry| entry.depth >= depth - 3 && entry.score < beta);
        if depth < p.probcut_depth || facts.window.beta.is_decisive() || refuted || beta.is_win() {
            return None;
        }
        let context = QuietContext::unused(position);
        let mut picker = MovePicker::noisy(position, facts.tt_move, beta - facts.static_eval);
        while let Some(mv) = picker.next(position, &p, &self.histories, &context) {
            job.tt.prefetch(position.likely_key_after(mv));
            let child = self.enter_move(position, ply, mv, 0);
            let window = Window::below(beta).flipped();
            let mut score = -self.quiescence::<NonPv>(job, &child, window, ply + 1);
            if score >= beta && !self.stopped {
                score = -self.node::<NonPv>(job, &child, window, depth - 4, ply + 1, !facts.cut_node);
            }
            self.leave_move();
            if self.stopped {
                return Some(Score::DRAW);
            }
            if score >= beta {
                let entry = TtEntry {
                    mv: Some(mv),
                    score,
                    eval: self.stack[ply].raw_eval,
                    depth: depth - 3,
                    bound: Bound::Lower,
                    was_pv: facts.tt_pv,
                };
                job.tt.store(position.key(), ply, entry);
                return Some(if score.is_decisive() { score } else { score - (beta - facts.window.beta) });
            }
        }
        None
    }

    /// Whether a move is left out: late quiet moves (CPW: "Late Move Pruning"), quiet moves that cannot
    /// lift a low evaluation ("Futility Pruning"), moves with a bad history, and moves that lose
    /// material ("SEE Pruning"). Checks are judged like captures, by the exchange alone.
    #[inline(always)]
    pub(super) fn prune_move(
        &self,
        position: &Position,
        facts: &NodeFacts,
        context: &QuietContext,
        candidate: Candidate,
        picker: &mut MovePicker,
    ) -> bool {
        let Candidate { mv, number, alpha, .. } = candidate;
        if !position.has_pieces(position.stm()) {
            return false;
        }
        let p = self.params();
        let depth = facts.depth;
        let limit = (p.lmp_base + depth * depth) / (2 - i32::from(facts.improving));
        if number as i32 >= limit {
            picker.skip_quiets();
        }
        let reduction =
            self.log_table.base(&p, depth, number, mv.is_quiet()) + 1024 * i32::from(!facts.improving);
        let lmr_depth = (depth - reduction / 1024).max(0);
        let gives_check = position.gives_check(mv, &context.checks);
        if mv.is_noisy() || gives_check {
            let history = if mv.is_noisy() { self.histories.capture.get(position, mv) } else { 0 };
            if !gives_check && !facts.in_check && lmr_depth < p.noisy_futility_max && !alpha.is_win() {
                let ceiling = facts.static_eval
                    + p.noisy_futility_base
                    + p.noisy_futility_depth * lmr_depth
                    + gain(position, mv)
                    + history / p.noisy_futility_history;
                if ceiling <= alpha {
                    return true;
                }
            }
            let margin = (p.see_noisy * depth + history / p.see_noisy_history).max(0);
            return !position.see(mv, -margin);
        }
        let Some(piece) = position.piece_on(mv.from()) else { return false };
        let merit = self.histories.quiet_merit(context, piece, mv);
        // With a win in hand quiet moves may still win faster.
        if alpha.is_win() {
            return false;
        }
        if merit < -p.history_prune * depth {
            return true;
        }
        let lmr_depth = (lmr_depth + merit / p.prune_merit).max(0);
        let ceiling = facts.static_eval + p.futility_base + p.futility_depth * lmr_depth;
        if !facts.in_check && lmr_depth < p.futility_max && ceiling <= alpha {
            picker.skip_quiets();
            return true;
        }
        !position.see(mv, -p.see_quiet * lmr_depth * lmr_depth)
    }
}

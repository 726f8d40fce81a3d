//! Giving up early: on whole nodes, and on single moves. Each technique has a function that decides, from the node
//! alone, and, where that takes a search, a method of the thread that carries it out.

use super::history::{QuietContext, victim_value};
use super::lmr_table::PLY;
use super::node::{Candidate, Node, NonPv, Window};
use super::params::Params;
use super::picker::MovePicker;
use super::thread::Thread;
use crate::tt::{Bound, TtEntry};
use crate::types::{Depth, Score};

/// Whether the evaluation is so far below alpha that only captures could help, so only they are looked at
/// (CPW: "Razoring").
#[inline(always)]
fn razoring_applies(node: &Node, p: &Params) -> bool {
    let margin = p.razor_base + p.razor_depth * node.depth * node.depth;
    !node.alpha.is_decisive() && node.eval + margin < node.alpha
}

/// An evaluation far above beta fails high without search (CPW: "Reverse Futility Pruning"). Not
/// where a principal variation once was.
#[inline(always)]
fn reverse_futility(node: &Node, p: &Params) -> Option<Score> {
    let beta = node.beta;
    let margin = p.rfp_margin * node.depth
        - p.rfp_improving * i32::from(node.improving)
        - p.rfp_worsening * i32::from(node.opponent_worsening);
    let applies = node.depth <= p.rfp_depth
        && !node.tt_pv
        && node.eval - margin.max(p.rfp_least) >= beta
        && !beta.is_loss()
        && !node.eval.is_win();
    applies.then(|| Score((node.eval.0 + 2 * beta.0) / 3))
}

/// Depth of the search after a null move, which may be below 1; `None` where passing is no test
/// (CPW: "Null Move Pruning"): with king and pawns only, where zugzwang is common, and where the evaluation gives
/// little hope.
#[inline(always)]
fn null_move_depth(node: &Node, p: &Params) -> Option<Depth> {
    let depth = node.depth;
    let allowed = node.eval >= node.beta
        && node.static_eval + p.nmp_depth * depth >= node.beta + p.nmp_margin
        && depth >= p.nmp_least_depth
        && !node.beta.is_decisive()
        && node.position.has_pieces(node.position.stm());
    let surplus = ((node.eval - node.beta) / p.nmp_eval).min(3);
    allowed.then(|| depth - (p.nmp_base + p.nmp_per_ply * depth) / 1024 - surplus)
}

/// The score that a capture has to reach in a reduced search to prove a cutoff; `None` where it is not tried or the
/// table has refuted it.
#[inline(always)]
fn probcut_beta(node: &Node, p: &Params) -> Option<Score> {
    let beta = node.beta + p.probcut_margin - p.probcut_improving * i32::from(node.improving);
    let refuted = node.tt_entry.is_some_and(|entry| entry.depth >= node.depth - 3 && entry.score < beta);
    let applies = node.depth >= p.probcut_depth && !node.beta.is_decisive() && !refuted && !beta.is_win();
    applies.then_some(beta)
}

/// The number of the move from which on no further quiet moves are taken (CPW: "Late Move Pruning").
#[inline(always)]
pub(super) fn late_move_limit(node: &Node, p: &Params) -> usize {
    ((p.lmp_base + node.depth * node.depth) / (2 - i32::from(node.improving))).max(0) as usize
}

/// What the score of a quiet move can reach at most (CPW: "Futility Pruning"); `None` where that is not asked.
#[inline(always)]
fn quiet_ceiling(node: &Node, lmr_depth: Depth, p: &Params) -> Option<Score> {
    (!node.in_check && lmr_depth < p.futility_max)
        .then(|| node.static_eval + p.futility_base + p.futility_depth * lmr_depth)
}

/// The same for a capture that wins `victim` internal units and has this history.
#[inline(always)]
fn noisy_ceiling(node: &Node, lmr_depth: Depth, victim: i32, history: i32, p: &Params) -> Option<Score> {
    (!node.in_check && lmr_depth < p.noisy_futility_max).then(|| {
        node.static_eval
            + p.noisy_futility_base
            + p.noisy_futility_depth * lmr_depth
            + victim
            + history / p.noisy_futility_history
    })
}

/// What becomes of a move before it is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveVerdict {
    /// It is searched.
    Search,
    /// It is left out.
    Skip,
    /// It and all quiet moves after it are left out.
    SkipQuiets,
}

impl Thread<'_> {
    /// All cutoffs that come before the move loop, cheapest first.
    #[inline(always)]
    pub(super) fn prune_node(&mut self, node: &Node) -> Option<Score> {
        if let Some(score) = self.razoring(node) {
            return Some(score);
        }
        if let Some(score) = reverse_futility(node, self.params()) {
            return Some(score);
        }
        if let Some(score) = self.null_move(node) {
            return Some(score);
        }
        self.probcut(node)
    }

    /// Razoring: quiescence in place of a search.
    #[inline(always)]
    fn razoring(&mut self, node: &Node) -> Option<Score> {
        if !razoring_applies(node, self.params()) {
            return None;
        }
        let score = self.quiescence::<NonPv>(node.position, node.window());
        (score <= node.alpha || self.quota.is_stopped()).then_some(score)
    }

    /// If passing the turn still fails high, a real move surely would. Not twice in a row. Deep cutoffs are
    /// verified by a search in which nobody may pass before three quarters of its depth.
    #[inline(always)]
    fn null_move(&mut self, node: &Node) -> Option<Score> {
        let p = self.params();
        let depth = null_move_depth(node, p)
            .filter(|_| self.path.before(1).mv.is_some() && node.ply >= self.nmp_min_ply)?;
        let mut child = *node.position;
        child.make_null();
        self.tt.prefetch(child.key());
        // The evaluator need not know: no piece moves.
        self.path.enter_null(node.position);
        let score = -self.search::<NonPv>(&child, Window::below(node.beta).flipped(), depth, !node.cut_node);
        self.path.leave_null();
        if self.quota.is_stopped() {
            return Some(Score::DRAW);
        }
        if score < node.beta {
            return None;
        }
        // A mate found after passing is not proven.
        let score = if score.is_win() { node.beta } else { score };
        if node.depth < p.nmp_verify_depth || self.nmp_min_ply > 0 {
            return Some(score);
        }
        self.nmp_min_ply = node.ply + (3 * depth / 4).max(1) as usize;
        let verified = self.search::<NonPv>(node.position, Window::below(node.beta), depth, false);
        self.nmp_min_ply = 0;
        (verified >= node.beta || self.quota.is_stopped()).then_some(score)
    }

    /// A good capture whose reduced search beats beta by a margin is taken as proof (CPW: "ProbCut").
    #[inline(always)]
    fn probcut(&mut self, node: &Node) -> Option<Score> {
        let beta = probcut_beta(node, self.params())?;
        let context = QuietContext::unused(node.position);
        let mut picker = MovePicker::noisy(node.position, node.tt_move, beta - node.static_eval);
        while let Some(mv) = picker.next(node.position, self.params(), self.histories, &context) {
            self.tt.prefetch(node.position.likely_key_after(mv));
            let child = self.enter_move(node.position, mv, 0);
            let window = Window::below(beta).flipped();
            let mut score = -self.quiescence::<NonPv>(&child, window);
            if score >= beta && !self.quota.is_stopped() {
                score = -self.search::<NonPv>(&child, window, node.depth - 4, !node.cut_node);
            }
            self.leave_move();
            if self.quota.is_stopped() {
                return Some(Score::DRAW);
            }
            if score >= beta {
                let entry = TtEntry {
                    mv: Some(mv),
                    score,
                    eval: self.path.here().raw_eval,
                    depth: node.depth - 3,
                    bound: Bound::Lower,
                    was_pv: node.tt_pv,
                };
                self.tt.store(node.position.key(), node.ply, entry);
                return Some(if score.is_decisive() { score } else { score - (beta - node.beta) });
            }
        }
        None
    }

    /// Whether a move is left out: quiet moves that cannot lift a low evaluation (CPW: "Futility Pruning"), moves
    /// with a bad history, and moves that lose material ("SEE Pruning"). Checks are judged like captures, by the
    /// exchange alone. Not for positions with king and pawns only.
    #[inline(always)]
    pub(super) fn judge_move(
        &self,
        node: &Node,
        context: &QuietContext,
        candidate: &Candidate,
    ) -> MoveVerdict {
        let (p, position, mv) = (self.params(), node.position, candidate.mv);
        let reduction = self.lmr_table.base(p, node.depth, candidate.number, mv.is_quiet())
            + PLY * i32::from(!node.improving);
        let lmr_depth = (node.depth - reduction / PLY).max(0);
        let gives_check = position.gives_check(mv, &context.checks);
        if mv.is_noisy() || gives_check {
            let history = if mv.is_noisy() { self.histories.capture.get(position, mv) } else { 0 };
            let ceiling = noisy_ceiling(node, lmr_depth, victim_value(position, mv), history, p)
                .filter(|_| !gives_check && !candidate.alpha.is_win());
            if ceiling.is_some_and(|ceiling| ceiling <= candidate.alpha) {
                return MoveVerdict::Skip;
            }
            let margin = (p.see_noisy * node.depth + history / p.see_noisy_history).max(0);
            return if position.see(mv, -margin) { MoveVerdict::Search } else { MoveVerdict::Skip };
        }
        let Some(piece) = position.piece_on(mv.from()) else { return MoveVerdict::Search };
        let history = self.histories.quiet_history(context, piece, mv);
        // With a win in hand quiet moves may still win faster.
        if candidate.alpha.is_win() {
            return MoveVerdict::Search;
        }
        if history < -p.history_prune * node.depth {
            return MoveVerdict::Skip;
        }
        let lmr_depth = (lmr_depth + history / p.prune_history).max(0);
        if quiet_ceiling(node, lmr_depth, p).is_some_and(|ceiling| ceiling <= candidate.alpha) {
            return MoveVerdict::SkipQuiets;
        }
        let safe = position.see(mv, -p.see_quiet * lmr_depth * lmr_depth);
        if safe { MoveVerdict::Search } else { MoveVerdict::Skip }
    }
}

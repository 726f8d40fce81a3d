//! By how much a move or node is searched less or more deeply: late move reductions, hindsight, internal iterative
//! reductions, singular extensions. Reductions are counted in 1024ths of a ply and become plies in
//! [`reduced_depth`] only.

use std::ops::ControlFlow::{self, Break, Continue};

use super::history::QuietContext;
use super::lmr_table::{PLY, Reduction};
use super::node::{Candidate, Node, NodeKind, NonPv, Window};
use super::params::Params;
use super::thread::Thread;
use crate::board::Position;
use crate::types::{Depth, Move, Score};

/// Double extensions that a line may hold.
const MAX_DOUBLE_EXTENSIONS: u32 = 12;

/// The depth of a move's first search. Less than a ply of reduction is no change; a node of the principal variation
/// may be searched one ply deeper, others not, and none falls below one ply unless it stood there.
#[inline(always)]
pub(super) fn reduced_depth(new_depth: Depth, reduction: Reduction, pv: bool) -> Depth {
    (new_depth - reduction / PLY).clamp(1.min(new_depth), new_depth + Depth::from(pv))
}

/// Adjusts the depth by how the reduction of the move that led here, in plies, looks now: too much if the position
/// did not get worse for its side, too little if both sides agree that little happens.
#[inline(always)]
pub(super) fn hindsight(node: &Node, reduction: Depth, eval_before: Option<Score>, p: &Params) -> Depth {
    let Some(before) = eval_before.filter(|_| !node.in_check) else { return 0 };
    // The opponent's evaluation counts the other way: a sum of 0 says that both agree.
    let sum = node.static_eval + before.0;
    if reduction >= p.hindsight_more && sum <= Score::DRAW {
        1
    } else if reduction >= p.hindsight_less && node.depth >= 2 && sum > Score(p.hindsight_margin) {
        -1
    } else {
        0
    }
}

/// Plies by which a node without a table move is searched less (CPW: "Internal Iterative Reductions").
#[inline(always)]
pub(super) fn internal_iterative_reduction(node: &Node, p: &Params) -> Depth {
    Depth::from(node.depth >= p.iir_depth && node.tt_move.is_none() && node.excluded.is_none())
}

/// The null-window bound of a singular test: all other moves must stay below it. `None` where the table's move and
/// score are no basis for a test.
#[inline(always)]
fn singular_beta(node: &Node, pv: bool, p: &Params) -> Option<Score> {
    let entry = node.tt_entry?;
    let testable = node.depth >= p.singular_depth + Depth::from(node.tt_pv)
        && entry.depth >= node.depth - 3
        && entry.bound.is_lower()
        && !entry.score.is_decisive();
    let pv_factor = 1 + Depth::from(node.tt_pv && !pv);
    testable.then(|| entry.score - p.singular_margin * node.depth * pv_factor / 16)
}

impl Thread<'_> {
    /// By how much a late move is searched less deeply (CPW: "Late Move Reductions").
    #[inline(always)]
    pub(super) fn reduction(
        &self,
        node: &Node,
        child: &Position,
        context: &QuietContext,
        candidate: &Candidate,
    ) -> Reduction {
        let (p, mv) = (self.params(), candidate.mv);
        let mut r = self.lmr_table.base(p, node.depth, candidate.number, mv.is_quiet());
        r -= p.lmr_pv * i32::from(node.tt_pv);
        r += p.lmr_cut_node * i32::from(node.cut_node);
        r += p.lmr_improving * i32::from(!node.improving);
        r -= p.lmr_check * i32::from(child.in_check());
        r += p.lmr_cutoffs * i32::from(self.path.here().cutoffs as i32 > p.cutoffs_many);
        r -= p.lmr_correction * node.correction;
        if node.ply == 0 {
            // What is overlooked here is not found elsewhere in the tree.
            r -= p.lmr_root + p.lmr_root_forcing * i32::from(mv.is_noisy() || child.in_check());
        }
        if mv.is_quiet() {
            r += p.lmr_tt_noisy * i32::from(node.tt_move.is_some_and(Move::is_noisy));
            let history = node
                .position
                .piece_on(mv.from())
                .map_or(0, |piece| self.histories.quiet_history(context, piece, mv));
            r -= history * PLY / p.lmr_history;
        } else {
            r -= self.histories.capture.get(node.position, mv) * PLY / p.lmr_capture_history;
        }
        r
    }

    /// Tests whether the table move is much better than all others, by a reduced search without it
    /// (CPW: "Singular Extensions"). Goes on with the plies to extend it by (negative when others are as good), or
    /// ends the node with a score when even without the move it fails high ("Multi-Cut").
    #[inline(always)]
    pub(super) fn singular_extension<K: NodeKind>(
        &mut self,
        node: &Node,
        mv: Move,
    ) -> ControlFlow<Score, Depth> {
        let p = self.params();
        let Some(beta) = singular_beta(node, K::PV, p) else { return Continue(0) };
        if node.ply >= 2 * self.root.depth as usize {
            return Continue(0);
        }
        self.path.here_mut().excluded = Some(mv);
        let depth = (node.depth - 1) / 2;
        let score = self.search::<NonPv>(node.position, Window::below(beta), depth, node.cut_node);
        self.path.here_mut().excluded = None;
        if self.quota.is_stopped() {
            return Continue(0);
        }
        if score < beta {
            let mut plies = 1;
            if !K::PV && self.path.before(1).double_extensions < MAX_DOUBLE_EXTENSIONS {
                plies += Depth::from(score < beta - p.double_margin);
                plies += Depth::from(score < beta - p.triple_margin && mv.is_quiet());
            }
            return Continue(plies);
        }
        if score >= node.beta && !score.is_decisive() {
            return Break(score);
        }
        let fails_high = node.tt_entry.is_some_and(|entry| entry.score >= node.beta);
        Continue(if fails_high { -2 } else { -Depth::from(node.cut_node) })
    }
}

//! The node of the main search: principal variation search in fail-soft negamax form
//! (CPW: "Principal Variation Search", "Fail-Soft").
//!
//! [`Thread::search`] is a page of contents. What is known of a node stands in `node`, its evaluation in
//! `static_eval`; the techniques stand in `pruning` and `reductions`, what a result teaches in
//! `history_updates`, what only the root does in `iterative`.

use std::ops::ControlFlow::{Break, Continue};

use super::history::QuietContext;
use super::node::{Best, Candidate, Node, NodeKind, NonPv, Pv, SearchedMoves, Window};
use super::picker::MovePicker;
use super::pruning::{MoveVerdict, late_move_limit};
use super::reductions::{hindsight, internal_iterative_reduction, reduced_depth};
use super::thread::Thread;
use crate::board::Position;
use crate::eval::{hangs_on_corner, is_held};
use crate::tt::TtEntry;
use crate::types::{Depth, Score};

impl Thread<'_> {
    /// Searches a position to `depth` and returns its score: exact inside the window, else a bound.
    pub(super) fn search<K: NodeKind>(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        cut_node: bool,
    ) -> Score {
        // 1. Below the horizon only captures count.
        if depth <= 0 {
            return self.quiescence::<K>(position, window);
        }
        if !self.enter_node() {
            return Score::DRAW;
        }
        let mut node = Node::new(position, self.path.ply(), window, depth, cut_node);

        // 2. Draws, and scores that nothing below here can change.
        if !K::ROOT
            && let Some(score) = self.draw_or_bound(&mut node)
        {
            return score;
        }

        // 3. What the transposition table knows.
        node.excluded = self.path.here().excluded;
        if node.excluded.is_none() {
            node.tt_entry = self.tt.probe(position.key(), node.ply, position.halfmove_clock());
        }
        if !K::PV
            && let Some(score) = node.tt_cutoff()
        {
            self.reward_tt_cutoff(&node, score);
            return score;
        }
        node.tt_move =
            if K::ROOT { Some(self.root.first_move()) } else { node.tt_entry.and_then(|entry| entry.mv) };

        // 4. What the endgame tables know.
        let tb_bounds = match self.tablebase_bounds::<K>(&node) {
            Continue(bounds) => bounds,
            Break(score) => return score,
        };
        node.alpha = node.alpha.max(tb_bounds.alpha);

        // 5. Static evaluation, and what it says about the move that led here.
        self.evaluate_node(&mut node, K::PV);
        self.path.prepare_children();
        if !K::ROOT && node.excluded.is_none() {
            self.update_eval_history(&node);
        }
        let reduction = self.path.take_reduction();
        if !K::ROOT {
            node.depth += hindsight(&node, reduction, self.path.before(1).static_eval, self.params());
        }

        // 6. Cutoffs without a full look at the moves.
        if !K::PV
            && node.excluded.is_none()
            && !node.in_check
            && let Some(score) = self.prune_node(&node)
        {
            return score;
        }

        // 7. Without a table move the first move is a guess: look less deep.
        if K::PV || cut_node {
            node.depth -= internal_iterative_reduction(&node, self.params());
        }

        // 8. The moves.
        let node = node;
        let context = QuietContext::new(position, self.cont_keys());
        self.path.here_mut().history_key = context.key;
        let mut picker = MovePicker::new(position, node.tt_move);
        let mut alpha = node.alpha;
        let mut best = Best { score: tb_bounds.alpha, mv: None };
        let mut searched = SearchedMoves::default();
        let mut number = 0;
        // With king and pawns only zugzwang is common; and a single quiet move may decide whether a king reaches the
        // corner that makes a dead draw. There no move is left out.
        let may_prune = !K::ROOT && position.has_pieces(position.stm()) && !hangs_on_corner(position);
        while let Some(mv) = picker.next(position, self.params(), self.histories, &context) {
            if Some(mv) == node.excluded || K::ROOT && !self.root.is_candidate(mv) {
                continue;
            }
            number += 1;
            // Whether the move is worth a search is worked out while its entry comes.
            self.tt.prefetch(position.likely_key_after(mv));
            if K::ROOT {
                self.announce_move(mv, number);
            }
            let new_depth = node.depth - 1;
            let mut candidate = Candidate { mv, number, alpha, best_score: best.score, new_depth };

            // 9. Moves not worth searching at low depth.
            if may_prune && !best.score.is_loss() {
                if number >= late_move_limit(&node, self.params()) {
                    picker.skip_quiets();
                }
                match self.judge_move(&node, &context, &candidate) {
                    MoveVerdict::Search => {}
                    MoveVerdict::Skip => continue,
                    MoveVerdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // 10. Is this the only good move?
            let mut extension = 0;
            if !K::ROOT && node.excluded.is_none() && Some(mv) == node.tt_move {
                match self.singular_extension::<K>(&node, mv) {
                    Continue(plies) => extension = plies,
                    Break(score) => return score,
                }
                if self.quota.is_stopped() {
                    return Score::DRAW;
                }
            }

            // 11. Make the move and search it.
            let nodes_before = self.quota.nodes();
            let child = self.enter_move(position, mv, extension);
            candidate.new_depth += extension;
            self.path.parent_mut().number = number;
            let score = self.search_move::<K>(&node, &child, &context, candidate);
            self.leave_move();
            if self.quota.is_stopped() {
                return Score::DRAW;
            }
            if K::ROOT {
                self.record_root_move(&node, &candidate, score, self.quota.nodes() - nodes_before);
            }

            // 12. Is it better?
            if score > best.score {
                best.score = score;
                if score > alpha {
                    best.mv = Some(mv);
                    if K::PV {
                        self.path.extend_pv(mv);
                    }
                    if score >= node.beta {
                        self.path.here_mut().cutoffs += 1;
                        break;
                    }
                    alpha = score;
                }
            }
            searched.add(mv);
        }

        // 13. No legal move: mate or stalemate, or the excluded move was the only one.
        if number == 0 {
            return if node.excluded.is_some() { node.alpha } else { node.no_move_score() };
        }
        if K::PV {
            best.score = best.score.min(tb_bounds.beta);
        }

        // 14. Learn and remember.
        self.update_histories(&node, &context, &best, &searched);
        if node.excluded.is_none() && !(K::ROOT && self.root.pv_index > 0) {
            self.store(&node, &best);
        }
        best.score
    }

    /// Draws, by rule or since a king alone stops all pawns, the deepest ply, and windows that no result can touch.
    pub(super) fn draw_or_bound(&mut self, node: &mut Node) -> Option<Score> {
        if self.path.is_draw(node.position) || is_held(node.position) {
            return Some(Score::DRAW);
        }
        if self.path.is_at_max_ply() {
            let eval = if node.in_check { Score::DRAW } else { self.evaluator.evaluate(node.position) };
            return Some(eval);
        }
        let can_repeat = node.alpha < Score::DRAW && self.path.can_repeat(node.position);
        node.narrow_window(can_repeat)
    }

    /// Searches one move: the first with the full window, the others with a null window, late ones at
    /// reduced depth, and again wherever they turn out better than thought.
    ///
    /// - Technique: [Principal variation search](https://www.chessprogramming.org/Principal_Variation_Search)
    /// - Assumes: the first move is best, so for the others a null window is enough
    /// - Units: score
    /// - Elo: not measured alone; in the first search
    /// - Technique: [Deeper and shallower re-searches](https://www.chessprogramming.org/Late_Move_Reductions)
    /// - Assumes: by how much a reduced search beats the best score tells how deep the re-search should go
    /// - Units: one ply; `deeper_margin` and `shallower_margin` internal units
    /// - Elo: not measured alone; in bundle A
    fn search_move<K: NodeKind>(
        &mut self,
        node: &Node,
        child: &Position,
        context: &QuietContext,
        candidate: Candidate,
    ) -> Score {
        let Candidate { mv, number, alpha, best_score, mut new_depth } = candidate;
        let null = Window::below(-alpha);
        let mut score = alpha + 1;
        if self.params().lmr != 0 && node.depth >= 2 && number > 1 + usize::from(K::ROOT) {
            let reduction = self.reduction(node, child, context, &candidate);
            let reduced = reduced_depth(new_depth, reduction, K::PV);
            self.path.parent_mut().reduction = new_depth - reduced;
            score = -self.search::<NonPv>(child, null, reduced, true);
            self.path.parent_mut().reduction = 0;
            if score > alpha && reduced < new_depth && !self.quota.is_stopped() {
                let p = self.params();
                new_depth += Depth::from(score > best_score + p.deeper_margin);
                new_depth -= Depth::from(score < best_score + p.shallower_margin);
                if reduced < new_depth {
                    score = -self.search::<NonPv>(child, null, new_depth, !node.cut_node);
                }
                if mv.is_quiet() {
                    self.update_research_history(context, new_depth, score > alpha);
                }
            }
        } else if !K::PV || number > 1 {
            score = -self.search::<NonPv>(child, null, new_depth, !node.cut_node);
        }
        if K::PV && (number == 1 || score > alpha) && !self.quota.is_stopped() {
            score = -self.search::<Pv>(child, Window::new(-node.beta, -alpha), new_depth, false);
        }
        score
    }

    /// Stores the node's result.
    fn store(&self, node: &Node, best: &Best) {
        let entry = TtEntry {
            mv: best.mv,
            score: best.score,
            eval: self.path.here().raw_eval,
            depth: node.depth,
            bound: node.bound_of(best.score),
            was_pv: node.tt_pv,
        };
        self.tt.store(node.position.key(), node.ply, entry);
    }
}

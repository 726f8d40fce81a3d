//! By how much a move or node is searched less or more deeply: late move reductions, hindsight, internal iterative
//! reductions, singular extensions. Reductions are counted in 1024ths of a ply and become plies in
//! [`reduced_depth`] only.

use std::ops::ControlFlow::{self, Break, Continue};

use super::history::QuietContext;
use super::node::{Candidate, Node, NodeKind, NonPv, Window};
use super::params::{PLY, Params, Reduction};
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

/// Plies by which the depth changes, seen how the reduction of the move that led here, in plies, looks now: too much
/// if the position did not get worse for its side, too little if both sides agree that little happens.
///
/// - Technique: [Hindsight reductions and extensions](https://www.chessprogramming.org/Late_Move_Reductions)
/// - Assumes: the evaluation after a move tells whether its reduction was right
/// - Units: one ply, from reductions of `hindsight_more` or `hindsight_less` plies on; `hindsight_margin`
///   internal units
/// - Elo: not measured alone; in bundle A
pub(super) fn hindsight(node: &Node, reduction: Depth, eval_before: Option<Score>, p: &Params) -> Depth {
    let Some(before) = eval_before.filter(|_| p.hindsight != 0 && !node.in_check) else { return 0 };
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

/// Plies by which a node without a table move is searched less.
///
/// - Technique: [Internal iterative
///   reductions](https://www.chessprogramming.org/Internal_Iterative_Reductions)
/// - Assumes: without a table move the first move is a guess, and a later search will know it
/// - Units: one ply, from `iir_depth` plies on, in nodes of the principal variation and cut nodes
/// - Elo: not measured alone; in bundle A
#[inline(always)]
pub(super) fn internal_iterative_reduction(node: &Node, p: &Params) -> Depth {
    let applies =
        p.iir != 0 && node.depth >= p.iir_depth && node.tt_move.is_none() && node.excluded.is_none();
    Depth::from(applies)
}

/// The null-window bound of a singular test: all other moves must stay below it. `None` where the table's move and
/// score are no basis for a test.
fn singular_beta(node: &Node, pv: bool, p: &Params) -> Option<Score> {
    let entry = node.tt_entry?;
    let testable = p.singular != 0
        && node.depth >= p.singular_depth + Depth::from(node.tt_pv)
        && entry.depth >= node.depth - 3
        && entry.bound.is_lower()
        && !entry.score.is_decisive();
    let pv_factor = 1 + Depth::from(node.tt_pv && !pv);
    testable.then(|| entry.score - p.singular_margin * node.depth * pv_factor / 16)
}

impl Thread<'_> {
    /// By how much a late move is searched less deeply.
    ///
    /// - Technique: [Late move reductions](https://www.chessprogramming.org/Late_Move_Reductions)
    /// - Assumes: a move that is sorted late is seldom best, and if it is a reduced search shows it
    /// - Units: all terms in 1024ths of a ply; the base grows with the product of the logarithms of depth and
    ///   move number, `lmr_history` and `lmr_capture_history` of history are a ply, `lmr_correction` stands
    ///   for an internal unit of correction
    /// - Elo: switched off -79.5 +- 24.1, 400 games, 20,000 nodes (2026-12-03). The terms of the root:
    ///   -3.9 +- 17.5, 800 games, 10,000 nodes (2026-11-30, kept for 292 instead of 286 of 300 WAC positions)
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
            r -= self.histories.capture.get(node.position, context.threats(), mv) * PLY
                / p.lmr_capture_history;
        }
        r
    }

    /// Tests whether the table move is much better than all others, by a reduced search without it. Goes on with the
    /// plies to extend it by (negative when others are as good), or ends the node with a score when even without the
    /// move it fails high.
    ///
    /// - Technique: [Singular extensions](https://www.chessprogramming.org/Singular_Extensions)
    /// - Assumes: a move without an equal deserves a deeper search, one with equals a shallower one
    /// - Units: plies: 1, with `double_margin` 2, with `triple_margin` 3, in internal units; -2 or -1 when
    ///   others are as good
    /// - Elo: not measured alone; in bundle A
    /// - Technique: [Multi-cut](https://www.chessprogramming.org/Multi-Cut)
    /// - Assumes: a node that fails high without its best move fails high with it
    /// - Units: the reduced search of the singular test, score of beta or more
    /// - Elo: not measured alone; in bundle A
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::Pv;
    use crate::search::samples::{MIDDLEGAME, entry, mv, node, position, with_thread};
    use crate::tt::Bound;

    const P: &Params = &Params::DEFAULT;

    #[test]
    fn reductions_become_plies_at_the_end() {
        for (new_depth, reduction, pv, expected) in [
            (10, 0, false, 10),
            (10, PLY - 1, false, 10),
            (10, PLY, false, 9),
            (10, 5 * PLY + 700, false, 5),
            // Never below a ply, unless the node stood there.
            (10, 40 * PLY, false, 1),
            (1, 3 * PLY, false, 1),
            (0, 3 * PLY, false, 0),
            (-2, 3 * PLY, true, -2),
            // Less than nothing is an extension, in nodes of the principal variation only.
            (10, 1 - PLY, true, 10),
            (10, -PLY, true, 11),
            (10, -PLY, false, 10),
            (10, -9 * PLY, true, 11),
        ] {
            assert_eq!(reduced_depth(new_depth, reduction, pv), expected, "{new_depth} {reduction} {pv}");
        }
    }

    #[test]
    fn hindsight_looks_at_both_evaluations() {
        let quiet = position(MIDDLEGAME);
        let plies = |reduction, now: i32, before: Option<i32>| {
            let node = Node { static_eval: Score(now), ..node(&quiet, 5) };
            hindsight(&node, reduction, before.map(Score), P)
        };
        // The move before was thought bad, but its side stands no worse than it thought.
        assert_eq!(plies(P.hindsight_more, -50, Some(50)), 1);
        assert_eq!(plies(P.hindsight_more - 1, -50, Some(50)), 0);
        // Both sides are content.
        assert_eq!(plies(P.hindsight_less, P.hindsight_margin, Some(1)), -1);
        assert_eq!(plies(P.hindsight_less, P.hindsight_margin, Some(0)), 0);
        assert_eq!(plies(P.hindsight_less - 1, P.hindsight_margin, Some(1)), 0);
        // Nothing is known of a side in check.
        assert_eq!(plies(5, -50, None), 0);
        let check = position("rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3");
        assert_eq!(hindsight(&node(&check, 5), 5, Some(Score(0)), P), 0);
        let horizon = Node { static_eval: Score(900), ..node(&quiet, 1) };
        assert_eq!(hindsight(&horizon, 5, Some(Score(0)), P), 0, "no depth is left to take");
    }

    #[test]
    fn a_reduction_counts_once_in_hindsight() {
        with_thread(MIDDLEGAME, |thread| {
            let position = *thread.game().position();
            thread.enter_move(&position, mv(&position, "f8e7"), 0);
            thread.path.parent_mut().reduction = 4;
            assert_eq!(thread.path.take_reduction(), 4);
            assert_eq!(thread.path.take_reduction(), 0);
        });
    }

    #[test]
    fn nodes_without_a_table_move_are_searched_less() {
        let position = position(MIDDLEGAME);
        let plain = node(&position, P.iir_depth);
        assert_eq!(internal_iterative_reduction(&plain, P), 1);
        assert_eq!(internal_iterative_reduction(&Node { depth: P.iir_depth - 1, ..plain }, P), 0);
        let known = Some(mv(&position, "e5d4"));
        assert_eq!(internal_iterative_reduction(&Node { tt_move: known, ..plain }, P), 0);
        assert_eq!(internal_iterative_reduction(&Node { excluded: known, ..plain }, P), 0);
    }

    #[test]
    fn singular_tests_need_a_score_to_beat() {
        let position = position(MIDDLEGAME);
        let known = |score, depth, bound| Node {
            tt_entry: Some(entry(Some(mv(&position, "e5d4")), score, depth, bound)),
            ..node(&position, 8)
        };
        let beta = singular_beta(&known(40, 5, Bound::Lower), false, P).expect("a lower bound of depth 5");
        assert!(beta < Score(40));
        assert_eq!(singular_beta(&known(40, 5, Bound::Exact), false, P), Some(beta));
        assert_eq!(singular_beta(&known(40, 5, Bound::Upper), false, P), None);
        assert_eq!(singular_beta(&known(40, 4, Bound::Lower), false, P), None, "too shallow");
        assert_eq!(singular_beta(&node(&position, 8), false, P), None);
        assert_eq!(
            singular_beta(&Node { depth: P.singular_depth - 1, ..known(40, 9, Bound::Lower) }, false, P),
            None
        );
        for score in [Score::mate_in(9), Score::mated_in(9), Score::tablebase_win(9)] {
            assert_eq!(singular_beta(&known(score.0, 9, Bound::Lower), false, P), None, "{score:?}");
        }
        // Where a principal variation once was the margin is wider.
        let was_pv = Node { tt_pv: true, ..known(40, 9, Bound::Lower) };
        assert!(singular_beta(&was_pv, false, P) < singular_beta(&was_pv, true, P));
    }

    #[test]
    fn the_table_of_reductions_grows() {
        with_thread(MIDDLEGAME, |thread| {
            let base = |depth, number, quiet| thread.lmr_table.base(P, depth, number, quiet);
            for quiet in [false, true] {
                for depth in 2..70 {
                    for number in 2..80 {
                        assert!(base(depth + 1, number, quiet) >= base(depth, number, quiet));
                        assert!(base(depth, number + 1, quiet) >= base(depth, number, quiet));
                    }
                }
            }
            assert!(base(12, 20, true) > base(12, 20, false));
        });
    }

    /// The reduction of a move, as the tenth of a node of depth 10.
    fn reduction(thread: &Thread, node: &Node, text: &str) -> Reduction {
        let mv = mv(node.position, text);
        let context = QuietContext::new(node.position, thread.path.cont_keys());
        let candidate =
            Candidate { mv, number: 10, alpha: node.alpha, best_score: Score(0), new_depth: node.depth - 1 };
        thread.reduction(node, &node.position.after(mv), &context, &candidate)
    }

    #[test]
    fn promising_moves_are_reduced_less() {
        with_thread(MIDDLEGAME, |thread| {
            let position = *thread.game().position();
            let plain = node(&position, 10);
            let quiet = reduction(thread, &plain, "a7a6");
            assert!(quiet > 0);
            let less = [
                Node { tt_pv: true, ..plain },
                Node { cut_node: false, ..plain },
                Node { improving: true, ..plain },
                Node { correction: 50, ..plain },
                Node { ply: 0, ..plain },
            ];
            for (index, node) in less.iter().enumerate() {
                assert!(reduction(thread, node, "a7a6") < quiet, "{index}");
            }
            let taking = mv(&position, "e5d4");
            assert!(reduction(thread, &Node { tt_move: Some(taking), ..plain }, "a7a6") > quiet);
            thread.path.here_mut().cutoffs = P.cutoffs_many as u32 + 1;
            assert!(reduction(thread, &plain, "a7a6") > quiet);
            thread.path.here_mut().cutoffs = 0;
            // Success makes a move be searched more deeply, failure less.
            let tried = mv(&position, "a7a6");
            let piece = position.piece_on(tried.from()).unwrap();
            let context = QuietContext::new(&position, thread.path.cont_keys());
            thread.histories.update_quiet(&context, piece, tried, 1000);
            assert!(reduction(thread, &plain, "a7a6") < quiet);
            thread.histories.update_quiet(&context, piece, tried, -3000);
            assert!(reduction(thread, &plain, "a7a6") > quiet);
            let noisy = reduction(thread, &plain, "e5d4");
            thread.histories.capture.update(&position, context.threats(), taking, 1000);
            assert!(reduction(thread, &plain, "e5d4") < noisy);
        });
    }

    #[test]
    fn a_move_without_an_equal_is_extended_and_one_with_equals_is_not() {
        with_thread(MIDDLEGAME, |thread| {
            let root = *thread.game().position();
            thread.root.depth = 10;
            let position = thread.enter_move(&root, mv(&root, "f8e7"), 0);
            let tested = mv(&position, "b1c3");
            // What the table says of the move, and the bound of the node.
            let node = |score, beta: i32| Node {
                ply: 1,
                alpha: Score(beta - 1),
                beta: Score(beta),
                tt_move: Some(tested),
                tt_entry: Some(entry(Some(tested), score, 9, Bound::Lower)),
                ..node(&position, 8)
            };
            let plies = |thread: &mut Thread, node: &Node| thread.singular_extension::<NonPv>(node, tested);
            // All others fail far below.
            assert_eq!(plies(thread, &node(2500, 0)), Continue(3));
            assert_eq!(thread.singular_extension::<Pv>(&node(2500, 0), tested), Continue(1));
            thread.path.parent_mut().double_extensions = MAX_DOUBLE_EXTENSIONS;
            assert_eq!(plies(thread, &node(2500, 0)), Continue(1), "the line holds enough of them");
            thread.path.parent_mut().double_extensions = 0;
            // Others reach beta without it.
            let Break(score) = plies(thread, &node(-2400, -2500)) else { panic!("no cutoff") };
            assert!(score >= Score(-2500) && !score.is_decisive());
            // They reach the score of the table, which is below beta.
            assert_eq!(plies(thread, &node(-2500, 2000)), Continue(-1));
            assert_eq!(plies(thread, &Node { cut_node: false, ..node(-2500, 2000) }), Continue(0));
            assert!(thread.path.here().excluded.is_none());
        });
    }
}

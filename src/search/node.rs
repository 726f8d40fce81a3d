//! The data of one node: what the steps of the search know about it and ask of it. [`Node`] is built at the top of
//! a node and only read below; a test can build one by hand.

use arrayvec::ArrayVec;

use crate::board::Position;
use crate::tt::{Bound, TtEntry};
use crate::types::{Depth, Move, Score};

/// What is known of a node at compile time (CPW: "Node Types").
pub(super) trait NodeKind {
    /// The node has an open window.
    const PV: bool;
    /// The node is the root.
    const ROOT: bool;
}

/// The root of the tree.
pub(super) struct RootNode;
/// A node of the principal variation.
pub(super) struct Pv;
/// A node searched with a null window.
pub(super) struct NonPv;

impl NodeKind for RootNode {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeKind for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeKind for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// The scores between which a search is exact.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) alpha: Score,
    pub(super) beta: Score,
}

impl Window {
    /// Everything.
    pub(super) const FULL: Window = Window { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    pub(super) fn new(alpha: Score, beta: Score) -> Window {
        Window { alpha, beta }
    }

    /// The null window just below `beta`.
    pub(super) fn below(beta: Score) -> Window {
        Window { alpha: beta - 1, beta }
    }

    /// The same window as the opponent sees it.
    #[inline(always)]
    pub(super) fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// From this fifty-move count on scores of the transposition table are not used: they were found at another count.
const TT_MAX_HALFMOVE_CLOCK: u16 = 90;

/// A node, from the side to move's point of view.
#[derive(Clone, Copy)]
pub(super) struct Node<'p> {
    pub(super) position: &'p Position,
    /// Plies from the root.
    pub(super) ply: usize,
    /// Plies left to search.
    pub(super) depth: Depth,
    pub(super) alpha: Score,
    pub(super) beta: Score,
    /// A cutoff is expected.
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    /// The move left out while it is tested whether it is singular.
    pub(super) excluded: Option<Move>,
    /// What the transposition table knows; nothing where a move is left out.
    pub(super) tt_entry: Option<TtEntry>,
    /// The table's move, or at the root the best of the iteration before.
    pub(super) tt_move: Option<Move>,
    /// The node is, or once was, on a principal variation.
    pub(super) tt_pv: bool,
    /// The corrected evaluation; minus infinity in check.
    pub(super) static_eval: Score,
    /// The same, replaced by a table score where that says more.
    pub(super) eval: Score,
    /// Size of the evaluation's correction in internal units.
    pub(super) correction: i32,
    /// The evaluation is better than two plies ago, or good enough for a cutoff.
    pub(super) improving: bool,
    /// The opponent's last move did not keep its evaluation up.
    pub(super) opponent_worsening: bool,
}

impl<'p> Node<'p> {
    /// A node of which only the question is known yet.
    pub(super) fn new(
        position: &'p Position,
        ply: usize,
        Window { alpha, beta }: Window,
        depth: Depth,
        cut_node: bool,
    ) -> Node<'p> {
        Node {
            position,
            ply,
            depth,
            alpha,
            beta,
            cut_node,
            in_check: position.in_check(),
            excluded: None,
            tt_entry: None,
            tt_move: None,
            tt_pv: false,
            static_eval: -Score::INFINITE,
            eval: -Score::INFINITE,
            correction: 0,
            improving: false,
            opponent_worsening: false,
        }
    }

    #[inline(always)]
    pub(super) fn window(&self) -> Window {
        Window { alpha: self.alpha, beta: self.beta }
    }

    /// Whether the fifty-move rule is far enough for scores to be trusted that were found at another count.
    #[inline(always)]
    pub(super) fn trusts_tt_scores(&self) -> bool {
        self.position.halfmove_clock() < TT_MAX_HALFMOVE_CLOCK
    }

    /// The table's score where it lies outside the window, as a cutoff asks.
    #[inline(always)]
    pub(super) fn tt_bound(&self) -> Option<Score> {
        let entry = self.tt_entry?;
        let outside = entry.bound.is_lower() && entry.score >= self.beta
            || entry.bound.is_upper() && entry.score <= self.alpha;
        (outside && self.trusts_tt_scores()).then_some(entry.score)
    }

    /// The table's score where the entry is deep enough to stand for a search of the node. Near the horizon only a
    /// result of the kind that is expected counts: another one is worth a look of its own.
    ///
    /// - Technique: [Transposition table cutoffs](https://www.chessprogramming.org/Transposition_Table)
    /// - Assumes: a search at least as deep has answered the question already
    /// - Units: plies of depth; up to 5 only the expected kind of bound
    /// - Elo: not measured alone; in the first search
    pub(super) fn tt_cutoff(&self) -> Option<Score> {
        let entry = self.tt_entry?;
        let expected = self.cut_node == (entry.score >= self.beta) || self.depth > 5;
        if entry.depth < self.depth || !expected {
            return None;
        }
        self.tt_bound()
    }

    /// Narrows the window to what a result can be: no mate is nearer than here, and where a position can be repeated a
    /// draw is the least. Gives the score where nothing remains between.
    ///
    /// - Technique: [Mate distance pruning](https://www.chessprogramming.org/Mate_Distance_Pruning)
    /// - Assumes: nothing: it is exact
    /// - Units: mate scores, plies from the root
    /// - Elo: not measured alone; in the first search
    /// - Technique: [Upcoming repetitions](https://www.chessprogramming.org/Repetitions)
    /// - Assumes: the side that can repeat a position of the line will do so where that is best
    /// - Units: score of a draw
    /// - Elo: not measured alone; in bundle A
    pub(super) fn narrow_window(&mut self, can_repeat: bool) -> Option<Score> {
        if can_repeat {
            self.alpha = self.alpha.max(Score::DRAW);
        }
        self.alpha = self.alpha.max(Score::mated_in(self.ply));
        self.beta = self.beta.min(Score::mate_in(self.ply + 1));
        (self.alpha >= self.beta).then_some(self.alpha)
    }

    /// The score of having no legal move.
    #[inline(always)]
    pub(super) fn no_move_score(&self) -> Score {
        if self.in_check { Score::mated_in(self.ply) } else { Score::DRAW }
    }

    /// How a result relates to the node's window.
    pub(super) fn bound_of(&self, score: Score) -> Bound {
        match score {
            score if score >= self.beta => Bound::Lower,
            score if score > self.alpha => Bound::Exact,
            _ => Bound::Upper,
        }
    }
}

/// The best so far in a move loop.
#[derive(Clone, Copy)]
pub(super) struct Best {
    pub(super) score: Score,
    pub(super) mv: Option<Move>,
}

/// A move of the loop, and what the moves before it have reached.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// Its place in the order, from 1.
    pub(super) number: usize,
    pub(super) alpha: Score,
    pub(super) best_score: Score,
    /// Depth of its search before reductions.
    pub(super) new_depth: Depth,
}

/// Most moves of a kind that are remembered for a history malus; later ones may be dropped.
const MOST_REMEMBERED: usize = 32;

/// Moves searched without success.
#[derive(Default)]
pub(super) struct SearchedMoves {
    pub(super) quiet: ArrayVec<Move, MOST_REMEMBERED>,
    pub(super) noisy: ArrayVec<Move, MOST_REMEMBERED>,
}

impl SearchedMoves {
    #[inline(always)]
    pub(super) fn add(&mut self, mv: Move) {
        let list = if mv.is_quiet() { &mut self.quiet } else { &mut self.noisy };
        let _ = list.try_push(mv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::samples::{MIDDLEGAME, PAWN_ENDING, entry, node, position};

    #[test]
    fn a_table_entry_cuts_off_where_it_is_deep_enough_and_outside_the_window() {
        let position = position(MIDDLEGAME);
        let cutoff = |score, depth, bound| {
            let entry = Some(entry(None, score, depth, bound));
            Node { tt_entry: entry, ..node(&position, 8) }.tt_cutoff()
        };
        assert_eq!(cutoff(30, 8, Bound::Lower), Some(Score(30)));
        assert_eq!(cutoff(30, 8, Bound::Exact), Some(Score(30)));
        assert_eq!(cutoff(30, 8, Bound::Upper), None);
        assert_eq!(cutoff(30, 7, Bound::Lower), None);
        assert_eq!(cutoff(-30, 8, Bound::Upper), Some(Score(-30)));
        assert_eq!(cutoff(-30, 8, Bound::Lower), None);
        assert_eq!(cutoff(30, 9, Bound::None), None);
        assert_eq!(node(&position, 8).tt_cutoff(), None);
        // Near the horizon a cut node wants a high score, an all node a low one.
        for (cut_node, score, bound, expected) in [
            (true, 30, Bound::Lower, true),
            (false, 30, Bound::Lower, false),
            (true, -30, Bound::Upper, false),
            (false, -30, Bound::Upper, true),
        ] {
            let tt_entry = Some(entry(None, score, 8, bound));
            let shallow = Node { tt_entry, cut_node, ..node(&position, 5) };
            assert_eq!(shallow.tt_cutoff().is_some(), expected, "{cut_node} {score}");
            assert!(Node { depth: 6, ..shallow }.tt_cutoff().is_some());
        }
    }

    #[test]
    fn windows_shrink_to_what_can_be() {
        let position = position(MIDDLEGAME);
        let wide = |alpha, beta| Node { alpha, beta, ply: 7, ..node(&position, 8) };
        let mut open = wide(-Score::INFINITE, Score::INFINITE);
        assert_eq!(open.narrow_window(false), None);
        assert_eq!((open.alpha, open.beta), (Score::mated_in(7), Score::mate_in(8)));
        // A nearer mate is known.
        assert!(wide(Score::mate_in(7), Score::mate_in(6)).narrow_window(false).is_some());
        assert!(wide(Score::mate_in(9), Score::INFINITE).narrow_window(false).is_none());
        // Who can repeat has a draw.
        let mut losing = wide(Score(-90), Score(-89));
        assert_eq!(losing.narrow_window(true), Some(Score::DRAW));
        let mut open = wide(Score(-90), Score(50));
        assert_eq!(open.narrow_window(true), None);
        assert_eq!(open.alpha, Score::DRAW);
    }

    #[test]
    fn results_are_bounds_or_exact() {
        let position = position(PAWN_ENDING);
        let node = Node { alpha: Score(10), beta: Score(20), ..node(&position, 3) };
        for (score, bound) in [
            (9, Bound::Upper),
            (10, Bound::Upper),
            (11, Bound::Exact),
            (19, Bound::Exact),
            (20, Bound::Lower),
        ] {
            assert_eq!(node.bound_of(Score(score)), bound, "{score}");
        }
        assert_eq!(node.no_move_score(), Score::DRAW);
        assert_eq!(Node { in_check: true, ..node }.no_move_score(), Score::mated_in(5));
        let (flipped, window) = (node.window().flipped(), node.window());
        assert_eq!((flipped.alpha, flipped.beta), (Score(-20), Score(-10)));
        assert_eq!(flipped.flipped().alpha, window.alpha);
    }

    #[test]
    fn searched_moves_beyond_the_room_are_dropped() {
        let position = position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1");
        let moves = position.legal_moves();
        let mut searched = SearchedMoves::default();
        moves.iter().for_each(|&mv| searched.add(mv));
        assert!(moves.len() > 2 * MOST_REMEMBERED && searched.quiet.len() == MOST_REMEMBERED);
        assert!(
            searched.quiet.iter().all(|mv| mv.is_quiet()) && searched.noisy.iter().all(|mv| mv.is_noisy())
        );
    }
}

//! What endgame tables tell the search.

use std::ops::ControlFlow::{self, Break, Continue};

use super::node::{Node, NodeKind, Window};
use super::thread::Thread;
use crate::tablebase::Wdl;
use crate::tt::{Bound, TtEntry};
use crate::types::{Depth, MAX_PLY, Move, Score};

/// A table's result is worth a search that is deeper by this number of plies.
const WORTH: Depth = 6;

impl Thread<'_> {
    /// Keeps the root moves that the tables think best, and settles up to how many pieces the tree is looked up.
    pub(super) fn filter_by_tablebases(&mut self, moves: Vec<Move>) -> Vec<Move> {
        let job = self.job;
        let Some(access) = &job.tablebases else { return moves };
        self.tb_cardinality = access.most_pieces() as u32;
        let has_time = || {
            self.tell_progress();
            !job.control.is_stopped() && !self.quota.has_used_half()
        };
        let Some(verdict) = access.root(&job.game, &moves, &has_time) else { return moves };
        if self.id == 0 {
            self.quota.count_tb_hits(verdict.probes);
        }
        if verdict.is_certain {
            // All moves that are left are equally good by the tables, which have nothing to add: in the tree
            // they would only hide the way to mate.
            self.tb_cardinality = 0;
        }
        // Where only the results are known the clock may yet turn a win or loss into a draw, never the reverse.
        let is_decided = matches!(verdict.result, Wdl::Win | Wdl::Loss);
        let holds = verdict.is_certain || job.game.position().halfmove_clock() == 0 || !is_decided;
        self.tb_result = holds.then_some(verdict.result);
        verdict.moves.clone()
    }

    /// Whether a node is looked up. Castling is asked for by the tables themselves.
    fn asks_tablebases(&self, node: &Node) -> bool {
        self.tb_cardinality > 0
            && node.position.halfmove_clock() == 0
            && node.position.occupied().count() <= self.tb_cardinality
            && self.job.tablebases.as_ref().is_some_and(|access| {
                node.position.occupied().count() < self.tb_cardinality
                    || node.depth >= access.rules().min_depth
            })
    }

    /// Between which scores the endgame tables place a node. Ends it where that is all the search could find out;
    /// else its moves are looked at all the same, as mates may be among them.
    ///
    /// - Technique: [Endgame tables in the tree](https://www.chessprogramming.org/Syzygy_Bases)
    /// - Assumes: nothing: wins, draws and losses are exact while the fifty-move count is 0
    /// - Units: number of pieces; a result counts as a search `WORTH` plies deeper
    /// - Elo: not measured alone
    pub(super) fn tablebase_bounds<K: NodeKind>(&mut self, node: &Node) -> ControlFlow<Score, Window> {
        if K::ROOT || !self.asks_tablebases(node) || node.excluded.is_some() {
            return Continue(Window::FULL);
        }
        let Some(bounds) = self.probe_tablebases(node) else { return Continue(Window::FULL) };
        match bounds.answer(node.window()) {
            Some((score, _)) => Break(score),
            None => Continue(if K::PV { bounds } else { Window::FULL }),
        }
    }

    /// Between which scores the tables place a node. What answers for the node goes into the hash table.
    #[cold]
    #[inline(never)]
    fn probe_tablebases(&mut self, node: &Node) -> Option<Window> {
        let result = self.job.tablebases.as_ref()?.probe(node.position);
        // On a slow disk that may have taken long.
        self.quota.check_soon();
        let result = result?;
        self.quota.count_tb_hits(1);
        let win = Score::tablebase_win(node.ply);
        // Faster mates and slower ones remain possible.
        let bounds = match result {
            Wdl::Loss => Window::new(-Score::INFINITE, -win),
            Wdl::BlessedLoss => Window::new(Score::DRAW - 1, Score::DRAW - 1),
            Wdl::Draw => Window::new(Score::DRAW, Score::DRAW),
            Wdl::CursedWin => Window::new(Score::DRAW + 1, Score::DRAW + 1),
            Wdl::Win => Window::new(win, Score::INFINITE),
        };
        if let Some((score, bound)) = bounds.answer(node.window()) {
            let depth = (node.depth + WORTH).min(MAX_PLY as Depth - 1);
            let eval = node.tt_entry.and_then(|entry| entry.eval);
            let was_pv = node.tt_entry.is_some_and(|entry| entry.was_pv);
            let entry = TtEntry { mv: None, score, eval, depth, bound, was_pv };
            self.tt.store(node.position.key(), node.ply, entry);
        }
        Some(bounds)
    }
}

impl Window {
    /// The score of a node that is proven to lie in here, where that is all a search with the window `asked`
    /// could find out.
    fn answer(self, asked: Window) -> Option<(Score, Bound)> {
        if self.alpha == self.beta {
            Some((self.alpha, Bound::Exact))
        } else if self.alpha >= asked.beta {
            Some((self.alpha, Bound::Lower))
        } else {
            (self.beta <= asked.alpha).then_some((self.beta, Bound::Upper))
        }
    }
}

/// What is shown for a root move that keeps this result.
pub(super) fn root_score(result: Wdl) -> Score {
    match result {
        Wdl::Loss => -Score::tablebase_win(1),
        Wdl::BlessedLoss => Score::DRAW - 1,
        Wdl::Draw => Score::DRAW,
        Wdl::CursedWin => Score::DRAW + 1,
        Wdl::Win => Score::tablebase_win(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_answers_only_what_it_covers() {
        let window = |alpha, beta| Window::new(Score(alpha), Score(beta));
        let draw = window(0, 0);
        assert_eq!(draw.answer(window(-50, 50)), Some((Score(0), Bound::Exact)));
        let win = Window::new(Score::tablebase_win(4), Score::INFINITE);
        assert_eq!(win.answer(window(-50, 50)), Some((Score::tablebase_win(4), Bound::Lower)));
        assert_eq!(win.answer(Window::new(Score(0), Score::mate_in(9))), None);
        let loss = Window::new(-Score::INFINITE, -Score::tablebase_win(4));
        assert_eq!(loss.answer(window(-50, 50)), Some((-Score::tablebase_win(4), Bound::Upper)));
        assert_eq!(loss.answer(Window::new(-Score::INFINITE, Score(0))), None);
    }
}

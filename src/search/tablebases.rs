//! What endgame tables tell the search (CPW: "Syzygy Bases").

use super::node::{NodeKind, Window};
use super::searcher::{SearchJob, Searcher};
use crate::board::Position;
use crate::tablebase::{RootVerdict, Wdl};
use crate::tt::{Bound, TtEntry};
use crate::types::{Depth, MAX_PLY, Move, Score};

/// A table's result is worth a search that is deeper by so many plies.
const WORTH: Depth = 6;

impl Searcher {
    /// Keeps the root moves that the tables think best, and settles up to how many men the tree is looked up.
    pub(super) fn consult_tablebases(&mut self, job: &SearchJob, moves: Vec<Move>) -> Vec<Move> {
        self.tb_men = 0;
        self.tb_score = None;
        self.tb_hits = 0;
        let Some(access) = &job.tablebases else { return moves };
        self.tb_men = access.men() as u32;
        let has_time = || !job.control.is_stopped() && !self.has_used_half(job);
        let Some(verdict) = access.root(&job.game, &moves, &has_time) else { return moves };
        if self.index == 0 {
            self.tb_hits = verdict.probes;
        }
        if verdict.is_certain {
            // All moves that are left are equally good by the tables, which have nothing to add: in the tree
            // they would only hide the way to mate.
            self.tb_men = 0;
        }
        // Where only the results are known the clock may yet turn a win or loss into a draw, never the reverse.
        let score = root_score(verdict);
        let holds = verdict.is_certain || job.game.position().halfmove_clock() == 0 || !score.is_decisive();
        self.tb_score = holds.then_some(score);
        verdict.moves.clone()
    }

    /// Whether a node is looked up. Castling is asked for by the tables themselves.
    #[inline(always)]
    fn asks_tablebases(&self, job: &SearchJob, position: &Position, depth: Depth) -> bool {
        self.tb_men > 0
            && position.halfmove_clock() == 0
            && position.occupied().count() <= self.tb_men
            && job.tablebases.as_ref().is_some_and(|access| {
                position.occupied().count() < self.tb_men || depth >= access.rules().min_depth
            })
    }

    /// Between which scores the endgame tables place a node whose moves are to be looked at all the same, as
    /// mates may be among them; an error is the score of one that need not be looked at.
    #[inline(always)]
    pub(super) fn proven<K: NodeKind>(
        &mut self,
        job: &SearchJob,
        position: &Position,
        known: Option<TtEntry>,
        window: Window,
        depth: Depth,
        ply: usize,
    ) -> Result<Window, Score> {
        let all = Window::new(-Score::INFINITE, Score::INFINITE);
        if K::ROOT || !self.asks_tablebases(job, position, depth) || self.stack[ply].excluded.is_some() {
            return Ok(all);
        }
        let Some(proven) = self.probe_tablebases(job, position, known, window, depth, ply) else {
            return Ok(all);
        };
        match proven.answer(window) {
            Some((score, _)) => Err(score),
            None => Ok(if K::PV { proven } else { all }),
        }
    }

    /// Between which scores the tables place a node. What answers for the node goes into the hash table.
    #[cold]
    #[inline(never)]
    fn probe_tablebases(
        &mut self,
        job: &SearchJob,
        position: &Position,
        known: Option<TtEntry>,
        window: Window,
        depth: Depth,
        ply: usize,
    ) -> Option<Window> {
        let result = job.tablebases.as_ref()?.probe(position);
        // On a slow disk that may have taken long.
        self.next_check = self.nodes;
        let result = result?;
        self.tb_hits += 1;
        let win = Score::tablebase_win(ply);
        // Faster mates and slower ones remain possible.
        let proven = match result {
            Wdl::Loss => Window::new(-Score::INFINITE, -win),
            Wdl::BlessedLoss => Window::new(Score::DRAW - 1, Score::DRAW - 1),
            Wdl::Draw => Window::new(Score::DRAW, Score::DRAW),
            Wdl::CursedWin => Window::new(Score::DRAW + 1, Score::DRAW + 1),
            Wdl::Win => Window::new(win, Score::INFINITE),
        };
        if let Some((score, bound)) = proven.answer(window) {
            let depth = (depth + WORTH).min(MAX_PLY as Depth - 1);
            let eval = known.and_then(|entry| entry.eval);
            let was_pv = known.is_some_and(|entry| entry.was_pv);
            let entry = TtEntry { mv: None, score, eval, depth, bound, was_pv };
            job.tt.store(position.key(), ply, entry);
        }
        Some(proven)
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

/// What is shown for a root move that the tables know.
fn root_score(verdict: &RootVerdict) -> Score {
    match verdict.result {
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

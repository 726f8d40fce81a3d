//! The moves at the root and what is known of each.

use super::iterative::VERBOSE_AFTER;
use super::node::Candidate;
use super::pv::Line;
use super::report::{ScoreBound, SearchEvent};
use super::searcher::{SearchJob, Searcher};
use crate::types::{Depth, Move, Score};

/// A root move with its latest results.
#[derive(Clone)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Score of this iteration, minus infinity while not searched or not better than others.
    pub(super) score: Score,
    /// Score of the iteration before.
    pub(super) previous_score: Score,
    pub(super) bound: ScoreBound,
    pub(super) seldepth: usize,
    /// The line that starts with the move.
    pub(super) pv: Line,
    /// Nodes spent below the move.
    pub(super) nodes: u64,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            score: -Score::INFINITE,
            previous_score: -Score::INFINITE,
            bound: ScoreBound::Exact,
            seldepth: 0,
            pv: Line::from_iter([mv]),
            nodes: 0,
        }
    }

    /// Whether this iteration has given the move a score.
    pub(super) fn is_searched(&self) -> bool {
        self.score > -Score::INFINITE
    }
}

/// Puts the best moves first. The sort is stable, so unsearched moves keep their order.
pub(super) fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|root| (-root.score, -root.previous_score));
}

impl Searcher {
    /// Tells which root move is being searched, in long searches only.
    pub(super) fn announce_move(&self, job: &SearchJob, depth: Depth, mv: Move, number: usize) {
        // Short searches need not ask the clock at every root move.
        if self.index == 0 && self.nodes > 10_000 && self.has_run(job, VERBOSE_AFTER) {
            job.tell(SearchEvent::CurrentMove { depth, mv, number: number + self.line });
        }
    }

    /// Whether a move is among those that the running line of MultiPV chooses from.
    #[inline(always)]
    pub(super) fn is_root_move(&self, mv: Move) -> bool {
        self.root_moves[self.line..].iter().any(|root| root.mv == mv)
    }

    /// Writes a root move's result down, found in so many nodes. A move that does not improve on the best keeps
    /// no score.
    #[inline(always)]
    pub(super) fn record_root_move(
        &mut self,
        job: &SearchJob,
        candidate: Candidate,
        score: Score,
        beta: Score,
        nodes: u64,
    ) {
        let Candidate { mv, number, alpha, .. } = candidate;
        let seldepth = self.seldepth;
        let line = self.pv.line(1);
        let Some(root) = self.root_moves.iter_mut().find(|root| root.mv == mv) else { return };
        root.nodes += nodes;
        if number > 1 && score <= alpha {
            root.score = -Score::INFINITE;
            return;
        }
        root.score = score;
        root.seldepth = seldepth;
        root.bound = match score {
            score if score <= alpha => ScoreBound::Upper,
            score if score >= beta => ScoreBound::Lower,
            _ => ScoreBound::Exact,
        };
        // A fail-low line holds no information; the line of the last iteration stays.
        if score > alpha {
            root.pv.truncate(1);
            root.pv.extend(line.iter().copied().take(root.pv.remaining_capacity()));
        }
        let is_exact = root.bound == ScoreBound::Exact;
        if is_exact {
            self.announce_best(job, mv);
        }
    }
}

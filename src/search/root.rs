//! The moves at the root and what is known of each.

use super::node::Candidate;
use super::path::Line;
use super::report::ScoreBound;
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
    fn new(mv: Move) -> RootMove {
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

    /// Whether the iteration before has given the move a score.
    pub(super) fn was_searched(&self) -> bool {
        self.previous_score > -Score::INFINITE
    }

    /// The move as the iteration before left it.
    pub(super) fn before(&self) -> RootMove {
        RootMove { score: -Score::INFINITE, ..self.clone() }
    }
}

/// Puts the best moves first. The sort is stable, so unsearched moves keep their order.
pub(super) fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|root| (-root.score, -root.previous_score));
}

/// What the search of one move at the root came to.
pub(super) struct RootResult<'a> {
    pub(super) score: Score,
    pub(super) beta: Score,
    /// The principal variation after the move.
    pub(super) pv: &'a [Move],
    pub(super) seldepth: usize,
    /// Nodes that it took.
    pub(super) nodes: u64,
}

/// The root of a running search.
pub(super) struct Root {
    /// The moves to choose from, best first between iterations.
    pub(super) moves: Vec<RootMove>,
    /// Rank of the line being searched in MultiPV, from 0, and so the number of those that the iteration has finished.
    pub(super) pv_index: usize,
    /// Depth of the running iteration.
    pub(super) depth: Depth,
}

impl Root {
    pub(super) fn new(moves: Vec<Move>) -> Root {
        let moves = moves.into_iter().map(RootMove::new).collect();
        Root { moves, pv_index: 0, depth: 0 }
    }

    /// The move that is searched first: the best of those that the running line of MultiPV chooses from.
    #[inline(always)]
    pub(super) fn first_move(&self) -> Move {
        self.moves[self.pv_index].mv
    }

    /// Whether a move is among those that the running line of MultiPV chooses from.
    #[inline(always)]
    pub(super) fn is_candidate(&self, mv: Move) -> bool {
        self.moves[self.pv_index..].iter().any(|root| root.mv == mv)
    }

    /// Writes a move's result down; true where it is an exact score. A move that does not improve on the best keeps
    /// no score.
    pub(super) fn record(&mut self, candidate: &Candidate, result: &RootResult) -> bool {
        let Candidate { mv, number, alpha, .. } = *candidate;
        let score = result.score;
        let Some(root) = self.moves.iter_mut().find(|root| root.mv == mv) else { return false };
        root.nodes += result.nodes;
        if number > 1 && score <= alpha {
            root.score = -Score::INFINITE;
            return false;
        }
        root.score = score;
        root.seldepth = result.seldepth;
        root.bound = match score {
            score if score <= alpha => ScoreBound::Upper,
            score if score >= result.beta => ScoreBound::Lower,
            _ => ScoreBound::Exact,
        };
        // A fail-low line holds no information; the line of the last iteration stays.
        if score > alpha {
            root.pv.truncate(1);
            root.pv.extend(result.pv.iter().copied().take(root.pv.remaining_capacity()));
        }
        root.bound == ScoreBound::Exact
    }
}

//! The moves at the root and what is known of each.

use super::pv::Line;
use super::report::ScoreBound;
use crate::types::{Move, Score};

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

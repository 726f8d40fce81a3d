//! Search and evaluation scores.
//!
//! ```text
//!  0 ......... 30000 | 30001 ....... 31000 | 31508 ..... 32000 | 32001
//!  evaluation        | tablebase win       | mate in n plies   | infinite
//! ```
//! Losses mirror this below zero. All scores are from the side to move's point of view, in internal
//! units (about a seventieth of a pawn); only `uci` turns them into what a person reads.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// Deepest distance from the root, in plies, that a search line can have.
pub const MAX_PLY: usize = 246;

/// A score from the side to move's point of view.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(pub i32);

impl Score {
    /// A draw.
    pub const DRAW: Score = Score(0);
    /// Checkmate on the board, seen from the winner with zero plies to go.
    pub const MATE: Score = Score(32_000);
    /// Larger than every score that occurs.
    pub const INFINITE: Score = Score(32_001);
    /// A tablebase win on the board, seen from the winner.
    pub const TABLEBASE_WIN: Score = Score(31_000);
    /// The largest static evaluation.
    pub const MAX_EVAL: Score = Score(30_000);
    /// The smallest score that is a forced mate: a table may know of one that starts at the last ply.
    pub const MIN_MATE: Score = Score(Score::MATE.0 - 2 * MAX_PLY as i32);

    /// Giving mate at `ply` plies from the root.
    #[inline]
    pub const fn mate_in(ply: usize) -> Score {
        Score(Score::MATE.0 - ply as i32)
    }

    /// Being mated at `ply` plies from the root.
    #[inline]
    pub const fn mated_in(ply: usize) -> Score {
        Score(ply as i32 - Score::MATE.0)
    }

    /// Reaching a position at `ply` plies from the root that a tablebase calls won.
    #[inline]
    pub const fn tablebase_win(ply: usize) -> Score {
        Score(Score::TABLEBASE_WIN.0 - ply as i32)
    }

    /// A proven win: mate or tablebase.
    #[inline]
    pub const fn is_win(self) -> bool {
        self.0 > Score::MAX_EVAL.0
    }

    /// A proven loss: mate or tablebase.
    #[inline]
    pub const fn is_loss(self) -> bool {
        self.0 < -Score::MAX_EVAL.0
    }

    /// A proven win or loss.
    #[inline]
    pub const fn is_decisive(self) -> bool {
        self.is_win() || self.is_loss()
    }

    /// A mate for or against the side to move.
    #[inline]
    pub const fn is_mate(self) -> bool {
        self.0.abs() >= Score::MIN_MATE.0
    }

    /// For a mate score, the number of full moves to it as UCI counts them: positive when giving
    /// mate, negative when being mated, 0 when mated on the board.
    pub const fn mate_moves(self) -> Option<i32> {
        if !self.is_mate() {
            None
        } else if self.0 > 0 {
            Some((Score::MATE.0 - self.0 + 1) / 2)
        } else {
            Some(-((Score::MATE.0 + self.0 + 1) / 2))
        }
    }

    /// Bounds a heuristic value to the evaluation band, so that it never looks like a proof.
    #[inline]
    pub fn clamp_eval(self) -> Score {
        self.clamp(-Score::MAX_EVAL, Score::MAX_EVAL)
    }

    /// For storage in the table: turns "mate at this ply from the root" into "mate this far from
    /// the node", which stays true when the position is met at another ply.
    #[inline]
    pub const fn to_tt(self, ply: usize) -> Score {
        if self.is_win() {
            Score(self.0 + ply as i32)
        } else if self.is_loss() {
            Score(self.0 - ply as i32)
        } else {
            self
        }
    }

    /// For a decisive score, the plies from here to the mate or to the position that a tablebase knows.
    #[inline]
    const fn plies_to_end(self) -> i32 {
        let end = if self.is_mate() { Score::MATE } else { Score::TABLEBASE_WIN };
        end.0 - self.0.abs()
    }

    /// The reverse of [`Score::to_tt`]. A mate or tablebase win that the fifty-move rule forestalls,
    /// `halfmove_clock` plies being used up already, becomes a mere large evaluation.
    #[inline]
    pub const fn from_tt(self, ply: usize, halfmove_clock: u16) -> Score {
        let plies_left = 100 - halfmove_clock as i32;
        if self.is_win() {
            if self.plies_to_end() > plies_left {
                return Score::MAX_EVAL;
            }
            Score(self.0 - ply as i32)
        } else if self.is_loss() {
            if self.plies_to_end() > plies_left {
                return Score(-Score::MAX_EVAL.0);
            }
            Score(self.0 + ply as i32)
        } else {
            self
        }
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate_moves() {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "{}", self.0),
        }
    }
}

impl Neg for Score {
    type Output = Score;

    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;

    #[inline]
    fn add(self, other: i32) -> Score {
        Score(self.0 + other)
    }
}

impl Sub<i32> for Score {
    type Output = Score;

    #[inline]
    fn sub(self, other: i32) -> Score {
        Score(self.0 - other)
    }
}

impl Sub for Score {
    type Output = i32;

    /// The distance between two scores.
    #[inline]
    fn sub(self, other: Score) -> i32 {
        self.0 - other.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_distance_in_moves() {
        assert_eq!(Score::mate_in(1).mate_moves(), Some(1));
        assert_eq!(Score::mate_in(3).mate_moves(), Some(2));
        assert_eq!(Score::mated_in(0).mate_moves(), Some(0));
        assert_eq!(Score::mated_in(2).mate_moves(), Some(-1));
        assert_eq!(Score::mated_in(4).mate_moves(), Some(-2));
        assert_eq!(Score(1234).mate_moves(), None);
    }

    #[test]
    fn table_scores_are_relative_to_the_node() {
        for ply in [0, 1, 17, 100] {
            for score in [Score::mate_in(ply + 3), Score::mated_in(ply + 6), Score(55), Score::DRAW] {
                assert_eq!(score.to_tt(ply).from_tt(ply, 0), score);
            }
            assert_eq!(Score::mate_in(ply + 3).to_tt(ply), Score::mate_in(3));
            assert_eq!(Score::mated_in(ply + 6).to_tt(ply), Score::mated_in(6));
        }
    }

    #[test]
    fn mates_beyond_the_fifty_move_limit_are_not_proven() {
        assert_eq!(Score::mate_in(9).from_tt(2, 91), Score::mate_in(11));
        assert_eq!(Score::mate_in(9).from_tt(2, 92), Score::MAX_EVAL);
        assert_eq!(Score::mated_in(8).from_tt(0, 93), -Score::MAX_EVAL);
        assert_eq!(Score::tablebase_win(9).from_tt(2, 91), Score::tablebase_win(11));
        assert_eq!(Score::tablebase_win(9).from_tt(2, 92), Score::MAX_EVAL);
        assert_eq!((-Score::tablebase_win(8)).from_tt(0, 93), -Score::MAX_EVAL);
    }

    #[test]
    fn tablebase_scores_lie_between_evaluations_and_mates() {
        for ply in [0, 1, MAX_PLY - 1] {
            let win = Score::tablebase_win(ply);
            assert!(win.is_win() && !win.is_mate() && win > Score::MAX_EVAL && win < Score::MIN_MATE);
            assert!((-win).is_loss() && !(-win).is_mate());
            assert_eq!(win.to_tt(ply), Score::TABLEBASE_WIN);
            assert_eq!(win.to_tt(ply).from_tt(ply, 0), win);
        }
    }
}

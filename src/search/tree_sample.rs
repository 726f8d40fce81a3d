//! A few positions out of a search tree, drawn by lot, for whoever wants to learn from what a search evaluates.
//!
//! Each position draws a number, a hash of its key and of a salt, and those with the least numbers are kept
//! ("bottom-k sample"). So every position has the same chance however often the search came across it, the same
//! salt and tree give the same sample, and what the rules refuse needs to be found out only of the few positions
//! whose lot is low enough.

use std::collections::HashSet;

use arrayvec::ArrayVec;

use crate::board::Position;
use crate::types::{Move, Score, SplitMix64};

/// Positions deeper in the tree than this are not drawn.
const MOST_PLIES: usize = 32;

/// Positions whose evaluation lies farther outside of the window, in internal units (two pawns), are not drawn: the
/// search would do the same there if the evaluation were somewhat wrong.
const NEAR: i32 = 150;

/// A position of a search tree.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeNode {
    /// The position.
    pub position: Position,
    /// The moves that lead there from the root, at least one.
    pub path: ArrayVec<Move, MOST_PLIES>,
    /// Its evaluation as computed, for the side to move.
    pub eval: Score,
}

/// Draws positions from search trees. Drawn are those below the root that the search evaluated near its window,
/// without a null move on the way. No position is drawn twice until [`TreeSample::forget`].
#[derive(Debug)]
pub struct TreeSample {
    size: usize,
    is_wanted: fn(&TreeNode) -> bool,
    /// Salt of the lots, and least plies from the root, for the present search.
    salt: u64,
    min_plies: usize,
    /// What is drawn so far, by rising lot.
    drawn: Vec<(u64, TreeNode)>,
    /// Keys of the positions that were drawn earlier.
    known: HashSet<u64>,
}

impl TreeSample {
    /// Longest path of a position, in plies.
    pub const MOST_PLIES: usize = MOST_PLIES;

    /// Draws up to `size` positions from each search, of those that are wanted.
    pub fn new(size: usize, is_wanted: fn(&TreeNode) -> bool) -> TreeSample {
        TreeSample {
            size,
            is_wanted,
            salt: 0,
            min_plies: 1,
            drawn: Vec::with_capacity(size + 1),
            known: HashSet::new(),
        }
    }

    /// Makes ready for a search of whose tree positions from `min_plies` plies below the root on may be drawn.
    pub fn start(&mut self, salt: u64, min_plies: usize) {
        (self.salt, self.min_plies) = (salt, min_plies.max(1));
        self.drawn.clear();
    }

    /// Hands out what was drawn from the last search.
    pub fn take(&mut self) -> impl Iterator<Item = TreeNode> {
        self.known.extend(self.drawn.iter().map(|(_, node)| node.position.key()));
        std::mem::take(&mut self.drawn).into_iter().map(|(_, node)| node)
    }

    /// Forgets which positions were drawn.
    pub fn forget(&mut self) {
        self.drawn.clear();
        self.known.clear();
    }

    /// Takes note of a position to which these moves lead, `None` standing for a null move, and whose evaluation is
    /// so far outside of the window.
    pub(super) fn offer(
        &mut self,
        position: &Position,
        eval: Score,
        outside: i32,
        moves: impl ExactSizeIterator<Item = Option<Move>>,
    ) {
        if outside > NEAR || moves.len() < self.min_plies || moves.len() > MOST_PLIES {
            return;
        }
        let lot = SplitMix64::from_state(position.key() ^ self.salt).next();
        let place = match self.drawn.binary_search_by_key(&lot, |(lot, _)| *lot) {
            Err(place) if place < self.size => place,
            _ => return,
        };
        let Some(path) = moves.collect() else { return };
        let node = TreeNode { position: *position, path, eval };
        if !self.known.contains(&position.key()) && (self.is_wanted)(&node) {
            self.drawn.insert(place, (lot, node));
            self.drawn.truncate(self.size);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::Game;
    use crate::search::{SearchJob, SearchLimits, Searcher};
    use crate::tt::TranspositionTable;

    const MIDDLEGAME: &str = "r1bq1rk1/pp3ppp/2n1pn2/3p4/1bPP4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9";

    /// Positions of all moves from here and of all answers, each with its two moves.
    fn positions() -> Vec<(Position, [Option<Move>; 2])> {
        let start: Position = MIDDLEGAME.parse().unwrap();
        let answers = |mv: Move| {
            let child = start.after(mv);
            let answers = child.legal_moves();
            answers.into_iter().map(move |answer| (child.after(answer), [Some(mv), Some(answer)]))
        };
        let all: Vec<_> = start.legal_moves().into_iter().flat_map(answers).collect();
        assert!(all.len() > 1000);
        all
    }

    fn offer_all(sample: &mut TreeSample, positions: &[(Position, [Option<Move>; 2])]) {
        positions.iter().for_each(|(position, moves)| {
            sample.offer(position, Score(0), 0, moves.iter().copied());
        });
    }

    #[test]
    fn every_position_has_the_same_chance() {
        let positions = &positions()[..50];
        let mut sample = TreeSample::new(5, |_| true);
        let mut counts = vec![0; positions.len()];
        for salt in 0..2000 {
            sample.start(SplitMix64::from_state(salt).next(), 1);
            // That a position comes again does not better its chance.
            offer_all(&mut sample, positions);
            offer_all(&mut sample, &positions[..10]);
            let drawn: Vec<TreeNode> = sample.take().collect();
            assert_eq!(drawn.len(), 5);
            for node in drawn {
                let number = positions.iter().position(|other| other.0 == node.position).unwrap();
                assert!(node.path.iter().copied().map(Some).eq(positions[number].1));
                counts[number] += 1;
            }
            sample.forget();
        }
        // Each is expected 200 times with a standard deviation of 13.4; the sum of squares of the deviations in
        // units of that has a mean of 50 and a standard deviation of 10.
        let squares: f64 = counts.iter().map(|&count| f64::from(count - 200).powi(2) / 180.0).sum();
        assert!((20.0..90.0).contains(&squares), "{squares} {counts:?}");
    }

    #[test]
    fn what_is_refused_takes_no_place() {
        let positions = positions();
        let is_wanted = |node: &TreeNode| !node.position.in_check() && node.path[0].is_quiet();
        let wanted = positions
            .iter()
            .filter(|(position, moves)| !position.in_check() && moves[0].is_some_and(Move::is_quiet));
        let wanted: Vec<_> = wanted.copied().collect();
        let draw = |offered: &[(Position, [Option<Move>; 2])], is_wanted| {
            let mut sample = TreeSample::new(20, is_wanted);
            sample.start(7, 2);
            offer_all(&mut sample, offered);
            sample.take().map(|node| node.position.key()).collect::<Vec<u64>>()
        };
        assert_eq!(draw(&positions, is_wanted), draw(&wanted, |_| true));
        // Nor does the order matter.
        let reversed: Vec<_> = wanted.iter().rev().copied().collect();
        assert_eq!(draw(&reversed, |_| true), draw(&wanted, |_| true));
    }

    #[test]
    fn only_what_is_near_reachable_and_new_is_drawn() {
        let positions = positions();
        let (position, moves) = positions[0];
        let mut sample = TreeSample::new(3, |_| true);
        let drawn = |sample: &mut TreeSample, outside, moves: &[Option<Move>], min_plies| {
            sample.start(1, min_plies);
            sample.offer(&position, Score(0), outside, moves.iter().copied());
            sample.take().count()
        };
        assert_eq!(drawn(&mut sample, NEAR + 1, &moves, 1), 0);
        assert_eq!(drawn(&mut sample, 0, &[], 0), 0);
        assert_eq!(drawn(&mut sample, 0, &[moves[0], None], 1), 0);
        assert_eq!(drawn(&mut sample, 0, &moves, 3), 0);
        assert_eq!(drawn(&mut sample, 0, &[moves[0]; MOST_PLIES + 1], 1), 0);
        assert_eq!(drawn(&mut sample, NEAR, &moves, 2), 1);
        assert_eq!(drawn(&mut sample, NEAR, &moves, 2), 0);
        sample.forget();
        assert_eq!(drawn(&mut sample, NEAR, &moves, 2), 1);
    }

    /// The sample of a search, and what the search found.
    fn searched(salt: u64, sampled: bool) -> (Vec<TreeNode>, Option<Move>, u64) {
        let game = Game::new(MIDDLEGAME.parse().unwrap());
        let limits = SearchLimits { nodes: Some(3000), ..SearchLimits::default() };
        let job = SearchJob::silent(game, limits, Arc::new(TranspositionTable::new(1).unwrap()));
        let mut sample = TreeSample::new(40, |_| true);
        sample.start(salt, 1);
        let mut searcher = Searcher::new(0);
        let result =
            if sampled { searcher.search_sampled(&job, Some(&mut sample)) } else { searcher.search(&job) };
        (sample.take().collect(), result.best, result.nodes)
    }

    #[test]
    fn a_search_gives_the_positions_that_it_evaluates() {
        let (drawn, best, nodes) = searched(1, true);
        assert_eq!(searched(1, false), (Vec::new(), best, nodes));
        assert_eq!(drawn.len(), 40);
        for node in &drawn {
            let mut position: Position = MIDDLEGAME.parse().unwrap();
            for &mv in &node.path {
                assert!(position.legal_moves().contains(&mv));
                position.make(mv);
            }
            assert_eq!(position, node.position);
            assert!(!position.in_check());
            assert_eq!(node.eval, crate::eval::evaluate(&crate::nnue::built_in(), &position));
        }
        assert_eq!(searched(1, true).0, drawn);
        assert_ne!(searched(2, true).0, drawn);
    }
}

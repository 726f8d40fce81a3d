//! A game of self-play as training sees it: where it started, what was played, what the search thought.

use crate::board::Position;
use crate::types::{Color, Move, Score};

/// Plies from the start of the game, random ones included, before positions count.
pub(super) const FIRST_KEPT_PLY: usize = 16;

/// Positions with larger scores, in internal units, are decided and teach nothing about judging.
const MAX_KEPT_SCORE: i32 = 1250;

/// The closer the fifty-move rule, the less a score says of the pieces on the board.
const MAX_KEPT_HALFMOVE_CLOCK: u16 = 40;

/// With fewer pieces than this, kings included, endings are dead or trivial.
const MIN_KEPT_PIECES: u32 = 4;

/// How a game ended, by the rules or by adjudication.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum Outcome {
    WhiteWins,
    Draw,
    BlackWins,
}

impl Outcome {
    /// All outcomes, in the order of their discriminants.
    pub const ALL: [Outcome; 3] = [Outcome::WhiteWins, Outcome::Draw, Outcome::BlackWins];

    /// The win of a side.
    pub const fn win_for(color: Color) -> Outcome {
        match color {
            Color::White => Outcome::WhiteWins,
            Color::Black => Outcome::BlackWins,
        }
    }

    /// Who won, if not nobody.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Outcome::WhiteWins => Some(Color::White),
            Outcome::Draw => None,
            Outcome::BlackWins => Some(Color::Black),
        }
    }
}

/// A move that a search chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// The score of the search that chose it, from the view of the side that moves.
    pub score: Score,
}

/// A position out of the tree of a search, with a score that a search of its own has given it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreePosition {
    /// How many searched moves the game had when the search began whose tree it comes from.
    pub after: usize,
    /// The moves that lead there from the position of the game, at least one.
    pub path: Vec<Move>,
    /// Its score, from the view of the side to move.
    pub score: Score,
}

/// A game. Its moves are legal one after the other when it comes from a [`super::DataReader`].
#[derive(Clone, PartialEq, Debug)]
pub struct GameRecord {
    /// Where the game started.
    pub start: Position,
    /// Random moves from there, which no search chose.
    pub opening: Vec<Move>,
    /// The moves after the opening.
    pub moves: Vec<ScoredMove>,
    /// How it ended.
    pub outcome: Outcome,
    /// Positions that did not occur, but that searches of the game looked at, in the order of those searches. Their
    /// searches found best moves that were neither captures nor promotions.
    pub trees: Vec<TreePosition>,
}

/// A position out of a search tree that is fit for training.
#[derive(Clone, Copy, Debug)]
pub struct KeptTree<'a> {
    /// The position.
    pub position: &'a Position,
    /// The score of its search, from the view of the side to move.
    pub score: Score,
    /// Plies from the start of the game, random ones included, by way of the game and then of the tree.
    pub ply: usize,
    /// Plies in the tree.
    pub below: usize,
}

/// A position of a game that is fit for training.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    /// The position, before its move was played.
    pub position: &'a Position,
    /// The score of the search, from the view of the side to move.
    pub score: Score,
    /// How the game ended.
    pub outcome: Outcome,
    /// Plies from the start of the game, random ones included.
    pub ply: usize,
}

impl GameRecord {
    /// Calls `f` with each position, before its move was played, that is fit for training: not in check, the
    /// move neither capture nor promotion, 16 plies or more from the start of the game, the score no
    /// proven win or loss and at most 1250 units, at most 40 plies since a capture or pawn move, and at
    /// least four pieces on the board.
    pub fn for_each_kept(&self, mut f: impl FnMut(Kept<'_>)) {
        let mut position = self.start;
        for &mv in &self.opening {
            position.make(mv);
        }
        for (index, &scored) in self.moves.iter().enumerate() {
            let ply = self.opening.len() + index;
            if is_kept(&position, scored, ply) {
                f(Kept { position: &position, score: scored.score, outcome: self.outcome, ply });
            }
            position.make(scored.mv);
        }
    }

    /// Calls `f` with each position out of search trees that is fit for training, in the same sense.
    pub fn for_each_kept_tree(&self, mut f: impl FnMut(KeptTree<'_>)) {
        let mut root = self.start;
        for &mv in &self.opening {
            root.make(mv);
        }
        let mut reached = 0;
        for TreePosition { after, path, score } in &self.trees {
            for scored in self.moves.get(reached..*after).unwrap_or_default() {
                root.make(scored.mv);
            }
            reached = *after;
            let mut position = root;
            for &mv in path {
                position.make(mv);
            }
            let ply = self.opening.len() + after + path.len();
            if is_fit(&position, *score, ply) {
                f(KeptTree { position: &position, score: *score, ply, below: path.len() });
            }
        }
    }

    /// How many positions [`GameRecord::for_each_kept`] visits.
    pub fn count_kept(&self) -> u64 {
        let mut count = 0;
        self.for_each_kept(|_| count += 1);
        count
    }

    /// How many positions [`GameRecord::for_each_kept_tree`] visits.
    pub fn count_kept_trees(&self) -> u64 {
        let mut count = 0;
        self.for_each_kept_tree(|_| count += 1);
        count
    }

    /// Plies from the start to the end, random ones included.
    pub fn plies(&self) -> usize {
        self.opening.len() + self.moves.len()
    }
}

/// Whether a position with this score and best move is fit for training.
pub(super) fn is_kept(position: &Position, ScoredMove { mv, score }: ScoredMove, ply: usize) -> bool {
    !mv.is_capture() && mv.promotion().is_none() && is_fit(position, score, ply)
}

/// The same as far as it does not depend on the move.
pub(super) fn is_fit(position: &Position, score: Score, ply: usize) -> bool {
    ply >= FIRST_KEPT_PLY
        && score.0.abs() <= MAX_KEPT_SCORE
        && !position.in_check()
        && position.halfmove_clock() <= MAX_KEPT_HALFMOVE_CLOCK
        && position.occupied().count() >= MIN_KEPT_PIECES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse_uci;

    /// Moves and scores after a start of so many random plies, which go to and fro with the knights.
    fn kept_after(opening_plies: usize, start: &str, moves: &[(&str, i32)]) -> Vec<(String, i32)> {
        let start: Position = start.parse().unwrap();
        let mut position = start;
        let mut opening = Vec::new();
        for text in ["b1c3", "b8c6", "c3b1", "c6b8"].into_iter().cycle().take(opening_plies) {
            let mv = parse_uci(&position, text).unwrap();
            position.make(mv);
            opening.push(mv);
        }
        let mut scored = Vec::new();
        for &(text, score) in moves {
            let mv = parse_uci(&position, text).unwrap();
            position.make(mv);
            scored.push(ScoredMove { mv, score: Score(score) });
        }
        let record = GameRecord { start, opening, moves: scored, outcome: Outcome::Draw, trees: Vec::new() };
        let mut kept = Vec::new();
        record.for_each_kept(|Kept { position, score, outcome, ply }| {
            assert_eq!(outcome, Outcome::Draw);
            assert!((16..record.plies()).contains(&ply));
            kept.push((position.to_string().split(' ').next().unwrap().to_owned(), score.0));
        });
        assert_eq!(kept.len() as u64, record.count_kept());
        kept
    }

    fn scores_kept(opening_plies: usize, start: &str, moves: &[(&str, i32)]) -> Vec<i32> {
        kept_after(opening_plies, start, moves).into_iter().map(|(_, score)| score).collect()
    }

    const START: &str = crate::board::START_FEN;

    #[test]
    fn captures_checks_and_large_scores_are_dropped() {
        let moves = [
            ("e2e4", 30),
            ("d7d5", -30),
            ("e4d5", 31), // a capture
            ("g8f6", -32),
            ("f1b5", 33),
            ("c7c6", -34), // in check
            ("d5c6", 35),  // a capture
            ("d8d2", -36), // a capture
            ("d1d2", 900), // in check, and a capture
            ("f6g8", -1250),
            ("g1f3", 1251),
            ("a7a6", -31_990),
        ];
        assert_eq!(scores_kept(16, START, &moves), [30, -30, -32, 33, -1250]);
    }

    #[test]
    fn the_first_plies_are_dropped() {
        let moves = [("e2e4", 1), ("e7e5", 2), ("g1f3", 3)];
        assert_eq!(scores_kept(16, START, &moves), [1, 2, 3]);
        // With 12 random plies the fifth move is the first to count.
        let more = [("a2a3", 1), ("a7a6", 2), ("b2b3", 3), ("b7b6", 4), ("c2c3", 5), ("c7c6", 6)];
        assert_eq!(scores_kept(12, START, &more), [5, 6]);
    }

    #[test]
    fn positions_are_those_before_the_move() {
        let kept = kept_after(16, START, &[("e2e4", 20), ("c7c5", -20)]);
        assert_eq!(kept[0].0, START.split(' ').next().unwrap());
        assert_eq!(kept[1].0, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    }

    #[test]
    fn promotions_and_few_pieces_are_dropped() {
        let knights = "1n2k3/6P1/8/8/8/8/8/1N2K3 w - - 0 1";
        assert_eq!(scores_kept(16, knights, &[("e1e2", 7), ("e8e7", 8), ("g7g8n", 9)]), [7, 8]);
        let bare = "1n2k3/8/8/8/8/8/8/1N2K3 w - - 0 1";
        assert_eq!(scores_kept(16, bare, &[("b1c3", 5), ("e8e7", 6)]), [5, 6]);
        let start: Position = "8/8/4k3/8/8/4K3/8/R7 w - - 0 1".parse().unwrap();
        let mv = parse_uci(&start, "a1a2").unwrap();
        let three = GameRecord {
            start,
            opening: Vec::new(),
            moves: vec![ScoredMove { mv, score: Score(600) }],
            outcome: Outcome::WhiteWins,
            trees: Vec::new(),
        };
        assert_eq!(three.count_kept(), 0);
    }
}

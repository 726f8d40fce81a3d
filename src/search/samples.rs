//! What tests of single techniques need: a node and a thread made by hand.

use std::sync::Arc;

use super::job::SearchJob;
use super::limits::SearchLimits;
use super::node::{Node, Window};
use super::thread::{Searcher, Thread};
use crate::board::{Game, Position};
use crate::notation::parse_uci;
use crate::tt::{Bound, TranspositionTable, TtEntry};
use crate::types::{Depth, Move, Score};

/// A quiet position with all kinds of pieces: Black is to move, and not in check.
pub(super) const MIDDLEGAME: &str = "r1bqkb1r/pp3ppp/2n2n2/3pp3/3N4/6P1/PPP1PPBP/RNBQ1RK1 b kq - 0 7";
/// King and pawns only.
pub(super) const PAWN_ENDING: &str = "8/1p6/7p/1p6/5k1p/2K5/8/8 b - - 1 52";

pub(super) fn position(fen: &str) -> Position {
    fen.parse().expect(fen)
}

pub(super) fn mv(position: &Position, text: &str) -> Move {
    parse_uci(position, text).expect(text)
}

/// A node that was expected to be cut off, five plies from the root, with a window of one around 0 and an
/// evaluation of 0.
pub(super) fn node(position: &Position, depth: Depth) -> Node<'_> {
    let mut node = Node::new(position, 5, Window::below(Score(1)), depth, true);
    if !node.in_check {
        (node.static_eval, node.eval) = (Score(0), Score(0));
    }
    node
}

pub(super) fn entry(mv: Option<Move>, score: i32, depth: Depth, bound: Bound) -> TtEntry {
    TtEntry { mv, score: Score(score), eval: None, depth, bound, was_pv: false }
}

/// Lets `f` have a thread that knows nothing, at the root of a search of this position.
pub(super) fn with_thread<R>(fen: &str, f: impl FnOnce(&mut Thread) -> R) -> R {
    let tt = Arc::new(TranspositionTable::new(1).expect("a MiB is there"));
    let limits = SearchLimits { depth: Some(20), ..SearchLimits::default() };
    let job = SearchJob::silent(Game::new(position(fen)), limits, tt);
    let mut searcher = Searcher::new(0);
    f(&mut Thread::new(&mut searcher, &job, None))
}

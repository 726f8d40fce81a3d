//! Play from an opening book.

use std::time::Duration;

use crate::board::Game;
use crate::book::Book;
use crate::search::{Report, ScoreBound, SearchLimits, SearchResult};
use crate::types::{Move, Score, SplitMix64};

/// Default of [`Opening::depth`].
pub const DEFAULT_BOOK_DEPTH: u16 = 255;

/// An engine's book and how it is used.
pub struct Opening {
    /// Whether moves are played from the book.
    pub enabled: bool,
    /// The book, if there is one.
    pub book: Option<Book>,
    /// Number of the last move of a game for which the book is probed.
    pub depth: u16,
    /// Always plays the move of the highest weight. Otherwise the probability of a move is in proportion to its weight.
    pub best_only: bool,
    random: SplitMix64,
}

impl Opening {
    /// No book, with a random seed.
    pub(super) fn new() -> Opening {
        Opening {
            enabled: false,
            book: None,
            depth: DEFAULT_BOOK_DEPTH,
            best_only: false,
            random: SplitMix64::unpredictable(),
        }
    }

    /// The book move to play without a search, followed by the book's best reply. `None` when the limits ask for
    /// analysis, or when the book has no move.
    pub(super) fn line(&mut self, game: &Game, limits: &SearchLimits) -> Option<Vec<Move>> {
        let analyses = limits.infinite || limits.mate.is_some() || !limits.search_moves.is_empty();
        if !self.enabled || analyses || game.position().fullmove_number() > self.depth {
            return None;
        }
        let book = self.book.as_ref()?;
        let mv = if self.best_only { book.best(game) } else { book.pick(game, &mut self.random) }?;
        let mut next = game.clone();
        next.play(mv);
        let mut line = vec![mv];
        line.extend(book.best(&next));
        Some(line)
    }
}

/// The report of a book line, with the static evaluation as its score.
pub(super) fn report(pv: Vec<Move>, score: Score) -> Report {
    Report {
        depth: 1,
        seldepth: 1,
        multi_pv: 1,
        score,
        bound: ScoreBound::Exact,
        is_drawn: false,
        nodes: 0,
        tb_hits: 0,
        time: Duration::ZERO,
        hashfull: 0,
        pv,
    }
}

/// The search result for this report.
pub(super) fn result(report: Report) -> SearchResult {
    SearchResult {
        best: report.pv.first().copied(),
        ponder: report.pv.get(1).copied(),
        score: report.score,
        lines: vec![report],
        ..SearchResult::none()
    }
}

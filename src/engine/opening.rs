//! Play from an opening book.

use std::time::Duration;

use crate::board::Game;
use crate::book::Book;
use crate::search::{Report, ScoreBound, SearchLimits, SearchResult};
use crate::types::{Move, Score, SplitMix64};

/// How deep a book is used at first, in moves.
pub const DEFAULT_BOOK_DEPTH: u16 = 255;

/// An engine's book and how it is used.
pub struct Opening {
    /// Whether moves are played from the book.
    pub enabled: bool,
    /// The book, if there is one.
    pub book: Option<Book>,
    /// Number of the last move of a game for which the book is asked.
    pub depth: u16,
    /// Always plays the move of the highest weight, not each according to its weight.
    pub best_only: bool,
    random: SplitMix64,
}

impl Opening {
    /// No book, other choices in every run.
    pub(super) fn new() -> Opening {
        Opening {
            enabled: false,
            book: None,
            depth: DEFAULT_BOOK_DEPTH,
            best_only: false,
            random: SplitMix64::unpredictable(),
        }
    }

    /// The move to play without a search, with the answer that the book expects. Where the position is to be
    /// examined there is none.
    pub(super) fn line(&mut self, game: &Game, limits: &SearchLimits) -> Option<Vec<Move>> {
        let examines = limits.infinite || limits.mate.is_some() || !limits.search_moves.is_empty();
        if !self.enabled || examines || game.position().fullmove_number() > self.depth {
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

/// What is told of a line of a book, with a score that is not searched.
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

/// The result that belongs to the report.
pub(super) fn result(report: Report) -> SearchResult {
    SearchResult {
        best: report.pv.first().copied(),
        ponder: report.pv.get(1).copied(),
        score: report.score,
        lines: vec![report],
        ..SearchResult::none()
    }
}

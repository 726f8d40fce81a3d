//! Turns the search of a level of play into the events that the level reports: one PV, and the move that it plays.

use std::sync::{Mutex, PoisonError};

use super::level::{Contender, Level};
use crate::board::Game;
use crate::search::{Report, ScoreBound, SearchEvent, SearchLimits, SearchResult};

/// Forwards the events of a search for a level. Of the lines of MultiPV it forwards one for each finished iteration,
/// that of the best move, and at the end that of the move it plays.
pub(super) struct Chooser<F> {
    level: Level,
    game: Game,
    /// Number of moves that the level chooses among.
    lines: usize,
    reported: Mutex<Reported>,
    sink: F,
}

/// The lines that the search has reported.
#[derive(Default)]
struct Reported {
    /// The latest ones, from the first rank on.
    latest: Vec<Report>,
    /// Those of the last iteration in which all were finished, since only scores of one iteration can be compared.
    finished: Vec<Report>,
    /// The line forwarded last.
    forwarded: Option<Report>,
}

impl<F: Fn(SearchEvent)> Chooser<F> {
    /// A chooser for a search of this game within these limits, which are [`Level::limits`].
    pub(super) fn new(level: Level, game: Game, limits: &SearchLimits, sink: F) -> Chooser<F> {
        let lines = limits.multi_pv.min(limits.search_moves.len());
        Chooser { level, game, lines, reported: Mutex::default(), sink }
    }

    /// Takes an event of the search and forwards what the level reports.
    pub(super) fn receive(&self, event: SearchEvent) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            SearchEvent::Line(line) => {
                if let Some(best) = reported.add(line, self.lines) {
                    (self.sink)(SearchEvent::Line(best));
                }
            }
            SearchEvent::Finished(result) if result.best.is_some() => {
                let result = self.choose(&mut reported, result);
                (self.sink)(SearchEvent::Finished(result));
            }
            other => (self.sink)(other),
        }
    }

    /// Replaces the result by that of the move that the level plays, and forwards the line of that move.
    fn choose(&self, reported: &mut Reported, result: SearchResult) -> SearchResult {
        // With one line, or without a finished iteration, the best move of the search is played.
        let lines = match self.lines <= 1 || reported.finished.is_empty() {
            true => result.lines.iter().take(1).cloned().collect(),
            false => std::mem::take(&mut reported.finished),
        };
        let position = self.game.position();
        let situation = position.key() ^ u64::from(position.fullmove_number());
        let contender = |line: &Report| {
            let mv = line.pv.first().copied();
            mv.map_or(Contender::default(), |mv| Contender::new(&self.game, mv, line.score))
        };
        let contenders: Vec<Contender> = lines.iter().map(contender).collect();
        let Some(line) = lines.into_iter().nth(self.level.choose(&contenders, situation)) else {
            return result;
        };
        let counts = result.lines.first().map_or(line.counts(), Report::counts);
        let line = Report { multi_pv: 1, ..line.with_counts(counts) };
        if reported.is_news(&line) {
            (self.sink)(SearchEvent::Line(line.clone()));
        }
        SearchResult {
            best: line.pv.first().copied(),
            ponder: line.pv.get(1).copied(),
            score: line.score,
            depth: line.depth,
            lines: vec![line],
            ..result
        }
    }
}

impl Reported {
    /// Adds a line. When it completes an iteration of `lines` lines, returns the best of them, to be forwarded.
    fn add(&mut self, line: Report, lines: usize) -> Option<Report> {
        if line.multi_pv == 1 {
            self.latest.clear();
        }
        self.latest.push(line);
        let depth = self.latest[0].depth;
        let is_finished = self.latest.len() == lines
            && self.latest.iter().all(|line| line.depth == depth && line.bound == ScoreBound::Exact);
        if !is_finished {
            return None;
        }
        self.finished.clone_from(&self.latest);
        let best = self.latest[0].clone();
        self.is_news(&best).then(|| self.forwarded.insert(best).clone())
    }

    /// Whether a line differs from the one forwarded last.
    fn is_news(&self, line: &Report) -> bool {
        self.forwarded.as_ref().is_none_or(|last| last.nodes != line.nodes || last.pv != line.pv)
    }
}

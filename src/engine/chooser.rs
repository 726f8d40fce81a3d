//! What a level of play makes of a search: which of its lines it shows, and the move that it plays.

use std::sync::{Mutex, PoisonError};

use super::level::{Contender, Level};
use crate::board::Game;
use crate::search::{Report, ScoreBound, SearchEvent, SearchLimits, SearchResult};

/// Hands on what a search for a level tells, as the level tells it: one line, of the best move, for each finished
/// iteration, and in the end that of the move it plays.
pub(super) struct Chooser<F> {
    level: Level,
    game: Game,
    /// Moves that are weighed.
    lines: usize,
    lines_told: Mutex<LinesTold>,
    sink: F,
}

/// The lines that a search has told of.
#[derive(Default)]
struct LinesTold {
    /// Those told last, from the first rank on.
    latest: Vec<Report>,
    /// Those of the last iteration in which all were finished: only scores of one iteration can be compared.
    finished: Vec<Report>,
    /// What was handed on last.
    handed_on: Option<Report>,
}

impl<F: Fn(SearchEvent)> Chooser<F> {
    /// A chooser for a search of this game within these limits, which are [`Level::limits`].
    pub(super) fn new(level: Level, game: Game, limits: &SearchLimits, sink: F) -> Chooser<F> {
        let lines = limits.multi_pv.min(limits.search_moves.len());
        Chooser { level, game, lines, lines_told: Mutex::default(), sink }
    }

    /// Takes notice of an event of the search and hands on what the level has to tell.
    pub(super) fn hear(&self, event: SearchEvent) {
        let mut told = self.lines_told.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            SearchEvent::Line(line) => {
                if let Some(best) = told.add(line, self.lines) {
                    (self.sink)(SearchEvent::Line(best));
                }
            }
            SearchEvent::Finished(result) if result.best.is_some() => {
                let result = self.choose(&mut told, result);
                (self.sink)(SearchEvent::Finished(result));
            }
            other => (self.sink)(other),
        }
    }

    /// Makes the result that of the move that the level plays, and tells its line.
    fn choose(&self, told: &mut LinesTold, result: SearchResult) -> SearchResult {
        // Nothing is weighed, or there was too little time even for one iteration: the search decides.
        let lines = match self.lines <= 1 || told.finished.is_empty() {
            true => result.lines.iter().take(1).cloned().collect(),
            false => std::mem::take(&mut told.finished),
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
        if told.is_news(&line) {
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

impl LinesTold {
    /// Adds a line. Where it completes an iteration with so many lines, the best of them is to be handed on.
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
        self.is_news(&best).then(|| self.handed_on.insert(best).clone())
    }

    /// Whether a line says anything that the one handed on last does not.
    fn is_news(&self, line: &Report) -> bool {
        self.handed_on.as_ref().is_none_or(|last| last.nodes != line.nodes || last.pv != line.pv)
    }
}

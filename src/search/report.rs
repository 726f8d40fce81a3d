//! What a search tells the outside.

use std::time::Duration;

use crate::types::{Depth, Move, Score};

/// Uncertain scores are reported, and current moves named, only in searches longer than this.
pub(super) const VERBOSE_AFTER: Duration = Duration::from_secs(3);

/// A new best move is reported before its iteration ends only in searches longer than this.
pub(super) const NEWS_AFTER: Duration = Duration::from_secs(1);

/// How a reported score relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreBound {
    /// The score is the result of the search.
    Exact,
    /// The search failed high: the true score is at least this.
    Lower,
    /// The search failed low: the true score is at most this.
    Upper,
}

/// How far a search by all threads has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Nodes searched.
    pub nodes: u64,
    /// Positions found in the endgame tables.
    pub tb_hits: u64,
    /// Time since the search began.
    pub time: Duration,
    /// How full the hash table is, in permille.
    pub hashfull: usize,
}

/// One line of analysis.
#[derive(Clone, Debug)]
pub struct Report {
    /// Depth of the iteration in plies.
    pub depth: Depth,
    /// Deepest ply reached.
    pub seldepth: usize,
    /// Rank of the line, from 1.
    pub multi_pv: usize,
    /// Score for the side to move at the root.
    pub score: Score,
    /// What the score means.
    pub bound: ScoreBound,
    /// The position is drawn by the rules or the endgame tables, whatever is played.
    pub is_drawn: bool,
    /// Nodes searched by all threads.
    pub nodes: u64,
    /// Positions found in the endgame tables by all threads.
    pub tb_hits: u64,
    /// Time since the search began.
    pub time: Duration,
    /// How full the table is, in permille.
    pub hashfull: usize,
    /// The line, legal to its end.
    pub pv: Vec<Move>,
}

impl Report {
    /// The counts at the time of the report.
    pub fn counts(&self) -> Counts {
        Counts { nodes: self.nodes, tb_hits: self.tb_hits, time: self.time, hashfull: self.hashfull }
    }

    /// The same line at a later time.
    #[must_use]
    pub fn with_counts(self, counts: Counts) -> Report {
        let Counts { nodes, tb_hits, time, hashfull } = counts;
        Report { nodes, tb_hits, time, hashfull, ..self }
    }

    /// Whether both tell the same of the same line, whatever else was searched in between.
    pub(super) fn tells_the_same(&self, other: &Report) -> bool {
        let what = |report: &Report| (report.multi_pv, report.depth, report.score, report.bound);
        what(self) == what(other) && self.pv == other.pv
    }
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The move to play; `None` only where the side to move has no legal move.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// Score of the best move.
    pub score: Score,
    /// The last depth at which the move was compared with all others.
    pub depth: Depth,
    /// Nodes searched by all threads.
    pub nodes: u64,
    /// Those of them that were searched on the engine's clock; `None` where it never ran, since the search ended
    /// while it pondered.
    pub own_nodes: Option<u64>,
    /// The best lines, as many as were asked for and are known. The first starts with the move to play; there is
    /// none only without a move.
    pub lines: Vec<Report>,
}

impl SearchResult {
    /// The result of searching nothing.
    pub fn none() -> SearchResult {
        SearchResult {
            best: None,
            ponder: None,
            score: Score::DRAW,
            depth: 0,
            nodes: 0,
            own_nodes: Some(0),
            lines: Vec::new(),
        }
    }
}

/// Something worth telling during or after a search.
#[derive(Clone, Debug)]
pub enum SearchEvent {
    /// A line was searched. With several lines they are told in the order of their ranks, each time from the
    /// first on, so that the last ones told are always one picture.
    Line(Report),
    /// Nothing else was told for a second: so far the search has come.
    Progress(Counts),
    /// A root move is looked at, its number counted from 1. Only sent in long searches.
    CurrentMove {
        /// Depth of the iteration.
        depth: Depth,
        /// The move.
        mv: Move,
        /// Its number in the list.
        number: usize,
    },
    /// The root position is checkmate (`in_check`) or stalemate: there is nothing to search.
    NoMoves {
        /// Whether it is mate.
        in_check: bool,
    },
    /// An endgame table turned out to be unusable; the text says which and why.
    TableFault(String),
    /// The move comes from the opening book and nothing is searched.
    BookMove,
    /// The search is over. Always the last event.
    Finished(SearchResult),
}

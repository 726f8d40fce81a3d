//! The engine that plays: the one place where its search and evaluation are set up.

use std::sync::Arc;

use crate::board::Game;
use crate::search::{SearchJob, SearchLimits, Searcher};
use crate::tt::{AllocationError, TranspositionTable};
use crate::types::{Depth, Score};

use super::record::ScoredMove;

/// Name of the evaluation, which the header of a file states.
pub(super) const EVALUATION: &str = "hand-made";

/// Memory of each player. A game of small searches fills no more.
const HASH_MIB: usize = 8;

/// A search that was about to end after its soft limit is broken off at this multiple of it.
const HARD_FACTOR: u64 = 8;

/// The look at an opening ends at this depth in plies or at so many nodes.
const CHECK_DEPTH: Depth = 8;
const CHECK_NODES: u64 = 10_000;

/// Plays both sides, alone on its thread.
pub(super) struct Player {
    searcher: Searcher,
    table: Arc<TranspositionTable>,
    soft_nodes: u64,
}

impl Player {
    /// A player that begins no further iteration after so many nodes.
    pub(super) fn new(soft_nodes: u64) -> Result<Player, AllocationError> {
        let table = Arc::new(TranspositionTable::new(HASH_MIB)?);
        Ok(Player { searcher: Searcher::new(0), table, soft_nodes })
    }

    /// Forgets everything, so that a game does not depend on those before.
    pub(super) fn new_game(&mut self) {
        self.table.clear(1);
        self.searcher.new_game();
    }

    /// The move to play; `None` only where there is none.
    pub(super) fn choose(&mut self, game: &Game) -> Option<ScoredMove> {
        self.search(
            game,
            SearchLimits {
                soft_nodes: Some(self.soft_nodes),
                nodes: Some(self.soft_nodes.saturating_mul(HARD_FACTOR)),
                ..SearchLimits::default()
            },
        )
    }

    /// A quick look at a position before a game begins there.
    pub(super) fn judge(&mut self, game: &Game) -> Option<Score> {
        let limits =
            SearchLimits { depth: Some(CHECK_DEPTH), nodes: Some(CHECK_NODES), ..SearchLimits::default() };
        self.search(game, limits).map(|found| found.score)
    }

    fn search(&mut self, game: &Game, limits: SearchLimits) -> Option<ScoredMove> {
        let job = SearchJob::silent(game.clone(), limits, Arc::clone(&self.table));
        self.table.start_search();
        let result = self.searcher.search(&job);
        result.best.map(|mv| ScoredMove { mv, score: result.score })
    }
}

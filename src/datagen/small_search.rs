//! A search for games and labels: the one place where search and evaluation are set up.

use std::sync::Arc;

use super::record::ScoredMove;
use crate::board::Game;
use crate::nnue::Network;
use crate::search::{SearchJob, SearchLimits, Searcher, TreeSample};
use crate::tt::{AllocationError, TranspositionTable};

/// Memory of each search: enough for a game of small searches, and small enough for the processor's caches
/// (4 and 9 % more positions per second than with 8 MiB, in two runs).
const HASH_MIB: usize = 2;

/// A search that was about to end after its soft limit is broken off at this multiple of it.
const HARD_FACTOR: u64 = 8;

/// The constants above in a few words, for the header of a file: they decide which games are played.
pub(super) fn limits() -> String {
    format!("hash {HASH_MIB} MiB, hard limit x{HARD_FACTOR}")
}

/// A search with what it remembers, alone on its thread.
pub(super) struct SmallSearch {
    searcher: Searcher,
    table: Arc<TranspositionTable>,
    network: Arc<Network>,
}

impl SmallSearch {
    /// A search that has learnt nothing yet.
    pub(super) fn new(network: &Arc<Network>) -> Result<SmallSearch, AllocationError> {
        let table = Arc::new(TranspositionTable::new(HASH_MIB)?);
        Ok(SmallSearch { searcher: Searcher::new(0), table, network: Arc::clone(network) })
    }

    /// Forgets everything, so that a game does not depend on those before.
    pub(super) fn new_game(&mut self) {
        self.table.clear(1);
        self.searcher.new_game();
    }

    /// The best move of a search in which no iteration begins after so many nodes; `None` only where there is no
    /// move. `sample` draws from its tree.
    pub(super) fn softly(
        &mut self,
        game: &Game,
        soft_nodes: u64,
        sample: Option<&mut TreeSample>,
    ) -> Option<ScoredMove> {
        let limits = SearchLimits {
            soft_nodes: Some(soft_nodes),
            nodes: Some(soft_nodes.saturating_mul(HARD_FACTOR)),
            ..SearchLimits::default()
        };
        self.search(game, limits, sample)
    }

    /// The best move of a search within limits.
    pub(super) fn search(
        &mut self,
        game: &Game,
        limits: SearchLimits,
        sample: Option<&mut TreeSample>,
    ) -> Option<ScoredMove> {
        let job = SearchJob::silent(game.clone(), limits, Arc::clone(&self.table))
            .with_network(Arc::clone(&self.network));
        self.table.start_search();
        let result = self.searcher.search_sampled(&job, sample);
        result.best.map(|mv| ScoredMove { mv, score: result.score })
    }
}

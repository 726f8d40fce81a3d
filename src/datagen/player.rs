//! The engine that plays: the one place where its search and evaluation are set up.

use std::sync::Arc;

use crate::board::Game;
use crate::nnue::Network;
use crate::search::{SearchJob, SearchLimits, Searcher};
use crate::tt::{AllocationError, TranspositionTable};
use crate::types::{Depth, Score};

use super::record::ScoredMove;

/// Memory of each player: enough for a game of small searches, and small enough for the processor's caches
/// (4 and 9 % more positions per second than with 8 MiB, in two runs).
const HASH_MIB: usize = 2;

/// A search that was about to end after its soft limit is broken off at this multiple of it.
const HARD_FACTOR: u64 = 8;

/// The look at an opening ends at this depth in plies or at so many nodes, which is enough to tell what is lost
/// already from what is not.
const CHECK_DEPTH: Depth = 8;
const CHECK_NODES: u64 = 2_000;

/// The constants above in a few words, for the header of a file: they decide which games are played.
pub(crate) fn limits() -> String {
    format!(
        "hash {HASH_MIB} MiB, hard limit x{HARD_FACTOR}, check {CHECK_DEPTH} plies or {CHECK_NODES} nodes"
    )
}

/// How a player thinks.
#[derive(Clone)]
pub(crate) struct Thinking {
    /// No further iteration begins after so many nodes.
    pub(crate) soft_nodes: u64,
    /// What evaluates.
    pub(crate) network: Arc<Network>,
}

impl Thinking {
    /// Name of the network, which the header of a file states. Networks of one name are told apart.
    pub(crate) fn evaluation(&self) -> String {
        let network = &self.network;
        format!("{} {:08x}", network.name(), crc32fast::hash(&network.to_bytes()))
    }
}

/// Plays both sides, alone on its thread.
pub(crate) struct Player {
    searcher: Searcher,
    table: Arc<TranspositionTable>,
    thinking: Thinking,
}

impl Player {
    /// A player that has learnt nothing yet.
    pub(crate) fn new(thinking: &Thinking) -> Result<Player, AllocationError> {
        let table = Arc::new(TranspositionTable::new(HASH_MIB)?);
        Ok(Player { searcher: Searcher::new(0), table, thinking: thinking.clone() })
    }

    /// Forgets everything, so that a game does not depend on those before.
    pub(crate) fn new_game(&mut self) {
        self.table.clear(1);
        self.searcher.new_game();
    }

    /// The move to play; `None` only where there is none.
    pub(crate) fn choose(&mut self, game: &Game) -> Option<ScoredMove> {
        let soft_nodes = self.thinking.soft_nodes;
        self.search(
            game,
            SearchLimits {
                soft_nodes: Some(soft_nodes),
                nodes: Some(soft_nodes.saturating_mul(HARD_FACTOR)),
                ..SearchLimits::default()
            },
        )
    }

    /// A quick look at a position before a game begins there.
    pub(crate) fn judge(&mut self, game: &Game) -> Option<Score> {
        let limits =
            SearchLimits { depth: Some(CHECK_DEPTH), nodes: Some(CHECK_NODES), ..SearchLimits::default() };
        self.search(game, limits).map(|found| found.score)
    }

    fn search(&mut self, game: &Game, limits: SearchLimits) -> Option<ScoredMove> {
        let job = SearchJob::silent(game.clone(), limits, Arc::clone(&self.table))
            .with_network(Arc::clone(&self.thinking.network));
        self.table.start_search();
        let result = self.searcher.search(&job);
        result.best.map(|mv| ScoredMove { mv, score: result.score })
    }
}

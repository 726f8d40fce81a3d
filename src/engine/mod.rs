//! The engine as a program object: a game, a transposition table, and search threads that sleep
//! between searches. It speaks no text; `uci` translates.
//!
//! Engines share nothing, so several can live in one process.

mod opening;
mod workers;

use std::sync::Arc;

use crate::board::Game;
use crate::eval::evaluate;
use crate::nnue::inference::Kernels;
use crate::nnue::{self, Network};
use crate::search::{Control, SearchEvent, SearchJob, SearchLimits};
use crate::tablebase::{ProbeRules, TableAccess, Tablebases};
use crate::tt::{AllocationError, TranspositionTable};
use workers::Workers;

pub use opening::{DEFAULT_BOOK_DEPTH, Opening};

/// Size of the transposition table at start, in MiB.
pub const DEFAULT_HASH_MIB: usize = 16;
/// Largest size of the transposition table, in MiB.
pub const MAX_HASH_MIB: usize = 1 << 25;
/// Size of the table of a level of play, in MiB. It holds most of what the largest of them searches.
const LEVEL_HASH_MIB: usize = 16;
/// Most search threads.
pub const MAX_THREADS: usize = 256;

/// An engine's resources could not be had.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The table does not fit into memory.
    #[error(transparent)]
    Hash(#[from] AllocationError),
    /// The system refused a thread.
    #[error("cannot start search thread: {0}")]
    Thread(std::io::Error),
    /// The tables of so many search threads do not fit into memory.
    #[error("not enough memory for {threads} search threads")]
    Memory {
        /// The number asked for.
        threads: usize,
    },
}

/// A chess engine.
pub struct Engine {
    game: Game,
    tt: Arc<TranspositionTable>,
    hash_mib: usize,
    network: Arc<Network>,
    tablebases: Option<Arc<Tablebases>>,
    probe_rules: ProbeRules,
    workers: Workers,
    /// The opening book and how it is used.
    pub opening: Opening,
    /// The luck of levels of play in the game. Every new game has another.
    pub seed: u64,
    /// Control over the current or last search.
    control: Arc<Control>,
    /// Search constants for the next search.
    #[cfg(feature = "tuning")]
    pub params: crate::search::Params,
}

impl Engine {
    /// An engine with the initial position, the default table, the built-in evaluation and one thread.
    ///
    /// # Errors
    /// When memory or a thread is refused.
    pub fn new() -> Result<Engine, EngineError> {
        Ok(Engine {
            game: Game::default(),
            tt: Arc::new(TranspositionTable::new(DEFAULT_HASH_MIB)?),
            hash_mib: DEFAULT_HASH_MIB,
            network: nnue::built_in(),
            tablebases: None,
            probe_rules: ProbeRules::default(),
            workers: Workers::new(1)?,
            opening: Opening::new(),
            seed: fastrand::u64(..),
            control: Arc::new(Control::new(1, false)),
            #[cfg(feature = "tuning")]
            params: crate::search::Params::DEFAULT,
        })
    }

    /// The game the next search starts from.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Replaces the game.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// Replaces the table by an empty one of so many MiB, unless it has that size. On an error the old one
    /// stays. Waits for a running search to end.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), EngineError> {
        self.wait();
        if mib != self.hash_mib {
            self.tt = Arc::new(TranspositionTable::new(mib)?);
            self.hash_mib = mib;
        }
        Ok(())
    }

    /// The network that evaluates.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Chooses the network that evaluates. Table and histories are emptied, since they hold scores of another
    /// one. Waits for a running search to end.
    pub fn set_network(&mut self, network: Arc<Network>) {
        if !Arc::ptr_eq(&self.network, &network) {
            self.clear();
            self.network = network;
        }
    }

    /// Chooses the endgame tables; `None` for none. The hash table and histories are emptied, since they hold
    /// scores from the present ones. Waits for a running search to end.
    pub fn set_tablebases(&mut self, tablebases: Option<Arc<Tablebases>>) {
        if self.tablebases.is_some() || tablebases.is_some() {
            self.clear();
            self.tablebases = tablebases;
        }
    }

    /// Whether there are endgame tables.
    pub fn has_tablebases(&self) -> bool {
        self.tablebases.is_some()
    }

    /// When the endgame tables are asked.
    pub fn probe_rules(&self) -> ProbeRules {
        self.probe_rules
    }

    /// Changes when the endgame tables are asked. Where tables are in use the hash table is emptied as in
    /// [`Engine::set_tablebases`]. Waits for a running search to end.
    pub fn set_probe_rules(&mut self, rules: ProbeRules) {
        if self.tablebases.is_some() && rules != self.probe_rules {
            self.clear();
        }
        self.probe_rules = rules;
    }

    /// Empties the table and all histories, so that the next search starts from nothing. Waits for a
    /// running search to end.
    pub fn clear(&mut self) {
        self.wait();
        self.tt.clear(self.workers.count());
        self.workers.new_game();
    }

    /// Changes the number of search threads, 1 to [`MAX_THREADS`]. New ones know nothing of earlier searches.
    /// Waits for a running search to end.
    ///
    /// # Errors
    /// When the system refuses a thread or its memory; the old ones stay.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.wait();
        let threads = threads.clamp(1, MAX_THREADS);
        if threads != self.workers.count() {
            self.workers = Workers::new(threads)?;
        }
        Ok(())
    }

    /// Forgets everything learnt in earlier games. Waits for a running search to end.
    pub fn new_game(&mut self) {
        self.clear();
        self.game = Game::default();
        self.seed = fastrand::u64(..);
    }

    /// Starts a search and returns at once. `sink` is called from a search thread; its last event is
    /// [`SearchEvent::Finished`]. A search that still runs is stopped first. A move of the opening book is
    /// told in the same way.
    pub fn go(&mut self, limits: SearchLimits, sink: impl Fn(SearchEvent) + Send + Sync + 'static) {
        self.stop();
        self.wait();
        let book_line = self.opening.line(&self.game, &limits);
        let threads = if limits.level.is_some() { 1 } else { self.workers.count() };
        self.control = Arc::new(Control::new(threads, limits.ponder));
        let mut job = SearchJob {
            game: self.game.clone(),
            limits,
            tt: Arc::clone(&self.tt),
            network: Arc::clone(&self.network),
            kernels: Kernels::best(),
            tablebases: self.tablebases.clone().map(|tables| TableAccess::new(tables, self.probe_rules)),
            control: Arc::clone(&self.control),
            #[cfg(feature = "tuning")]
            params: self.params,
            sink: Some(Box::new(sink)),
        };
        if let Some(line) = book_line {
            let score = evaluate(&self.network, self.game.position());
            return self.workers.start_book(job, opening::report(line, score));
        }
        if let Some(level) = &mut job.limits.level {
            *level = level.with_seed(self.seed).suited_to(job.game.position());
            Engine::hide_settings(&mut job);
        }
        job.tt.start_search();
        self.workers.start(job, threads);
    }

    /// Takes away what a level of play must not depend on: what earlier searches, the endgame tables and
    /// settings have to offer. It shows one line, that of the move it plays.
    fn hide_settings(job: &mut SearchJob) {
        if let Ok(table) = TranspositionTable::new(LEVEL_HASH_MIB) {
            job.tt = Arc::new(table);
        }
        job.tablebases = None;
        job.limits.multi_pv = 1;
    }

    /// Ends the running search as soon as possible; its result is reported as usual.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// The expected move was played: a pondering search becomes a normal one.
    pub fn ponderhit(&self) {
        self.control.ponderhit();
    }

    /// Blocks until no search runs.
    pub fn wait(&self) {
        self.workers.wait();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

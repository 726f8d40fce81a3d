//! The engine as an object: a game, a transposition table, and search threads that sleep between searches. It
//! neither reads nor writes text; `uci` translates.
//!
//! Engines share nothing, so several can live in one process.
//!
//! To be read in this order: this file, `workers` (the search threads), `opening` (play from a book), `level` and
//! `chooser` (weaker play for people), `bench`, `speedtest`.

pub mod bench;
mod chooser;
mod level;
mod opening;
pub mod speedtest;
mod workers;

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::board::Game;
use crate::eval::evaluate;
use crate::nnue::inference::Kernels;
use crate::nnue::{self, Network};
use crate::search::{Control, SearchEvent, SearchJob, SearchLimits, SearchResult};
use crate::tablebase::{ProbeRules, TableAccess, Tablebases};
use crate::tt::{AllocationError, TranspositionTable, memory_shortage};
use crate::types::SplitMix64;
use chooser::Chooser;
use workers::Workers;

pub use level::{Contender, Level, MAX_ELO, MAX_SKILL, MIN_ELO};
pub use opening::{DEFAULT_BOOK_DEPTH, Opening};

/// Name and version, as UCI and data files give them.
pub const NAME: &str = concat!("Quillon ", env!("CARGO_PKG_VERSION"));
/// Size of the transposition table at start, in MiB.
pub const DEFAULT_HASH_MIB: usize = 16;
/// Largest size of the transposition table, in MiB.
pub const MAX_HASH_MIB: usize = 1 << 25;
/// Size of the table of a level of play, in MiB. It holds most of what the largest of them searches.
const LEVEL_HASH_MIB: usize = 16;
/// Memory of a search thread, in bytes.
const THREAD_BYTES: u64 = 6 << 20;
/// Number of search threads at start.
pub const DEFAULT_THREADS: usize = 1;
/// Most search threads.
pub const MAX_THREADS: usize = 256;

/// Interval at which [`Engine::search_until`] asks whether the search is to be given up.
const PATIENCE: Duration = Duration::from_millis(20);

/// Nodes per second.
fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    (u128::from(nodes) * 1_000_000 / time.as_micros().max(1)) as u64
}

/// An engine's resources could not be had.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The table does not fit into memory.
    #[error(transparent)]
    Hash(#[from] AllocationError),
    /// The system refused a thread.
    #[error("cannot start search thread: {0}")]
    Thread(std::io::Error),
    /// The tables of `threads` search threads do not fit into memory.
    #[error("not enough memory for {threads} search threads")]
    Memory {
        /// The requested number of threads.
        threads: usize,
    },
}

/// A chess engine.
pub struct Engine {
    game: Game,
    tt: Arc<TranspositionTable>,
    hash_mib: usize,
    /// A search has stored entries in the table.
    tt_is_used: bool,
    network: Arc<Network>,
    tablebases: Option<Arc<Tablebases>>,
    probe_rules: ProbeRules,
    workers: Workers,
    /// The opening book and how it is used.
    pub opening: Opening,
    /// The level to play at, always on one thread; `None` for full strength.
    pub level: Option<Level>,
    /// Seed of the random choices of a level of play. Every new game has another.
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
        let engine = Engine {
            game: Game::default(),
            tt: Arc::new(TranspositionTable::new(DEFAULT_HASH_MIB)?),
            hash_mib: DEFAULT_HASH_MIB,
            tt_is_used: false,
            network: nnue::built_in(),
            tablebases: None,
            probe_rules: ProbeRules::DEFAULT,
            workers: Workers::new(DEFAULT_THREADS)?,
            opening: Opening::new(),
            level: None,
            seed: SplitMix64::unpredictable().next(),
            control: Arc::new(Control::new(1, false)),
            #[cfg(feature = "tuning")]
            params: crate::search::Params::DEFAULT,
        };
        engine.begin_preparation();
        Ok(engine)
    }

    /// The game the next search starts from.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Replaces the game.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// Replaces the table by an empty one of `mib` MiB, unless it has that size already. On an error the old table
    /// stays. Waits for a running search to end.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), EngineError> {
        self.halt();
        let done = if mib == self.hash_mib { Ok(()) } else { self.replace_table(mib) };
        self.begin_preparation();
        Ok(done?)
    }

    fn replace_table(&mut self, mib: usize) -> Result<(), AllocationError> {
        let Err(error) = self.try_table(mib) else { return Ok(()) };
        // When the difference in size can be allocated, the new table fits once the old one is freed. If that fails
        // after all, a table of the old size is allocated again.
        let old_mib = self.hash_mib;
        TranspositionTable::new(mib.saturating_sub(old_mib)).map_err(|_| error)?;
        self.try_table(1)?;
        self.try_table(mib).inspect_err(|_| {
            // If even this fails, the table of 1 MiB stays.
            let _ = self.try_table(old_mib);
        })
    }

    fn try_table(&mut self, mib: usize) -> Result<(), AllocationError> {
        self.tt = Arc::new(TranspositionTable::new(mib)?);
        (self.hash_mib, self.tt_is_used) = (mib, false);
        Ok(())
    }

    /// Waits for a running search to end, and interrupts the preparation of the table.
    fn halt(&self) {
        self.workers.hold();
        self.wait();
    }

    /// Lets the search threads make the table ready, which takes a moment for each GiB.
    fn begin_preparation(&self) {
        if !self.tt.is_ready() {
            self.workers.prepare(&self.tt, None);
        }
    }

    /// Returns a function that waits until the next search can begin at once and at full speed: until a running search
    /// has ended and the table is prepared. An interrupted preparation is resumed. `None` when all is ready. Another
    /// thread may call the function; [`Engine::stop`] makes it return early.
    pub fn readiness(&self) -> Option<impl FnOnce() + Send + use<>> {
        self.begin_preparation();
        (!self.workers.are_idle()).then(|| self.workers.waiter())
    }

    /// The network that evaluates.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Chooses the network that evaluates. Table and histories are emptied, since they hold scores of the previous
    /// network. Waits for a running search to end.
    pub fn set_network(&mut self, network: Arc<Network>) {
        if !Arc::ptr_eq(&self.network, &network) {
            self.clear();
            self.network = network;
        }
    }

    /// Chooses the endgame tables; `None` for none. The hash table and histories are emptied, since they hold
    /// scores from the previous tables. Waits for a running search to end.
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

    /// When the endgame tables are probed.
    pub fn probe_rules(&self) -> ProbeRules {
        self.probe_rules
    }

    /// Changes when the endgame tables are probed. When tables are in use the hash table is emptied as in
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
        self.halt();
        if std::mem::take(&mut self.tt_is_used) {
            self.tt.forget();
        }
        self.workers.new_game();
        self.begin_preparation();
    }

    /// Changes the number of search threads, 1 to [`MAX_THREADS`]. New threads begin with empty histories.
    /// Waits for a running search to end.
    ///
    /// # Errors
    /// When the system refuses a thread or its memory; the old threads stay.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.halt();
        let threads = threads.clamp(1, MAX_THREADS);
        let done = if threads == self.workers.count() { Ok(()) } else { self.replace_workers(threads) };
        self.begin_preparation();
        done
    }

    fn replace_workers(&mut self, threads: usize) -> Result<(), EngineError> {
        if memory_shortage(threads as u64 * THREAD_BYTES + self.tt.missing_bytes()).is_some() {
            return Err(EngineError::Memory { threads });
        }
        self.workers = Workers::new(threads)?;
        Ok(())
    }

    /// Forgets everything learnt in earlier games. Waits for a running search to end.
    pub fn new_game(&mut self) {
        self.clear();
        self.game = Game::default();
        self.seed = SplitMix64::unpredictable().next();
    }

    /// Starts a search and returns at once. `sink` is called from a search thread; its last event is
    /// [`SearchEvent::Finished`]. A search that still runs is stopped first. A move of the opening book is
    /// reported by the same events.
    ///
    /// When the table is not prepared yet, its preparation comes first and counts as time of the search. When that time
    /// is short the search uses only the part of the table that is ready.
    pub fn go(&mut self, limits: SearchLimits, sink: impl Fn(SearchEvent) + Send + Sync + 'static) {
        self.stop();
        self.wait();
        if let Some(line) = self.opening.line(&self.game, &limits) {
            let score = evaluate(&self.network, self.game.position());
            let job = self.job(limits, 1, sink);
            return self.workers.start_book(job, opening::report(line, score));
        }
        if let Some(level) = self.level {
            return self.go_at_level(level, limits, sink);
        }
        let threads = self.workers.count();
        let job = self.job(limits, threads, sink);
        self.tt_is_used = true;
        job.tt.start_search();
        self.workers.start(job, threads);
    }

    /// Searches and waits for the end, which comes early once `is_stopped` says so. `None` when the search threads have
    /// gone.
    pub fn search_until(
        &mut self,
        limits: SearchLimits,
        is_stopped: impl Fn() -> bool,
    ) -> Option<SearchResult> {
        let (sender, receiver) = channel();
        self.go(limits, move |event| {
            if let SearchEvent::Finished(result) = event {
                let _ = sender.send(result);
            }
        });
        loop {
            match receiver.recv_timeout(PATIENCE) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if is_stopped() => self.stop(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Searches for a level of play. Such a search uses neither results of earlier searches nor endgame tables, and
    /// reports one PV, that of the move it plays.
    fn go_at_level(
        &mut self,
        level: Level,
        limits: SearchLimits,
        sink: impl Fn(SearchEvent) + Send + Sync + 'static,
    ) {
        let game = self.game.gone_on();
        let level = level.with_seed(self.seed).suited_to(game.position());
        let limits = level.limits(limits, game.position());
        let chooser = Chooser::new(level, game, &limits, sink);
        let mut job = self.job(limits, 1, move |event| chooser.receive(event));
        match TranspositionTable::new(LEVEL_HASH_MIB).or_else(|_| TranspositionTable::new(1)) {
            Ok(table) => job.tt = Arc::new(table),
            Err(_) => self.tt_is_used = true,
        }
        job.tablebases = None;
        job.tt.start_search();
        self.workers.new_game();
        self.workers.start(job, 1);
    }

    /// The job that `threads` threads share in a search. From now on `stop` and `ponderhit` act on this search.
    fn job(
        &mut self,
        limits: SearchLimits,
        threads: usize,
        sink: impl Fn(SearchEvent) + Send + Sync + 'static,
    ) -> SearchJob {
        self.control = Arc::new(Control::new(threads, limits.ponder));
        SearchJob {
            game: self.game.gone_on(),
            limits,
            tt: Arc::clone(&self.tt),
            network: Arc::clone(&self.network),
            kernels: Kernels::best(),
            tablebases: self.tablebases.clone().map(|tables| TableAccess::new(tables, self.probe_rules)),
            control: Arc::clone(&self.control),
            #[cfg(feature = "tuning")]
            params: self.params,
            sink: Some(Box::new(sink)),
        }
    }

    /// Ends the running search as soon as possible; its result is reported as usual. The preparation of the table is
    /// interrupted until it is needed.
    pub fn stop(&self) {
        self.control.stop();
        self.workers.hold();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_a_limit_ends_when_it_is_to() {
        let mut engine = Engine::new().unwrap();
        let asked = std::cell::Cell::new(0);
        let result = engine.search_until(SearchLimits { infinite: true, ..SearchLimits::default() }, || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        });
        assert!(asked.get() > 2 && result.is_some_and(|result| result.best.is_some() && result.nodes > 0));
        let limits = SearchLimits { depth: Some(3), ..SearchLimits::default() };
        assert_eq!(engine.search_until(limits, || false).map(|result| result.depth), Some(3));
    }

    #[test]
    fn speed_is_never_infinite() {
        assert_eq!(nodes_per_second(1500, Duration::from_millis(500)), 3000);
        assert_eq!(nodes_per_second(2, Duration::ZERO), 2_000_000);
    }
}

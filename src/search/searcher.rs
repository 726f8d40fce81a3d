//! One thread's search state.

use std::alloc::{Layout, handle_alloc_error};
use std::collections::TryReserveError;
use std::sync::Arc;
use std::time::Duration;

use super::clock::TimeBudget;
use super::control::Control;
use super::history::{ContKey, Histories, reserved};
use super::level::comes_to_mind;
use super::limits::SearchLimits;
use super::params::Params;
use super::pv::PvTable;
use super::reductions::LogTable;
use super::report::{Report, SearchEvent};
use super::root::RootMove;
use super::stack::Stack;
use crate::board::{Game, Position, ReversibleMoves};
use crate::eval::Evaluator;
use crate::nnue::inference::Kernels;
use crate::nnue::{self, Network};
use crate::tablebase::TableAccess;
use crate::tt::TranspositionTable;
use crate::types::{Depth, MAX_PLY, Move, Score};

/// Everything the threads of a search have in common.
pub struct SearchJob {
    /// The position to search, with its history.
    pub game: Game,
    /// When to end.
    pub limits: SearchLimits,
    /// The table.
    pub tt: Arc<TranspositionTable>,
    /// What evaluates.
    pub network: Arc<Network>,
    /// The instructions that it is computed with.
    pub kernels: Kernels,
    /// Endgame tables, if any.
    pub tablebases: Option<TableAccess>,
    /// Steering from outside.
    pub control: Arc<Control>,
    /// Search constants.
    #[cfg(feature = "tuning")]
    pub params: Params,
    /// Receives events from the main thread of the search. Without it no reports are made.
    pub sink: Option<Box<dyn Fn(SearchEvent) + Send + Sync>>,
}

impl SearchJob {
    /// A job for a single thread that tells nobody about its progress. The built-in network is used
    /// unless [`SearchJob::with_network`] names another.
    pub fn silent(game: Game, limits: SearchLimits, tt: Arc<TranspositionTable>) -> SearchJob {
        SearchJob {
            game,
            limits,
            tt,
            network: nnue::built_in(),
            kernels: Kernels::best(),
            tablebases: None,
            control: Arc::new(Control::new(1, false)),
            #[cfg(feature = "tuning")]
            params: Params::DEFAULT,
            sink: None,
        }
    }

    /// Tells the outside of an event, if it listens.
    pub(crate) fn tell(&self, event: SearchEvent) {
        if let Some(sink) = &self.sink {
            sink(event);
        }
    }

    /// The same job with this network.
    pub fn with_network(mut self, network: Arc<Network>) -> SearchJob {
        self.network = network;
        self
    }

    /// The same job with these instructions for the network.
    pub fn with_kernels(mut self, kernels: Kernels) -> SearchJob {
        self.kernels = kernels;
        self
    }

    /// The same job with endgame tables.
    pub fn with_tablebases(mut self, tablebases: Option<TableAccess>) -> SearchJob {
        self.tablebases = tablebases;
        self
    }
}

/// The state of one search thread. Histories stay from search to search until [`Searcher::new_game`].
pub struct Searcher {
    /// Number of the thread; 0 is the main thread, which reports and watches the clock.
    pub(super) index: usize,
    pub(super) histories: Histories,
    pub(super) log_table: &'static LogTable,
    reversible_moves: &'static ReversibleMoves,
    pub(super) evaluator: Evaluator,
    pub(super) stack: Stack,
    pub(super) pv: PvTable,
    /// Keys of the game's and the line's earlier positions.
    pub(super) keys: Vec<u64>,
    /// Keys before this index lie behind a null move and cannot be repeated.
    pub(super) keys_floor: usize,
    pub(super) root_moves: Vec<RootMove>,
    /// The best line as it was last told to the outside.
    pub(super) told: Option<Report>,
    /// Depth of the running iteration.
    pub(super) root_depth: Depth,
    /// Null moves are allowed from this ply on; above 0 during a verification.
    pub(super) null_move_from: usize,
    /// Rank of the line being searched in MultiPV, from 0.
    pub(super) line: usize,
    pub(super) nodes: u64,
    /// All threads together end the search at this node count.
    node_limit: u64,
    /// This thread has claimed its share of that up to this node count of its own.
    granted: u64,
    /// The clock is looked at when the node count reaches this.
    pub(super) next_check: u64,
    pub(super) seldepth: usize,
    pub(super) budget: TimeBudget,
    /// Nodes with up to so many men are looked up in the endgame tables; 0 without tables.
    pub(super) tb_men: u32,
    /// The tables' score of the root, if they know it.
    pub(super) tb_score: Option<Score>,
    /// Successful look-ups.
    pub(super) tb_hits: u64,
    pub(super) stopped: bool,
    #[cfg(feature = "tuning")]
    params: Params,
}

/// Nodes between two looks at clock and stop flag.
const CHECK_INTERVAL: u64 = 512;

/// More than all that a searcher holds besides its histories: accumulators, stack and lines.
const OTHER_BYTES: usize = 2 << 20;

/// A search that has reached its node limit may enter a few more nodes on its way out; a level of play,
/// which promises not to exceed its nodes, keeps so many in reserve. All levels have more than this.
const WAY_OUT: u64 = 64;

impl Searcher {
    /// A searcher with empty histories for thread `index`. Without memory for them the process ends.
    pub fn new(index: usize) -> Searcher {
        Searcher::try_new(index).unwrap_or_else(|_| handle_alloc_error(Layout::new::<Searcher>()))
    }

    /// The same where memory may be short.
    ///
    /// # Errors
    /// When there is not enough of it.
    pub fn try_new(index: usize) -> Result<Searcher, TryReserveError> {
        let histories = Histories::new()?;
        // All that is taken from here on is small, so it is enough to see once that there is room.
        std::hint::black_box(reserved::<u8>(OTHER_BYTES)?);
        Ok(Searcher {
            index,
            histories,
            log_table: LogTable::get(),
            reversible_moves: ReversibleMoves::get(),
            evaluator: Evaluator::new(nnue::built_in()),
            stack: Stack::new(),
            pv: PvTable::new(),
            keys: Vec::with_capacity(1024),
            keys_floor: 0,
            root_moves: Vec::new(),
            told: None,
            root_depth: 0,
            null_move_from: 0,
            line: 0,
            nodes: 0,
            node_limit: u64::MAX,
            granted: u64::MAX,
            next_check: 0,
            seldepth: 0,
            budget: TimeBudget::default(),
            tb_men: 0,
            tb_score: None,
            tb_hits: 0,
            stopped: false,
            #[cfg(feature = "tuning")]
            params: Params::DEFAULT,
        })
    }

    /// Forgets what earlier games taught.
    pub fn new_game(&mut self) {
        self.histories.clear();
    }

    /// Makes ready for a job.
    pub(super) fn prepare(&mut self, job: &SearchJob) {
        let limits = &job.limits;
        #[cfg(feature = "tuning")]
        {
            self.params = job.params;
        }
        if limits.level.is_some() {
            // What earlier searches taught would make a level stronger than its nodes.
            self.new_game();
        }
        self.evaluator.reset(&job.network, job.kernels);
        self.stack.clear();
        self.keys.clear();
        self.keys.extend_from_slice(job.game.earlier_keys());
        self.keys_floor = 0;
        self.nodes = 0;
        self.budget = TimeBudget::new(limits, job.game.position().fullmove_number());
        let legal = job.game.position().legal_moves();
        let wanted = |mv: &Move| limits.search_moves.contains(mv);
        // A restriction that leaves nothing is none.
        let restricted = legal.iter().any(wanted);
        let thought_of = |mv: &Move| limits.level.is_none() || comes_to_mind(job.game.position(), *mv);
        let is_candidate = |mv: &Move| if restricted { wanted(mv) } else { thought_of(mv) };
        let moves = legal.into_iter().filter(is_candidate).collect();
        self.root_moves = self.consult_tablebases(job, moves).into_iter().map(RootMove::new).collect();
        self.told = None;
        self.root_depth = 0;
        self.null_move_from = 0;
        self.line = 0;
        let nodes = limits.nodes.unwrap_or(u64::MAX);
        self.node_limit = limits.level.map_or(nodes, |level| nodes.min(level.nodes() - WAY_OUT));
        if let (Some(rate), Some(hard), false) = (limits.nodes_per_ms, self.budget.hard, limits.ponder) {
            let hard = (hard.as_micros() as u64).saturating_mul(rate.get()) / 1000;
            self.node_limit = self.node_limit.min(hard.max(1));
        }
        self.granted = 0;
        self.claim_nodes(job);
        // The first look comes late enough for the first iteration to end, mostly.
        self.next_check = CHECK_INTERVAL.min(self.granted);
        self.seldepth = 0;
        self.stopped = false;
    }

    /// Counts a node and ends the search when it is time.
    #[inline(always)]
    pub(super) fn enter_node(&mut self, job: &SearchJob, ply: usize) {
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.nodes >= self.next_check {
            self.check_limits(job);
        }
    }

    #[cold]
    fn check_limits(&mut self, job: &SearchJob) {
        let control = &job.control;
        control.publish(self.index, self.nodes, self.tb_hits);
        self.claim_nodes(job);
        self.next_check = (self.nodes + CHECK_INTERVAL).min(self.granted);
        let out_of_time = self.index == 0 && self.is_out_of_time(job);
        self.stopped |= control.is_stopped() || out_of_time || self.nodes >= self.granted;
    }

    /// Sees to it that the thread may search on, as far as the node limit allows.
    fn claim_nodes(&mut self, job: &SearchJob) {
        if self.node_limit == u64::MAX {
            self.granted = u64::MAX;
        } else if self.nodes >= self.granted {
            self.granted = self.nodes + job.control.claim(self.node_limit, CHECK_INTERVAL);
        }
    }

    /// Nodes searched by all threads.
    pub(super) fn nodes_of_all(&self, job: &SearchJob) -> u64 {
        job.control.publish(self.index, self.nodes, self.tb_hits);
        job.control.nodes()
    }

    /// Time spent on the opponent's clock and on the own one, counted in nodes where the limits want that.
    pub(super) fn times(&self, job: &SearchJob) -> (Duration, Duration) {
        let control = &job.control;
        match job.limits.nodes_per_ms {
            Some(rate) => {
                let time = |nodes: u64| Duration::from_micros(nodes.saturating_mul(1000) / rate);
                let pondered = control.pondered_nodes();
                (time(pondered), time(self.nodes_of_all(job).saturating_sub(pondered)))
            }
            None => {
                let clock_started = control.clock_started();
                (clock_started - control.started(), clock_started.elapsed())
            }
        }
    }

    /// Whether the hard limit has passed. A search that had its soft limit already while pondering only
    /// gets half of that again to finish its iteration.
    pub(super) fn is_out_of_time(&self, job: &SearchJob) -> bool {
        let Some(hard) = self.budget.hard.filter(|_| !job.control.is_pondering()) else { return false };
        let (pondered, own) = self.times(job);
        own >= match self.budget.soft {
            Some(soft) if pondered >= soft => hard.min(soft / 2),
            _ => hard,
        }
    }

    /// Whether more than half of the hard limit has passed.
    pub(super) fn has_used_half(&self, job: &SearchJob) -> bool {
        let hard = self.budget.hard.filter(|_| !job.control.is_pondering());
        hard.is_some_and(|hard| self.times(job).1 >= hard / 2)
    }

    /// Whether the position is drawn by rule here in the tree. A position that already occurred in the
    /// searched line counts at once, since what was best then is best now; one from the game before
    /// the root must occur for the third time.
    pub(super) fn is_draw(&self, position: &Position, ply: usize) -> bool {
        let fifty_moves = position.halfmove_clock() >= 100;
        if fifty_moves && (!position.in_check() || position.has_legal_move()) {
            return true;
        }
        position.is_dead() || self.is_repetition(position, ply)
    }

    fn is_repetition(&self, position: &Position, ply: usize) -> bool {
        let key = position.key();
        let reach = usize::from(position.halfmove_clock()).min(self.keys.len() - self.keys_floor);
        let mut seen_in_game = false;
        for back in (4..=reach).step_by(2) {
            if self.keys[self.keys.len() - back] == key {
                if back < ply || seen_in_game {
                    return true;
                }
                seen_in_game = true;
            }
        }
        false
    }

    /// Whether the side to move can repeat a position of the searched line at once.
    #[inline(always)]
    pub(super) fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        position.halfmove_clock() >= 3
            && self.reversible_moves.can_repeat(position, &self.keys[self.keys_floor..], ply)
    }

    /// The search constants.
    #[cfg(feature = "tuning")]
    #[inline(always)]
    pub(super) fn params(&self) -> Params {
        self.params
    }

    /// The search constants.
    #[cfg(not(feature = "tuning"))]
    #[inline(always)]
    pub(super) fn params(&self) -> Params {
        Params::DEFAULT
    }

    /// The score of having no legal move.
    #[inline(always)]
    pub(super) fn no_move_score(in_check: bool, ply: usize) -> Score {
        if in_check { Score::mated_in(ply) } else { Score::DRAW }
    }

    /// Whether the line has reached the deepest ply that the stack holds.
    #[inline(always)]
    pub(super) fn at_max_ply(ply: usize) -> bool {
        ply >= MAX_PLY - 1
    }
}

/// A move as the continuation tables see it.
#[inline(always)]
pub(super) fn cont_key(position: &Position, mv: Move) -> ContKey {
    position.piece_on(mv.from()).map_or(ContKey::NONE, |piece| ContKey::new(piece, mv.to()))
}

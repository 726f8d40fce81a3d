//! A search thread: what it keeps from search to search, what it has during one, and its root moves.

use std::alloc::{Layout, handle_alloc_error};
use std::collections::TryReserveError;

use super::history::{ContKey, ContKeys, Histories, QuietContext, reserved};
use super::job::{Quota, SearchJob};
use super::node::Candidate;
use super::params::{LmrTable, Params};
use super::path::{Line, Path};
use super::picker::MovePicker;
use super::report::{Report, ScoreBound};
use super::tree_sample::TreeSample;
use crate::board::{Game, Position};
use crate::eval::Evaluator;
use crate::nnue;
use crate::tablebase::Wdl;
use crate::tt::TranspositionTable;
use crate::types::{Depth, Move, MoveList, Score};

/// What a search thread keeps between searches. Histories stay until [`Searcher::new_game`].
pub struct Searcher {
    /// Number of the thread; 0 is the main thread, which reports and watches the clock.
    id: usize,
    histories: Histories,
    evaluator: Evaluator,
    path: Path,
    /// The best lines as they were last reported, best first.
    pub(super) last_reports: Vec<Report>,
}

/// More than all that a searcher holds besides its histories: accumulators, path and lines.
const OTHER_BYTES: usize = 2 << 20;

impl Searcher {
    /// A searcher with empty histories for thread `id`. Without memory for them the process ends.
    pub fn new(id: usize) -> Searcher {
        Searcher::try_new(id).unwrap_or_else(|_| handle_alloc_error(Layout::new::<Searcher>()))
    }

    /// The same where memory may be short.
    ///
    /// # Errors
    /// When there is not enough of it.
    pub fn try_new(id: usize) -> Result<Searcher, TryReserveError> {
        let histories = Histories::new()?;
        // All that is taken from here on is small, so it is enough to see once that there is room.
        std::hint::black_box(reserved::<u8>(OTHER_BYTES)?);
        let evaluator = Evaluator::new(nnue::built_in());
        Ok(Searcher { id, histories, evaluator, path: Path::new(), last_reports: Vec::new() })
    }

    /// Forgets what earlier games taught.
    pub fn new_game(&mut self) {
        self.histories.clear();
    }

    /// All legal moves in the order in which this searcher would try them without a table move.
    pub fn move_order(&self, position: &Position) -> MoveList {
        let context = QuietContext::new(position, Default::default());
        let mut picker = MovePicker::new(position, None);
        let next = || picker.next(position, &Params::DEFAULT, &self.histories, &context);
        std::iter::from_fn(next).collect()
    }
}

/// One search by one thread.
pub(super) struct Thread<'a> {
    pub(super) id: usize,
    pub(super) job: &'a SearchJob,
    pub(super) tt: &'a TranspositionTable,
    pub(super) histories: &'a mut Histories,
    pub(super) evaluator: &'a mut Evaluator,
    pub(super) path: &'a mut Path,
    pub(super) quota: Quota<'a>,
    pub(super) root: Root,
    /// The best lines as they were last reported, best first.
    pub(super) last_reports: &'a mut Vec<Report>,
    /// Deepest ply reached below the present line of the root.
    pub(super) seldepth: usize,
    /// Null moves are allowed from this ply on; above 0 during a verification.
    pub(super) nmp_min_ply: usize,
    /// Nodes with up to this number of pieces are looked up in the endgame tables; 0 without tables.
    pub(super) tb_cardinality: u32,
    /// The tables' result of the root, if they know it.
    pub(super) tb_result: Option<Wdl>,
    pub(super) lmr_table: &'static LmrTable,
    /// Draws from the positions that are evaluated; none in ordinary play.
    pub(super) sample: Option<&'a mut TreeSample>,
}

impl<'a> Thread<'a> {
    /// Makes ready for a job.
    pub(super) fn new(
        searcher: &'a mut Searcher,
        job: &'a SearchJob,
        sample: Option<&'a mut TreeSample>,
    ) -> Thread<'a> {
        searcher.evaluator.reset(&job.network, job.kernels);
        searcher.path.reset(&job.game);
        searcher.last_reports.clear();
        let mut thread = Thread {
            id: searcher.id,
            job,
            tt: &job.tt,
            histories: &mut searcher.histories,
            evaluator: &mut searcher.evaluator,
            path: &mut searcher.path,
            quota: Quota::new(job, searcher.id),
            root: Root::new(Vec::new()),
            last_reports: &mut searcher.last_reports,
            seldepth: 0,
            nmp_min_ply: 0,
            tb_cardinality: 0,
            tb_result: None,
            lmr_table: LmrTable::get(),
            sample,
        };
        thread.histories.age(thread.params().history_kept);
        let candidates = job.limits.root_moves(job.game.position());
        let moves = thread.filter_by_tablebases(candidates);
        thread.root = Root::new(moves);
        thread
    }

    /// The search constants.
    #[cfg(feature = "tuning")]
    #[inline(always)]
    pub(super) fn params(&self) -> &'a Params {
        &self.job.params
    }

    /// The search constants.
    #[cfg(not(feature = "tuning"))]
    #[inline(always)]
    pub(super) fn params(&self) -> &'static Params {
        &Params::DEFAULT
    }

    /// The moves that led to the present node, for the continuation tables.
    #[inline(always)]
    pub(super) fn cont_keys(&self) -> ContKeys {
        if self.params().continuation_history != 0 { self.path.cont_keys() } else { [ContKey::NONE; 4] }
    }

    /// The same as seen from the node before. Not for the root.
    #[inline(always)]
    pub(super) fn cont_keys_before_last(&self) -> ContKeys {
        let is_on = self.params().continuation_history != 0;
        if is_on { self.path.cont_keys_before_last() } else { [ContKey::NONE; 4] }
    }

    /// The game that the search started from.
    pub(super) fn game(&self) -> &'a Game {
        &self.job.game
    }

    /// Counts a node; false when the search is over.
    pub(super) fn enter_node(&mut self) -> bool {
        self.path.clear_pv();
        self.seldepth = self.seldepth.max(self.path.ply());
        if self.quota.count_node() {
            self.check_quota();
        }
        !self.quota.is_stopped()
    }

    #[cold]
    #[inline(never)]
    fn check_quota(&mut self) {
        self.quota.check();
        self.tell_progress();
    }

    /// Makes a move that is to be searched. [`Thread::leave_move`] goes back.
    pub(super) fn enter_move(&mut self, position: &Position, mv: Move, extension: Depth) -> Position {
        let mut child = *position;
        let delta = child.make(mv);
        self.evaluator.push(delta);
        self.path.enter(position, mv, extension);
        child
    }

    /// Goes back to the position before the last move.
    #[inline(always)]
    pub(super) fn leave_move(&mut self) {
        self.evaluator.pop();
        self.path.leave();
    }
}

/// A root move with its latest results.
#[derive(Clone)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Score of this iteration, minus infinity while not searched or not better than others.
    pub(super) score: Score,
    /// Score of the iteration before.
    pub(super) previous_score: Score,
    pub(super) bound: ScoreBound,
    pub(super) seldepth: usize,
    /// The line that starts with the move.
    pub(super) pv: Line,
    /// Nodes spent below the move.
    pub(super) nodes: u64,
}

impl RootMove {
    fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            score: -Score::INFINITE,
            previous_score: -Score::INFINITE,
            bound: ScoreBound::Exact,
            seldepth: 0,
            pv: Line::from_iter([mv]),
            nodes: 0,
        }
    }

    /// Whether this iteration has given the move a score.
    pub(super) fn is_searched(&self) -> bool {
        self.score > -Score::INFINITE
    }

    /// Whether the iteration before has given the move a score.
    pub(super) fn was_searched(&self) -> bool {
        self.previous_score > -Score::INFINITE
    }

    /// The move as the iteration before left it.
    pub(super) fn before(&self) -> RootMove {
        RootMove { score: -Score::INFINITE, ..self.clone() }
    }
}

/// Puts the best moves first. The sort is stable, so unsearched moves keep their order.
pub(super) fn sort_root_moves(moves: &mut [RootMove]) {
    moves.sort_by_key(|root| (-root.score, -root.previous_score));
}

/// What the search of one move at the root came to.
pub(super) struct RootResult<'a> {
    pub(super) score: Score,
    pub(super) beta: Score,
    /// The principal variation after the move.
    pub(super) pv: &'a [Move],
    pub(super) seldepth: usize,
    /// Nodes that it took.
    pub(super) nodes: u64,
}

/// The root of a running search.
pub(super) struct Root {
    /// The moves to choose from, best first between iterations.
    pub(super) moves: Vec<RootMove>,
    /// Rank of the line being searched in MultiPV, from 0, and so the number of those that the iteration has finished.
    pub(super) pv_index: usize,
    /// Depth of the running iteration.
    pub(super) depth: Depth,
}

impl Root {
    pub(super) fn new(moves: Vec<Move>) -> Root {
        let moves = moves.into_iter().map(RootMove::new).collect();
        Root { moves, pv_index: 0, depth: 0 }
    }

    /// The move that is searched first: the best of those that the running line of MultiPV chooses from.
    #[inline(always)]
    pub(super) fn first_move(&self) -> Move {
        self.moves[self.pv_index].mv
    }

    /// Whether a move is among those that the running line of MultiPV chooses from.
    #[inline(always)]
    pub(super) fn is_candidate(&self, mv: Move) -> bool {
        self.moves[self.pv_index..].iter().any(|root| root.mv == mv)
    }

    /// Writes a move's result down; true where it is an exact score. A move that does not improve on the best keeps
    /// no score.
    pub(super) fn record(&mut self, candidate: &Candidate, result: &RootResult) -> bool {
        let Candidate { mv, number, alpha, .. } = *candidate;
        let score = result.score;
        let Some(root) = self.moves.iter_mut().find(|root| root.mv == mv) else { return false };
        root.nodes += result.nodes;
        if number > 1 && score <= alpha {
            root.score = -Score::INFINITE;
            return false;
        }
        root.score = score;
        root.seldepth = result.seldepth;
        root.bound = match score {
            score if score <= alpha => ScoreBound::Upper,
            score if score >= result.beta => ScoreBound::Lower,
            _ => ScoreBound::Exact,
        };
        // A fail-low line holds no information; the line of the last iteration stays.
        if score > alpha {
            root.pv.truncate(1);
            root.pv.extend(result.pv.iter().copied().take(root.pv.remaining_capacity()));
        }
        root.bound == ScoreBound::Exact
    }
}

//! The player of both sides: what it thinks before a move, and what it draws from its thoughts.
//!
//! The network is asked about what the search comes across, of which the positions of games are a biased part: each
//! of them is the end of best moves on both sides. So some positions are drawn where the search asks for an
//! evaluation (nodchip/Stockfish#264), and labelled by small searches of their own.

use std::sync::Arc;

use super::record::{FIRST_KEPT_PLY, ScoredMove, TreePosition, is_fit, is_kept};
use crate::board::{Game, Position};
use crate::nnue::Network;
use crate::search::{SearchJob, SearchLimits, Searcher, TreeNode, TreeSample};
use crate::tt::{AllocationError, TranspositionTable};
use crate::types::{Depth, MoveList, Score, SplitMix64};

/// The look at an opening ends at this depth in plies or at so many nodes, which is enough to tell what is lost
/// already from what is not.
const CHECK_DEPTH: Depth = 8;
const CHECK_NODES: u64 = 2_000;

/// The limits of all searches in a few words, for the header of a file: they decide which games are played.
pub(super) fn limits() -> String {
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
    /// What is drawn from search trees, if anything.
    pub(crate) trees: Option<TreeSettings>,
}

impl Thinking {
    /// Name of the network, which the header of a file states. Networks of one name are told apart.
    pub(crate) fn evaluation(&self) -> String {
        let network = &self.network;
        format!("{} {:08x}", network.name(), crc32fast::hash(&network.to_bytes()))
    }
}

/// Plays both sides.
pub(super) struct Player {
    search: SmallSearch,
    soft_nodes: u64,
    labels: Option<TreeLabels>,
}

impl Player {
    /// A player that has learnt nothing yet.
    pub(super) fn new(thinking: &Thinking) -> Result<Player, AllocationError> {
        let labels =
            thinking.trees.map(|settings| TreeLabels::new(settings, &thinking.network)).transpose()?;
        Ok(Player { search: SmallSearch::new(&thinking.network)?, soft_nodes: thinking.soft_nodes, labels })
    }

    /// Forgets everything, so that a game depends on its own seed only.
    pub(super) fn new_game(&mut self, seed: u64) {
        self.search.new_game();
        if let Some(labels) = &mut self.labels {
            labels.new_game(seed);
        }
    }

    /// The move to play at a ply of the game, counted from 0; `None` only where there is none.
    pub(super) fn choose(&mut self, game: &Game, ply: usize) -> Option<ScoredMove> {
        let sample = self.labels.as_mut().map(|labels| labels.sample_at(ply));
        self.search.softly(game, self.soft_nodes, sample)
    }

    /// Calls `f` with positions out of the tree of the last search, with labels that are fit for training. It was
    /// the search at this ply, after so many searched moves.
    pub(super) fn label_tree(&mut self, ply: usize, after: usize, f: impl FnMut(&Position, TreePosition)) {
        if let Some(labels) = &mut self.labels {
            labels.label(ply, after, f);
        }
    }

    /// A quick look at a position before a game begins there.
    pub(super) fn judge(&mut self, game: &Game) -> Option<Score> {
        let limits =
            SearchLimits { depth: Some(CHECK_DEPTH), nodes: Some(CHECK_NODES), ..SearchLimits::default() };
        self.search.search(game, limits, None).map(|found| found.score)
    }
}

/// Most positions drawn from a tree. A game can be stored with all of them.
pub(crate) const MOST_TREE_POSITIONS: usize = 8;

/// Which positions are drawn and how they are labelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TreeSettings {
    /// Positions drawn from the tree of each search of the game; those with unfit labels are among them.
    pub(crate) positions: usize,
    /// No further iteration of a label's search begins after so many nodes.
    pub(crate) soft_nodes: u64,
}

/// Draws positions and labels them.
///
/// Labels come from a search of its own, which begins each game with empty tables: so a game is move for move
/// the same with and without them, and what the game's search thought of a line does not colour them. A label
/// is given without the moves that led to its position, as the network sees it: repetitions count for nothing.
pub(super) struct TreeLabels {
    search: SmallSearch,
    soft_nodes: u64,
    sample: TreeSample,
    /// What the lots of the game depend on.
    seed: u64,
}

impl TreeLabels {
    pub(super) fn new(settings: TreeSettings, network: &Arc<Network>) -> Result<TreeLabels, AllocationError> {
        Ok(TreeLabels {
            search: SmallSearch::new(network)?,
            soft_nodes: settings.soft_nodes,
            sample: TreeSample::new(settings.positions, is_worth_a_label),
            seed: 0,
        })
    }

    /// Forgets the games before.
    pub(super) fn new_game(&mut self, seed: u64) {
        self.search.new_game();
        self.sample.forget();
        self.seed = seed;
    }

    /// The sample, ready for the search at a ply of the game.
    pub(super) fn sample_at(&mut self, ply: usize) -> &mut TreeSample {
        let salt = SplitMix64::new(self.seed, ply as u64).next();
        self.sample.start(salt, FIRST_KEPT_PLY.saturating_sub(ply));
        &mut self.sample
    }

    /// Labels what was drawn from the search at a ply of the game, which began after so many searched moves. Calls
    /// `f` with each position whose label is fit for training.
    pub(super) fn label(&mut self, ply: usize, after: usize, mut f: impl FnMut(&Position, TreePosition)) {
        for TreeNode { position, path, .. } in self.sample.take() {
            let Some(found) = self.search.softly(&Game::new(position), self.soft_nodes, None) else {
                continue;
            };
            if is_kept(&position, found, ply + path.len()) {
                f(&position, TreePosition { after, path: path.to_vec(), score: found.score });
            }
        }
    }
}

/// What can be known of a label before its search: whether the position and its evaluation are fit for training, as
/// far as the ply does not decide that, and that no capture wins material, which would be the best move.
fn is_worth_a_label(node: &TreeNode) -> bool {
    let position = &node.position;
    is_fit(position, node.eval, FIRST_KEPT_PLY) && !wins_material(position)
}

/// Whether a capture or promotion to a queen gains something by exchanges on its square.
fn wins_material(position: &Position) -> bool {
    let mut noisy = MoveList::new();
    position.generate_noisy(&mut noisy);
    noisy.iter().any(|&mv| mv.promotion().is_some() || position.see(mv, 1))
}

/// Memory of each search: enough for a game of small searches, and small enough for the processor's caches
/// (4 and 9 % more positions per second than with 8 MiB, in two runs).
const HASH_MIB: usize = 2;

/// A search that was about to end after its soft limit is broken off at this multiple of it.
const HARD_FACTOR: u64 = 8;

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

//! The player of both sides: what it thinks before a move, and what it draws from its thoughts.

use std::sync::Arc;

use super::record::{ScoredMove, TreePosition};
use super::small_search::{self, SmallSearch};
use super::trees::{TreeLabels, TreeSettings};
use crate::board::{Game, Position};
use crate::nnue::Network;
use crate::search::SearchLimits;
use crate::tt::AllocationError;
use crate::types::{Depth, Score};

/// The look at an opening ends at this depth in plies or at so many nodes, which is enough to tell what is lost
/// already from what is not.
const CHECK_DEPTH: Depth = 8;
const CHECK_NODES: u64 = 2_000;

/// The limits of all searches in a few words, for the header of a file: they decide which games are played.
pub(super) fn limits() -> String {
    format!("{}, check {CHECK_DEPTH} plies or {CHECK_NODES} nodes", small_search::limits())
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

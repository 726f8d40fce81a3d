//! Positions out of search trees, labelled by small searches of their own.
//!
//! The network is asked about what the search comes across, of which the positions of games are a biased part: each
//! of them is the end of best moves on both sides. So some positions are drawn where the search asks for an
//! evaluation (nodchip/Stockfish#264).

use std::sync::Arc;

use super::record::{FIRST_KEPT_PLY, TreePosition, is_fit, is_kept};
use super::small_search::SmallSearch;
use crate::board::{Game, Position};
use crate::nnue::Network;
use crate::search::{TreeNode, TreeSample};
use crate::tt::AllocationError;
use crate::types::{MoveList, SplitMix64};

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

//! Counts of games.

use std::time::Duration;

use super::record::{GameRecord, Outcome};

/// What is known of a number of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Plies, random ones included.
    pub plies: u64,
    /// Positions that are fit for training, those out of search trees included.
    pub kept: u64,
    /// Those out of search trees.
    pub trees: u64,
    /// Games by outcome, in the order of [`Outcome::ALL`].
    pub results: [u64; 3],
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.plies += game.plies() as u64;
        let trees = game.count_kept_trees();
        self.kept += game.count_kept() + trees;
        self.trees += trees;
        self.results[game.outcome as usize] += 1;
    }

    /// Games with this outcome.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.results[outcome as usize]
    }

    /// Wins of White, draws and wins of Black as people write them.
    pub(super) fn results_text(&self) -> String {
        let [white, draws, black] = self.results;
        format!("+{white} ={draws} -{black}")
    }
}

/// When to stop; whatever comes first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Goal {
    /// Positions fit for training in the file.
    pub(crate) positions: Option<u64>,
    /// Games in the file.
    pub(crate) games: Option<u64>,
    /// Time of this run.
    pub(crate) time: Option<Duration>,
}

impl Goal {
    /// Whether a file with these games is complete.
    pub(crate) fn is_met(&self, tally: &Tally) -> bool {
        self.positions.is_some_and(|positions| tally.kept >= positions)
            || self.games.is_some_and(|games| tally.games >= games)
    }
}

//! Counts of games.

use super::record::{GameRecord, Outcome};

/// What is known of a number of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Plies, random ones included.
    pub plies: u64,
    /// Positions that are fit for training.
    pub kept: u64,
    /// Games by outcome, in the order of [`Outcome::ALL`].
    pub results: [u64; 3],
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.plies += game.plies() as u64;
        self.kept += game.count_kept();
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

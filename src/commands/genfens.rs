//! The openings of the UCI command `genfens`: those of self-play.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::Position;
use crate::datagen::{
    OpeningSearch, Openings, RANDOM_PLIES, RANDOM_PLIES_AFTER_FILE, SelfPlay, Thinking, read_positions,
};
use crate::nnue::Network;
use crate::uci::genfens::Genfens;

/// After so many openings in a row that were there before there are no others, or hardly any, and all are given again.
const MAX_REPEATS: u32 = 100;

/// Hands out so many openings that this network finds balanced, each from a file or the initial position with random
/// moves. They depend on the arguments and the network only.
///
/// # Errors
/// When the file is of no use or no opening is balanced, as a message for people.
pub(super) fn make_openings(
    genfens: &Genfens,
    network: &Arc<Network>,
    stop: &AtomicBool,
    give: &mut dyn FnMut(&Position) -> bool,
) -> Result<(), String> {
    let positions = match &genfens.book {
        Some(file) => read_positions(file).map_err(|error| error.to_string())?,
        None => Vec::new(),
    };
    let plies = if positions.is_empty() { RANDOM_PLIES } else { RANDOM_PLIES_AFTER_FILE };
    let random_plies = genfens.plies.unwrap_or(plies);
    let openings = Openings { positions, chess960_share: 0.0, random_plies };
    let self_play = SelfPlay { openings, seed: genfens.seed };
    let thinking = Thinking { soft_nodes: 1, network: Arc::clone(network), trees: None };
    let mut search = OpeningSearch::new(&self_play, &thinking, stop).map_err(|error| error.to_string())?;
    let (mut seen, mut given) = (Seen::default(), 0);
    while given < genfens.count {
        let Some(position) = search.next().map_err(|error| error.to_string())? else { return Ok(()) };
        if seen.admits(position.key()) {
            given += 1;
            if !give(&position) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The openings that were there before.
#[derive(Default)]
struct Seen {
    keys: HashSet<u64>,
    /// How many of the last openings were refused.
    repeats: u32,
}

impl Seen {
    /// Whether an opening of this key is given: when it is new, or when there are hardly any new ones. Then all that were
    /// given before this one count as new again.
    fn admits(&mut self, key: u64) -> bool {
        if !self.keys.insert(key) {
            self.repeats += 1;
            if self.repeats < MAX_REPEATS {
                return false;
            }
            self.keys = HashSet::from([key]);
        }
        self.repeats = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_a_new_round_is_not_given_twice_in_it() {
        let mut seen = Seen::default();
        assert_eq!([7, 8, 8, 7].map(|key| seen.admits(key)), [true, true, false, false]);
        let refused = (0..).take_while(|_| !seen.admits(7)).count() as u32;
        assert_eq!(refused, MAX_REPEATS - 3);
        assert_eq!([7, 8, 8, 7].map(|key| seen.admits(key)), [false, true, false, false]);
    }
}

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
    let mut seen = HashSet::new();
    let (mut given, mut repeats) = (0, 0);
    while given < genfens.count {
        let Some(position) = search.next().map_err(|error| error.to_string())? else { return Ok(()) };
        if !seen.insert(position.key()) {
            repeats += 1;
            if repeats < MAX_REPEATS {
                continue;
            }
            seen.clear();
        }
        (given, repeats) = (given + 1, 0);
        if !give(&position) {
            return Ok(());
        }
    }
    Ok(())
}

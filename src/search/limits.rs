//! What a search is asked to do.

use std::num::NonZeroU64;
use std::time::Duration;

use super::level::Level;
use crate::types::{Depth, Move};

/// The state of a side's game clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameClock {
    /// Time left.
    pub remaining: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves until the next time control; `None` when the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// When a search ends and what it looks at. The default searches everything until stopped.
#[derive(Clone, Debug, Default)]
pub struct SearchLimits {
    /// Deepest iteration, in plies.
    pub depth: Option<Depth>,
    /// Nodes after which the search ends.
    pub nodes: Option<u64>,
    /// Nodes of the main thread after which no further iteration begins.
    pub soft_nodes: Option<u64>,
    /// Plays below its strength, with one thread.
    pub level: Option<Level>,
    /// Ends when a mate in so many moves (of the side to move) is found.
    pub mate: Option<u32>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<GameClock>,
    /// Keeps the result back until the search is stopped.
    pub infinite: bool,
    /// Thinks on the opponent's time until `ponderhit`, keeping the result back.
    pub ponder: bool,
    /// Root moves to look at; all when none of these is legal.
    pub search_moves: Vec<Move>,
    /// Number of best lines to report, at least 1.
    pub multi_pv: usize,
    /// Nodes that count as a millisecond in place of real time, in `move_time` and `clock`.
    pub nodes_per_ms: Option<NonZeroU64>,
    /// Time lost between engine and opponent's clock, kept in reserve.
    pub overhead: Duration,
}

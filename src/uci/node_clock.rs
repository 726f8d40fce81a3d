//! Clocks that count nodes instead of milliseconds (the option `nodestime`).
//!
//! A search on one thread then uses the same nodes on every run and machine, and games under a clock can be
//! repeated. As in Stockfish, which has the option since 2015, the client's clock is only read at the first
//! move of a game; after that the nodes of each search are taken off and the increments added.

use std::num::NonZeroU64;
use std::time::Duration;

use crate::search::GameClock;
use crate::types::Color;

/// The clocks of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeClock {
    /// Nodes that count as a millisecond; `None` when milliseconds are real.
    nodes_per_ms: Option<NonZeroU64>,
    /// Nodes left, `[color]`; `None` before a side's first move.
    left: [Option<u64>; 2],
    /// Whose clock runs, and the nodes added after the move.
    running: Option<(Color, u64)>,
}

impl NodeClock {
    /// Nodes that count as a millisecond; `None` when milliseconds are real.
    pub fn nodes_per_ms(&self) -> Option<NonZeroU64> {
        self.nodes_per_ms
    }

    /// Sets how many nodes count as a millisecond, 0 for none. Both clocks will be read again.
    pub fn set(&mut self, nodes_per_ms: u64) {
        *self = NodeClock { nodes_per_ms: NonZeroU64::new(nodes_per_ms), ..NodeClock::default() };
    }

    /// Both clocks will be read again.
    pub fn new_game(&mut self) {
        (self.left, self.running) = ([None; 2], None);
    }

    /// The clock to search by for `us`, given the client's: the same where milliseconds are real.
    pub fn start(&mut self, us: Color, clock: Option<GameClock>) -> Option<GameClock> {
        self.running = None;
        let (Some(clock), Some(rate)) = (clock, self.nodes_per_ms) else { return clock };
        let nodes = |time: Duration| (time.as_millis() as u64).saturating_mul(rate.get());
        let left = *self.left[us.index()].get_or_insert(nodes(clock.remaining));
        self.running = Some((us, nodes(clock.increment)));
        Some(GameClock { remaining: Duration::from_millis(left / rate), ..clock })
    }

    /// The search is over and has cost so many nodes.
    pub fn stop(&mut self, nodes: u64) {
        if let Some((us, increment)) = self.running.take()
            && let Some(left) = &mut self.left[us.index()]
        {
            *left = left.saturating_add(increment).saturating_sub(nodes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_taken_off_and_increments_added() {
        let ms = Duration::from_millis;
        let clock =
            |remaining| Some(GameClock { remaining: ms(remaining), increment: ms(10), moves_to_go: None });
        let mut clocks = NodeClock::default();
        assert_eq!(clocks.start(Color::White, clock(1000)), clock(1000));
        clocks.stop(5_000_000);
        assert_eq!(clocks.start(Color::White, clock(900)), clock(900));
        clocks.set(100);
        assert_eq!(clocks.start(Color::White, clock(1000)), clock(1000));
        clocks.stop(21_000);
        // What the client's clock says no longer counts: 1000 - 210 + 10.
        assert_eq!(clocks.start(Color::White, clock(990)), clock(800));
        clocks.stop(1_000_000);
        assert_eq!(clocks.start(Color::White, clock(990)), clock(0));
        assert_eq!(clocks.start(Color::Black, clock(700)), clock(700));
        // A search without a clock costs nothing.
        assert_eq!(clocks.start(Color::Black, None), None);
        clocks.stop(10_000);
        assert_eq!(clocks.start(Color::Black, clock(600)), clock(700));
        clocks.new_game();
        assert_eq!(clocks.start(Color::White, clock(990)), clock(990));
    }
}

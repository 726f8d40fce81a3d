//! Clocks that count nodes instead of milliseconds (the option `nodestime`).
//!
//! A search on one thread then uses the same number of nodes on every run and machine, so games under a clock can be
//! repeated. As in Stockfish, which has had the option since 2015, the client's clock is read only at the first
//! move of a game; after that the nodes of each search are subtracted and the increments added. Each further
//! time control adds the time of the first.

use std::num::NonZeroU64;
use std::time::Duration;

use crate::search::GameClock;
use crate::types::Color;

/// The clocks of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeClock {
    /// Nodes that count as a millisecond; `None` when milliseconds are real.
    nodes_per_ms: Option<NonZeroU64>,
    /// `[color]`; `None` before a side's first move.
    sides: [Option<Side>; 2],
    /// The side whose clock runs, and its increment in nodes.
    running: Option<(Color, u64)>,
}

/// The clock of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Side {
    /// Nodes left.
    left: u64,
    /// Nodes of one time control.
    control: u64,
    /// Moves to the next time control when the clock last ran.
    moves_to_go: Option<u32>,
}

impl Side {
    /// Whether a time control was reached since the clock last ran.
    fn has_reached_control(&self, moves_to_go: Option<u32>) -> bool {
        self.moves_to_go.is_some_and(|before| before == 1 || moves_to_go.is_some_and(|now| now > before))
    }
}

impl NodeClock {
    /// Nodes that count as a millisecond; `None` when milliseconds are real.
    pub fn nodes_per_ms(&self) -> Option<NonZeroU64> {
        self.nodes_per_ms
    }

    /// Sets the number of nodes that count as a millisecond; 0 for real time. Both clocks will be read again.
    pub fn set(&mut self, nodes_per_ms: u64) {
        *self = NodeClock { nodes_per_ms: NonZeroU64::new(nodes_per_ms), ..NodeClock::default() };
    }

    /// Both clocks will be read again.
    pub fn new_game(&mut self) {
        (self.sides, self.running) = ([None; 2], None);
    }

    /// The clock to search by for `us`, given the client's: the same where milliseconds are real.
    pub fn start(&mut self, us: Color, clock: Option<GameClock>) -> Option<GameClock> {
        self.running = None;
        let (Some(clock), Some(rate)) = (clock, self.nodes_per_ms) else { return clock };
        let nodes = |time: Duration| (time.as_millis() as u64).saturating_mul(rate.get());
        let control = nodes(clock.remaining);
        let side = self.sides[us.index()].get_or_insert(Side { left: control, control, moves_to_go: None });
        if side.has_reached_control(clock.moves_to_go) {
            side.left = side.left.saturating_add(side.control);
        }
        side.moves_to_go = clock.moves_to_go;
        self.running = Some((us, nodes(clock.increment)));
        Some(GameClock { remaining: Duration::from_millis(side.left / rate), ..clock })
    }

    /// Ends a search that used `own_nodes` nodes while our own clock ran; `None` if the clock never ran because the
    /// expected move was not played.
    pub fn stop(&mut self, own_nodes: Option<u64>) {
        if let (Some((us, increment)), Some(nodes)) = (self.running.take(), own_nodes)
            && let Some(side) = &mut self.sides[us.index()]
        {
            side.left = side.left.saturating_add(increment).saturating_sub(nodes);
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
        clocks.stop(Some(5_000_000));
        assert_eq!(clocks.start(Color::White, clock(900)), clock(900));
        clocks.set(100);
        assert_eq!(clocks.start(Color::White, clock(1000)), clock(1000));
        clocks.stop(Some(21_000));
        // The client's clock no longer counts: 1000 - 210 + 10.
        assert_eq!(clocks.start(Color::White, clock(990)), clock(800));
        clocks.stop(Some(1_000_000));
        assert_eq!(clocks.start(Color::White, clock(990)), clock(0));
        assert_eq!(clocks.start(Color::Black, clock(700)), clock(700));
        // A search without a clock costs nothing.
        assert_eq!(clocks.start(Color::Black, None), None);
        clocks.stop(Some(10_000));
        assert_eq!(clocks.start(Color::Black, clock(600)), clock(700));
        // Neither does one that pondered on a move that was not played.
        clocks.stop(None);
        assert_eq!(clocks.start(Color::Black, clock(600)), clock(700));
        clocks.new_game();
        assert_eq!(clocks.start(Color::White, clock(990)), clock(990));
    }

    #[test]
    fn time_controls_add_time() {
        let ms = Duration::from_millis;
        let clock = |remaining, moves_to_go| {
            Some(GameClock { remaining: ms(remaining), increment: Duration::ZERO, moves_to_go })
        };
        let mut clocks = NodeClock::default();
        clocks.set(100);
        let mut left = |client_ms: u64, moves_to_go: Option<u32>| {
            let left = clocks.start(Color::White, clock(client_ms, moves_to_go)).map(|clock| clock.remaining);
            clocks.stop(Some(30_000));
            left
        };
        assert_eq!(left(1000, Some(2)), Some(ms(1000)));
        assert_eq!(left(710, Some(1)), Some(ms(700)));
        assert_eq!(left(1420, Some(2)), Some(ms(1400)));
        assert_eq!(left(1130, Some(1)), Some(ms(1100)));
        // One move to each control, then the rest of the game.
        assert_eq!(left(1000, Some(1)), Some(ms(1800)));
        assert_eq!(left(1000, None), Some(ms(2500)));
        assert_eq!(left(1000, None), Some(ms(2200)));
        // A control that was passed between two searches of the same side.
        assert_eq!(left(1000, Some(3)), Some(ms(1900)));
        assert_eq!(left(1000, Some(40)), Some(ms(2600)));
        assert_eq!(left(1000, Some(38)), Some(ms(2300)));
    }
}

//! What a search is asked to do, and how long it may think.
//!
//! The soft limit is looked at between iterations and scaled by how settled the choice is; the hard
//! limit cuts the search off anywhere (CPW: "Time Management").

use std::num::NonZeroU64;
use std::time::Duration;

use crate::board::Position;
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
    /// Ends when a mate in this number of moves (of the side to move) is found.
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

impl SearchLimits {
    /// Whether only some moves of this position are to be looked at. A restriction that leaves nothing is none.
    pub fn restrict(&self, position: &Position) -> bool {
        position.legal_moves().iter().any(|mv| self.search_moves.contains(mv))
    }

    /// The moves of this position that are to be looked at.
    pub fn root_moves(&self, position: &Position) -> Vec<Move> {
        let restricted = self.restrict(position);
        let is_wanted = |mv: &Move| !restricted || self.search_moves.contains(mv);
        position.legal_moves().into_iter().filter(is_wanted).collect()
    }
}

/// Moves that a game is assumed to last from its first move on in sudden death. This and the next two were
/// chosen by matches.
const ASSUMED_MOVES: f64 = 30.0;

/// By how much each move played makes the assumed rest shorter.
const FEWER_PER_MOVE: f64 = 0.35;

/// The assumed rest does not fall below this.
const LEAST_MOVES: f64 = 10.0;

/// A time control further away than this counts as no nearer.
const MOST_MOVES_TO_GO: u32 = 28;

/// Increments that must be on the clock before an increment is spent in full.
const RESERVED_INCREMENTS: u32 = 10;

/// The time a search may take, from its start or from `ponderhit`.
///
/// - Technique: [Time management](https://www.chessprogramming.org/Time_Management)
/// - Assumes: a game lasts about `ASSUMED_MOVES` moves, and the later the fewer are left
/// - Units: shares of the time left
/// - Elo: +28.4 +- 16.8, then +10.4 +- 17.0, 600 games each, 1+0.01 counted in nodes (2026-11-30)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TimeBudget {
    /// No new iteration is begun after this, times a scale near 1.
    pub soft: Option<Duration>,
    /// The search is cut off here.
    pub hard: Option<Duration>,
}

impl TimeBudget {
    /// Works out the budget from the clocks, for this move of the game.
    pub fn new(limits: &SearchLimits, fullmove_number: u16) -> TimeBudget {
        let mut budget = TimeBudget::default();
        if let Some(clock) = limits.clock {
            let remaining = clock.remaining.saturating_sub(limits.overhead).max(Duration::from_millis(1));
            let played = f64::from(fullmove_number.saturating_sub(1));
            let assumed = (ASSUMED_MOVES - FEWER_PER_MOVE * played).max(LEAST_MOVES);
            let moves_to_go = clock.moves_to_go.map(|moves| moves.clamp(1, MOST_MOVES_TO_GO));
            let moves = moves_to_go.map_or(assumed, f64::from);
            // The increment is spent only while a reserve of some increments stands behind it: a clock
            // that runs near zero is lost to the first hiccup of the machine.
            let reserve = clock.increment * RESERVED_INCREMENTS;
            let backed = remaining.as_secs_f64() / reserve.as_secs_f64().max(1e-9);
            let share = remaining.div_f64(moves) + clock.increment.mul_f64(0.75 * backed.min(1.0));
            let ceiling = remaining.mul_f64(match moves_to_go {
                // With the time control ahead all of the time may go.
                Some(1) => 0.9,
                Some(2..=5) => 0.6,
                _ => 0.35,
            });
            budget.soft = Some((share * 3 / 4).min(ceiling));
            budget.hard = Some((share * 4).min(ceiling));
        }
        if let Some(time) = limits.move_time {
            let hard = time.saturating_sub(limits.overhead).max(Duration::from_millis(1));
            budget.hard = Some(budget.hard.map_or(hard, |other| other.min(hard)));
        }
        budget
    }
}

/// How settled the choice of a move is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Certainty {
    /// Iterations since the best move last changed.
    pub(super) stable_iterations: usize,
    /// Part of all nodes that were spent on the best move, 0 to 1.
    pub(super) best_share: f64,
    /// Internal units by which the score fell since the iteration before; negative when it rose.
    pub(super) score_drop: i32,
}

impl Certainty {
    /// What to multiply the soft limit by: more time while the best move changes or its score falls,
    /// less when it has long been the same and took most of the effort.
    ///
    /// - Technique: [Time by certainty](https://www.chessprogramming.org/Time_Management)
    /// - Assumes: an unsettled choice gains most by more time
    /// - Units: factors near 1; the score trend in internal units
    /// - Elo: the score trend: +15.2 +- 32.1, 160 games, 1+0.01 (2026-11-30); the others not measured alone
    pub(super) fn soft_scale(&self) -> f64 {
        const BY_STABILITY: [f64; 6] = [2.2, 1.4, 1.1, 0.95, 0.85, 0.8];
        let stability = BY_STABILITY[self.stable_iterations.min(BY_STABILITY.len() - 1)];
        let trend = 1.0 + f64::from(self.score_drop.clamp(-30, 60)) / 120.0;
        stability * (1.6 - self.best_share) * trend
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget_at(number: u16, remaining: u64, increment: u64, moves_to_go: Option<u32>) -> TimeBudget {
        let ms = Duration::from_millis;
        let clock = GameClock { remaining: ms(remaining), increment: ms(increment), moves_to_go };
        TimeBudget::new(&SearchLimits { clock: Some(clock), overhead: ms(10), ..Default::default() }, number)
    }

    #[test]
    fn never_plans_more_than_the_clock_has() {
        for remaining in [0, 1, 5, 11, 20, 100, 1000, 60_000, 86_400_000] {
            for increment in [0, 10, 1000, 60_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(1000)] {
                    for number in [0, 1, 30, 100, 6000, u16::MAX] {
                        let budget = budget_at(number, remaining, increment, moves_to_go);
                        let (soft, hard) = (budget.soft.unwrap(), budget.hard.unwrap());
                        assert!(soft <= hard, "{number} {remaining} {increment} {moves_to_go:?}");
                        let usable = Duration::from_millis(remaining.saturating_sub(10).max(1));
                        assert!(hard <= usable, "{number} {remaining} {increment} {moves_to_go:?}: {hard:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_longer_the_game_the_greater_the_share() {
        let soft = |number| budget_at(number, 60_000, 0, None).soft.unwrap();
        assert!(soft(1) < soft(20) && soft(20) < soft(50) && soft(80) == soft(200));
        // A time control says all that needs to be known.
        assert_eq!(budget_at(1, 60_000, 0, Some(20)), budget_at(90, 60_000, 0, Some(20)));
    }

    #[test]
    fn scale_follows_certainty() {
        let scale = |stable_iterations, best_share, score_drop| {
            Certainty { stable_iterations, best_share, score_drop }.soft_scale()
        };
        assert!(scale(0, 0.3, 0) > scale(3, 0.3, 0));
        assert!(scale(3, 0.3, 0) > scale(3, 0.95, 0));
        assert!(scale(3, 0.3, 40) > scale(3, 0.3, 0) && scale(3, 0.3, 0) > scale(3, 0.3, -20));
    }
}

//! How long to think.
//!
//! The soft limit is looked at between iterations and scaled by how settled the choice is; the hard
//! limit cuts the search off anywhere (CPW: "Time Management").

use std::time::Duration;

use super::limits::SearchLimits;

/// Moves the rest of the game is assumed to last in sudden death.
const ASSUMED_MOVES: u32 = 28;

/// Increments that must be on the clock before an increment is spent in full.
const RESERVED_INCREMENTS: u32 = 10;

/// The time a search may take, from its start or from `ponderhit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TimeBudget {
    /// No new iteration is begun after this, times a scale near 1.
    pub soft: Option<Duration>,
    /// The search is cut off here.
    pub hard: Option<Duration>,
}

impl TimeBudget {
    /// Works out the budget from the clocks.
    pub fn new(limits: &SearchLimits) -> TimeBudget {
        let mut budget = TimeBudget::default();
        if let Some(clock) = limits.clock {
            let remaining = clock.remaining.saturating_sub(limits.overhead).max(Duration::from_millis(1));
            let moves = clock.moves_to_go.unwrap_or(ASSUMED_MOVES).clamp(1, ASSUMED_MOVES);
            // The increment is spent only while a reserve of some increments stands behind it: a clock
            // that runs near zero is lost to the first hiccup of the machine.
            let reserve = clock.increment * RESERVED_INCREMENTS;
            let backed = remaining.as_secs_f64() / reserve.as_secs_f64().max(1e-9);
            let share = remaining / moves + clock.increment.mul_f64(0.75 * backed.min(1.0));
            let ceiling = remaining.mul_f64(match moves {
                // With the time control ahead all of the time may go.
                1 => 0.9,
                2..=5 => 0.6,
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
    /// Centipawns by which the score fell since the iteration before; negative when it rose.
    pub(super) score_drop: i32,
}

impl Certainty {
    /// What to multiply the soft limit by: more time while the best move changes or its score falls,
    /// less when it has long been the same and took most of the effort.
    pub(super) fn soft_scale(&self) -> f64 {
        const BY_STABILITY: [f64; 6] = [2.2, 1.4, 1.1, 0.95, 0.85, 0.8];
        let stability = BY_STABILITY[self.stable_iterations.min(BY_STABILITY.len() - 1)];
        let trend = 1.0 + f64::from(self.score_drop.clamp(-30, 60)) / 120.0;
        stability * (1.6 - self.best_share) * trend
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::GameClock;
    use super::*;

    fn budget(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> TimeBudget {
        let ms = Duration::from_millis;
        let clock = GameClock { remaining: ms(remaining), increment: ms(increment), moves_to_go };
        TimeBudget::new(&SearchLimits { clock: Some(clock), overhead: ms(10), ..Default::default() })
    }

    #[test]
    fn never_plans_more_than_the_clock_has() {
        for remaining in [0, 1, 5, 11, 20, 100, 1000, 60_000, 86_400_000] {
            for increment in [0, 10, 1000, 60_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(1000)] {
                    let budget = budget(remaining, increment, moves_to_go);
                    let (soft, hard) = (budget.soft.unwrap(), budget.hard.unwrap());
                    assert!(soft <= hard, "{remaining} {increment} {moves_to_go:?}");
                    let usable = Duration::from_millis(remaining.saturating_sub(10).max(1));
                    assert!(hard <= usable, "{remaining} {increment} {moves_to_go:?}: {hard:?}");
                }
            }
        }
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

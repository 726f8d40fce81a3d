//! One game of self-play, and when it is over.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::openings::{Opening, Openings};
use super::player::Player;
use super::record::{GameRecord, Outcome, ScoredMove};
use crate::board;
use crate::types::{Color, Score};

/// Openings that a quick look finds more one-sided than this, in centipawns, are thrown away.
const MAX_OPENING_SCORE: i32 = 400;
/// Openings that are tried for a game. With the initial position a few are enough.
const MAX_ATTEMPTS: usize = 1000;

/// A side that is ahead by this many centipawns for so many plies in a row has won.
const WIN_SCORE: i32 = 1500;
const WIN_PLIES: u32 = 5;

/// A game in which neither side is ahead by more for so many plies in a row is drawn, from a certain ply on.
const DRAW_SCORE: i32 = 8;
const DRAW_PLIES: u32 = 10;
const DRAW_FROM_PLY: usize = 70;

/// A game that takes longer is drawn.
const MAX_PLIES: usize = 600;

/// What decides which games are played, besides the engine itself.
pub(super) struct SelfPlay {
    pub(super) openings: Openings,
    pub(super) seed: u64,
}

/// No balanced opening was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no opening within {MAX_OPENING_SCORE} centipawns in {MAX_ATTEMPTS} attempts")]
pub struct NoOpening;

impl SelfPlay {
    /// Plays the game of this number, which depends on nothing else; `None` when it was abandoned.
    pub(super) fn play(
        &self,
        number: u64,
        player: &mut Player,
        abandon: &AtomicBool,
    ) -> Result<Option<GameRecord>, NoOpening> {
        let mut rng = fastrand::Rng::with_seed(scramble(self.seed ^ scramble(number)));
        player.new_game();
        let is_balanced = |player: &mut Player, opening: &Opening| {
            player.judge(&opening.game).is_some_and(|score| score.0.abs() <= MAX_OPENING_SCORE)
        };
        for _ in 0..MAX_ATTEMPTS {
            if abandon.load(Relaxed) {
                return Ok(None);
            }
            match self.openings.draw(&mut rng) {
                Some(opening) if is_balanced(player, &opening) => {
                    return Ok(finish(opening, player, abandon));
                }
                _ => {}
            }
        }
        Err(NoOpening)
    }
}

/// Spreads neighbouring numbers over all 64 bits (the finaliser of SplitMix64, Steele and others 2014).
fn scramble(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Plays from the opening to the end.
fn finish(opening: Opening, player: &mut Player, abandon: &AtomicBool) -> Option<GameRecord> {
    let Opening { start, moves: opening, mut game } = opening;
    let mut moves: Vec<ScoredMove> = Vec::new();
    let mut umpire = Umpire::default();
    loop {
        let ply = opening.len() + moves.len();
        let by_rule = game.outcome().map(|outcome| match outcome {
            board::Outcome::Checkmate(winner) => Outcome::win_for(winner),
            board::Outcome::Draw(_) => Outcome::Draw,
        });
        if let Some(outcome) = by_rule.or((ply >= MAX_PLIES).then_some(Outcome::Draw)) {
            return Some(GameRecord { start, opening, moves, outcome });
        }
        if abandon.load(Relaxed) {
            return None;
        }
        let mover = game.position().stm();
        // The game is not over, so there is a move.
        let chosen = player.choose(&game)?;
        game.play(chosen.mv);
        moves.push(chosen);
        if let Some(outcome) = umpire.judge(mover, chosen.score, ply) {
            return Some(GameRecord { start, opening, moves, outcome });
        }
    }
}

/// Ends games by their scores.
#[derive(Default)]
struct Umpire {
    /// Plies in a row that White, Black is far ahead.
    ahead: [u32; 2],
    /// Plies in a row that nobody is ahead.
    level: u32,
}

impl Umpire {
    /// Takes note of the score of `mover` at a ply of the game, counted from 0.
    fn judge(&mut self, mover: Color, score: Score, ply: usize) -> Option<Outcome> {
        for color in Color::ALL {
            let own = if color == mover { score } else { -score };
            if own.is_win() {
                return Some(Outcome::win_for(color));
            }
            let streak = &mut self.ahead[color.index()];
            *streak = if own.0 >= WIN_SCORE { *streak + 1 } else { 0 };
            if *streak >= WIN_PLIES {
                return Some(Outcome::win_for(color));
            }
        }
        self.level = if score.0.abs() <= DRAW_SCORE { self.level + 1 } else { 0 };
        (self.level >= DRAW_PLIES && ply >= DRAW_FROM_PLY).then_some(Outcome::Draw)
    }
}

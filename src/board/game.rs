//! A game: a position together with how it came about, which repetition depends on.

use super::position::Position;
use crate::types::{Color, Move};

/// Why a game is drawn without agreement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawReason {
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// The position occurred for the third time.
    ThreefoldRepetition,
    /// Fifty moves a side without capture or pawn move.
    FiftyMoves,
    /// No sequence of legal moves can mate.
    DeadPosition,
}

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Checkmate; the winner is named.
    Checkmate(Color),
    /// A draw.
    Draw(DrawReason),
}

/// A position and the keys of the positions before it.
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    /// Keys of all earlier positions since the last irreversible move, oldest first.
    earlier_keys: Vec<u64>,
}

impl Game {
    /// A game that starts here.
    pub fn new(position: Position) -> Game {
        Game { position, earlier_keys: Vec::new() }
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the positions since the last capture or pawn move, oldest first, the current one excluded.
    pub fn earlier_keys(&self) -> &[u64] {
        &self.earlier_keys
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.earlier_keys.push(self.position.key());
        self.position.make(mv);
        if self.position.halfmove_clock() == 0 {
            self.earlier_keys.clear();
        }
    }

    /// How often the current position has occurred, this time included.
    pub fn occurrences(&self) -> usize {
        1 + self.earlier_keys.iter().filter(|&&key| key == self.position.key()).count()
    }
}

impl Default for Game {
    fn default() -> Game {
        Game::new(Position::start())
    }
}

//! A game: a position together with how it came about, which repetition depends on.

use std::str::FromStr;

use super::fen::FenError;
use super::fen_repair::{self, FenRepair};
use super::position::Position;
use super::zobrist::APART;
use crate::types::{CastlingMode, Color, Move, MoveKind, Square};

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
    passed_square: Option<Square>,
    last_capture: Option<Square>,
}

impl Game {
    /// A game that starts here.
    pub fn new(position: Position) -> Game {
        Game { position, earlier_keys: Vec::new(), passed_square: position.en_passant(), last_capture: None }
    }

    /// Reads a FEN as the beginning of a game and puts right what [`Position::parse_lenient`] does.
    ///
    /// # Errors
    /// Those of [`Position::parse_lenient`].
    pub fn parse_lenient(fen: &str, mode: CastlingMode) -> Result<(Game, Vec<FenRepair>), FenError> {
        let read = fen_repair::read(fen, mode)?;
        let mut game = Game::new(read.position);
        game.passed_square = read.passed_square;
        Ok((game, read.repairs))
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the positions since the last capture or pawn move, oldest first, the current one excluded.
    pub fn earlier_keys(&self) -> &[u64] {
        &self.earlier_keys
    }

    /// The square behind the pawn that just moved two steps, whether or not it can be taken there; the
    /// position itself remembers it only where it can.
    pub fn passed_square(&self) -> Option<Square> {
        self.passed_square
    }

    /// Where the last move took a piece, if it did.
    pub fn last_capture(&self) -> Option<Square> {
        self.last_capture
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        let middle = || Square::from_index((mv.from() as u8 + mv.to() as u8) / 2);
        self.last_capture = mv.is_capture().then(|| mv.to());
        self.passed_square = (mv.kind() == MoveKind::DoublePush).then(middle);
        self.earlier_keys.push(self.position.key());
        self.position.make(mv);
        if self.position.halfmove_clock() == 0 {
            self.earlier_keys.clear();
        }
    }

    /// Sets the count of plies since the last capture or pawn move to another value.
    pub fn set_halfmove_clock(&mut self, plies: u16) {
        self.position.halfmove_clock = plies;
    }

    /// Forgets the positions before the current one.
    pub fn forget_earlier(&mut self) {
        self.earlier_keys.clear();
    }

    /// Gives the position, those before it and those that follow other keys than they have in other games, so that a
    /// hash table keeps apart what was found under other rules.
    pub fn set_keys_apart(&mut self) {
        self.position.keys.set_apart();
        self.earlier_keys.iter_mut().for_each(|key| *key ^= APART);
    }

    /// How often the current position has occurred, this time included.
    pub fn occurrences(&self) -> usize {
        1 + self.earlier_keys.iter().filter(|&&key| key == self.position.key()).count()
    }
}

/// Reads a FEN as the beginning of a game.
impl FromStr for Game {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Game, FenError> {
        let mut game = Game::new(fen.parse()?);
        // The position has checked the field and dropped the square where no capture is legal.
        game.passed_square = fen.split_ascii_whitespace().nth(3).and_then(|field| field.parse().ok());
        Ok(game)
    }
}

impl Default for Game {
    fn default() -> Game {
        Game::new(Position::start())
    }
}

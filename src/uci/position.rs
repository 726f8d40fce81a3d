//! The argument of `position` as a game.

use crate::board::{FenError, FenRepair, Game};
use crate::notation::{MoveError, parse_uci};
use crate::types::CastlingMode;

/// Why a position was not set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// The FEN is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move of the list is wrong.
    #[error("{error} (move {number} of the list)")]
    Move {
        /// What is wrong with it.
        error: MoveError,
        /// Its place in the list, from 1.
        number: usize,
    },
}

/// Sets a FEN up, or the initial position, and plays the moves. The game can hold long lists: only the keys
/// that a repetition needs are kept. What does not change where the men stand is put right in the FEN as in
/// [`Game::parse_lenient`]; each such repair is told, also when a move is wrong then.
///
/// # Errors
/// When the FEN is beyond repair or one of the moves is wrong.
pub fn set_up(
    fen: Option<&str>,
    moves: &[String],
    mode: CastlingMode,
    tell: impl FnMut(FenRepair),
) -> Result<Game, PositionError> {
    let (mut game, repairs) = match fen {
        Some(fen) => Game::parse_lenient(fen, mode)?,
        None => (Game::default(), Vec::new()),
    };
    repairs.into_iter().for_each(tell);
    for (index, text) in moves.iter().enumerate() {
        let mv = parse_uci(game.position(), text);
        game.play(mv.map_err(|error| PositionError::Move { error, number: index + 1 })?);
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standard(fen: Option<&str>, list: &str) -> (Result<Game, PositionError>, Vec<FenRepair>) {
        let moves: Vec<String> = list.split_whitespace().map(str::to_owned).collect();
        let mut repairs = Vec::new();
        let game = set_up(fen, &moves, CastlingMode::Standard, |repair| repairs.push(repair));
        (game, repairs)
    }

    #[test]
    fn all_or_nothing() {
        let game = standard(None, "e2e4 e7e5 g1f3 b8c6").0.unwrap();
        assert_eq!(game.earlier_keys().len(), 2);
        let error = standard(None, "e2e4 e7e5 e4e5").0.unwrap_err();
        assert_eq!(error.to_string(), "move e4e5 is illegal here (move 3 of the list)");
        assert!(matches!(standard(Some("8/8 w"), "").0, Err(PositionError::Fen(_))));
    }

    #[test]
    fn repairs_are_told_before_the_moves_are_played() {
        let fen = Some("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1");
        let (game, repairs) = standard(fen, "e1g1");
        assert!(game.is_ok() && repairs.len() == 1, "{repairs:?}");
        let (game, repairs) = standard(fen, "e1c1");
        assert!(game.is_err() && repairs.len() == 1, "{repairs:?}");
    }
}

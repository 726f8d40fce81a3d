//! The argument of `position` as a game.

use crate::board::{FenError, Game};
use crate::notation::{MoveError, parse_uci};

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
/// that a repetition needs are kept.
///
/// # Errors
/// When the FEN or one of the moves is wrong.
pub fn set_up(fen: Option<&str>, moves: &[String]) -> Result<Game, PositionError> {
    let mut game = fen.map_or(Ok(Game::default()), str::parse)?;
    for (index, text) in moves.iter().enumerate() {
        let mv = parse_uci(game.position(), text);
        game.play(mv.map_err(|error| PositionError::Move { error, number: index + 1 })?);
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_or_nothing() {
        let moves = |list: &str| list.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let game = set_up(None, &moves("e2e4 e7e5 g1f3 b8c6")).unwrap();
        assert_eq!(game.earlier_keys().len(), 2);
        let error = set_up(None, &moves("e2e4 e7e5 e4e5")).unwrap_err();
        assert_eq!(error.to_string(), "move e4e5 is illegal here (move 3 of the list)");
        assert!(matches!(set_up(Some("8/8 w"), &[]), Err(PositionError::Fen(_))));
    }
}

//! Moves as text: coordinate notation for UCI, standard algebraic notation for people and EPD files.

mod coordinate;
mod san;

pub use coordinate::{format_uci, parse_uci};
pub use san::{format_san, parse_san};

/// Why a text is not a legal move here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text has not the form of a move.
    #[error("'{0}' is not a move")]
    Malformed(String),
    /// The text has the form of a move, but no legal move fits it.
    #[error("move {0} is illegal here")]
    Illegal(String),
    /// A pawn reaches the last rank, but no piece is named.
    #[error("move {0} does not say what the pawn becomes, e.g. {0}q")]
    MissingPromotion(String),
    /// More than one legal move fits the text.
    #[error("move {0} is ambiguous here")]
    Ambiguous(String),
}

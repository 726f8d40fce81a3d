//! The rules of chess: a position, how moves change it, what makes a move legal and a game drawn.
//!
//! To be read in this order: `position`, `make` and `delta` (what a move changes), `zobrist`, `legality` (of one
//! move), `game` and `repetition` (draws), `see` (static exchange evaluation), `fen` and `fen_repair`.

mod delta;
mod fen;
mod fen_repair;
mod game;
mod legality;
mod make;
mod position;
mod repetition;
mod see;
mod zobrist;

pub use delta::{Delta, PlacedPiece};
pub use fen::{FenError, START_FEN};
pub use fen_repair::{CastlingFault, FenField, FenRepair};
pub use game::{DrawReason, Game, Outcome};
pub use legality::CheckInfo;
pub use position::{CastlingPath, Position};
pub use repetition::ReversibleMoves;
pub use see::SEE_VALUES;
pub use zobrist::Keys;

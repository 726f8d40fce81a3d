//! The vocabulary that every other module speaks.

mod bitboard;
mod castling;
mod color;
mod mv;
mod piece;
mod random;
mod score;
mod square;

pub use bitboard::Bitboard;
pub use castling::{CastlingMode, CastlingRights, CastlingSide};
pub use color::Color;
pub use mv::{MAX_MOVES, Move, MoveKind, MoveList};
pub use piece::{Piece, PieceType};
pub use random::SplitMix64;
pub use score::{MAX_PLY, Score};
pub use square::{File, Rank, Square};

/// Remaining search depth in plies. May be negative inside reductions; nodes clamp it to zero.
pub type Depth = i32;
